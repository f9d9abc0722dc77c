"""The facts of a card, as a list to look through or to choose from."""
