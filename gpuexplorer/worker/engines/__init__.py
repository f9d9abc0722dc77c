"""What carries a line out: PyTorch on real devices, or on cards that do not exist."""
