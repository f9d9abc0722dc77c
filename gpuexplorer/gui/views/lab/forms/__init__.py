"""Forms that write a line of PyTorch."""
