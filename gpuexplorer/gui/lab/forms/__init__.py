"""Forms that write a cell."""
