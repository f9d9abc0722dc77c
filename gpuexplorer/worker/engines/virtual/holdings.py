"""Holdings: which stretch of which card's memory each storage takes."""

import functools
import threading
from collections.abc import Callable
from typing import Any

import torch

from gpuexplorer.worker.engines.virtual.allocator import Block, OutOfMemory
from gpuexplorer.worker.engines.virtual.cards import Cards
from gpuexplorer.worker.engines.virtual.clock import Clock
from gpuexplorer.worker.engines.virtual.host_limit import refuse_what_the_host_cannot_hold


class _Beside(threading.local):
    """Whether this thread runs beside the program, on another core, as what pins a loader's
    batches; so does all of a child. It takes no time of the program's own.
    """

    on = False


beside = _Beside()
_UNASKED = 64 * 1024 * 1024  # bytes that are given out before the host is asked again


class Stretch:
    """Part of a card's memory. The storage that lies there keeps it for as long as it lives."""

    def __init__(self, holdings: "Holdings", card: int, size: int) -> None:
        self.card = card
        self._holdings, self._size = holdings, size
        self._block = holdings.reserve(card, size)

    def __del__(self) -> None:
        block = getattr(self, "_block", None)
        if block is not None:
            self._holdings.clock.gives_back(self._size)
            self._holdings.cards.release(self.card, block)


class Holdings:
    """Views share a storage, and so a stretch."""

    def __init__(self, cards: Cards, clock: "Clock | None" = None) -> None:
        self.cards = cards
        self.clock = Clock(cards) if clock is None else clock
        self._since = 0  # bytes given out since the host was asked

    def hold(self, storage: Any, card: int) -> None:
        """Raises torch's own out-of-memory error, and then nothing was taken."""
        with self.cards.lock:
            size = storage.nbytes()
            known = getattr(storage, "stretch", None)
            if known is not None and known.card == card and storage.held_bytes >= size:
                return
            self.refuse_beyond_host(size)
            storage.stretch = Stretch(self, card, size)
            storage.held_bytes = size

    def would_fit(self, card: int, size: int) -> None:
        """Raises as if it were made now; takes nothing."""
        with self.cards.lock:
            self.cards.use(card)
            try:
                self.cards.memory(card).would_fit(size)
            except OutOfMemory as error:
                raise torch.OutOfMemoryError(str(error)) from None

    def refuse_beyond_host(self, size: int) -> None:
        """Raises Trouble where the computer itself has no room for so many bytes more."""
        self._since += size
        if self._since >= _UNASKED:
            self._since = 0
            given_out = sum(each.counts.allocated for each in self.cards.allocators)
            refuse_what_the_host_cannot_hold(size, given_out)

    def reserve(self, card: int, size: int) -> Block:
        try:
            return self.cards.allocate(card, size)
        except OutOfMemory as error:
            raise torch.OutOfMemoryError(str(error)) from None


def card_of(storage: Any) -> "int | None":
    """None: it lies in the host's memory."""
    stretch = getattr(getattr(storage, "_untyped_storage", storage), "stretch", None)
    return None if stretch is None else int(stretch.card)


def after_fork() -> None:
    """In the child. Whoever held a lock is not in it."""
    holdings = in_force()
    holdings.clock.after_fork()
    holdings.cards.after_fork()
    _Beside.on = True


_machines: "list[Holdings]" = []  # one, once an engine is made


def in_force() -> Holdings:
    """The one simulated machine of this process."""
    return _machines[-1]


def are_in_force() -> bool:
    return bool(_machines)


def put_in_force(holdings: Holdings) -> None:
    _machines[:] = [holdings]


# Any: whatever the function takes and gives.
def in_modelled_time(function: "Callable[..., Any]") -> "Callable[..., Any]":
    """What it does to the cards comes after all that the host did before, and it takes the
    modelled time alone.
    """

    @functools.wraps(function)
    def call(*args: Any, **words: Any) -> Any:
        with in_force().clock:
            return function(*args, **words)

    return call
