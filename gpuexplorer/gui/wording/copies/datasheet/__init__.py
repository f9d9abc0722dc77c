"""What a card promises and what it reached here, in words and figures."""
