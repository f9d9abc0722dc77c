"""What is said of cards: pure functions from readings to words and figures; no widgets."""
