"""Checks: whether what was measured also arrived, over all rounds that were looked at."""

from collections.abc import Sequence
from dataclasses import replace

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Wrong
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.measuring.plan import is_checked


class Checks:
    """Of one measurement. Targets are wiped before a round that will be looked at."""

    def __init__(self, cargos: Sequence[Cargo], samples: int, size: int) -> None:
        self._cargos = cargos
        self._samples = samples
        self._size = size
        self._checked = 0
        self._rounds = 0
        self._worst: Wrong | None = None
        self._explained: dict[tuple[str, str], Message] = {}

    def prepare(self, sample: int) -> None:
        if is_checked(sample, self._samples, self._size):
            for cargo in self._cargos:
                cargo.wipe()

    def look(self, sample: int) -> None:
        if not is_checked(sample, self._samples, self._size):
            return
        self._checked += 1
        found = [(cargo, wrong) for cargo in self._cargos if (wrong := cargo.check())]
        if not found:
            return
        self._rounds += 1
        for cargo, wrong in found:
            self._explain(cargo)
            if self._worst is None or wrong.bytes > self._worst.bytes:
                self._worst = wrong

    @property
    def notes(self) -> "tuple[Message, ...]":
        return tuple(self._explained.values())

    @property
    def intact(self) -> bool:
        return self._worst is None

    @property
    def wrong(self) -> "tuple[Wrong, ...]":
        if self._worst is None:
            return ()
        return (replace(self._worst, rounds=self._rounds, checked=self._checked),)

    def _explain(self, cargo: Cargo) -> None:
        """Once for each way: which of the ways is to blame."""
        way = source, target = cargo.source_name, cargo.target_name
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
