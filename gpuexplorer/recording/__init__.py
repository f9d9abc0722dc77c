"""What cards did, kept in a file, and read again."""
