"""How a copy is measured, as far as that needs no PyTorch."""
