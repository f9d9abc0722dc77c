"""The overview: every card on one screen."""
