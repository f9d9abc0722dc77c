"""The readings for other programs, over HTTP. Nothing else of ours listens."""
