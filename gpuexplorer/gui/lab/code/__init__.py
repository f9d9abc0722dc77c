"""The lines of the session, and how they fared."""
