"""EventPanel: the list itself, what it says of itself below, and words where it is empty."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from gpuexplorer.core.words import Message, mark, paragraph, tr
from gpuexplorer.gui.tables.cell_drawing import PADDING, chips_width
from gpuexplorer.gui.tables.model import Index, TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.events.event_rows import CARD, CHIPS, TIME, EventRows
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.events.event_words import EventMoment

_CHIPS_WHERE_WIDE, _WIDE = 8, 1000
_THIN = "\N{THIN SPACE}"
_TOLD = mark(
    "Lost cards, cards that stop answering, fall asleep or are slowed down, memory errors, "
    "alerts, and programs that come and go are told here as they happen."
)


class EventPanel(QFrame):
    """Shows the rows and where they come from; `refresh` after these changed."""

    all_asked = Signal()

    def __init__(self, look: Look, rows: EventRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self._look = look
        self._state = ""
        self._answer = ""
        self._rows = rows
        self._time_width = 0
        self._wide = False
        self._model: TableModel[EventMoment] = TableModel(
            rows.columns(), key=lambda moment: id(moment.first), parent=self
        )
        self.table = Table(look, tr("Events"), self._model)
        self.table.headings.setSortIndicatorShown(True)
        self.table.headings.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
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

    def refresh(self) -> None:
        self.table.show_rows(self._rows.moments)
        self._fit_times()

    def moment_at(self, index: Index) -> EventMoment | None:
        return self._model.thing(index)

    def show_state(self, total: int, listed: int, *, chosen: bool) -> None:
        self._either.setCurrentWidget(self.table if listed else self._empty)
        if not listed:
            self._empty.show_reason(nothing_at_all=total == 0)
        number = _grouped(total)
        if chosen:
            state = Message.counted(
                "{listed} of {count} event.",
                "{listed} of {number} events.",
                total,
                listed=_grouped(listed),
                number=number,
            )
        else:
            state = Message.counted("{count} event.", "{number} events.", total, number=number)
        hint = tr("Newest first. Enter shows the moment on the plots.") if listed else ""
        self._state = paragraph([state, hint]) if total else ""
        self._show_foot()

    def say(self, answer: str) -> None:
        """What came of the last order: stands below until something else is asked for."""
        self._answer = answer
        self._show_foot()

    def _show_foot(self) -> None:
        said = [each for each in (self._answer, self._state) if each]
        self._foot.show_text("  ".join(said))
        self._foot.setVisible(bool(said))

    def _fit_times(self) -> None:
        """The oldest has the longest: it may be of another day."""
        rows = self._model.rowCount()
        if not rows:
            return
        longest = str(self._model.index(rows - 1, 0).data())
        width = round(self._look.letters.body.width(longest) + 3 * PADDING)
        if width > self._time_width:
            self._time_width = width
            self.table.columns.set_width(TIME, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = event.size().width() >= _WIDE
        if wide != self._wide:
            self._wide = wide
            chips = _CHIPS_WHERE_WIDE if wide else CHIPS
            self.table.columns.set_width(CARD, round(chips_width(chips)))


class _Empty(QWidget):
    """Why nothing is listed, and the way on."""

    all_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = wrapped_label(look, "", Tone.TEXT)
        self._title.setFont(look.letters.title.font)
        self._words = wrapped_label(look, "", Tone.QUIET)
        self._way_on = QPushButton(tr("Show all events"))
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
        title = tr("Nothing yet") if nothing_at_all else tr("No event fits")
        words = _TOLD if nothing_at_all else mark("No event is of this kind, card and words.")
        if title != self._title.text():
            self._title.setText(title)
            self._words.setText(tr(words))
            self._way_on.setVisible(not nothing_at_all)


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", _THIN)
