"""Small and reusable. They know the words of the trade, and no session."""
