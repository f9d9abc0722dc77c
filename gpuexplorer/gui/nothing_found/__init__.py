"""The screen for a computer on which no card answers."""
