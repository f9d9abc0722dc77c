"""The screen of one card, and what it is made of."""
