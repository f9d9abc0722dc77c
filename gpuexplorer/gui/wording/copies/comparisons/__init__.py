"""Words for two ways of copying beside each other."""
