"""Memory of a measurement: taken with a sentence where there is none, and given back whole."""

from typing import Any

from gpuexplorer.core.words import Message
from gpuexplorer.worker.failures import Spoiled
from gpuexplorer.worker.measuring.cards import Cards
from gpuexplorer.worker.measuring.words import size_in_words

_SMALL = 4096
# What the driver says where it will not pin; all else is an error of the card.
_NOT_PINNED = ("out of memory", "not supported", "invalid argument")


# Any: tensors are PyTorch's.
def take(cards: Cards, device: str, size: int, *, pinned: bool = False) -> Any:
    """Raises MemoryError where there is no room, and Spoiled where nothing could be pinned."""
    if pinned:
        return _pinned(cards, size)
    try:
        return cards.empty(device, size)
    except RuntimeError as error:
        if device == "cpu" or "out of memory" in str(error):
            raise MemoryError(str(error)) from None
        raise


def _pinned(cards: Cards, size: int) -> Any:
    """A little first: where even that fails, no large piece is locked for nothing."""
    try:
        cards.empty("cpu", min(size, _SMALL), pinned=True)
        return cards.empty("cpu", size, pinned=True)
    except RuntimeError as error:
        if not any(each in str(error) for each in _NOT_PINNED):
            raise
        # The driver remembers it, and blames whatever is computed next.
        raise Spoiled(
            Message(
                "{size} of the host's memory could not be pinned.", size=size_in_words(size)
            ),
            Message(
                "Measure fewer bytes, or memory that is not pinned. The next measurement needs "
                "a new worker: in this one the next computation would fail."
            ),
            str(error),
        ) from None
