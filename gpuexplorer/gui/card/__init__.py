"""The screen of one card: all that is known of it, now and over the visible stretch of time."""
