"""LiveView: a screen that pulls what is new while it is seen, and else asks for nothing; and
what a screen is made of.
"""

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QHideEvent, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.event_loop import News, guarded
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Space,
    add,
    column,
    label,
    row,
    say,
    wrapped_label,
)
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.telemetry.session import Want

# For F1, which translates them: a heading; below it keys, with a space between those that
# belong together, and what they do.
KeyGroup = tuple[str, Sequence[tuple[str, str]]]
PLOT_KEYS: KeyGroup = (
    mark("Plots"),
    (
        ("Left Right", mark("Move the crosshair")),
        ("Shift+Left Shift+Right", mark("Move it further")),
        ("Up Down", mark("To the plot above or below")),
        ("+ -", mark("Zoom in or out")),
        ("PgUp PgDown", mark("Back or forward in time")),
        ("Home", mark("As far back as is kept")),
        ("End", mark("To now")),
        ("Enter", mark("This plot alone on the screen")),
        ("Esc", mark("No crosshair")),
    ),
)


class LiveView(QWidget):
    """Subclasses implement `pull`, which is called when there is something new to draw.

    `cadences` and `processes` are the costly questions it needs answered while it is seen; what
    is cheap is read all the time.
    """

    # What F1 tells beside the actions: keys that parts of the screen take by themselves.
    key_groups: Sequence[KeyGroup] = ()

    def __init__(
        self,
        desk: Desk,
        cadences: Collection[Cadence] = (),
        processes: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.desk = desk
        self.machine = desk.machine
        self.time_window = desk.time_window
        self._frame_clock = desk.frame_clock
        self._wanted = (cadences, processes)
        self._want: Want | None = None
        self._following = False
        self._news = News()
        self._first: QWidget | None = None

    def begin_at(self, first: QWidget) -> None:
        """Who opens this screen by a key has the keyboard there. A focus proxy would do, but
        then the Tab key never comes to what stands above it.
        """
        self._first = first

    def pull(self) -> None:
        """Bring everything up to date now."""
        raise NotImplementedError

    def start_search(self) -> bool:
        """Ctrl+F: put the cursor where one searches; False where there is nothing to search."""
        return False

    def reveal(self, part: QWidget) -> None:
        """A lesson points at this part of the screen, which may be hidden by another."""

    def pose(self) -> None:
        """For a picture: show something, if it takes no person and no card."""

    def posed(self) -> bool:
        """Whether that is done."""
        return True

    def add_command(self, words: str, keys: str, run: Callable[[], None]) -> QAction:
        """Listed under Ctrl+K and, with keys, under F1 while this screen is seen. The keys
        hold then, whatever part of the window has the keyboard.
        """
        action: QAction = self.addAction(words, QKeySequence(keys))
        action.triggered.connect(run)
        return action

    def stop(self) -> None:
        """For good. Harmless when called twice."""
        self._follow(following=False)

    def _on_ticked(self) -> None:
        if self._news.came(self.machine.session):
            self._pull_now()

    def _on_clock_paused(self, paused: bool) -> None:
        """Nobody sees a minimised window: nothing costly is asked for it."""
        session, (cadences, processes) = self.machine.session, self._wanted
        if paused and self._want is not None:
            session.release(self._want)
            self._want = None
        elif not paused and self._want is None and (cadences or processes):
            self._want = session.want(cadences, processes)

    def _pull_now(self) -> None:
        self._frame_clock.work_began.emit()
        try:
            self.pull()
        finally:
            self._frame_clock.work_done.emit()

    def _follow(self, *, following: bool) -> None:
        # Qt also hides what was never shown, when it enters a stack of screens.
        if following is self._following:
            return
        self._following = following
        clock = self._frame_clock
        for signal, slot in (
            (clock.ticked, self._on_ticked),
            (clock.paused, self._on_clock_paused),
            (self.time_window.changed, self._pull_now),
            (self.machine.comparing.changed, self._pull_now),
        ):
            (signal.connect if following else signal.disconnect)(slot)
        # A window that opens minimised is seen by nobody; the clock tells when it is.
        self._on_clock_paused(not (following and clock.running))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._first is not None:
            self._first.setFocus(event.reason())

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow(following=True)
        self._pull_now()

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._follow(following=False)


def scrolled(
    content: QWidget,
    panel: str = "clear",
    *,
    sideways: bool = False,
    area: QScrollArea | None = None,
) -> QScrollArea:
    """What is larger than its place scrolls there, without a frame and without the Tab key. As
    wide as there is room, and never wider; `sideways` as high as there is room.
    """
    area = area or QScrollArea()
    area.setProperty("panel", panel)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    fixed = area.setVerticalScrollBarPolicy if sideways else area.setHorizontalScrollBarPolicy
    fixed(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(content)
    return area


class Page(QScrollArea):
    """What a screen stands on; it scrolls where the window is too small. Add to `body`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        content = QWidget()
        content.setProperty("panel", "page")
        self.body = column(within=content, gap=16, margins=(24, 20, 24, 20))
        scrolled(content, "page", area=self)
        # Not a stop for the Tab key, but where arrow keys scroll when nothing else has them.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            # It never scrolls sideways, and a screen may go by these from card to card.
            event.ignore()
        else:
            super().keyPressEvent(event)


class Panel(QFrame):
    """A surface with a heading. Add what it holds to `body`, and to `head` what stands beside
    the heading.
    """

    def __init__(self, heading: str, remark: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(heading)
        self._title = ElidedLabel(look().letters.title, Tone.TEXT, heading)
        self.head = row(self._title, FREE)
        if remark:
            self.head.addWidget(ElidedLabel(look().letters.caption, Tone.QUIET, remark))
        self.body = column(self.head, Space(8), within=self, gap=0, margins=(16, 14, 16, 12))

    def show_heading(self, heading: str) -> None:
        self._title.show_text(heading)
        self.setAccessibleName(heading)


class Remark(QWidget):
    """An icon and a sentence that may need several lines; it can be selected and copied."""

    def __init__(self, sentence: str, icon: Icon = Icon.NOTE, tone: Tone = Tone.QUIET) -> None:
        super().__init__()
        sign, top = Sign(icon, tone, QSize(16, 16)), Qt.AlignmentFlag.AlignTop
        self.sentence = wrapped_label(sentence, Tone.TEXT)
        row(sign, top, self.sentence, GROWS, within=self, gap=10, margins=(0, 4, 0, 4))


class EmptyState(QWidget):
    """One sentence where there is nothing to show, and one or two ways on. Made once and shown
    again with other words.
    """

    way_on_chosen = Signal()
    other_way_chosen = Signal()

    def __init__(self, icon: Icon) -> None:
        super().__init__()
        self._heading = wrapped_label("", Tone.TEXT, look().letters.title)
        self._more = wrapped_label("", Tone.QUIET)
        self._buttons = on, other = QPushButton(), QPushButton()
        on.clicked.connect(self.way_on_chosen)
        other.clicked.connect(self.other_way_chosen)
        sign, middle = Sign(icon, Tone.FAINT, QSize(32, 32)), Qt.AlignmentFlag.AlignHCenter
        place = column(Space(stretch=2), sign, middle, within=self, margins=24)
        for each in (self._heading, self._more):
            each.setAlignment(middle)
            each.setFixedWidth(440)
            # An alignment would ask how high it is where it is as wide as all this.
            add(place, row(FREE, each, FREE))
        add(place, Space(8), on, middle, other, middle, Space(stretch=3))

    def show_words(
        self, heading: str, more: str = "", way_on: str = "", other_way: str = ""
    ) -> None:
        """Without a way on there is no button."""
        self._heading.setText(heading)
        say(self._more, more)
        for words, button in zip((way_on, other_way), self._buttons, strict=True):
            button.setText(words)
            button.setVisible(bool(words))


class HeatLegend(QWidget):
    """Which shade stands for which figure: a bar between two words."""

    def __init__(self) -> None:
        super().__init__()
        self._ends = [label("", look().letters.caption, Tone.QUIET) for _ in range(2)]
        bar = QFrame()
        bar.setProperty("panel", "heat")
        bar.setFixedSize(96, 8)
        row(self._ends[0], bar, self._ends[1], within=self)

    def show_ends(self, low: str, high: str) -> None:
        for each, words in zip(self._ends, (low, high), strict=True):
            each.setText(words)
        self.setAccessibleName(tr("Shades from {low} to {high}", low=low, high=high))
