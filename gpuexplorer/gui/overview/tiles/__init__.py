"""The tiles of the overview, in three sizes, and the strips beside them."""
