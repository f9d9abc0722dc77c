"""A played lesson as a file that others can open: a page, or a notebook."""
