"""Asked: a measurement that was asked for, with all that carrying it out takes."""

from collections.abc import Callable
from dataclasses import dataclass

from gpuexplorer.core.words import Message
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.wire import Measure
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.measuring.cards import Cards

_HOST = "cpu"
_IN_CACHES = 32 << 20


@dataclass(frozen=True)
class Asked:
    """`checkpoint` raises where it was given up; `on_sample` gets how many are taken."""

    command: Measure
    cards: Cards
    on_sample: "Callable[[int], None]"
    checkpoint: "Callable[[], None]"

    @property
    def job(self) -> CopyJob:
        return self.command.job

    def cargo(self, source: str, target: str) -> Cargo:
        job = self.job
        return Cargo(
            self.cards,
            source,
            target,
            job.bytes,
            mode=job.mode,
            pinned=bool(job.pinned),
            pieces=job.pieces,
        )

    def direct(self) -> "bool | None":
        """As the driver says; None where it is not about two cards."""
        job = self.job
        if _HOST in (job.source, job.target) or job.local:
            return None
        return job.mode != "staged" and self.cards.are_peers(job.source, job.target)

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
