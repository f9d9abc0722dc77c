"""What stands above the bench: switches, the worker."""
