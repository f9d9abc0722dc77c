"""Every pair measured, beside what the wires promise."""
