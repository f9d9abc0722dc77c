"""Nothing but what Python imports by itself before a program: this may lie on any path."""
