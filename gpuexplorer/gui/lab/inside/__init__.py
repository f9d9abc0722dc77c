"""Looking inside a tensor or a model."""
