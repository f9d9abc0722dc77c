"""Which lines had to do with which card, and their flags."""
