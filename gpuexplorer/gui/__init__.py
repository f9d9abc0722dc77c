"""Everything Qt: the window and what is in it."""
