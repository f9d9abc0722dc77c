"""Every ordered pair of some devices in a table, its cells shaded by their rates."""
