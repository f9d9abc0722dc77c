"""What one card says, as words, figures and reasons, for every screen that shows a card."""
