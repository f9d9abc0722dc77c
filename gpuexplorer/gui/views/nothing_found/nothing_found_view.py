"""NothingFoundView: what was looked for, what is there instead, and one way on."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone, mixed
from gpuexplorer.gui.views.nothing_found.looked_row import LookedRow
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.page import Page
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.telemetry.looked_for import Looked
from gpuexplorer.telemetry.session import Attempt

_WIDTH = 640
_LOOK_AGAIN, _LOOKING = mark("Look again"), mark("Looking…")
# In a lower window nothing is drawn above the words; in one that is lower still, the way on
# stands before the reasons.
_DRAWN_FROM, _ALL_AT_ONCE_FROM = 760, 620
_DOCTOR = mark(
    "`gpuexplorer doctor` in a terminal looks closer: driver, PyTorch, permissions and "
    "display, each with what to do about it."
)


@dataclass(frozen=True, slots=True)
class Search:
    """One look at this computer: what was tried, what was found instead, and when."""

    attempts: Sequence[Attempt]
    looked_for: Sequence[Looked]
    time: str  # "14:07:28"


class NothingFoundView(Page):
    """The one button goes on to simulated cards, or back to them where they run already."""

    way_on_chosen = Signal()
    look_again_asked = Signal()
    lab_asked = Signal()
    host_asked = Signal()

    def __init__(
        self, look: Look, search: Search, can_look_again: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self.setAccessibleName(tr("No graphics card answers"))
        self._asked_by_key = False
        column = QWidget()
        column.setMaximumWidth(_WIDTH)
        self._column = QVBoxLayout(column)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._drawing = CardDrawing(look)
        self._column.addWidget(self._drawing, 0, Qt.AlignmentFlag.AlignHCenter)
        self._add_heading(search.attempts)
        self._reasons = QWidget()
        reasons = QVBoxLayout(self._reasons)
        reasons.setContentsMargins(0, 0, 0, 24)
        self._panel = LookedPanel(look, search.looked_for, search.time)
        reasons.addWidget(self._panel)
        self._panel.setHidden(not search.looked_for)
        self._way_on = QWidget()
        self._add_way_on(can_look_again)
        self._column.addWidget(self._reasons)
        self._column.addWidget(self._way_on)
        # In the middle and as wide as allowed; an alignment would make it narrow.
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(column, 1000)
        middle.addStretch(1)
        self.body.addStretch(2)
        self.body.addLayout(middle)
        self.body.addStretch(3)
        self.setFocusProxy(self._button)
        self.show_way_on(back=False)

    def show_way_on(self, *, back: bool) -> None:
        """`back`: the simulated cards are there already, and only covered by this screen."""
        self._back = back
        self._open_lab.setHidden(back)
        if back:
            self._button.setText(tr("Back to the simulated cards"))
            self._promise.setText(tr("The figures are made up; every screen says SIMULATED."))
        else:
            self._button.setText(tr("Look around on simulated cards"))
            self._promise.setText(
                tr("The figures are then made up; every screen says SIMULATED while it lasts.")
            )

    def show_looking(self) -> None:
        """Until the answer is there, which may take seconds."""
        self._asked_by_key = self._again.hasFocus()
        self._again.setEnabled(False)
        self._again.setText(tr(_LOOKING))

    def show_looked(self, time: str, every: float | None) -> None:
        """All is as it was, at this time; and it is looked for again by itself."""
        self._panel.show_time(time, every)
        if not self._again.isEnabled():
            self._again.setEnabled(True)
            self._again.setText(tr(_LOOK_AGAIN))
            if self._asked_by_key:
                self._again.setFocus(Qt.FocusReason.OtherFocusReason)

    def _add_heading(self, attempts: Sequence[Attempt]) -> None:
        heading = QLabel(tr("No graphics card answers on this computer"))
        heading.setFont(self._look.letters.number.font)
        heading.setWordWrap(True)
        heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._column.addWidget(heading)
        self._column.addSpacing(8)
        for attempt in attempts:
            self._column.addWidget(self._centred(tr(attempt.sentence), Tone.TEXT))
            if attempt.hint:
                self._column.addSpacing(2)
                self._column.addWidget(self._centred(tr(attempt.hint), Tone.QUIET))
            self._column.addSpacing(4)
        self._column.addSpacing(20)

    def _add_way_on(self, can_look_again: bool) -> None:
        self._button = QPushButton()
        self._button.setProperty("kind", "primary")
        self._button.setFont(self._look.letters.body.font)
        self._button.setDefault(True)
        self._button.clicked.connect(self.way_on_chosen)
        self._again = QPushButton(tr(_LOOK_AGAIN))
        self._again.setFont(self._look.letters.body.font)
        self._again.setAutoDefault(True)
        self._again.setToolTip(tr("For real cards: a driver may have been loaded since."))
        self._again.clicked.connect(self.look_again_asked)
        if not can_look_again:
            # Shown before it has a parent it is a window of its own, and takes the keyboard.
            self._again.hide()
        self._open_lab = WordButton(
            self._look, Icon.LAB, tr("Open the lab on the processor alone")
        )
        self._open_lab.setToolTip(
            tr("PyTorch computes there with real values; nothing is made up.")
        )
        self._open_lab.clicked.connect(self.lab_asked)
        self._open_host = WordButton(
            self._look, Icon.CARDS, tr("See this computer's processor and memory")
        )
        self._open_host.setToolTip(tr("How busy and how full they are, read since the start."))
        self._open_host.clicked.connect(self.host_asked)
        buttons = QHBoxLayout()
        buttons.setSpacing(12)
        buttons.addStretch(1)
        buttons.addWidget(self._button)
        buttons.addWidget(self._again)
        buttons.addStretch(1)
        self._promise = self._centred("", Tone.FAINT)
        self._promise.setFont(self._look.letters.caption.font)
        column = QVBoxLayout(self._way_on)
        column.setContentsMargins(0, 0, 0, 20)
        column.setSpacing(12)
        column.addLayout(buttons)
        column.addWidget(self._promise)
        column.addWidget(self._open_host, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._open_lab, 0, Qt.AlignmentFlag.AlignHCenter)

    def _centred(self, text: str, tone: Tone) -> QLabel:
        label = wrapped_label(self._look, text, tone)
        label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        return label

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = event.size().height() >= _ALL_AT_ONCE_FROM
        self._drawing.setVisible(event.size().height() >= _DRAWN_FROM)
        first, then = (self._reasons, self._way_on) if roomy else (self._way_on, self._reasons)
        if self._column.indexOf(first) > self._column.indexOf(then):
            self._column.removeWidget(then)
            self._column.addWidget(then)
            # The Tab key goes the way the eye goes.
            QWidget.setTabOrder(first, then)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._back and event.key() == Qt.Key.Key_Escape:
            self.way_on_chosen.emit()
        else:
            super().keyPressEvent(event)


class CardDrawing(Painted):
    """Where a card could be: quieter than the words below it."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setFixedSize(220, 144)

    def draw(self, drawing: Drawing) -> None:
        colour = mixed(drawing.theme.ground, drawing.theme.faint, 0.65)
        drawing.icon(Icon.CARD, QRectF(0, 0, 220, 116), colour)


class LookedPanel(QFrame):
    """A row for each thing, with hairlines between them."""

    def __init__(
        self,
        look: Look,
        looked_for: Sequence[Looked],
        time: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("What was looked for"))
        head = QHBoxLayout()
        self._time = QLabel()
        for label in (QLabel(tr("What was looked for")), self._time):
            label.setFont(look.letters.caption.font)
            label.setProperty("tone", Tone.QUIET.value)
            head.addWidget(label)
        head.insertStretch(1, 1)
        self.show_time(time, None)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(0)
        column.addLayout(head)
        column.addSpacing(10)
        for looked in looked_for:
            column.addWidget(_hairline())
            column.addWidget(LookedRow(look, looked))
        column.addWidget(_hairline())
        column.addSpacing(12)
        column.addWidget(wrapped_label(look, tr(_DOCTOR), Tone.QUIET))

    def show_time(self, time: str, every: float | None) -> None:
        """Of the newest look, and how many seconds later the next comes by itself."""
        if every is None:
            words = tr("at {time}", time=time)
        else:
            words = tr(
                "at {time}, and again every {seconds} s", time=time, seconds=plain(every)
            )
        self._time.setText(words)


def _hairline() -> QFrame:
    line = QFrame()
    line.setProperty("panel", "line")
    line.setFixedHeight(1)
    return line
