"""Ways of copying beside each other, and what follows from their figures."""
