"""EventPanel: the list itself, what it says of itself below, and words where it is empty."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.events.event_model import Column, EventModel
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.tables.cell_drawing import chips_width
from gpuexplorer.gui.widgets.tables.data_table import ROW_HEIGHT, DataTable

_THIN = "\N{THIN SPACE}"
_SIGN, _RESULT = 32, 150
# Of so many cards at once; of more it is said how many more.
_CHIPS, _CHIPS_WHERE_WIDE, _WIDE = 4, 8, 1000
_TOLD = (
    "Cards that are lost, stop answering, fall asleep or are slowed down, memory errors, "
    "alerts, and programs that come and go are told here as they happen."
)


class EventPanel(QFrame):
    """Keeps what is read in its place while new rows come in on top."""

    all_asked = Signal()

    def __init__(self, look: Look, model: EventModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self._look = look
        self._state = ""
        self._answer = ""
        self._model = model
        self._time_width = 0
        self._kept = 0
        self.table = DataTable(look, "Events")
        self.table.setModel(model)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._arrange_columns()
        model.about_to_grow.connect(self._on_about_to_grow)
        model.grown.connect(self._on_grown)
        self._empty = _Empty(look)
        self._empty.all_asked.connect(self.all_asked)
        self._either = QStackedWidget()
        self._either.addWidget(self.table)
        self._either.addWidget(self._empty)
        self._foot = ElidedLabel(look.letters.caption, Tone.FAINT)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(6)
        column.addWidget(self._either, 1)
        foot = QVBoxLayout()
        foot.setContentsMargins(8, 0, 8, 0)
        foot.addWidget(self._foot)
        column.addLayout(foot)

    def show_state(self, total: int, listed: int, *, chosen: bool) -> None:
        self._either.setCurrentWidget(self.table if listed else self._empty)
        if not listed:
            self._empty.show_reason(nothing_at_all=total == 0)
        count = _count(total)
        how_many = f"{listed:,} of {count}".replace(",", _THIN) if chosen else count
        hint = ", newest first. Enter shows the moment on the plots." if listed else "."
        self._state = f"{how_many}{hint}"
        self._foot.setVisible(total > 0)
        self._show_foot()
        self._fit_times()

    def say(self, answer: str) -> None:
        """What came of the last order: stands below until something else is asked for."""
        self._answer = answer
        self._show_foot()

    def _show_foot(self) -> None:
        self._foot.show_text(f"{self._answer}  {self._state}" if self._answer else self._state)

    def _arrange_columns(self) -> None:
        captions = self.table.captions
        captions.setSectionsMovable(False)
        captions.setSectionsClickable(False)
        captions.setSortIndicator(Column.TIME, Qt.SortOrder.DescendingOrder)
        captions.setStretchLastSection(False)
        captions.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        captions.setSectionResizeMode(Column.SENTENCE, QHeaderView.ResizeMode.Stretch)
        captions.resizeSection(Column.SIGN, _SIGN)
        captions.resizeSection(Column.RESULT, _RESULT)

    def _fit_times(self) -> None:
        """The oldest has the longest: it may be of another day."""
        rows = self._model.rowCount()
        if not rows:
            return
        longest = str(self._model.index(rows - 1, Column.TIME).data())
        width = round(self._look.letters.body.width(longest)) + 24
        if width > self._time_width:
            self._time_width = width
            self.table.captions.resizeSection(Column.TIME, width)

    def _on_about_to_grow(self) -> None:
        self._kept = self.table.verticalScrollBar().value()

    def _on_grown(self, rows: int) -> None:
        if self._kept:
            self.table.verticalScrollBar().setValue(self._kept + rows * ROW_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        chips = _CHIPS_WHERE_WIDE if event.size().width() >= _WIDE else _CHIPS
        self.table.captions.resizeSection(Column.CARD, round(chips_width(chips)))


class _Empty(QWidget):
    """Why nothing is listed, and the way on."""

    all_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = wrapped_label(look, "", Tone.TEXT)
        self._title.setFont(look.letters.title.font)
        self._words = wrapped_label(look, "", Tone.QUIET)
        self._way_on = QPushButton("Show all events")
        self._way_on.clicked.connect(self.all_asked)
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addStretch(2)
        for label in (self._title, self._words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setFixedWidth(440)
            column.addWidget(label, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(8)
        column.addWidget(self._way_on, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)

    def show_reason(self, *, nothing_at_all: bool) -> None:
        title = "Nothing yet" if nothing_at_all else "No event fits"
        words = _TOLD if nothing_at_all else "None of them is of this kind, card and words."
        if title != self._title.text():
            self._title.setText(title)
            self._words.setText(words)
            self._way_on.setVisible(not nothing_at_all)


def _count(total: int) -> str:
    return "1 event" if total == 1 else f"{total:,} events".replace(",", _THIN)
