"""Heat maps of every ordered pair of some devices."""
