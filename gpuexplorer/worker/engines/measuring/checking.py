"""Checks: whether what was measured also arrived, over all rounds that were looked at."""

from collections.abc import Sequence
from dataclasses import replace

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
        self.notes: list[str] = []

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
    def intact(self) -> bool:
        return self._worst is None

    @property
    def wrong(self) -> "tuple[Wrong, ...]":
        if self._worst is None:
            return ()
        return (replace(self._worst, rounds=self._rounds, checked=self._checked),)

    def _explain(self, cargo: Cargo) -> None:
        """Once for each way: which of the ways is to blame."""
        way = f"{cargo.source_name} to {cargo.target_name}"
        if any(way in note for note in self.notes):
            return
        if cargo.is_source_as_sent():
            note = f"{way}: wrong bytes, while {cargo.source_name} still holds the right ones"
        else:
            note = (
                f"{way}: {cargo.source_name} itself does not hold what it was given, so the "
                "way from the host to it may be to blame"
            )
        self.notes.append(note)
