"""Sums: what all cards do together, and what they used in the time that is shown."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtWidgets import QGridLayout

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import (
    Units,
    energy,
    part_of_memory,
    quantity,
    ratio,
    span_words,
    trimmed,
    watts,
)
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import NEAR_HEAT_LIMIT, Figure
from gpuexplorer.gui.cards.throttling import EnergyUsed, energy_used, time_covered
from gpuexplorer.gui.state.groups import CardCell, CellKey, Together, together
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, add
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, NowTag
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.telemetry.trace import TraceSource

_BEATS = 32  # energy is added up once in so many: it takes long, and changes slowly


def sums_of(cards: Sequence[CardFace]) -> Together:
    """Of those that answer."""
    cells = [
        CardCell(
            *(CellKey("", e.id), e.number, e.name, CardState.WORKING, e.reading.values),
            memory_bytes=e.memory.total_bytes,
        )
        for e in cards
        if e.answers
    ]
    return together(cells, "")


def figures_of(
    cards: Sequence[CardFace], units: Units, *, answering_said: bool = False
) -> list[Figure]:
    """Busy, memory, power, hottest; of how many cards each is, where that is not said yet."""
    sums, figures = sums_of(cards), []
    whole = part_of_memory(sums.memory_total, sums.memory_total, units)
    used = part_of_memory(sums.memory_used, sums.memory_total, units)
    read = ratio(sums.busy or 0.0)
    busy = Figure(tr("Busy, average"), read.number, read.unit, brief=tr("busy"))
    memory = Figure(tr("Memory"), used.number, used.unit, trimmed(whole.number))
    said = sums.cards if answering_said else len(cards)
    for told, figure in (
        (sums.busy_told, busy),
        (sums.memory_told, memory),
        (sums.power_told, power_of(cards)),
        (sums.heat_told, _hottest(cards, sums, units)),
    ):
        label, brief = figure.label, figure.brief
        if told not in (0, said):
            of = {"told": told, "count": len(cards)}
            label = brief = tr("{label} ({told} of {count} cards)", label=label, **of)
        why = tr("no card reports it") if sums.cards else tr("no card is read")
        absent = () if told else (why, tr("not reported"))
        figures.append(replace(figure, label=label, brief=brief, absent=absent))
    return figures


def power_of(cards: Sequence[CardFace]) -> Figure:
    sums = sums_of(cards)
    # What some draw is not compared with the limits of others.
    limits = sums.limits if sums.limits_told == sums.power_told else 0.0
    drawn, most = watts(sums.power, at_least=limits), watts(limits).number if limits else ""
    return Figure(tr("Power"), drawn.number, drawn.unit, most)


def _hottest(cards: Sequence[CardFace], sums: Together, units: Units) -> Figure:
    if sums.hottest is None:
        return Figure(tr("Hottest"))
    celsius, _, number = sums.hottest
    values = next(each.reading.values for each in cards if each.number == number)
    limit = values.get(m.TEMPERATURE_MAX, values.get(m.TEMPERATURE_SLOWDOWN))
    near = limit is not None and celsius >= limit - NEAR_HEAT_LIMIT
    read = quantity(METRICS[m.TEMPERATURE], celsius, units)
    unit, tone = read.unit, Tone.WARN if near else Tone.TEXT
    if sums.heat_told > 1:
        unit = tr("{unit}, card {number}", unit=unit, number=number)
    return Figure(tr("Hottest"), read.number, unit, tone=tone, brief=tr("hottest"))


class EnergyFeed:
    """What all cards used in the time that is shown, as far as the past reaches."""

    def __init__(self, past: TraceSource) -> None:
        self._past = past
        self._used: list[EnergyUsed | None] = []
        self._asked: object = None
        self._asked_at, self._beat = 0.0, 0

    def figure(
        self, cards: Sequence[CardId], start: float, end: float, *, following: bool = True
    ) -> Figure:
        """It says so where what stands beside it is of another time."""
        span, ids = end - start, list(cards)
        asked, moved = (round(span, 3), ids), end - self._asked_at
        self._beat += 1
        if asked != self._asked or not 0 <= moved < span / 4 or self._beat % _BEATS == 0:
            self._asked, self._asked_at = asked, end
            self._used = [energy_used(self._past, card, start, end) for card in ids]
        told = [used for used in self._used if used is not None]
        if not told:
            label = tr("Energy, {span}", span=span_words(span))
            return Figure(label, absent=(tr("with the next readings"), tr("soon")))
        words = span_words(time_covered(max(used.seconds for used in told), span))
        if not following:
            words = tr("the {span} shown", span=words)
        label, brief = tr("Energy, {span}", span=words), tr("in {span}", span=words)
        if len(told) < len(cards):
            of = {"told": len(told), "count": len(cards)}
            label = brief = tr("{label} ({told} of {count} cards)", label=label, **of)
        read = energy(sum(used.joules for used in told))
        return Figure(label, number=read.number, unit=read.unit, brief=brief)


class TogetherPanel(Panel):
    """The figures of very many cards, two beside each other."""

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__(tr("Together"))
        self._answering = ElidedLabel(look().letters.caption, Tone.QUIET)
        self.head.insertWidget(1, NowTag(time_window))
        self.head.addWidget(self._answering)
        self._lines = [Line(height=42) for _ in range(5)]
        grid = QGridLayout()
        grid.setVerticalSpacing(8)
        for at, line in enumerate(self._lines):
            grid.addWidget(line, at // 2, at % 2, 1, 1 + at // 4)  # the last has a row
        add(self.body, grid, FREE)

    def show_figures(self, figures: Sequence[Figure], answering: int, count: int) -> None:
        words = tr("{answering} of {count} cards answer", answering=answering, count=count)
        self._answering.show_text(words)
        for line, figure in zip(self._lines, figures, strict=True):
            line.show_captioned(figure)
