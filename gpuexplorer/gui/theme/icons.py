"""Icons: line drawings from `resources/icons`, in whatever colour the theme asks for."""

from enum import StrEnum

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtSvg import QSvgRenderer

from gpuexplorer.core.resources import resource


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
    CARDS = "cards"
    PROCESSES = "processes"
    TOPOLOGY = "topology"
    EVENTS = "events"
    LAB = "lab"
    COPIES = "copies"
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
    UNDO = "undo"
    REDO = "redo"
    POWER = "power"


class Icons:
    """Draws them; each is read once for each colour."""

    def __init__(self) -> None:
        self._renderers: dict[tuple[Icon, int], QSvgRenderer] = {}

    def draw(self, painter: QPainter, icon: Icon, place: QRectF, colour: QColor) -> None:
        key = (icon, colour.rgba())
        renderer = self._renderers.get(key)
        if renderer is None:
            drawing = resource("icons", f"{icon}.svg").read_text("utf-8")
            drawing = drawing.replace("currentColor", colour.name())
            renderer = QSvgRenderer(QByteArray(drawing.encode()))
            self._renderers[key] = renderer
        renderer.render(painter, place)
