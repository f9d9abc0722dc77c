"""Overlay: nvbandwidth's figures by the cells they belong to, beside ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from gpuexplorer.copies.nvbandwidth import NvBandwidth
from gpuexplorer.copies.plan import Kind
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.copies.matrix.pair_question import MatrixQuestion
from gpuexplorer.gui.widgets.pair_grid import Pair

CODE = "nvbandwidth"


class Beside(Enum):
    """Which of its tests: it has one for whatever copies, and two between cards."""

    ENGINE_WRITE = mark("Copy engine, source writes")
    ENGINE_READ = mark("Copy engine, target reads")
    KERNEL_WRITE = mark("Kernel, source writes")
    KERNEL_READ = mark("Kernel, target reads")

    @property
    def by_kernel(self) -> bool:
        return self in (Beside.KERNEL_WRITE, Beside.KERNEL_READ)

    @property
    def other(self) -> str:
        """What the names of the tests between cards hold that are not meant."""
        return "_read" if self in (Beside.ENGINE_WRITE, Beside.KERNEL_WRITE) else "_write"


@dataclass(frozen=True, slots=True)
class Overlay:
    """One file, as it is laid beside ours."""

    told: NvBandwidth
    name: str  # of the file
    beside: Beside = Beside.ENGINE_WRITE

    def cells(self, question: MatrixQuestion) -> Mapping[Pair, float]:
        """GB/s; nothing where it measures no such thing as is asked."""
        if question.kind not in (Kind.ONE_WAY, Kind.BOTH_WAYS):
            return {}
        found: dict[Pair, float] = {}
        for case in self.told.comparable:
            # A copy within one card has one test alone, by the copy engine.
            local = case.name.startswith("device_local")
            if case.kind is not question.kind or self.beside.other in case.name:
                continue
            if case.by_kernel is self.beside.by_kernel or local:
                found |= {pair: rate / 1e9 for pair, rate in case.cells.items() if rate}
        return found

    def words(self, question: MatrixQuestion, cards: int) -> str:
        """What stands below the matrix about it."""
        version = f"{CODE} {self.told.version}".strip()
        if not self.cells(question):
            none = tr("{tool} has no such test in {file}.", tool=version, file=self.name)
            return paragraph((none, self._why(question)))
        theirs, how = len(self.told.cards), tr(self.beside.value)
        if theirs and theirs != cards:
            return tr(
                "Small: {tool} ({theirs} of {cards} cards): {how}",
                tool=version,
                theirs=theirs,
                cards=cards,
                how=how,
            )
        return tr("Small: {tool}: {how}", tool=version, how=how)

    def _why(self, question: MatrixQuestion) -> str:
        if question.latency:
            return tr("Its latency is a chain of loads, which is another thing.")
        if self.told.error:
            return tr("It reports: {error}", error=self.told.error)
        kept = [each.kind for each in self.told.comparable]
        if kept and question.kind not in kept:
            return tr("Choose one or both ways.")
        return tr("There are no cells in it.")
