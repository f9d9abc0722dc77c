"""Who uses the cards, what for, and how to end it."""
