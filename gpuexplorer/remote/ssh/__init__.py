"""The system's own ssh: how it is started, how its questions are answered, what it says."""
