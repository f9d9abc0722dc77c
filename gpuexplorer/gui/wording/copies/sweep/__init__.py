"""Words for rate over size."""
