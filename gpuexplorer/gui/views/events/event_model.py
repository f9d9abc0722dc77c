"""EventModel: the rows of the list as Qt's views ask for them, the newest on top."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.events.event_choice import EventChoice
from gpuexplorer.gui.views.events.event_export import Told
from gpuexplorer.gui.widgets.tables.data_table import CELL
from gpuexplorer.gui.wording.cell import Cell, Chip
from gpuexplorer.gui.wording.events.event_moment import EventMoment, gathered, result_of, stem
from gpuexplorer.gui.wording.events.event_words import EventBook, EventFace, event_face
from gpuexplorer.telemetry.happenings import Happening

Index = QModelIndex | QPersistentModelIndex
_TOP = QModelIndex()


class Column(IntEnum):
    """From left to right."""

    TIME = 0
    SIGN = 1
    CARD = 2
    SENTENCE = 3
    RESULT = 4


CAPTIONS = ("Time", "", "Card", "What happened", "How it came out")
_MOST_TOLD = 16
# Rows at the end among which the oldest of all is: more than are put together at once.
_LAST = 32
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class EventModel(QAbstractTableModel):
    """Makes what a row says only when it is seen: there may be ten thousand."""

    about_to_grow = Signal()
    grown = Signal(int)  # by so many rows on top

    def __init__(self, machine: MachineState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._machine = machine
        self._book = EventBook()
        self._log: Sequence[Happening] = ()
        self._choice = EventChoice()
        self._rows: list[EventMoment] = []
        self._gone: dict[int, Happening] = {}  # no longer in the log, and in a row still

    @property
    def choice(self) -> EventChoice:
        return self._choice

    @property
    def log(self) -> Sequence[Happening]:
        """All there are, the oldest first."""
        return self._log

    def listed(self) -> Sequence[Happening]:
        """Those that are chosen, the newest first."""
        return [each for moment in self._rows for each in reversed(moment.happenings)]

    def show_log(self, log: Sequence[Happening]) -> bool:
        """Takes in what is new; True if there was anything."""
        before = self._log
        added = self._book.take(log)
        self._log = log
        if not added:
            return False
        self._forget(before[: len(before) + len(added) - len(log)])
        new, reached = gathered(self._chosen_of(added), self._rows)
        if reached:
            last = self.index(reached - 1, Column.RESULT)
            self.dataChanged.emit(self.index(0, Column.TIME), last)
        if new:
            self.about_to_grow.emit()
            self.beginInsertRows(_TOP, 0, len(new) - 1)
            self._rows[0:0] = new
            self.endInsertRows()
            self.grown.emit(len(new))
        if self._rows:
            # What ended is "still so" no longer.
            last = self.index(len(self._rows) - 1, Column.RESULT)
            self.dataChanged.emit(self.index(0, Column.RESULT), last)
        return True

    def choose(self, choice: EventChoice) -> None:
        if choice == self._choice:
            return
        self._choice = choice
        self.beginResetModel()
        self._rows, _ = gathered(self._chosen_of(self._log))
        self._gone = {}
        self.endResetModel()

    def told(self, happenings: Sequence[Happening]) -> list[Told]:
        """For a file: ten thousand in a few milliseconds."""
        numbers = self._numbers()
        return [
            Told(each, _number(each, numbers), self._book.result(each)) for each in happenings
        ]

    def moment(self, index: Index) -> EventMoment | None:
        return self._rows[index.row()] if index.isValid() else None

    def moment_face(self, moment: EventMoment) -> EventFace:
        """For one or several cards, of which `card` names all."""
        face = self.face(moment.first)
        if len(moment.happenings) == 1:
            return face
        return replace(
            face,
            card=", ".join(self.face(each).card for each in moment.happenings),
            sentence=stem(moment.first),
            result=result_of(moment, self._book.result),
        )

    def face(self, happening: Happening) -> EventFace:
        now = self._machine.session.clock.wall()
        shown = self._machine.shown(happening.card)
        return event_face(happening, shown, self._book.result(happening), now)

    def _chosen_of(self, happenings: Sequence[Happening]) -> list[Happening]:
        """The oldest first."""
        numbers = self._numbers()
        return [each for each in happenings if self._choice.takes(each, numbers)]

    def _numbers(self) -> Mapping[CardId, str]:
        return {
            each.card.id: each.number
            for shown in self._machine.cards()
            for each in (shown, *shown.instances)
        }

    def _forget(self, gone: Sequence[Happening]) -> None:
        """The oldest make room for the newest: a row goes when all of it is gone."""
        if not gone:
            return
        self._gone |= {id(each): each for each in gone}
        count = 0
        for moment in reversed(self._rows):
            if any(id(each) not in self._gone for each in moment.happenings):
                break
            count += 1
        if count:
            end = len(self._rows)
            self.beginRemoveRows(_TOP, end - count, end - 1)
            del self._rows[end - count :]
            self.endRemoveRows()
        # What is left of these stands in the last rows, if anywhere.
        self._gone = {
            id(each): each
            for moment in self._rows[-_LAST:]
            for each in moment.happenings
            if id(each) in self._gone
        }

    def _cell(self, moment: EventMoment, column: Column) -> Cell:
        face = self.moment_face(moment)
        match column:
            case Column.TIME:
                return Cell(face.time, tone=Tone.QUIET)
            case Column.SIGN:
                return Cell(icon=face.icon, tone=face.tone)
            case Column.CARD:
                faces = [self.face(each) for each in moment.happenings]
                return Cell(chips=tuple(Chip(e.card, e.colour) for e in faces if e.card))
            case Column.SENTENCE:
                return Cell(face.sentence)
            case Column.RESULT:
                return Cell(face.result, tone=Tone.QUIET)

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(CAPTIONS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        moment = self.moment(index)
        if moment is None:
            return None
        column = Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                if column is Column.SIGN:
                    return moment.first.kind.value
                return self._cell(moment, column).said
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.moment_face(moment).spoken
            case Qt.ItemDataRole.ToolTipRole if column in (Column.CARD, Column.SENTENCE):
                told = [self.face(each) for each in moment.happenings]
                return "\n".join(_hint(each) for each in told[:_MOST_TOLD])
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column is Column.RESULT else _LEFT
            case int() if role == CELL:
                return self._cell(moment, column)
            case _:
                return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(CAPTIONS):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return CAPTIONS[section]
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if section == Column.RESULT else _LEFT
            case _:
                return None


def _number(happening: Happening, numbers: Mapping[CardId, str]) -> str:
    card = happening.card
    return "" if card is None else numbers.get(card, card)


def _hint(face: EventFace) -> str:
    who = f"Card {face.card}: " if face.card else ""
    return f"{who}{face.sentence}" + (f", {face.result}" if face.result else "")
