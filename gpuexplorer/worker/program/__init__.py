"""A person's program in a process of its own, as `python FILE` runs it; and what is watched."""
