"""Icons: line drawings from `resources/icons`, in whatever colour the theme asks for."""

from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gpuexplorer.core.resources import resource
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.theme.palette import Theme, mixed

_OFF = 0.5  # of `faint`, where a button cannot be pressed now


class Icon(StrEnum):
    """Each is a file of that name."""

    WARNING = "warning"
    LOST = "lost"
    SILENT = "silent"
    ASLEEP = "asleep"
    THERE = "there"
    MISSING = "missing"
    NOTE = "note"
    PROCESS = "process"
    CARD = "card"
    OVERVIEW = "overview"
    MACHINES = "machines"
    CARDS = "cards"
    PROCESSES = "processes"
    TOPOLOGY = "topology"
    EVENTS = "events"
    LAB = "lab"
    COPIES = "copies"
    LESSONS = "lessons"
    ARROW = "arrow"
    REPEAT = "repeat"
    MARK = "mark"
    PAUSE = "pause"
    PLAY = "play"
    BACK = "back"
    SEARCH = "search"
    MENU = "menu"
    FOLD = "fold"
    UNFOLD = "unfold"
    OPEN = "open"
    PREVIOUS = "previous"
    NEXT = "next"
    BEFORE = "before"
    AFTER = "after"
    CHOOSE = "choose"
    COPY = "copy"
    CHECK = "check"
    ASCENDING = "ascending"
    DESCENDING = "descending"
    COLUMNS = "columns"
    EXPORT = "export"
    OPEN_FILE = "open_file"
    ADD = "add"
    CLOSE = "close"
    CLOSED = "closed"
    POWER = "power"
    STOP = "stop"
    WATCH = "watch"


class Icons:
    """Draws them; each is read once for each colour."""

    def __init__(self, theme: Callable[[], Theme]) -> None:
        """`theme` is asked each time a button draws its icon."""
        self._theme = theme
        self._renderers: dict[tuple[Icon, int], QSvgRenderer] = {}
        self._for_buttons: dict[Icon, QIcon] = {}

    def draw(self, painter: QPainter, icon: Icon, place: QRectF, colour: QColor) -> None:
        key = (icon, colour.rgba())
        if key not in self._renderers:
            drawing = resource("icons", f"{icon}.svg").read_text("utf-8")
            drawing = drawing.replace("currentColor", colour.name())
            self._renderers[key] = QSvgRenderer(QByteArray(drawing.encode()))
        self._renderers[key].render(painter, place)

    def for_button(self, icon: Icon) -> QIcon:
        """For Qt's own controls; it changes with the theme by itself."""
        if icon not in self._for_buttons:
            self._for_buttons[icon] = QIcon(_Engine(self, icon))
        return self._for_buttons[icon]

    def ink(self, mode: QIcon.Mode, state: QIcon.State) -> QColor:
        theme = self._theme()
        if mode is QIcon.Mode.Disabled:
            return mixed(theme.ground, theme.faint, _OFF)
        chosen = mode is QIcon.Mode.Active or state is QIcon.State.On
        return theme.text if chosen else theme.quiet


class _Engine(QIconEngine):
    """Kept alive by `Icons`: Qt would outlive what Python knows of it."""

    def __init__(self, icons: Icons, icon: Icon) -> None:
        super().__init__()
        self._icons, self._icon = icons, icon

    @guarded
    def paint(
        self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State
    ) -> None:
        # What is wider than high keeps a gap to the word beside it.
        place = QRectF(rect.left(), rect.top(), rect.height(), rect.height())
        self._icons.draw(painter, self._icon, place, self._icons.ink(mode, state))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        if not size.isEmpty():  # as where the button is squeezed to nothing
            pixmap.fill(Qt.GlobalColor.transparent)
            with QPainter(pixmap) as painter:
                self.paint(painter, pixmap.rect(), mode, state)
        return pixmap

    def isNull(self) -> bool:
        return False

    def clone(self) -> QIconEngine:
        return _Engine(self._icons, self._icon)
