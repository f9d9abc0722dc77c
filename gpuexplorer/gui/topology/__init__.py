"""The topology: how the cards, the processors and what is between them are wired."""
