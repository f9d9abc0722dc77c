"""Values, layers and facts of a thing that is looked into."""
