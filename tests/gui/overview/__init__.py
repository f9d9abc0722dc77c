"""The first screen: tiles and cells, what all cards do together, and the order of cards."""
