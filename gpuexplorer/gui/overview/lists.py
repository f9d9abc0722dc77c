"""Lists of the overview: who uses the cards, what took place, which cards are worth a look, and
what is good to know of this machine.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.event_words import nothing_told
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.process_words import on_how_many, parents
from gpuexplorer.gui.cards.programs import ProgramFace, program_faces, program_name
from gpuexplorer.gui.cards.reasons import Matter, StateMark
from gpuexplorer.gui.overview.strip_content import ranges
from gpuexplorer.gui.state.event_list import (
    BEGAN,
    CARD,
    ENDED,
    LASTED,
    EpisodeRow,
    EventList,
)
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.tables.cell import PADDING, Cell, Column, chips_width
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import ROW_HEIGHT, Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import GROWS, add, column, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel, NowTag
from gpuexplorer.gui.widgets.live_view import Panel, Remark
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure

T = TypeVar("T")
_SIDE, _LEAST = round(PADDING), 180
_HIGH = 44  # a row of two lines
_MOST_CHIPS = 4
_EVENT_WIDTHS = {BEGAN: 84, CARD: round(chips_width(2)), "sentence": 190, LASTED: 66}
_GRAVEST_FIRST = (Tone.BAD, Tone.WARN, Tone.QUIET)


class ShortTable(Table[T]):
    """The first rows of a list, as many as fit; nothing scrolls, and a click or Enter leads on
    from each.
    """

    chosen = Signal(object)  # what the row shows

    def __init__(
        self,
        name: str,
        columns: Sequence[Column[T]],
        key: Callable[[T], Hashable],
        row_height: int = ROW_HEIGHT,
    ) -> None:
        super().__init__(name, TableModel(columns, key), row_height=row_height)
        self._all: Sequence[T] = ()
        self.columns.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setSelectionMode(self.SelectionMode.NoSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.clicked.connect(self._on_clicked)

    def fitting(self) -> int:
        return max(0, self.viewport().height() // self.high)

    def show_first(self, things: Sequence[T]) -> None:
        self._all = things
        self.show_rows(things[: self.fitting()])

    def _on_clicked(self, index: QModelIndex) -> None:
        thing = self.listed.thing(index)
        if thing is not None:
            self.chosen.emit(thing)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._on_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_first(self._all)


class ListPanel(Panel, Generic[T]):
    """A short table, or a sentence where it has no rows. Beside its heading is what is said of
    it, and at the right the way to all of it.
    """

    def __init__(
        self, heading: str, table: ShortTable[T], *beside: QWidget, way_on: str
    ) -> None:
        super().__init__(heading)
        self.table, self.all = table, link_button(way_on)
        self._nothing = wrapped_label("", Tone.QUIET)
        for at, each in enumerate(beside, start=1):
            self.head.insertWidget(at, each)
        self.head.addWidget(self.all)
        self.all.setVisible(bool(way_on))
        # Cells have a padding of their own.
        self.body.setContentsMargins(16 - _SIDE, 14, 16 - _SIDE, 12)
        for part in (self.head, self._nothing):
            part.setContentsMargins(_SIDE, 0, _SIDE, 0)
        add(self.body, self._nothing, table, GROWS)
        self.setMinimumHeight(_LEAST)

    def show_list(self, things: Sequence[T], nothing: str) -> None:
        say(self._nothing, "" if things else nothing)
        self.table.show_first(things)


class ProgramsFeed:
    """Who uses the cards, worked out anew only when something about it changed: all together
    for the list, and card by card for the tiles.
    """

    def __init__(self, machine: MachineState) -> None:
        self._machine = machine
        self._made_of: tuple[Sequence[NamedProcess], Sequence[Shown], Units] | None = None
        self._owner: Mapping[CardId, CardId] = {}
        self._of_card: dict[CardId, list[NamedProcess]] = {}
        self._faces: dict[CardId, Sequence[ProgramFace]] = {}
        self.all: Sequence[ProgramFace] = ()

    def bring_up(self) -> bool:
        """True where it changed."""
        processes = self._machine.session.process_book.living()
        cards, units = self._machine.cards(), self._machine.settings.choices.units
        made_of = processes, cards, units
        if self._made_of == made_of:
            return False
        self._made_of = made_of
        self._owner, self._of_card, self._faces = parents(cards), {}, {}
        for named in processes:
            owner = self._owner.get(named.process.card)
            if owner is not None:
                self._of_card.setdefault(owner, []).append(named)
        self.all = self._faces_of(processes)
        return True

    def remark(self) -> str:
        """How many, and whether this window is among them: of a recording it is not."""
        if self._made_of is None:
            return ""
        processes, _, _ = self._made_of
        words, recorded = on_how_many(processes, self._owner), self._machine.past.ended
        if not words or recorded is not None or any(named.ours for named in processes):
            return words
        return tr("{processes}; this window holds no card memory", processes=words)

    def nobody(self) -> str:
        """What to say where there are none: that, or that it is not known."""
        if self._machine.session.processes_unknown():
            return tr("It is not known who uses the cards.")
        return tr("No program uses a card.")

    def of_card(self, card: CardId) -> Sequence[ProgramFace]:
        """Also those in its instances."""
        if card not in self._faces:
            self._faces[card] = self._faces_of(self._of_card.get(card, ()))
        return self._faces[card]

    def name_on(self, cards: Sequence[CardFace]) -> str:
        """What holds most of these cards' memory: "train.py"; or that nothing does."""
        used = [named for each in cards for named in self._of_card.get(each.id, ())]
        names: dict[str, float] = {}
        for named in used:
            if named.command is not None:
                name = program_name(named.command)
                held = named.process.values.get(ProcessFigure.MEMORY, 0.0)
                names[name] = names.get(name, 0.0) + held
        if not names:
            return "" if used else tr("free")
        return max(names, key=lambda name: names[name])

    def _faces_of(self, processes: Sequence[NamedProcess]) -> Sequence[ProgramFace]:
        cards, now = self._machine.cards(), self._machine.session.clock.wall()
        shown = {each.card.id: each for one in cards for each in (one, *one.instances)}
        return program_faces(processes, shown, self._machine.settings.choices.units, now)


class ProcessesPanel(ListPanel[ProgramFace]):
    """A row leads to the card it uses."""

    def __init__(self, time_window: TimeWindow) -> None:
        self._remark = ElidedLabel(look().letters.caption, Tone.QUIET)
        table = ShortTable(tr("Processes"), _columns(""), lambda face: (face.pid, face.cards))
        tag, way_on = NowTag(time_window), tr("All processes")
        super().__init__(tr("Processes"), table, tag, self._remark, way_on=way_on)

    def show_programs(self, programs: Sequence[ProgramFace], remark: str, nobody: str) -> None:
        self._remark.show_text(remark)
        self.table.setVisible(bool(programs))
        if programs:
            self.table.listed.show_columns(_columns(programs[0].unit))
        most = max((len(each.chips) for each in programs), default=1)
        self.table.columns.set_width("card", round(chips_width(min(most, _MOST_CHIPS))))
        self.show_list(programs, nobody)


def _columns(unit: str) -> Sequence[Column[ProgramFace]]:
    column = partial(Column[ProgramFace], spoken=lambda face: face.spoken)

    def cards(face: ProgramFace) -> Cell:
        numbers = ", ".join(chip.text for chip in face.chips)
        hint = tr("Cards {numbers}", numbers=numbers) if len(face.chips) > 1 else ""
        return Cell(chips=face.chips, hint=hint)

    def command(face: ProgramFace) -> Cell:
        tone = Tone.TEXT if face.known else Tone.FAINT
        return Cell(face.command, tone=tone, mono=face.known, hint=face.hint)

    def figure(
        key: str,
        heading: str,
        width: int,
        kept: int,
        figure_of: Callable[[ProgramFace], Figure],
        tone: Tone = Tone.TEXT,
    ) -> Column[ProgramFace]:
        def cell(face: ProgramFace) -> Cell:
            told = figure_of(face)
            return Cell(told.number, absent=told.absent, tone=tone, hint=told.hint)

        right = partial(column, right=True, meaning=heading)
        return right(key, heading, cell, width=width, kept=kept)

    quiet = Tone.QUIET  # what was not measured
    return [
        column("card", tr("Card"), cards, width=round(chips_width(1))),
        column("command", tr("Command"), command, width=150, stretches=True),
        figure("pid", tr("PID"), 82, 6, lambda face: Figure("", number=face.pid), quiet),
        figure("user", tr("User"), 66, 3, lambda face: face.user, quiet),
        figure("memory", tr("Memory, {unit}", unit=unit), 100, 7, lambda face: face.memory),
        figure("busy", tr("SM, %"), 58, 5, lambda face: face.busy),
        figure("controller", tr("Memory ctrl, %"), 104, 2, lambda face: face.controller),
        figure("processor", tr("CPU, %"), 62, 4, lambda face: face.processor),
        figure("since", tr("Since"), 60, 1, lambda face: face.since, quiet),
    ]


class EventsPanel(ListPanel[EpisodeRow]):
    """One row an episode, the newest on top. A row leads to its moment."""

    def __init__(self, machine: MachineState) -> None:
        self._machine, self._events = machine, EventList(machine)
        self._cards: Sequence[Shown] = ()
        columns = [
            replace(each, width=_EVENT_WIDTHS.get(each.key, each.width))
            for each in self._events.columns()
            if each.key != ENDED
        ]
        table = ShortTable(tr("Events"), columns, id)
        table.setHeaderHidden(True)
        super().__init__(tr("Events"), table, way_on=tr("All events"))

    def show_happenings(self, log: Sequence[Happening], cards: Sequence[Shown]) -> None:
        if self._events.show_log(log) or cards is not self._cards:
            self._cards = cards
            nothing = mark(
                "Nothing yet. Lost cards, throttling, memory errors and programs that come "
                "and go are listed here."
            )
            self.show_list(self._events.rows, nothing_told(self._machine.session, nothing))


Alike = Sequence[CardFace]  # all are lost, say


def worth_a_look(cards: Sequence[CardFace]) -> Sequence[Alike]:
    """The gravest first, cards alike together."""
    alike: dict[tuple[str, Tone], list[CardFace]] = {}
    for each in cards:
        if each.mark is not None and each.mark.icon is not None:
            alike.setdefault((each.mark.word, each.mark.tone), []).append(each)
    return sorted(alike.values(), key=lambda each: _GRAVEST_FIRST.index(_mark(each).tone))


class WorthPanel(ListPanel[Alike]):
    """A row leads to the first of its cards."""

    def __init__(self, time_window: TimeWindow) -> None:
        self._more = ElidedLabel(look().letters.caption, Tone.QUIET)

        def sign(alike: Alike) -> Cell:
            found = _mark(alike)
            return Cell(icon=found.icon, tone=found.tone, hint=_spoken(alike))

        def words(alike: Alike) -> Cell:
            word, more = _said(alike)
            return Cell(word, below=more, hint=_spoken(alike))

        column = partial(Column[Alike], spoken=_spoken)
        columns = (
            column("sign", "", sign, width=32),
            column("words", "", words, stretches=True),
        )
        heading = tr("Worth a look")
        table = ShortTable(heading, columns, lambda each: _mark(each).word, _HIGH)
        table.setHeaderHidden(True)
        super().__init__(heading, table, NowTag(time_window), way_on="")
        self.head.addWidget(self._more)

    def show_cards(self, cards: Sequence[CardFace]) -> None:
        rows = worth_a_look(cards)
        self.show_list(rows, tr("Every card works as it should."))
        unseen = len(rows) - self.table.fitting()
        self._more.show_text(tr("and {count} more", count=unseen) if unseen > 0 else "")


def _mark(alike: Alike) -> StateMark:
    return alike[0].mark or StateMark("", Tone.QUIET)


def _said(alike: Alike) -> tuple[str, str]:
    """ "Much too hot", and below it "86 of 87 °C, card 21"."""
    first, found, count = alike[0], _mark(alike), len(alike)
    numbers = ranges([each.index for each in alike])
    which = trn("card {numbers}", "cards {numbers}", count, numbers=numbers)
    word, more = found.word, ""
    if count > 1:
        word = tr(found.several or mark("{count} × {mark}"), count=count, mark=found.word)
    if found.matter is Matter.ASLEEP:
        more = tr("not woken to be read")
    elif count == 1 and first.detail:
        more = first.detail
    elif count == 1 and found.matter is Matter.LINK:
        more = tr("the link is slower than it could be")
    elif count == 1 and found.matter is Matter.HEAT:
        more = first.figures[1].value
    return word, ", ".join(part for part in (more, which) if part)


def _spoken(alike: Alike) -> str:
    return ", ".join(_said(alike))


class NotesPanel(QWidget):
    """Sentences about this machine that a person should read once."""

    def __init__(self) -> None:
        super().__init__()
        self._notes: Sequence[str] = ()
        self._rows = column(within=self, gap=0)
        self.setAccessibleName(tr("Good to know"))
        self.hide()

    def show_notes(self, notes: Sequence[str]) -> None:
        if notes != self._notes:
            self._notes = notes
            for remark in self.findChildren(Remark):
                remark.hide()
                remark.deleteLater()
            add(self._rows, *map(Remark, notes))
            self.setVisible(bool(notes))
