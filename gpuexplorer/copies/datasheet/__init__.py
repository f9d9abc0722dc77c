"""The datasheet of a card: what it promises, and what it reached here."""
