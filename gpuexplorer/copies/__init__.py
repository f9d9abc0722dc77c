"""Copies: what to measure, what came out, and what the wire between could do."""
