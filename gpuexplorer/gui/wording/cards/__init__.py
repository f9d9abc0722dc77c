"""What is said of a card: its face on a tile, its memory, its link, why it is slowed."""
