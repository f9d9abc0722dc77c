"""Player: how far somebody came in a lesson, and what came of each of its parts."""
