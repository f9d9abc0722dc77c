"""Programs: what was watched of a program of a person's own, told by its lines of code."""
