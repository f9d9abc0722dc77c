"""How the window looks: colours, letters, icons, and the style of Qt's own controls."""
