"""Single rows: an event, a process, a setting."""
