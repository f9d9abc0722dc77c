"""VirtualEngine: PyTorch on simulated cards, as the worker's loop wants an engine; and how
these cards are put in PyTorch's place, for the whole process and every thread of it.
"""

import contextlib
import platform
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.events import (
    Device,
    Event,
    Finished,
    Hello,
    Memory,
    Span,
    Transferred,
    Watched,
)
from gpuexplorer.lab.wire import Measure, Multiply
from gpuexplorer.worker.engines.sight import put_hooks, telling_methods
from gpuexplorer.worker.engines.virtual.cards import CardFacts, Cards, Link, named
from gpuexplorer.worker.engines.virtual.cuda import (
    put_accelerator,
    put_between_cards,
    put_casting,
    put_cuda,
    put_nccl,
)
from gpuexplorer.worker.engines.virtual.dispatch import Dispatch, put_saving
from gpuexplorer.worker.engines.virtual.machine import (
    Clock,
    Holdings,
    put_clock,
    put_in_force,
    put_loaders,
)
from gpuexplorer.worker.engines.virtual.refusals import Patches, put_refusals
from gpuexplorer.worker.engines.virtual.tensors import put_autograd, put_makers, put_methods
from gpuexplorer.worker.places import Copies
from gpuexplorer.worker.watching.seen import Seen, Ticking

_patches = Patches()
# Or torch.tensor(…, device=…) moves what it made below the mode.
_lift_on_host_only = torch._C._set_only_lift_cpu_tensors
_entered: "list[Dispatch]" = []
_hooks: "list[Callable[[], None]]" = []  # what takes them away


def enter(holdings: Holdings) -> None:
    """Those that were in force before are gone with it."""
    leave()
    put_in_force(holdings)
    put_refusals(_patches)
    put_cuda(_patches)
    put_accelerator(_patches)
    put_makers(_patches)
    put_methods(_patches)
    put_autograd(_patches)
    for owner, methods in telling_methods(
        holdings.cards.copies, lambda: holdings.cards.watched
    ):
        _patches.put(owner, methods)
    put_casting(_patches)
    put_between_cards(_patches)
    put_nccl(_patches)
    put_saving(_patches)
    put_loaders(_patches, holdings.cards, holdings.clock)
    put_clock(_patches, holdings.clock)
    _hooks.append(put_hooks(_patches.put, lambda: holdings.cards.seen))
    _patches.put(threading.Thread, {"_bootstrap_inner": _in_every(threading.Thread)})
    _lift_on_host_only(True)  # noqa: FBT003 - PyTorch's own
    mode = Dispatch()
    mode.__enter__()
    _entered.append(mode)


def leave() -> None:
    """PyTorch is as it was. For tests, which see several machines in one process."""
    _patches.undo()
    while _hooks:
        _hooks.pop()()
    while _entered:
        _entered.pop().__exit__(None, None, None)
        _lift_on_host_only(False)  # noqa: FBT003 - PyTorch's own


def _in_every(thread: Any) -> Any:  # Any: threading's own class, and what begins its threads
    begin = thread._bootstrap_inner

    def bootstrap(self: Any) -> None:
        with Dispatch():
            begin(self)

    return bootstrap


_COPIES = mark("Copies of simulated cards are not measured: the program models their times.")
_PRODUCTS = mark(
    "Products on simulated cards are not measured: the program models their times."
)


class VirtualEngine:
    """Values are PyTorch's own; memory and times are modelled, and said to be."""

    def __init__(
        self,
        cards: "Sequence[Mapping[str, object]]",
        links: "Sequence[Mapping[str, object]]",
        clock: "Callable[[Cards], Clock]" = Clock,
    ) -> None:
        torch._C._set_cudnn_enabled(False)  # noqa: FBT003 - or it warns that it is not there
        self._cards = Cards(
            [CardFacts.read(each) for each in cards],
            [Link(**each) for each in links],  # type: ignore[arg-type]  # ours, from the window
        )
        self._holdings = holdings = Holdings(self._cards, clock(self._cards))
        enter(self._holdings)
        self._seen = Seen(self.copies, holdings.clock.moment)

    @property
    def copies(self) -> Copies:
        return self._cards.copies

    def hello(self) -> Hello:
        version, kind, devices = platform.python_version(), "simulated cards", self.devices()
        return Hello(
            0, version, torch.__version__, kind, simulated=True, devices=tuple(devices)
        )

    def devices(self) -> Sequence[Device]:
        cards = [
            Device(f"cuda:{index}", each.name, each.uuid, each.memory_bytes, each.capability)
            for index, each in enumerate(self._cards.facts)
        ]
        host = Device("cpu", platform.machine())
        return [host, *cards, Device("meta", Message("shapes without values"))]

    @contextlib.contextmanager
    def running(
        self, *, watched: bool = True, program: bool = False, sampled: bool = False
    ) -> "Iterator[None]":
        """Bookkeeping alone: the cards are in force all the time, and watching takes none of
        the modelled time. So nothing has to be left out.
        """
        self._cards.begin()
        self._cards.watched = watched
        self.copies.begin(program=program)
        began, clock = self._cards.work.began, self._holdings.clock
        self._seen = Seen(self.copies, lambda: clock.moment() - began)
        as_program = program or sampled
        clock.begin(host_counts=as_program)
        self._cards.seen = self._seen if as_program and watched else None
        looking = Ticking(self._seen, sampled=False, counts=clock.counts, aside=clock)
        with looking if as_program and watched else contextlib.nullcontext():
            yield

    def others_hold(self, held: "Sequence[tuple[str, int]]") -> None:
        by_name = dict(held)
        for each in self._cards.allocators:
            each.elsewhere_bytes = by_name.get(named(each.index), each.elsewhere_bytes)

    def cards_lost(self, names: "Sequence[str]") -> None:
        self._cards.lose(names)

    def measure(
        self,
        command: Union[Measure, Multiply],  # noqa: UP007 - Python 3.10
        say: "Callable[[Event], None]",
        checkpoint: "Callable[[], None]",
    ) -> None:
        """There is nothing to be measured."""
        self._cards.begin()
        raise Trouble(
            _COPIES if isinstance(command, Measure) else _PRODUCTS,
            "Measure on a machine with cards, or look at the modelled times.",
        )

    def settle(self) -> None:
        """What is modelled is done at once; what a kernel had to say is heard now."""
        self._cards.hear()

    def times(self, command: int = 0, own: float = 0.0) -> Finished:
        spent = self._cards.spent()
        if spent is None:
            return Finished(command, own)
        busy = tuple((named(card), s) for card, s in sorted(self._cards.work.busy.items()))
        return Finished(command, *spent, modelled=True, busy=busy)

    def transfers(self, command: int) -> Sequence[Transferred]:
        return self._cards.copies.told(command)

    def spans(self) -> Sequence[Span]:
        return self._cards.work.tracks.spans()

    def watched(self, command: int) -> Watched:
        with self._cards.lock:
            busy = [(named(card), s) for card, s in sorted(self._cards.work.busy.items())]
        return self._seen.changed(command, modelled=True, busy=busy, memory=self.memory())

    def memory(self) -> Sequence[Memory]:
        return [
            Memory(
                f"cuda:{each.index}",
                each.allocated,
                each.reserved,
                each.free_bytes,
                each.total_bytes,
                each.context_bytes,
            )
            for each in self._cards.allocators
            if each.awake
        ]
