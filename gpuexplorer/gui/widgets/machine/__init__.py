"""The drawing of how cards are wired, its matrix and its facts."""
