"""Tests of the screen of events."""
