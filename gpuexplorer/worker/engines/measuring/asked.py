"""Asked: a measurement that was asked for, with all that carrying it out takes."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from gpuexplorer.core.words import Message
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.wire import Measure
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.measuring.cards import Cards
from gpuexplorer.worker.measuring.near import processors
from gpuexplorer.worker.measuring.refusals import engine_of
from gpuexplorer.worker.measuring.words import size_in_words

_HOST = "cpu"
_IN_CACHES = 32 << 20


@dataclass(frozen=True)
class Asked:
    """`checkpoint` raises where it was given up; `on_sample` gets how many are taken."""

    command: Measure
    cards: Cards
    on_sample: "Callable[[int], None]"
    checkpoint: "Callable[[], None]"
    taken_near: "list[bool | None]" = field(default_factory=list)

    @property
    def job(self) -> CopyJob:
        return self.command.job

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

    @property
    def took_near(self) -> "bool | None":
        """All memory of the host; None where it is not known, or none was taken."""
        known = [each for each in self.taken_near if each is not None]
        return all(known) if known and len(known) == len(self.taken_near) else None

    def cargo(self, source: str, target: str) -> Cargo:
        job = self.job
        card = engine_of(source, target)
        return Cargo(
            self.cards,
            source,
            target,
            job.bytes,
            mode=job.mode,
            pinned=bool(job.pinned),
            pieces=job.pieces,
            near=nullcontext if card == _HOST else lambda: self.taking_near(card),
        )

    def direct(self) -> "bool | None":
        """As the driver says; None where it is not about two cards."""
        job = self.job
        if _HOST in (job.source, job.target) or job.local:
            return None
        return job.mode != "staged" and self.cards.are_peers(job.source, job.target)

    @property
    def cache_that_holds_it(self) -> "int | None":
        """Bytes of the card's cache, where both ends fit into it."""
        job = self.job
        size = self.cards.cache_bytes(job.source) if job.local else None
        return size if size is not None and 2 * job.bytes <= size else None

    def notes(self) -> "list[Message]":
        """What is true of it before it is measured."""
        job = self.job
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
        if job.source == job.target == _HOST:
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
            if job.mode == "strided" and job.source != _HOST:
                found.append(Message("The card brings the rows together before they travel."))
            elif job.mode in ("strided", "converted"):
                found.append(
                    Message("The host rearranges the bytes, so it was timed by its clock.")
                )
            if job.pinned is None:
                found.append(Message("The host's memory was not pinned."))
        return found
