"""Freezing: the program as a folder that needs no Python on the computer it runs on."""
