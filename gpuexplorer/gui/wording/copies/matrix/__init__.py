"""What the matrix of copies says."""
