"""NothingFoundView: what was looked for, what is there instead, and one way on."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gpuexplorer.gui.paint.icons import Icon
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.views.nothing_found.looked_row import LookedRow
from gpuexplorer.gui.widgets.page import Page
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label
from gpuexplorer.telemetry.looked_for import Looked
from gpuexplorer.telemetry.session import Attempt

_WIDTH = 680


class NothingFoundView(Page):
    """The one button goes on to simulated cards, or back to them where they run already."""

    way_on_chosen = Signal()

    def __init__(
        self,
        look: Look,
        attempts: Sequence[Attempt],
        looked_for: Sequence[Looked],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self.setAccessibleName("No graphics card answers")
        column = QWidget()
        column.setMaximumWidth(_WIDTH)
        self._column = QVBoxLayout(column)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._add_heading(attempts)
        if looked_for:
            self._add_looked(looked_for)
        self._button = QPushButton()
        self._button.setProperty("kind", "primary")
        self._button.setFont(look.letters.body.font)
        self._button.setDefault(True)
        self._button.clicked.connect(self.way_on_chosen)
        self._column.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addSpacing(10)
        self._promise = self._centred("", Tone.FAINT)
        self._promise.setFont(look.letters.caption.font)
        self._column.addWidget(self._promise)
        # In the middle and as wide as allowed; an alignment would make it narrow.
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(column, 1000)
        middle.addStretch(1)
        self.body.addStretch(2)
        self.body.addLayout(middle)
        self.body.addStretch(3)
        self.show_way_on(back=False)

    def show_way_on(self, *, back: bool) -> None:
        """`back`: the simulated cards are there already, and only covered by this screen."""
        self._back = back
        if back:
            self._button.setText("Back to the simulated cards")
            self._promise.setText("The figures are made up; every screen says SIMULATED.")
        else:
            self._button.setText("Look around on simulated cards")
            self._promise.setText(
                "The figures are then made up; every screen says SIMULATED while it lasts."
            )
        self._button.setFocus()

    def _add_heading(self, attempts: Sequence[Attempt]) -> None:
        sign = Sign(self._look, Icon.CARD, Tone.FAINT, QSize(176, 93))
        self._column.addWidget(sign, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addSpacing(24)
        heading = QLabel("No graphics card answers on this computer")
        heading.setFont(self._look.letters.number.font)
        heading.setWordWrap(True)
        heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._column.addWidget(heading)
        self._column.addSpacing(8)
        for attempt in attempts:
            self._column.addWidget(self._centred(attempt.sentence, Tone.TEXT))
            if attempt.hint:
                self._column.addSpacing(2)
                self._column.addWidget(self._centred(attempt.hint, Tone.QUIET))
            self._column.addSpacing(4)
        self._column.addSpacing(20)

    def _add_looked(self, looked_for: Sequence[Looked]) -> None:
        panel = Panel(self._look, "What was looked for")
        for position, looked in enumerate(looked_for):
            if position:
                line = QFrame()
                line.setProperty("panel", "line")
                line.setFixedHeight(1)
                panel.body.addWidget(line)
            panel.body.addWidget(LookedRow(self._look, looked))
        self._column.addWidget(panel)
        self._column.addSpacing(24)

    def _centred(self, text: str, tone: Tone) -> QLabel:
        label = wrapped_label(self._look, text, tone)
        label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        return label

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._back and event.key() == Qt.Key.Key_Escape:
            self.way_on_chosen.emit()
        else:
            super().keyPressEvent(event)
