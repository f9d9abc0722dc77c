"""What floats over the window: sheets, dialogs, pop-ups."""
