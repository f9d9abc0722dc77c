"""Words for copies."""
