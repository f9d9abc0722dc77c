"""SumsRow: what all the cards of all machines do together, as a row of figures."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.metrics import METRICS, TEMPERATURE
from gpuexplorer.core.units import (
    Quantity,
    Units,
    part_of_memory,
    quantity,
    ratio,
    trimmed,
    watts,
)
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.paint.drawing import plain_tip
from gpuexplorer.gui.state.groups.group import Together
from gpuexplorer.gui.widgets.laid_out import row
from gpuexplorer.gui.widgets.line import Line

_MOST = 6
_NOTHING = (mark("no card reports it"), mark("not reported"))


class SumsRow(QWidget):
    """All of it is told on asking."""

    def __init__(self) -> None:
        super().__init__()
        self._lines = [Line(height=42) for _ in range(_MOST)]
        row(*self._lines, within=self, gap=16)
        self.setAccessibleName(tr("All machines together"))

    def show_figures(self, figures: Sequence[Figure]) -> None:
        spoken = [figure.spoken for figure in figures]
        self.setAccessibleDescription(f"{'. '.join(spoken)}.")
        self.setToolTip(plain_tip("\n".join(spoken)))
        for line, figure in zip(self._lines, figures, strict=False):
            line.show_captioned(figure)
        for at, line in enumerate(self._lines):
            line.setVisible(at < len(figures))


def figures_of(sums: Together, units: Units) -> Sequence[Figure]:
    """What somebody who looks for a card wants to know first comes first."""
    whole = part_of_memory(sums.memory_total, sums.memory_total, units)
    free = part_of_memory(sums.memory_free, sums.memory_total, units)
    # What some draw is not compared with the limits of others.
    limits = sums.limits if sums.limits_told == sums.power_told else 0.0
    most = watts(limits).number if limits else ""
    told = sums.busy_told
    figures = [
        _cards(sums),
        _figure(tr("Idle"), Quantity(str(sums.idle)), told, told, str(told)),
        _figure(
            tr("Memory free"), free, sums.memory_told, sums.answering, trimmed(whole.number)
        ),
        _figure(tr("Busy"), ratio(sums.busy or 0.0), told, sums.answering),
        _figure(
            *(tr("Power"), watts(sums.power, limits), sums.power_told),
            *(sums.answering, most),
        ),
    ]
    if sums.hottest is not None:
        celsius, machine, number = sums.hottest
        read = quantity(METRICS[TEMPERATURE], celsius, units)
        where = tr("{machine}, card {number}", machine=machine, number=number)
        figures.append(Figure(tr("Hottest"), number=read.number, unit=read.unit, hint=where))
    return figures


def _cards(sums: Together) -> Figure:
    if sums.answering == sums.cards:
        return Figure(tr("Cards"), number=str(sums.cards))
    return Figure(tr("Cards that answer"), number=str(sums.answering), limit=str(sums.cards))


def _figure(label: str, read: Quantity, told: int, answering: int, limit: str = "") -> Figure:
    """It says of how many cards it is, where others do not tell."""
    if not told:
        return Figure(label, absent=tuple(map(tr, _NOTHING)))
    if told < answering:
        label = tr("{label} ({told} of {count})", label=label, told=told, count=answering)
    return Figure(label, number=read.number, unit=read.unit, limit=limit)
