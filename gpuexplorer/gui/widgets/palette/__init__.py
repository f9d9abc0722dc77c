"""The palette: every command of the program, found as one types."""
