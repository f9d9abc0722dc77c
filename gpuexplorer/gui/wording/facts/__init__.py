"""The list of all that is known of one card, and which plots it could have."""
