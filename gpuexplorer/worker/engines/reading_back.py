"""What an operation fetches from a card for the host, which nobody asked for by that name."""

from typing import Any

import torch

_COUNT = 4  # bytes in which a card tells how many it found
_FETCHED = {"equal": 1, "allclose": 1, "nonzero": _COUNT, "masked_select": _COUNT}
READING = "_local_scalar_dense"  # what .item() and its like come down to
INDEXING = frozenset({"index", "index_put", "index_put_", "_unsafe_index", "_index_put_impl_"})
NAMES = frozenset(_FETCHED) | INDEXING | {READING}
_MOST_SHOWN = 1000  # values; of more, PyTorch prints the edges of each dimension
_EDGES = 6


# Any throughout: operands are whatever PyTorch hands on.
def fetched(name: str, args: Any) -> int:
    """Bytes that come back to the host while the operation runs. 0: none."""
    if name == READING:
        return int(args[0].element_size())
    if name in INDEXING:
        masks = (each for each in args[1] if isinstance(each, torch.Tensor))
        found = any(each.dtype == torch.bool and each.device.type != "cpu" for each in masks)
        return _COUNT if found else 0
    return _FETCHED.get(name, 0)


def shown_bytes(tensor: Any) -> int:
    """Of the values that PyTorch prints of a tensor."""
    count = 1
    for size in tensor.shape:
        count *= size if tensor.numel() <= _MOST_SHOWN else min(size, _EDGES)
    return count * int(tensor.element_size())
