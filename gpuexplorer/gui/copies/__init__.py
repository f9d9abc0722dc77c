"""The screen of the copies."""
