"""A recording, or a stretch of it, as a file that other programs read."""
