"""Whether what was copied arrived as it was sent: both are compared when the line is over."""

import weakref
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef


# Any throughout: tensors are PyTorch's.
class Untouched:
    """Whether a tensor is what it was: PyTorch counts each change."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = weakref.ref(tensor)
        self._version = tensor._version

    def __call__(self) -> "bool | None":
        """None: it cannot be told, since the tensor is gone and its values may live on."""
        tensor = self._tensor()
        return None if tensor is None else bool(tensor._version == self._version)


class HeldPair:
    """Of simulated cards: the values lie in the host's memory, and are kept till then."""

    def __init__(
        self, sent: Any, arrived: Any, tensors: "tuple[Any, Any] | None" = None
    ) -> None:
        self._values = sent, arrived
        self._untouched = _watched(tensors)

    def intact(self) -> "bool | None":
        return _verdict(self._untouched, *self._values)


class SeenPair:
    """Of real cards: what lies there is not kept from being let go of."""

    def __init__(self, sent: Any, arrived: Any, *, of_model: bool) -> None:
        self._ends = _Seen(sent), _Seen(arrived)
        self._untouched = _watched(None if of_model else (sent, arrived))

    def intact(self) -> "bool | None":
        """By way of the host, wherever they lie."""
        sent, arrived = (each.now() for each in self._ends)
        if sent is None or arrived is None:
            return None
        try:
            return _verdict(self._untouched, sent.cpu(), arrived.cpu())
        except RuntimeError:  # no memory is left to compare them in
            return None


class _Seen:
    """The values of a tensor, for as long as they are somewhere; those on the host are kept."""

    def __init__(self, tensor: Any) -> None:
        self._kept = tensor.detach() if tensor.device.type == "cpu" else None
        self._shape = tensor.storage_offset(), tensor.shape, tensor.stride()
        self._kind = tensor.dtype, tensor.device
        self._storage = StorageWeakRef(tensor.untyped_storage())

    def now(self) -> Any:
        """None: they are gone."""
        if self._kept is not None:
            return self._kept
        storage = torch.UntypedStorage._new_with_weak_ptr(self._storage.cdata)
        if storage is None:
            return None
        dtype, device = self._kind
        return torch.empty(0, dtype=dtype, device=device).set_(storage, *self._shape)


def _watched(tensors: "tuple[Any, Any] | None") -> "tuple[Untouched, ...]":
    """None: a model's, which keeps the values and not the tensors, and the line is about it
    alone. PyTorch would not swap a tensor that somebody refers to.
    """
    return () if tensors is None else tuple(Untouched(each) for each in tensors)


def _verdict(untouched: "tuple[Untouched, ...]", sent: Any, arrived: Any) -> "bool | None":
    known = [each() for each in untouched]
    if False in known:
        return None
    equal = same(sent, arrived)
    return equal if equal or None not in known else None


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
