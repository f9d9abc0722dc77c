"""A tensor: its values, their spread, where one looks."""
