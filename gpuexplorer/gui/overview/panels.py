"""Panels of the overview: who uses the cards, what took place, what is worth a look, and what
all cards do together.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Generic, TypeVar

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.units import (
    Units,
    energy,
    part_of_memory,
    ratio,
    span_words,
    trimmed,
    watts,
)
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure, figure
from gpuexplorer.gui.cards.programs import ProgramFace, on_how_many, parents, program_faces
from gpuexplorer.gui.cards.reasons import StateMark, nothing_told
from gpuexplorer.gui.overview.heat_strip import Faces, ranges
from gpuexplorer.gui.state.event_list import BEGAN, CARD, ENDED, LASTED, EpisodeRow, EventList
from gpuexplorer.gui.state.groups import CardCell, CellKey, Together, together
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.tables.cell import PADDING, Cell, Column, chips_width
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, add, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, NowTag
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure, program_name
from gpuexplorer.telemetry.stretches import EnergyUsed, energy_used, time_covered
from gpuexplorer.telemetry.trace import TraceSource

T = TypeVar("T")
_SIDE, _LEAST = round(PADDING), 180
_MOST_CHIPS = 4
_EVENT_WIDTHS = {BEGAN: 84, CARD: round(chips_width(2)), "sentence": 170, LASTED: 86}
_GRAVEST_FIRST = (Tone.BAD, Tone.WARN, Tone.QUIET)
_SECONDS = 32.0  # so long the energy that was added up is shown


class ListPanel(Panel, Generic[T]):
    """A table of which each row leads on by a click or Enter, or a sentence where it has none.
    Beside its heading is what is said of it, and at the right the way to all of it.
    """

    chosen = Signal(object)  # what the row shows

    def __init__(self, heading: str, table: Table[T], *beside: QWidget, way_on: str) -> None:
        super().__init__(heading)
        self.table, self.all = table, link_button(way_on)
        self._nothing = wrapped_label("", Tone.QUIET)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        for at, each in enumerate(beside, start=1):
            self.head.insertWidget(at, each)
        self.head.addWidget(self.all)
        self.all.setVisible(bool(way_on))
        table.setSelectionMode(Table.SelectionMode.NoSelection)
        table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        table.clicked.connect(self._on_chosen)
        table.activated.connect(self._on_chosen)
        # Cells have a padding of their own.
        self.body.setContentsMargins(16 - _SIDE, 14, 16 - _SIDE, 12)
        for part in (self.head, self._nothing):
            part.setContentsMargins(_SIDE, 0, _SIDE, 0)
        add(self.body, self._nothing, table, GROWS)
        self.setMinimumHeight(_LEAST)

    def show_list(self, things: Sequence[T], nothing: str) -> None:
        say(self._nothing, "" if things else nothing)
        self.table.setVisible(bool(things))
        self.table.show_rows(things)

    def _on_chosen(self, index: QModelIndex) -> None:
        self.chosen.emit(self.table.listed.thing(index))


class ProcessesPanel(ListPanel[ProgramFace]):
    """A row leads to the card it uses. It also knows the programs of each card."""

    def __init__(self, machine: MachineState, time_window: TimeWindow) -> None:
        self._machine = machine
        self._shown: object = None
        self._of_card: dict[CardId, list[NamedProcess]] = {}
        self._remark = ElidedLabel(look().letters.caption, Tone.QUIET)
        model = TableModel(_columns(""), lambda face: (face.pid, face.cards))
        parts = Table(tr("Processes"), model), NowTag(time_window), self._remark
        super().__init__(tr("Processes"), *parts, way_on=tr("All processes"))

    def pull(self) -> None:
        session, cards = self._machine.session, self._machine.cards()
        processes, unknown = session.process_book.living(), session.processes_unknown()
        asked = any(map(session.process_book.looked_at, [each.card.id for each in cards]))
        shown = processes, cards, self._machine.settings.choices.units, unknown, asked
        if shown == self._shown:
            return
        self._shown, owners = shown, parents(cards)
        self._of_card = {card: [] for card in owners.values()}
        for named in processes:
            if named.process.card in owners:
                self._of_card[owners[named.process.card]].append(named)
        words = on_how_many(processes, owners)
        # Of a recording this window is never among them.
        live = self._machine.past.ended is None
        if words and live and not any(named.ours for named in processes):
            words = tr("{processes}; this window holds no card memory", processes=words)
        self._remark.show_text(words)
        programs = self._faces(processes)
        if programs:
            self.table.listed.show_columns(_columns(programs[0].unit))
        most = max((len(each.chips) for each in programs), default=1)
        self.table.columns.set_width("card", round(chips_width(min(most, _MOST_CHIPS))))
        why = mark("No program uses a card.")
        if unknown or session.source.figures_alone:
            why = mark("It is not known who uses the cards.")
        elif not asked:
            why = mark("Asking the driver which programs use the cards…")
        self.show_list(programs, tr(why))

    def of_card(self, card: CardId) -> Sequence[ProgramFace]:
        """Also those in its instances."""
        return self._faces(self._of_card.get(card, ()))

    def name_on(self, cards: Faces) -> str:
        """What holds most of these cards' memory: "train.py"; or that nothing does."""
        used = [named for each in cards for named in self._of_card.get(each.id, ())]
        names: dict[str, float] = defaultdict(float)
        for named in used:
            if named.command is not None:
                held = named.process.values.get(ProcessFigure.MEMORY, 0.0)
                names[program_name(named.command)] += held
        return max(names, key=names.__getitem__, default="" if used else tr("free"))

    def _faces(self, processes: Sequence[NamedProcess]) -> Sequence[ProgramFace]:
        cards, now = self._machine.cards(), self._machine.session.clock.wall()
        shown = {each.card.id: each for one in cards for each in (one, *one.instances)}
        return program_faces(processes, shown, self._machine.settings.choices.units, now)


def _columns(unit: str) -> Sequence[Column[ProgramFace]]:
    column = partial(Column[ProgramFace], spoken=lambda face: face.spoken)

    def cards(face: ProgramFace) -> Cell:
        numbers = ", ".join(chip.text for chip in face.chips)
        return Cell(chips=face.chips, hint=tr("Cards {numbers}", numbers=numbers))

    def command(face: ProgramFace) -> Cell:
        tone = Tone.TEXT if face.known else Tone.FAINT
        return Cell(face.command, tone=tone, mono=face.known, hint=face.hint)

    def told(figure: Callable[[ProgramFace], Figure], tone: Tone, face: ProgramFace) -> Cell:
        found = figure(face)
        return Cell(found.number, absent=found.absent, tone=tone, hint=found.hint)

    text, quiet = Tone.TEXT, Tone.QUIET  # what was measured, and what was not
    memory = tr("Memory, {unit}", unit=unit)
    figures = partial(column, right=True)
    return [
        column("card", tr("Card"), cards, width=round(chips_width(1))),
        column("command", tr("Command"), command, width=150, stretches=True),
        figures("pid", tr("PID"), lambda face: Cell(face.pid, tone=quiet), width=82, kept=6),
        *(
            figures(key, heading, partial(told, attrgetter(key), tone), width=width, kept=kept)
            for key, heading, width, kept, tone in (
                ("user", tr("User"), 66, 3, quiet),
                ("memory", memory, 100, 7, text),
                ("busy", tr("SM, %"), 58, 5, text),
                ("controller", tr("Memory ctrl, %"), 104, 2, text),
                ("processor", tr("CPU, %"), 62, 4, text),
                ("since", tr("Since"), 66, 1, quiet),
            )
        ),
    ]


class EventsPanel(ListPanel[EpisodeRow]):
    """One row an episode, the newest on top. A row leads to its moment."""

    def __init__(self, machine: MachineState) -> None:
        self._machine, self._events = machine, EventList(machine)
        self._cards: object = None
        columns = [
            replace(each, width=_EVENT_WIDTHS.get(each.key, each.width))
            for each in self._events.columns()
            if each.key != ENDED
        ]
        table = Table(tr("Events"), TableModel(columns, id))
        table.setHeaderHidden(True)
        super().__init__(tr("Events"), table, way_on=tr("All events"))

    def pull(self) -> None:
        session, cards = self._machine.session, self._machine.cards()
        if self._events.show_log(session.happenings()) or cards is not self._cards:
            self._cards = cards
            nothing = mark(
                "Nothing yet. Lost cards, throttling, memory errors and programs that come "
                "and go are listed here."
            )
            self.show_list(self._events.rows, nothing_told(session, nothing))


Alike = tuple[StateMark, Faces]  # all are lost, say


def worth_a_look(cards: Faces) -> Sequence[Alike]:
    """The gravest first, cards alike together."""
    alike: dict[object, tuple[StateMark, list[CardFace]]] = {}
    for each in cards:
        if each.mark is not None and each.mark.icon is not None:
            alike.setdefault(each.mark[:2], (each.mark, []))[1].append(each)
    return sorted(alike.values(), key=lambda each: _GRAVEST_FIRST.index(each[0].tone))


class WorthPanel(ListPanel[Alike]):
    """A row leads to the first of its cards."""

    def __init__(self, time_window: TimeWindow) -> None:
        def cell(alike: Alike) -> Cell:
            """ "Much too hot", and below it "card 21: 86 of 87 °C"."""
            (word, tone, icon, _, more), cards = alike
            numbers, count = ranges(cards), len(cards)
            below = trn("card {numbers}", "cards {numbers}", count, numbers=numbers)
            if count > 1:
                word = tr("{count} × {mark}", count=count, mark=word)
            elif more:
                below = tr("{card}: {sentence}", card=below, sentence=more)
            return Cell(word, below=below, icon=icon, tone=tone, hint=f"{word}, {below}")

        heading = tr("Worth a look")
        column = Column("word", "", cell, stretches=True, spoken=lambda e: cell(e).hint)
        model = TableModel([column], lambda alike: alike[0].word)
        table = Table(heading, model, row_height=44)
        table.setHeaderHidden(True)
        super().__init__(heading, table, NowTag(time_window), way_on="")

    def show_cards(self, cards: Faces) -> None:
        self.show_list(worth_a_look(cards), tr("Every card works as it should."))


def sums_of(cards: Faces) -> Together:
    """Of those that answer."""
    cells = [
        CardCell(
            CellKey("", e.id),
            e.number,
            e.name,
            CardState.WORKING,
            e.reading.values,
            memory_bytes=e.memory.total_bytes,
        )
        for e in cards
        if e.answers
    ]
    return together(cells, "")


def figures_of(cards: Faces, units: Units, *, answering_said: bool = False) -> list[Figure]:
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


def _hottest(cards: Faces, units: Units) -> Figure:
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
