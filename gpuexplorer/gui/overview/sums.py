"""Sums: what all cards do together, and what they used in the time that is shown."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtWidgets import QGridLayout

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.units import (
    Units,
    energy,
    part_of_memory,
    ratio,
    trimmed,
    watts,
)
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure, figure
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.gui.cards.throttling import EnergyUsed, energy_used, time_covered
from gpuexplorer.gui.state.groups import CardCell, CellKey, Together, together
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, add
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, NowTag
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.telemetry.trace import TraceSource

_SECONDS = 32.0  # so long the energy that was added up is shown


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
    sums = sums_of(cards)
    read = ratio(sums.busy or 0.0)
    busy = Figure(tr("Busy, average"), read.number, read.unit, brief=tr("busy"))
    whole = part_of_memory(sums.memory_total, sums.memory_total, units)
    used = part_of_memory(sums.memory_used, sums.memory_total, units)
    memory = Figure(tr("Memory"), used.number, used.unit, trimmed(whole.number))
    why = tr("no card reports it") if sums.cards else tr("no card is read")
    said = sums.cards if answering_said else len(cards)
    return [
        _of_some(each, told, len(cards), said)
        if told
        else replace(each, absent=(why, tr("not reported")))
        for told, each in (
            (sums.busy_told, busy),
            (sums.memory_told, memory),
            (sums.power_told, power_of(sums)),
            (sums.heat_told, _hottest(cards, units)),
        )
    ]


def _of_some(figure: Figure, told: int, count: int, said: int) -> Figure:
    """Names how many cards it is of, unless it is of as many as is `said`."""
    if told == said:
        return figure
    words = {"label": figure.label, "told": told, "count": count}
    label = tr("{label} ({told} of {count} cards)", **words)
    return replace(figure, label=label, brief=label)


def power_of(sums: Together) -> Figure:
    # What some draw is not compared with the limits of others.
    limits = sums.limits if sums.limits_told == sums.power_told else 0.0
    drawn, most = watts(sums.power, at_least=limits), watts(limits).number if limits else ""
    return Figure(tr("Power"), drawn.number, drawn.unit, most)


def _hottest(cards: Sequence[CardFace], units: Units) -> Figure:
    label, metric = tr("Hottest"), m.TEMPERATURE
    told = [each for each in cards if each.answers and metric in each.reading.values]
    if not told:
        return Figure(label)
    hot = max(told, key=lambda each: each.reading.values[metric])
    found = figure(hot.reading, metric, units, label, brief=tr("hottest")).shorter
    if len(told) == 1:
        return found
    return replace(found, unit=tr("{unit}, card {number}", unit=found.unit, number=hot.number))


class EnergyFeed:
    """What all cards used in the time that is shown, as far as the past reaches."""

    def __init__(self, past: TraceSource) -> None:
        self._past = past
        self._asked: object = None
        self._used: list[EnergyUsed] = []

    def figure(self, cards: Sequence[CardId], window: TimeWindow) -> Figure:
        """It says so where what stands beside it is of another time."""
        start, end = window.stretch()
        span = end - start
        # It takes long, and changes slowly.
        asked = cards, round(span, 3), end // min(span / 4, _SECONDS)
        if asked != self._asked:
            self._asked = asked
            used = (energy_used(self._past, card, start, end) for card in cards)
            self._used = [*filter(None, used)]
        if not self._used:
            label = tr("Energy, {span}", span=span_words(span))
            return Figure(label, absent=(tr("with the next readings"), tr("soon")))
        words = span_words(time_covered(max(used.seconds for used in self._used), span))
        if not window.following:
            words = tr("the {span} shown", span=words)
        read = energy(sum(used.joules for used in self._used))
        label, brief = tr("Energy, {span}", span=words), tr("in {span}", span=words)
        found = Figure(label, read.number, read.unit, brief=brief)
        return _of_some(found, len(self._used), len(cards), len(cards))


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
        for line, each in zip(self._lines, figures, strict=True):
            line.show_captioned(each)
