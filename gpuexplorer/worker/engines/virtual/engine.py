"""VirtualEngine: PyTorch on simulated cards, as the worker's loop wants an engine; and how
these cards are put in PyTorch's place, for the whole process and every thread of it.
"""

import contextlib
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Device, Finished, Hello, Memory, Span, Transferred, Watched
from gpuexplorer.worker.engines.sight import Sight, put_hooks, telling_methods
from gpuexplorer.worker.engines.virtual.cards import (
    CardFacts,
    Cards,
    Clock,
    Link,
    machines,
    named,
    put_clock,
)
from gpuexplorer.worker.engines.virtual.cuda import put_casting, put_cuda
from gpuexplorer.worker.engines.virtual.dispatch import put_saving, register_makers
from gpuexplorer.worker.engines.virtual.refusals import put, put_refusals, undo
from gpuexplorer.worker.engines.virtual.tensors import put_makers, put_methods
from gpuexplorer.worker.watching.seen import Seen, Ticking

_hooks: "list[Callable[[], None]]" = []  # what takes them away


def enter(cards: Cards) -> None:
    """Those that were in force before are gone with it."""
    leave()
    machines[:] = [cards]
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=cards.after_fork)
    register_makers()
    for each in (put_refusals, put_cuda, put_makers, put_methods, put_casting, put_saving):
        each()
    for owner, methods in telling_methods(cards.copies, lambda: cards.watched):
        put(owner, methods)
    put_clock(cards.clock)
    _hooks.append(put_hooks(put, lambda: cards.seen))
    # Or torch.tensor(…, device=…) moves what it made where nothing of ours is asked.
    torch._C._set_only_lift_cpu_tensors(True)  # noqa: FBT003 - PyTorch's own


def leave() -> None:
    """PyTorch is as it was. For tests, which see several machines in one process."""
    undo()
    torch._C._set_only_lift_cpu_tensors(False)  # noqa: FBT003 - PyTorch's own
    while _hooks:
        _hooks.pop()()


def _storages(values: Any) -> "list[Any]":
    """Of tensors on the host. Any: whatever an operation takes and gives."""
    return [
        each.untyped_storage()
        for each in tree_leaves(values)
        if isinstance(each, torch.Tensor)
        and each.device.type == "cpu"
        and each.layout is torch.strided
    ]


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
            [  # JSON has lists alone
                CardFacts(**{**each, "capability": tuple(each["capability"])})  # type: ignore[arg-type]
                for each in cards
            ],
            [Link(**each) for each in links],  # type: ignore[arg-type]  # ours, from the window
        )
        self.copies = self._cards.copies
        self._clock = self._cards.clock = clock(self._cards)
        enter(self._cards)
        self._seen = Seen(self.copies, self._clock.moment)
        self._began = self._took = 0.0  # by a person's stopwatch

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
        cards, clock = self._cards, self._clock
        cards.begin()
        cards.watched = watched
        self.copies.begin(program=program)
        began = cards.began
        self._seen = Seen(self.copies, lambda: clock.moment() - began)
        as_program = program or sampled
        clock.begin(host_counts=as_program)
        with contextlib.ExitStack() as within:
            cards.seen = None
            if as_program and watched:
                cards.seen = self._seen
                looking = Ticking(self._seen, sampled=False, counts=clock.counts, aside=clock)
                within.enter_context(looking)
                sight = Sight(self._saw)
                sight.open()
                within.callback(sight.close)
                sight.turn(on=False)
                cards.on_left = lambda: sight.turn(on=True)
            self._began = clock.told()
            try:
                yield
            finally:
                self._took = clock.told() - self._began

    # Any throughout: operations and their operands are whatever PyTorch hands on.
    def _saw(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What a watched program makes on the host of what came from a card. A view of it lies
        in the same memory.
        """
        made, trips = func(*args, **kwargs), self._seen.trips
        if trips.followed and not func.is_view:
            with self._clock:
                results, given = _storages(made), _storages((args, kwargs))
                changed = func.overloadpacket.__name__ not in ("copy_", "_to_copy", "clone")
                trips.derived(results, given, changed=changed)
        return made

    def told(self, lost: "Sequence[str]", held: "Sequence[tuple[str, int]]" = ()) -> None:
        """Cards that do not answer any more, and bytes that other programs hold."""
        self._cards.lose(lost)
        by_name = dict(held)
        for each in self._cards.allocators:
            each.elsewhere_bytes = by_name.get(named(each.index), each.elsewhere_bytes)

    def settle(self) -> None:
        """What is modelled is done at once; what a kernel had to say is heard now."""
        self._cards.hear()

    def times(self, command: int = 0, own: float = 0.0) -> Finished:
        if not self._cards.busy:
            return Finished(command, own)
        devices = self._cards.device_seconds()
        return Finished(command, self._took, devices, modelled=True, busy=self._busy())

    def _busy(self) -> "tuple[tuple[str, float], ...]":
        with self._cards.lock:
            return tuple((named(card), s) for card, s in sorted(self._cards.busy.items()))

    def transfers(self, command: int) -> Sequence[Transferred]:
        return self.copies.told(command)

    def spans(self) -> Sequence[Span]:
        return self._cards.tracks.spans()

    def watched(self, command: int) -> Watched:
        memory = self.memory()
        return self._seen.changed(command, modelled=True, busy=self._busy(), memory=memory)

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
            for each in map(self._cards.memory, range(len(self._cards)))
            if each.awake
        ]
