"""What each card did meanwhile, with a flag for each cell."""
