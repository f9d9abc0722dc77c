"""A model: its layers as a drawing, and one of them in full."""
