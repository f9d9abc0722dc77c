"""Fills: in which colour each level of a device's memory is drawn; one hue for each device."""

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.palette import Theme, faded, mixed
from gpuexplorer.gui.widgets.bars.memory_bar import hatch
from gpuexplorer.gui.wording.lab.bench.bench_column import ColumnFace, Level

_DASH, _SPACE = 4.0, 4.0
_CACHE, _CONTEXT, _HOST = 0.62, 0.36, 0.55


def hue(theme: Theme, face: ColumnFace) -> QColor:
    """The card's colour; the host and cards that cannot be used have none."""
    return theme.card(face.colour if face.usable else None)


def level_fill(theme: Theme, face: ColumnFace, level: Level) -> QColor | None:
    """None: hatched."""
    colour = hue(theme, face)
    match level:
        case Level.TENSORS:
            return faded(colour, _HOST) if face.host else colour
        case Level.CACHE:
            return mixed(theme.surface, colour, _CACHE)
        case Level.CONTEXT:
            return mixed(theme.surface, colour, _CONTEXT)
        case Level.OTHERS:
            return None


def fill_level(drawing: Drawing, place: QRectF, face: ColumnFace, level: Level) -> None:
    fill = level_fill(drawing.theme, face, level)
    if fill is not None:
        drawing.painter.fillRect(place, fill)
        return
    drawing.painter.fillRect(place, faded(drawing.theme.quiet, 0.16))
    with_clip = drawing.painter.hasClipping()
    drawing.painter.save()
    operation = Qt.ClipOperation.IntersectClip if with_clip else Qt.ClipOperation.ReplaceClip
    drawing.painter.setClipRect(place, operation)
    hatch(drawing, place, drawing.theme.quiet, 4.0)
    drawing.painter.restore()


def dashed_frame(painter: QPainter, place: QRectF, colour: QColor) -> None:
    """Qt's dashed pens take many times as long as the dashes themselves."""
    painter.setPen(QPen(colour, 1))
    edge = place.adjusted(0.5, 0.5, -0.5, -0.5)
    step = _DASH + _SPACE
    across = [edge.left() + _SPACE + at * step for at in range(int(edge.width() // step))]
    down = [edge.top() + _SPACE + at * step for at in range(int(edge.height() // step))]
    lines = [QLineF(x, y, x + _DASH, y) for x in across for y in (edge.top(), edge.bottom())]
    lines += [QLineF(x, y, x, y + _DASH) for y in down for x in (edge.left(), edge.right())]
    painter.drawLines(lines)
