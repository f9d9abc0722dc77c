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
    trimmed,
    watts,
)
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.energy_used import EnergyUsed, energy_used, time_covered
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.figures import NEAR_HEAT_LIMIT
from gpuexplorer.gui.cards.moments import span_words
from gpuexplorer.gui.state.groups.group import CardCell, CellKey, Together, together
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, add
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, NowTag
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.telemetry.trace import TraceSource

# Adding up a card's energy takes as long as to draw its tile, and changes slowly: so many are
# asked at each beat until all were, and then each of them once in so many beats.
_MOST_EACH_TIME, _BEATS = 8, 32


def sums_of(cards: Sequence[CardFace]) -> Together:
    """Of those that answer."""
    cells = [
        CardCell(
            *(CellKey("", each.id), each.number, each.name, CardState.WORKING),
            each.reading.values,
            memory_bytes=each.memory.total_bytes,
        )
        for each in cards
        if each.answers
    ]
    return together(cells, "")


def figures_of(
    cards: Sequence[CardFace], units: Units, *, answering_said: bool = False
) -> list[Figure]:
    """Busy, memory, power, hottest. Each says of how many cards it is where not all report it;
    `answering_said`: where it is not of as many as answer.
    """
    sums, figures = sums_of(cards), []
    whole = part_of_memory(sums.memory_total, sums.memory_total, units)
    used = part_of_memory(sums.memory_used, sums.memory_total, units)
    busy = Figure(
        tr("Busy, average"),
        number=ratio(sums.busy or 0.0).number,
        unit="%",
        hint=tr("The mean of the cards that report it."),
        short_label=tr("busy on average"),
    )
    memory = Figure(
        tr("Memory"),
        number=used.number,
        unit=used.unit,
        limit=trimmed(whole.number),
        hint=tr("Used, of all the memory of these cards."),
    )
    said = before = sums.cards if answering_said else len(cards)
    for told, figure in (
        (sums.busy_told, busy),
        (sums.memory_told, memory),
        (sums.power_told, power_of(sums)),
        (sums.heat_told, _hottest(cards, sums, units)),
    ):
        label, short = figure.label, figure.short_label
        if not told:
            why = tr("no card reports it") if sums.cards else tr("no card is read")
            figures.append(Figure(label, absent=(why, tr("not reported"))))
            continue
        if told != said:
            words = {"told": told, "count": len(cards)}
            label = tr("{label} ({told} of {count} cards)", label=label, **words)
            if short:
                short = tr("busy on {told} of {count} cards", **words)
            elif told != before:  # in a row it is said once
                short = tr("on {told} of {count} cards", **words)
        figures.append(replace(figure, label=label, short_label=short))
        before = told
    return figures


def power_of(sums: Together) -> Figure:
    # What some draw is not compared with the limits of others.
    limits = sums.limits if sums.limits_told == sums.power_told else 0.0
    drawn = watts(sums.power, at_least=limits)
    return Figure(
        tr("Power"),
        number=drawn.number,
        unit=drawn.unit,
        limit=watts(limits).number if limits else "",
        hint=tr("What these cards draw together, and the sum of their limits."),
    )


def _hottest(cards: Sequence[CardFace], sums: Together, units: Units) -> Figure:
    if sums.hottest is None:
        return Figure(tr("Hottest"))
    celsius, _, number = sums.hottest
    values = next(each.reading.values for each in cards if each.number == number)
    limit = values.get(m.TEMPERATURE_MAX, values.get(m.TEMPERATURE_SLOWDOWN))
    near = limit is not None and celsius >= limit - NEAR_HEAT_LIMIT
    read = quantity(METRICS[m.TEMPERATURE], celsius, units)
    several = sums.heat_told > 1
    return Figure(
        tr("Hottest"),
        number=read.number,
        unit=tr("{unit}, card {number}", unit=read.unit, number=number)
        if several
        else read.unit,
        tone=Tone.WARN if near else Tone.TEXT,
        brief=tr("hottest") if several else "",
    )


class EnergyFeed:
    """What each card used in the time that is shown, as it was when it was last asked."""

    def __init__(self, past: TraceSource) -> None:
        self._past = past
        self._used: dict[CardId, EnergyUsed | None] = {}  # the one asked longest ago first
        self._asked: object = None
        self._end = 0.0

    def figure(
        self, cards: Sequence[CardId], start: float, end: float, *, following: bool = True
    ) -> Figure:
        """Of all, as soon as all were asked, as far as the past reaches. It says so where what
        stands beside it is of another time.
        """
        span, count = end - start, len(cards)
        asked = (round(span, 3), tuple(cards))
        if asked != self._asked or not 0 <= end - self._end < max(2.0, span / 60):
            self._asked, self._used = asked, {}
        self._end = end
        left = [each for each in cards if each not in self._used][:_MOST_EACH_TIME]
        for card in left or list(self._used)[: -(-count // _BEATS)]:
            self._used.pop(card, None)
            self._used[card] = energy_used(self._past, card, start, end)
        told = [used for used in self._used.values() if used is not None]
        if not told or len(self._used) < count:
            label = tr("Energy, {span}", span=span_words(span))
            return Figure(label, absent=(tr("with the next readings"), tr("soon")))
        words = span_words(time_covered(max(used.seconds for used in told), span))
        if not following:
            words = tr("the {span} shown", span=words)
        label, short = tr("Energy, {span}", span=words), tr("in {span}", span=words)
        if len(told) < count:
            of = {"told": len(told), "count": count}
            label = tr("{label} ({told} of {count} cards)", label=label, **of)
            short = tr("in {span} on {told} of {count} cards", span=words, **of)
        hint = tr("What these cards used in the time that is shown, as far as it was read.")
        read = energy(sum(used.joules for used in told))
        return Figure(label, number=read.number, unit=read.unit, hint=hint, short_label=short)


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
            grid.addWidget(line, at // 2, at % 2)
        add(self.body, grid, FREE)

    def show_figures(self, figures: Sequence[Figure], answering: int, count: int) -> None:
        words = tr("{answering} of {count} cards answer", answering=answering, count=count)
        self._answering.show_text(words)
        for line, figure in zip(self._lines, figures, strict=True):
            line.show_captioned(figure)
