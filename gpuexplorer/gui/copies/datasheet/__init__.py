"""What a card promises and what it reached here, beside other cards."""
