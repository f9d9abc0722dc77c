"""The words of the trade: cards, metrics, units. Standard library only, no input or output."""
