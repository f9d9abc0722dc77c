"""SumsRow: what all the cards of all machines do together, as a row of figures."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import (
    Units,
    part_of_memory,
    quantity,
    ratio,
    trimmed,
    watts_together,
)
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.paint.plain_tip import plain_tip
from gpuexplorer.gui.state.groups.group import Together
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.figure_drawing import draw_labelled
from gpuexplorer.gui.widgets.painted import Painted

_HIGH, _LEAST, _MOST = 44, 116, 210
_NOTHING = (mark("no card reports it"), mark("not reported"))


class SumsRow(Painted):
    """What has no room is left out from the end; it is still told on asking."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._figures: Sequence[Figure] = ()
        self.setAccessibleName(tr("All machines together"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HIGH)
        look.changed.connect(self.update)

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
    return (
        _cards(sums),
        Figure(
            tr("Idle"),
            number=str(sums.idle),
            limit=str(sums.busy_told),
            hint=tr("Cards that answer and report 0 % busy just now."),
            absent=() if sums.busy_told else tuple(map(tr, _NOTHING)),
        ),
        _free(sums, units),
        _busy(sums),
        _power(sums),
        _hottest(sums, units),
        _users(sums),
    )


def _cards(sums: Together) -> Figure:
    silent = sums.cards - sums.answering
    if not sums.cards:
        return Figure(tr("Cards"), absent=(tr("none is read"), tr("none")))
    hint = tr("{answering} of {count} cards answer", answering=sums.answering, count=sums.cards)
    if not silent:
        return Figure(tr("Cards"), number=str(sums.cards), hint=hint)
    return Figure(
        tr("Cards that answer"), number=str(sums.answering), limit=str(sums.cards), hint=hint
    )


def _label(label: str, told: int, sums: Together) -> str:
    """It says of how many cards it is, where others do not tell."""
    if told in (0, sums.answering):
        return label
    return tr("{label} ({told} of {count})", label=label, told=told, count=sums.cards)


def _free(sums: Together, units: Units) -> Figure:
    label = _label(tr("Memory free"), sums.memory_told, sums)
    if sums.memory_free is None or not sums.memory_total:
        return _absent(label)
    whole = part_of_memory(sums.memory_total, sums.memory_total, units)
    part = part_of_memory(sums.memory_free, sums.memory_total, units)
    hint = tr("What is free on all cards together; a program gets no more than one card has.")
    return Figure(
        label, number=part.number, unit=part.unit, limit=trimmed(whole.number), hint=hint
    )


def _busy(sums: Together) -> Figure:
    label = _label(tr("Busy"), sums.busy_told, sums)
    if sums.busy is None:
        return _absent(label)
    read = ratio(sums.busy)
    hint = trn("Mean of {count} card.", "Mean of {count} cards.", sums.busy_told)
    return Figure(label, number=read.number, unit=read.unit, hint=hint)


def _power(sums: Together) -> Figure:
    label = _label(tr("Power"), sums.power_told, sums)
    if sums.power is None:
        return _absent(label)
    limit = sums.power_limit
    read = watts_together(sums.power, limit or 0.0)
    whole = "" if limit is None else watts_together(limit).number
    hint = tr("What these cards draw together, and the sum of their limits.")
    return Figure(label, number=read.number, unit=read.unit, limit=whole, hint=hint)


def _hottest(sums: Together, units: Units) -> Figure:
    label, hottest = tr("Hottest"), sums.hottest
    if hottest is None:
        return _absent(label)
    read = quantity(METRICS[heat.TEMPERATURE], hottest.celsius, units)
    where = tr("{machine}, card {number}", machine=hottest.host, number=hottest.number)
    label = tr("{label}: {where}", label=label, where=where)
    return Figure(label, number=read.number, unit=read.unit, hint=label)


def _users(sums: Together) -> Figure:
    label = _label(tr("Users"), sums.users_told, sums)
    if not sums.users_told:
        return Figure(
            label, absent=(tr("not known"),), hint=tr("Nobody says who uses the cards.")
        )
    names = listed(sorted(sums.users)) or tr("nobody")
    return Figure(label, number=str(len(sums.users)), hint=names)


def _absent(label: str) -> Figure:
    return Figure(label, absent=tuple(map(tr, _NOTHING)))
