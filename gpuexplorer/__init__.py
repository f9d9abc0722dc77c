"""GPU Explorer: see the cards, try them, and watch the bytes move."""

__version__ = "0.1.0"
