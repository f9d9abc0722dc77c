"""The screen of how the cards are wired."""
