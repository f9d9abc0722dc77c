"""Tests of the one table of all screens."""
