"""The state of a random generator as bytes, which can be kept and compared."""

import ctypes

import torch


def bytes_of(state: torch.Tensor) -> bytes:
    """Of a tensor of bytes in main memory. Not through numpy, without which PyTorch works."""
    whole = state.contiguous()
    return ctypes.string_at(whole.data_ptr(), whole.numel())
