"""SumsRow: what all the cards of all machines do together, as a row of figures."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy

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
from gpuexplorer.gui.paint.drawing import Drawing, plain_tip
from gpuexplorer.gui.state.groups.group import Together
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.figure_drawing import draw_labelled
from gpuexplorer.gui.widgets.painted import Painted

_HIGH, _LEAST, _MOST = 44, 100, 210
_NOTHING = (mark("no card reports it"), mark("not reported"))


class SumsRow(Painted):
    """What has no room is left out from the end; it is still told on asking."""

    def __init__(self) -> None:
        super().__init__()
        self._figures: Sequence[Figure] = ()
        self.setAccessibleName(tr("All machines together"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HIGH)
        look().changed.connect(self.update)

    def show_figures(self, figures: Sequence[Figure]) -> None:
        if list(figures) != list(self._figures):
            self._figures = figures
            spoken = [figure.spoken for figure in figures]
            self.setAccessibleDescription(f"{'. '.join(spoken)}.")
            self.setToolTip(plain_tip("\n".join(spoken)))
            self.update()

    def draw(self, drawing: Drawing) -> None:
        count = max(1, min(len(self._figures), self.width() // _LEAST))
        step = min(_MOST, self.width() / count)
        for at, figure in enumerate(self._figures[:count]):
            draw_labelled(drawing, at * step, 2, step - 16, figure)

    def sizeHint(self) -> QSize:
        return QSize(600, _HIGH)


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
