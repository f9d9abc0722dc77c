"""OnCard: a tensor that is on a card which does not exist; its values lie in host memory."""

import contextlib
import weakref
from contextlib import AbstractContextManager
from typing import Any

import torch

from gpuexplorer.worker.engines.placement import PlacementLog
from gpuexplorer.worker.engines.reading_back import shown_bytes
from gpuexplorer.worker.engines.virtual.allocator import Block, OutOfMemory
from gpuexplorer.worker.engines.virtual.cards import HOST, Cards


class Stretch:
    """The part of a card's memory that one storage takes, until its last tensor is gone."""

    def __init__(self, cards: Cards, card: int, block: Block) -> None:
        self._cards, self._card, self._block = cards, card, block

    def __del__(self) -> None:
        with self._cards.lock:
            self._cards.allocators[self._card].release(self._block)


class OnCard(torch.Tensor):
    """Autograd sees a tensor; below it every operation goes through `dispatch.run`."""

    held: torch.Tensor
    card: int
    stretch: Stretch
    holdings: "Holdings"

    @staticmethod
    def __new__(
        cls, held: torch.Tensor, card: int, stretch: Stretch, holdings: "Holdings"
    ) -> "OnCard":
        wrapper: OnCard = torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device="cpu",
        )
        wrapper.held, wrapper.card = held, card
        wrapper.stretch, wrapper.holdings = stretch, holdings
        return wrapper

    @property
    def device(self) -> torch.device:
        return torch.device("cuda", self.card)

    @property
    def is_cuda(self) -> bool:
        return True

    @classmethod
    # Any: whatever PyTorch hands on.
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Outside of a line; within one, the mode in force comes first."""
        from torch.utils._pytree import tree_leaves  # noqa: PLC0415 - only on this rare way

        from gpuexplorer.worker.engines.virtual.dispatch import run  # noqa: PLC0415 - a circle

        leaves = tree_leaves((args, kwargs))
        holdings = next(each.holdings for each in leaves if isinstance(each, OnCard))
        return run(holdings, func, args, dict(kwargs or {}))

    def __repr__(self, *, tensor_contents: object = None) -> str:
        self.holdings.cards.copied(self.card, HOST, shown_bytes(self.held), how="print")
        with torch._C.DisableTorchFunction():
            text = repr(self.held.detach())
        text = f"{text[:-1]}, device='{self.device}'"
        if self.grad_fn is not None:
            return f"{text}, grad_fn=<{type(self.grad_fn).__name__}>)"
        return f"{text}, requires_grad=True)" if self.requires_grad else f"{text})"

    def become(self, other: "OnCard") -> None:
        """What `x.data = y` does to the part of x that PyTorch does not know of."""
        self.held, self.card, self.stretch = other.held, other.card, other.stretch


class Holdings:
    """Which stretch of a card's memory each storage takes; views share one."""

    def __init__(self, cards: Cards) -> None:
        self.cards = cards
        self._stretches: weakref.WeakValueDictionary[int, Stretch] = (
            weakref.WeakValueDictionary()
        )
        self.placement: PlacementLog | None = None

    def told_as(self, name: str, card: int) -> AbstractContextManager[None]:
        """In the placement log, where one is kept, this is what runs now."""
        if self.placement is None:
            return contextlib.nullcontext()
        return self.placement.in_place_of(name, f"cuda:{card}")

    def place(self, held: torch.Tensor, card: int) -> OnCard:
        """Raises torch's own out-of-memory error, and then nothing was taken."""
        storage = held.untyped_storage()
        with self.cards.lock:
            stretch = self._stretches.get(storage._cdata)
            if stretch is None:
                stretch = Stretch(self.cards, card, self._reserve(card, storage.nbytes()))
                self._stretches[storage._cdata] = stretch
        return OnCard(held, card, stretch, self)

    def would_fit(self, card: int, size: int) -> None:
        """Raises as if it were made now; takes nothing."""
        with self.cards.lock:
            self.cards.use(card)
            try:
                self.cards.allocators[card].would_fit(size)
            except OutOfMemory as error:
                raise torch.OutOfMemoryError(str(error)) from None

    def _reserve(self, card: int, size: int) -> Block:
        self.cards.use(card)
        try:
            return self.cards.allocators[card].allocate(size)
        except OutOfMemory as error:
            raise torch.OutOfMemoryError(str(error)) from None


def bare(value: Any) -> Any:
    """The values themselves; whatever is no tensor on a card stays what it is."""
    return value.held if isinstance(value, OnCard) else value
