"""OnCard: a tensor that is on a card which does not exist; its values lie in host memory."""

import weakref
from typing import Any

import torch

from gpuexplorer.worker.engines.virtual.allocator import Block, OutOfMemory
from gpuexplorer.worker.engines.virtual.cards import Cards

_TO_NUMPY = (
    "can't convert {} device type tensor to numpy. "
    "Use Tensor.cpu() to copy the tensor to host memory first."
)


class OnCard(torch.Tensor):
    """Autograd sees a tensor; below it every operation goes through `dispatch.run`."""

    held: torch.Tensor
    card: int

    @staticmethod
    def __new__(cls, held: torch.Tensor, card: int, holdings: "Holdings") -> "OnCard":
        wrapper: OnCard = torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device="cpu",
        )
        wrapper.held, wrapper.card = held, card
        wrapper.holdings = holdings
        return wrapper

    holdings: "Holdings"

    @property
    def device(self) -> torch.device:  # type: ignore[override]  # a slot in C, a property here
        return torch.device("cuda", self.card)

    @property
    def is_cuda(self) -> bool:  # type: ignore[override]  # as above
        return True

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        from gpuexplorer.worker.engines.virtual.dispatch import run  # noqa: PLC0415 - a circle

        holdings = next(each.holdings for each in _leaves(args, kwargs))
        return run(holdings, func, args, dict(kwargs or {}))

    def __repr__(self, *, tensor_contents: object = None) -> str:
        with torch._C.DisableTorchFunction():
            text = repr(self.held.detach())
        text = text.rstrip(")") + f", device='{self.device}'"
        if self.grad_fn is not None:
            return f"{text}, grad_fn=<{type(self.grad_fn).__name__}>)"
        return f"{text}, requires_grad=True)" if self.requires_grad else f"{text})"


def to_numpy_refused(tensor: OnCard) -> TypeError:
    return TypeError(_TO_NUMPY.format(tensor.device))


def _leaves(args: Any, kwargs: Any) -> "list[OnCard]":
    from torch.utils._pytree import tree_leaves  # noqa: PLC0415 - only on this rare way

    return [each for each in tree_leaves((args, kwargs)) if isinstance(each, OnCard)]


class Holdings:
    """Which stretch of a card's memory each storage takes; views share one."""

    def __init__(self, cards: Cards) -> None:
        self.cards = cards
        self._blocks: dict[int, tuple[int, Block, int]] = {}

    def place(self, held: torch.Tensor, card: int) -> OnCard:
        """Raises torch's own out-of-memory error, and then nothing was taken."""
        storage = held.untyped_storage()
        key = storage._cdata
        with self.cards.lock:
            known = self._blocks.get(key)
            if known is None:
                block = self.reserve(card, storage.nbytes())
                self._blocks[key] = (card, block, 1)
            else:
                self._blocks[key] = (known[0], known[1], known[2] + 1)
        wrapper = OnCard(held, card, self)
        weakref.finalize(wrapper, self._let_go, key).atexit = False
        return wrapper

    def reserve(self, card: int, size: int) -> Block:
        try:
            return self.cards.allocators[card].allocate(size)
        except OutOfMemory as error:
            raise torch.OutOfMemoryError(str(error)) from None

    def would_fit(self, card: int, size: int) -> None:
        """Raises as if it were made now; takes nothing."""
        with self.cards.lock:
            try:
                self.cards.allocators[card].would_fit(size)
            except OutOfMemory as error:
                raise torch.OutOfMemoryError(str(error)) from None

    def _let_go(self, key: int) -> None:
        with self.cards.lock:
            card, block, count = self._blocks[key]
            if count > 1:
                self._blocks[key] = (card, block, count - 1)
                return
            del self._blocks[key]
            self.cards.allocators[card].release(block)
