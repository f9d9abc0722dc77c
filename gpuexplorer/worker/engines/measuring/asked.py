"""Asked: a measurement that was asked for, with all that carrying it out takes; and Checks:
whether what was measured also arrived, over all rounds that were compared.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Measured, Wrong
from gpuexplorer.lab.wire import Measure
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.engines.measuring.plan import MOST_LOOPS, goes_on_comparing, is_checked
from gpuexplorer.worker.engines.measuring.refusals import HOST, engine_of, size_in_words
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

_IN_CACHES = 32 << 20


@dataclass(frozen=True)
class Asked:
    """`checkpoint` raises where it was given up; `on_sample` gets how many are taken."""

    command: Measure
    cards: TorchCards
    on_sample: "Callable[[int], None]"
    checkpoint: "Callable[[], None]"
    taken_near: "list[bool | None]" = field(default_factory=list)

    def near(self, device: str) -> "AbstractContextManager[bool | None]":
        """On the processors that are close to it; None: nobody told which they are."""
        numbers = processors(dict(self.command.near).get(device, ""))
        return self.cards.on_processors(numbers) if numbers else nullcontext()

    @contextmanager
    def taking_near(self, device: str) -> "Iterator[bool | None]":
        """The same, for memory of the host that a card copies from or to."""
        with self.near(device) as near:
            self.taken_near.append(near)
            yield near

    def rounds(self) -> "Iterator[int]":
        """The number of each sample. Between them a measurement may be given up."""
        for number in range(self.command.samples):
            self.checkpoint()
            yield number
            self.on_sample(number + 1)

    @property
    def took_near(self) -> "bool | None":
        """All memory of the host; None where it is not known, or none was taken."""
        known = [each for each in self.taken_near if each is not None]
        return all(known) if known and len(known) == len(self.taken_near) else None

    def cargo(self, source: str, target: str) -> Cargo:
        job = self.command
        card = engine_of(source, target)
        return Cargo(
            self.cards,
            source,
            target,
            job.bytes,
            mode=job.mode,
            pinned=bool(job.pinned),
            pieces=job.pieces,
            near=nullcontext if card == HOST else lambda: self.taking_near(card),
        )

    def direct(self) -> "bool | None":
        """As the driver says; None where it is not about two cards."""
        job = self.command
        if HOST in (job.source, job.target) or job.local:
            return None
        return job.mode != "staged" and self.cards.are_peers(job.source, job.target)

    @property
    def cache_that_holds_it(self) -> "int | None":
        """Bytes of the card's cache, where both ends fit into it."""
        job = self.command
        size = self.cards.cache_bytes(job.source) if job.local else None
        return size if size is not None and 2 * job.bytes <= size else None

    def notes(self) -> "list[Message]":
        """What is true of it before it is measured."""
        job = self.command
        found = []
        if self.direct() is False and job.mode != "staged":
            found.append(
                Message(
                    "{source} and {target} cannot reach each other's memory: the driver takes "
                    "the bytes through the host.",
                    source=job.source,
                    target=job.target,
                )
            )
        if self.took_near is False:
            found.append(
                Message(
                    "This program may not run on the processors close to the card, so the "
                    "host's memory may lie far from it."
                )
            )
        cache = self.cache_that_holds_it
        if cache is not None:
            found.append(
                Message(
                    "Both ends fit into the card's cache (L2, {size}), which is faster than "
                    "its memory.",
                    size=size_in_words(cache),
                )
            )
        if job.source == job.target == HOST:
            threads = self.cards.threads()
            if job.mode == "raw":
                found.append(Message("The C library copies with one thread."))
            elif threads > 1:
                found.append(
                    Message("PyTorch copies with {threads} threads here.", threads=threads)
                )
            if 2 * job.bytes <= _IN_CACHES and job.mode != "fresh":
                found.append(
                    Message("So few bytes may stay in the processor's caches, which are warm.")
                )
        if job.touches_host and job.source != job.target:
            if job.mode == "strided" and job.source != HOST:
                found.append(Message("The card brings the rows together before they travel."))
            elif job.mode in ("strided", "converted"):
                found.append(
                    Message("The host rearranges the bytes, so it was timed by its clock.")
                )
            if job.pinned is None:
                found.append(Message("The host's memory was not pinned."))
        return found


def processors(listed: str) -> "frozenset[int]":
    """As Linux lists them: "0-3,8". Empty for what is no such list."""
    found: set[int] = set()
    for part in listed.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdigit() or not (last or first).isdigit():
            return frozenset()
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


class Checks:
    """For one measurement. Targets are wiped before a round that will be compared.

    Of a sample only the last copy can be, since each takes the place of the one before.
    """

    def __init__(self, asked: Asked, cargos: Sequence[Cargo]) -> None:
        self.samples = 0  # of which the last copy was compared
        self.one_by_one = 0  # further copies, each compared
        self._asked = asked
        self._cargos = cargos
        self._rounds = 0
        self._worst: Wrong | None = None
        self._explained: dict[tuple[str, str], Message] = {}

    def prepare(self, sample: int) -> None:
        if self._is_compared(sample):
            self._wipe()

    def look(self, sample: int) -> None:
        if self._is_compared(sample):
            self.samples += 1
            self._compare()

    def compare_one_by_one(self, ask: "Callable[[], None]", loops: int) -> None:
        """One more sample that nobody times. `ask` makes a copy on each way.

        What spoils some copies only would be seen in few samples or none.
        """
        cards = self._asked.cards
        devices = dict.fromkeys(name for each in self._cargos for name in each.ends)
        began = cards.now()
        most = min(loops, MOST_LOOPS) if loops > 1 else 0  # else each sample is one copy
        while self.one_by_one < most:
            if not goes_on_comparing(self.one_by_one, cards.now() - began):
                break
            self._asked.checkpoint()
            self._wipe()
            ask()
            cards.synchronize(*devices)
            self.one_by_one += 1
            self._compare()

    def _is_compared(self, sample: int) -> bool:
        command = self._asked.command
        return is_checked(sample, command.samples, command.bytes)

    def _wipe(self) -> None:
        for cargo in self._cargos:
            cargo.wipe()

    def _compare(self) -> None:
        found = [(cargo, wrong) for cargo in self._cargos if (wrong := cargo.check())]
        if not found:
            return
        self._rounds += 1
        for cargo, wrong in found:
            self._explain(cargo)
            if self._worst is None or wrong.bytes > self._worst.bytes:
                self._worst = wrong

    def measured(
        self,
        samples: "Sequence[float]",
        single: "tuple[float, float]",
        loops: int,
        notes: "Sequence[Message]" = (),
        **more: Any,
    ) -> Measured:
        """With what was found of what arrived. `single`: a call with the wait, and without."""
        asked, wrong = self._asked, self._worst
        if wrong is not None:
            compared = self.samples + self.one_by_one
            wrong = replace(wrong, rounds=self._rounds, checked=compared)
        return Measured(
            asked.command.id,
            tuple(samples),
            *single,
            loops=loops,
            intact=wrong is None,
            wrong=() if wrong is None else (wrong,),
            compared_samples=self.samples,
            compared_copies=self.one_by_one,
            direct=asked.direct(),
            notes=(*asked.notes(), *notes, *self._explained.values()),
            **more,
        )

    def _explain(self, cargo: Cargo) -> None:
        """Once for each way: which of the ways is to blame."""
        way = source, target = cargo.ends
        if way in self._explained:
            return
        if cargo.is_source_as_sent():
            note = Message(
                "{source} to {target}: wrong bytes, while {source} still holds the right ones.",
                source=source,
                target=target,
            )
        else:
            note = Message(
                "{source} to {target}: {source} itself does not hold what it was given, so the "
                "way from the host to it may be to blame.",
                source=source,
                target=target,
            )
        self._explained[way] = note
