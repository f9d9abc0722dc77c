"""What is to be known of operations that are watched: what they fetch from a card, whether
what they copied arrived, and numbers that they were handed in place of tensors.
"""

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch

_COUNT = 4  # bytes in which a card tells how many it found
_FETCHED = {"equal": 1, "allclose": 1, "nonzero": _COUNT, "masked_select": _COUNT}
READING = "_local_scalar_dense"  # what .item() and its like come down to
INDEXING = frozenset({"index", "index_put", "index_put_", "_unsafe_index", "_index_put_impl_"})
NAMES = frozenset(_FETCHED) | INDEXING | {READING}
_MOST_SHOWN = 1000  # values; of more, PyTorch prints the edges of each dimension
_EDGES = 6
_REFUSED = "Expected a value of type 'Tensor"  # what PyTorch says, before it does anything
# The widest, as of all numbers of Python's.
_KINDS = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}


# Any throughout: operations, operands and tensors are whatever PyTorch hands on.
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
    most = tensor.numel() if tensor.numel() <= _MOST_SHOWN else _EDGES
    return math.prod(min(size, most) for size in tensor.shape) * int(tensor.element_size())


def as_tensors(func: Any, args: "Sequence[Any]", error: RuntimeError) -> "Sequence[Any] | None":
    """A number of the person's is a tensor within torch.jit and vmap, and a number again where
    it is watched; few operations take both. None: the error is another.
    """
    if _REFUSED not in str(error):
        return None
    made, any_made = list(args), False
    for at, wanted in enumerate(func._schema.arguments[: len(args)]):
        kind = _KINDS.get(type(args[at]))
        if kind is not None and str(wanted.type) == "Tensor":
            made[at], any_made = torch.tensor(args[at], dtype=kind), True
    return made if any_made else None


def compared_later(sent: Any, arrived: Any) -> "Callable[[], bool | None]":
    """Of a copy to, from or between real cards: whether it arrived. None: what lies there is
    not kept from being let go of, and may be changed by whatever the cell does next.
    """
    ends = _held(sent), _held(arrived)

    def compared() -> "bool | None":
        """By way of the host, wherever they lie. What differs is copied once more: a way that
        changes bytes does so again; if it does not, the cell changed them.
        """
        sent, arrived = (each() for each in ends)
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

    return compared


def _held(tensor: Any) -> "Callable[[], Any]":
    """Gives the tensor, or None where its memory is gone. What lies on the host is kept."""
    if tensor.device.type == "cpu":
        kept = tensor.detach()
        return lambda: kept
    shape = tensor.storage_offset(), tensor.shape, tensor.stride()
    dtype, device = tensor.dtype, tensor.device
    weak = weakref.ref(tensor.untyped_storage())  # which its views share

    def now() -> Any:
        storage, empty = weak(), torch.empty(0, dtype=dtype, device=device)
        return None if storage is None else empty.set_(storage, *shape)

    return now


def same(sent: Any, arrived: Any) -> bool:
    """Bit by bit, unless the kind of number changed on the way."""
    with torch.no_grad():
        sent = sent if sent.shape == arrived.shape else sent.expand_as(arrived)
        if sent.dtype != arrived.dtype:
            sent = sent.to(arrived.dtype)
            return bool(((sent == arrived) | (sent.isnan() & arrived.isnan())).all())
        plain = (each.detach().resolve_conj().resolve_neg() for each in (sent, arrived))
        bits = (each.contiguous().reshape(-1).view(torch.uint8) for each in plain)
        return bool(torch.equal(*bits))
