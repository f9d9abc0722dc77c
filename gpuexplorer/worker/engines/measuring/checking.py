"""Checks: whether what was measured also arrived, over all rounds that were compared."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Wrong
from gpuexplorer.worker.engines.measuring.asked import Asked
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.measuring.plan import MOST_LOOPS, goes_on_comparing, is_checked


class Checks:
    """Of one measurement. Targets are wiped before a round that will be compared.

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
        devices = {name: None for each in self._cargos for name in each.ends}
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
        compared = self.samples + self.one_by_one
        return (replace(self._worst, rounds=self._rounds, checked=compared),)

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
