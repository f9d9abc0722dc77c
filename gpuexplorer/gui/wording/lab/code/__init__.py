"""What is said of a line, of its cost, and of typing the next."""
