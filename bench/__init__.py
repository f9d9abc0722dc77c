"""What the program costs, measured: `python -m bench`, or `make bench`."""
