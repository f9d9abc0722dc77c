"""A program of the person's own that is watched while it runs."""
