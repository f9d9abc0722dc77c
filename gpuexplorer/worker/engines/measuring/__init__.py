"""Copies and products, measured with PyTorch on the devices that are here."""
