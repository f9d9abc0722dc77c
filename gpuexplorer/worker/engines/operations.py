"""What is to be known of operations that are watched: what they fetch from a card, whether
what they copied arrived, and numbers that they were handed in place of tensors.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

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
    """What the values take that PyTorch prints of a tensor."""
    count = 1
    for size in tensor.shape:
        count *= size if tensor.numel() <= _MOST_SHOWN else min(size, _EDGES)
    return count * int(tensor.element_size())


_REFUSED = "Expected a value of type 'Tensor"  # what PyTorch says, before it does anything


# Any throughout: operations and operands are whatever PyTorch hands on.
def as_tensors(func: Any, args: "Sequence[Any]", error: RuntimeError) -> "Sequence[Any] | None":
    """A number of the person's is a tensor within torch.jit and vmap, and a number again where
    it is watched; few operations take both. None: the error is another.
    """
    if _REFUSED not in str(error):
        return None
    made = [
        torch.tensor(each, dtype=_dtype(each))
        if isinstance(each, (int, float, complex)) and str(wanted.type) == "Tensor"
        else each
        for each, wanted in zip(args, func._schema.arguments, strict=False)
    ]
    return (
        made if any(one is not other for one, other in zip(made, args, strict=False)) else None
    )


def _dtype(value: complex) -> torch.dtype:
    """The widest, as of all numbers of Python's."""
    if isinstance(value, bool):
        return torch.bool
    if isinstance(value, int):
        return torch.int64
    return torch.float64 if isinstance(value, float) else torch.complex128


# Any throughout: tensors are PyTorch's.
class SeenPair:
    """A copy to, from or between real cards. What lies there is not kept from being let go of,
    and may be changed by whatever the cell does next.
    """

    def __init__(self, sent: Any, arrived: Any) -> None:
        self._ends = _Seen(sent), _Seen(arrived)

    def __call__(self) -> "bool | None":
        """By way of the host, wherever they lie. What differs is copied once more: a way that
        changes bytes does so again; if it does not, the cell changed them unseen, as numpy can.
        """
        sent, arrived = (each.now() for each in self._ends)
        if sent is None or arrived is None:
            return None
        try:
            home = sent.cpu()
            if same(home, arrived.cpu()):
                return True
            again = sent.to(arrived.device, copy=True).to(arrived.dtype)
            return None if same(home, again.cpu()) else False
        except RuntimeError:  # no memory is left to compare them in
            return None


class _Seen:
    """The values of a tensor, for as long as they are somewhere; those on the host are kept."""

    def __init__(self, tensor: Any) -> None:
        self._kept = tensor.detach() if tensor.device.type == "cpu" else None
        self._shape = tensor.storage_offset(), tensor.shape, tensor.stride()
        self._kind = tensor.dtype, tensor.device
        self._storage = StorageWeakRef(tensor.untyped_storage())
        # Counts with the tensor how often it was changed, and holds none of its values.
        self._counter = None if tensor.is_inference() else tensor.detach()
        if self._counter is not None:
            self._counter.data = tensor.detach().new_empty(0)
            self._version = self._counter._version

    def now(self) -> Any:
        """None: they are gone, or were changed."""
        if self._counter is not None and self._counter._version != self._version:
            return None
        if self._kept is not None:
            return self._kept
        storage = torch.UntypedStorage._new_with_weak_ptr(self._storage.cdata)
        if storage is None:
            return None
        dtype, device = self._kind
        return torch.empty(0, dtype=dtype, device=device).set_(storage, *self._shape)


def same(sent: Any, arrived: Any) -> bool:
    """Bit by bit, unless the kind of number changed on the way."""
    with torch.no_grad():
        if sent.shape != arrived.shape:
            sent = sent.expand_as(arrived)
        if sent.dtype == arrived.dtype:
            return bool(torch.equal(_bits(sent), _bits(arrived)))
        sent = sent.to(arrived.dtype)
        return bool(((sent == arrived) | (sent.isnan() & arrived.isnan())).all())


def _bits(tensor: Any) -> Any:
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    return plain.reshape(-1).view(torch.uint8)
