"""One folder per screen. Views do not import each other."""
