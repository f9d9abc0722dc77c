"""What stands above the bench: switches, undo, the worker."""
