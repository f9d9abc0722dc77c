"""The settings: a sheet over the window, a file for each section."""
