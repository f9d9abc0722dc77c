"""Another machine as this side knows it: how it is reached, and what it told."""
