"""NothingFoundView: why no card is read, what would stand on this screen, and the ways on."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QPushButton, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.nothing_found.looked_panel import LookedPanel
from gpuexplorer.gui.nothing_found.words import OVERVIEW, STANDS_HERE
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, mixed
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import FREE, Grow, Space, add, column, row, wrapped_label
from gpuexplorer.gui.widgets.live_view import Page
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.looked_for import Looked

_WIDTH = 640
_LOOK_AGAIN, _LOOKING = mark("Look again"), mark("Looking…")
# In a lower window nothing is drawn above the words; in one that is lower still, the way on
# stands before the reasons.
_DRAWN_FROM, _ALL_AT_ONCE_FROM = 760, 620
_EACH, _BESIDE_ROWS = 50, 430  # pixels, of a thing that was looked for, and of all else


@dataclass(frozen=True, slots=True)
class Search:
    """One look at this computer: what was tried, what was found instead, and when."""

    attempts: Sequence[Attempt]
    looked_for: Sequence[Looked]
    time: str  # "14:07:28"


class NothingFoundView(Page):
    """The one button goes on to simulated cards, or back to them where they run already. The
    reasons stand on the first screen; each other says what it would show.
    """

    way_on_chosen = Signal()
    practice_asked = Signal()
    look_again_asked = Signal()
    lab_asked = Signal()
    host_asked = Signal()
    reasons_asked = Signal()

    def __init__(
        self, search: Search, can_look_again: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("No graphics card answers"))
        self._asked_by_key = False
        self._screen, self._rows = OVERVIEW, len(search.looked_for)
        self._sketch = FaintSketch()
        self._stands_here = self._centred("", Tone.TEXT)
        self._why = self._words_of(search.attempts)
        self._reasons = QWidget()
        self._panel = LookedPanel(search.looked_for, search.time)
        column(self._panel, within=self._reasons, margins=(0, 0, 0, 16))
        self._panel.setHidden(not search.looked_for)
        self._way_on = QWidget()
        self._add_way_on(can_look_again)
        heading = self._centred(tr("No graphics card answers on this computer"), Tone.TEXT)
        heading.setFont(look().letters.number.font)
        content = QWidget()
        content.setMaximumWidth(_WIDTH)
        # In the middle and as wide as allowed; an alignment would make it narrow.
        self._column = column(
            row(FREE, self._sketch, FREE),
            *(heading, Space(8), self._why, Space(8), self._stands_here, Space(12)),
            *(self._reasons, self._way_on),
            within=content,
            gap=0,
        )
        add(self.body, Space(stretch=2), row(FREE, content, Grow(1000), FREE), Space(stretch=3))
        self.setFocusProxy(self._button)
        self.show_way_on(back=False)
        self.show_screen(OVERVIEW)

    @property
    def stands_for(self) -> str:
        return self._screen

    def show_screen(self, name: str) -> None:
        """It stands in the place of this one."""
        self._screen = name if name in STANDS_HERE else OVERVIEW
        first = self._screen == OVERVIEW
        icon, words = STANDS_HERE[self._screen]
        self._sketch.show_icon(icon)
        self._stands_here.setText(tr(words))
        for widget in (self._why, self._reasons):
            widget.setVisible(first)
        self._open_reasons.setHidden(first)
        self._show_sketch()

    def show_way_on(self, *, back: bool) -> None:
        """`back`: the simulated cards are there already, and only covered by this screen."""
        self._back = back
        for widget in (self._open_lab, self._practise):
            widget.setHidden(back)
        self._show_sketch()
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

    def _words_of(self, attempts: Sequence[Attempt]) -> QWidget:
        """What each driver said, and what to do about it."""
        said = []
        for attempt in attempts:
            said.append(self._centred(tr(attempt.sentence), Tone.TEXT))
            if attempt.hint:
                said.append(self._centred(tr(attempt.hint), Tone.QUIET))
        why = QWidget()
        column(*said, within=why, gap=2, margins=(0, 0, 0, 4))
        return why

    def _add_way_on(self, can_look_again: bool) -> None:
        self._button, self._again = QPushButton(), QPushButton(tr(_LOOK_AGAIN))
        self._button.setProperty("kind", "primary")
        self._button.setDefault(True)
        self._button.clicked.connect(self.way_on_chosen)
        self._again.setAutoDefault(True)
        self._again.setToolTip(tr("For real cards: a driver may have been loaded since."))
        self._again.clicked.connect(self.look_again_asked)
        if not can_look_again:
            # Shown before it has a parent it is a window of its own, and takes the keyboard.
            self._again.hide()
        buttons = row(FREE, self._button, self._again, FREE, gap=12)
        self._open_lab = self._link(
            Icon.LAB,
            tr("Open the lab on the processor alone"),
            tr("PyTorch computes there with real values; nothing is made up."),
            self.lab_asked,
        )
        self._practise = self._link(
            Icon.LAB,
            tr("Lab on two idle simulated cards"),
            tr("Nobody else uses these cards. Values are real there, times are modelled."),
            self.practice_asked,
        )
        open_host = self._link(
            Icon.CARDS,
            tr("See the computer's processor and memory"),
            tr("How busy and how full they are, read since the start."),
            self.host_asked,
        )
        self._open_reasons = self._link(
            Icon.NOTE,
            tr("Why no card answers"),
            tr("What was looked for, where, and what to do about it."),
            self.reasons_asked,
        )
        self._labs = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._labs.setSpacing(12)
        for lab in (self._open_lab, self._practise):
            self._labs.addWidget(lab, 0, Qt.AlignmentFlag.AlignHCenter)
        self._promise = self._centred("", Tone.FAINT)
        self._promise.setFont(look().letters.caption.font)
        links = (row(FREE, each, FREE) for each in (self._open_reasons, open_host, self._labs))
        column(
            *(buttons, self._promise), *links, within=self._way_on, gap=12, margins=(0, 4, 0, 0)
        )

    def _link(self, icon: Icon, words: str, hint: str, asked: SignalInstance) -> ToolButton:
        link = ToolButton("word", icon, words)
        link.setToolTip(hint)
        link.clicked.connect(asked)
        return link

    def _centred(self, text: str, tone: Tone) -> QLabel:
        label = wrapped_label(text, tone)
        label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        return label

    def _show_sketch(self) -> None:
        """And the words below it, where they do not push the ways on out of sight."""
        least = _DRAWN_FROM if self._screen == OVERVIEW else _ALL_AT_ONCE_FROM
        roomy = self.height() >= least
        self._sketch.setVisible(roomy)
        room = self.height() - _EACH * self._rows
        seen = self._screen != OVERVIEW or room >= _BESIDE_ROWS
        self._stands_here.setVisible(seen and not self._back)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = event.size().height() >= _ALL_AT_ONCE_FROM
        ways = QBoxLayout.Direction
        self._labs.setDirection(ways.LeftToRight if roomy else ways.TopToBottom)
        self._show_sketch()
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


class FaintSketch(Painted):
    """What could be here: quieter than the words below it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = Icon.CARD
        self.setFixedSize(220, 144)

    def show_icon(self, icon: Icon) -> None:
        self._icon = icon
        self.update()

    def draw(self, drawing: Drawing) -> None:
        colour = mixed(drawing.theme.ground, drawing.theme.faint, 0.65)
        place = QRectF(0, 0, 220, 116)
        if self._icon is not Icon.CARD:
            place = QRectF(68, 20, 84, 84)
        drawing.icon(self._icon, place, colour)
