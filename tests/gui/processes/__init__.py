"""The processes screen."""
