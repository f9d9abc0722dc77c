"""Icons: line drawings from `resources/icons`, in whatever colour the theme asks for."""

from enum import StrEnum
from functools import cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gpuexplorer.core.resources import resource
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, mixed


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
    RECORD = "record"
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


def draw_icon(painter: QPainter, icon: Icon, place: QRectF, colour: QColor) -> None:
    _tinted(icon, colour.name()).render(painter, place)


@cache
def icon_of(icon: Icon, tone: Tone | None = None) -> QIcon:
    """For Qt's own controls; it changes with the theme by itself. Kept, since Qt would outlive
    what Python knows of it.
    """
    return QIcon(_Engine(icon, tone))


@cache
def _tinted(icon: Icon, colour: str) -> QSvgRenderer:
    drawing = resource("icons", f"{icon}.svg").read_text("utf-8")
    return QSvgRenderer(QByteArray(drawing.replace("currentColor", colour).encode()))


class _Engine(QIconEngine):
    def __init__(self, icon: Icon, tone: Tone | None) -> None:
        super().__init__()
        self._icon, self._tone = icon, tone

    @guarded
    def paint(
        self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State
    ) -> None:
        theme = look().theme
        chosen = mode is QIcon.Mode.Active or state is QIcon.State.On
        ink = theme.tone(self._tone or (Tone.TEXT if chosen else Tone.QUIET))
        if mode is QIcon.Mode.Disabled:
            ink = mixed(theme.ground, theme.faint, 0.5)
        # What is wider than high keeps a gap to the word beside it.
        place = QRectF(rect.left(), rect.top(), rect.height(), rect.height())
        draw_icon(painter, self._icon, place, ink)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        if not size.isEmpty():  # as where the button is squeezed to nothing
            pixmap.fill(Qt.GlobalColor.transparent)
            with QPainter(pixmap) as painter:
                self.paint(painter, pixmap.rect(), mode, state)
        return pixmap
