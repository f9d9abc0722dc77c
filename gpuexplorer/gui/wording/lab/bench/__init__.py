"""What stands on the shelves, and where."""
