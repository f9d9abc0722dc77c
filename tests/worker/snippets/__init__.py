"""Ordinary PyTorch, as people write it: each function gives values, on whatever device."""
