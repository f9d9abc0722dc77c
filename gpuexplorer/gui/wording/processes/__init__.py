"""What is said of the programs on the cards, and of ending one."""
