"""Ordinary PyTorch, as people write it. Each function gives values, on whatever device.

What a function gives on a simulated card must be what it gives on the processor. Inputs come
from the processor's generator, so that they are the same everywhere.
"""
