"""How each kind of layer is drawn: planes for convolutions, units for linear layers, slabs."""

import math
from collections.abc import Callable, Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen, QPolygonF

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.wording.lab.inside.model_layers import Drawn
from gpuexplorer.gui.wording.lab.inside.values import grouped

_PLANE, _STEP, _MOST_PLANES = 40.0, 3.5, 9
_UNIT, _MOST_UNITS = 6.0, 13
_SLAB_WIDTH, _SLAB_HEIGHT, _RADIUS = 22.0, 64.0, 4.0
_TABLE, _TABLE_CELLS = 48.0, 6
_CURVE, _SAMPLES = 30.0, 24
_CURVES: Mapping[str, Callable[[float], float]] = {
    "ReLU": lambda x: max(0.0, x),
    "LeakyReLU": lambda x: max(0.12 * x, x),
    "GELU": lambda x: x * 0.5 * (1 + math.erf(x * 2.2 / math.sqrt(2))),
    "SiLU": lambda x: x / (1 + math.exp(-5 * x)),
    "Softplus": lambda x: math.log1p(math.exp(4 * x)) / 4,
    "Sigmoid": lambda x: 2 / (1 + math.exp(-5 * x)) - 1,
    "Tanh": lambda x: math.tanh(3 * x),
}


def draw_layer(drawing: Drawing, middle: QPointF, layer: Drawn, colour: QColor) -> QRectF:
    """Returns the place that it takes, for the arrows to end at."""
    weight = layer.weight
    shape = () if weight is None else weight.shape
    drawing.painter.setPen(QPen(faded(colour, 0.85), 1))
    drawing.painter.setBrush(faded(colour, 0.22))
    if layer.kind.startswith("Conv") and len(shape) > 2:
        return _planes(drawing, middle, shape[0])
    if layer.kind == "Linear" and len(shape) == 2:
        return _units(drawing, middle, shape[0])
    if layer.kind == "Embedding":
        return _table(drawing, middle, colour)
    if layer.kind in _CURVES:
        return _curve(drawing, middle, layer.kind)
    if "Pool" in layer.kind:
        return _pool(drawing, middle, colour)
    return _slab(drawing, middle, held=bool(shape))


def caption(layer: Drawn) -> str:
    """What is known of it by the shape of its weight: what goes in and what comes out."""
    weight = layer.weight
    shape = () if weight is None else weight.shape
    if layer.kind.startswith("Conv") and len(shape) > 2:
        kernel = "×".join(str(size) for size in shape[2:])
        return tr("{kernel}, {count} out", kernel=kernel, count=shape[0])
    if layer.kind == "Linear" and len(shape) == 2:
        return f"{shape[1]} \N{RIGHTWARDS ARROW} {shape[0]}"
    if layer.kind == "Embedding" and len(shape) == 2:
        return tr("{count} rows", count=grouped(shape[0]))
    return ""


def _planes(drawing: Drawing, middle: QPointF, channels: int) -> QRectF:
    """One for each channel that comes out, as long as they can be told apart."""
    count = min(channels, _MOST_PLANES)
    depth = (count - 1) * _STEP
    left, top = middle.x() - (_PLANE + depth) / 2, middle.y() - (_PLANE + depth) / 2
    ground = drawing.painter.brush()
    for number in range(count):
        shift = depth - number * _STEP
        place = QRectF(left + shift, top + depth - shift, _PLANE, _PLANE)
        place.moveTop(top + number * _STEP)
        drawing.painter.setBrush(drawing.theme.surface)
        drawing.painter.drawRect(place)
        drawing.painter.setBrush(ground)
        drawing.painter.drawRect(place)
    return QRectF(left, top, _PLANE + depth, _PLANE + depth)


def _units(drawing: Drawing, middle: QPointF, count: int) -> QRectF:
    shown = min(count, _MOST_UNITS)
    height = shown * _UNIT
    whole = QRectF(middle.x() - 6, middle.y() - height / 2, 12, height)
    for number in range(shown):
        drawing.painter.drawRect(QRectF(whole.left(), whole.top() + number * _UNIT, 12, _UNIT))
    if count > shown:  # it goes on
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        ink = drawing.painter.brush().color()
        drawing.painter.setBrush(faded(ink, 0.9))
        for number in range(3):
            place = QPointF(middle.x(), whole.bottom() + 5 + number * 4)
            drawing.painter.drawEllipse(place, 1.2, 1.2)
    return whole


def _table(drawing: Drawing, middle: QPointF, colour: QColor) -> QRectF:
    place = QRectF(middle.x() - _TABLE / 2, middle.y() - _TABLE / 2, _TABLE, _TABLE)
    drawing.painter.drawRoundedRect(place, 2, 2)
    drawing.painter.setPen(QPen(faded(colour, 0.5), 1))
    step = _TABLE / _TABLE_CELLS
    for number in range(1, _TABLE_CELLS):
        y = place.top() + number * step
        drawing.painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y))
    return place


def _curve(drawing: Drawing, middle: QPointF, kind: str) -> QRectF:
    place = QRectF(middle.x() - _CURVE / 2, middle.y() - _CURVE / 2, _CURVE, _CURVE)
    drawing.painter.drawRoundedRect(place, _RADIUS, _RADIUS)
    inner = place.adjusted(5, 5, -5, -5)
    bend = _CURVES[kind]
    points = QPolygonF()
    for number in range(_SAMPLES + 1):
        x = 2 * number / _SAMPLES - 1
        y = min(1.0, max(-1.0, bend(x)))
        points.append(
            QPointF(
                inner.left() + (x + 1) / 2 * inner.width(),
                inner.bottom() - (y + 1) / 2 * inner.height(),
            )
        )
    drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
    drawing.painter.setPen(QPen(drawing.painter.pen().color(), 1.5))
    drawing.painter.drawPolyline(points)
    return place


def _pool(drawing: Drawing, middle: QPointF, colour: QColor) -> QRectF:
    """Four become one."""
    place = QRectF(middle.x() - 15, middle.y() - 15, 30, 30)
    drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
    drawing.painter.drawRect(place)
    drawing.painter.setBrush(faded(colour, 0.4))
    drawing.painter.drawRect(QRectF(place.left(), place.center().y(), 15, 15))
    return place


def _slab(drawing: Drawing, middle: QPointF, *, held: bool) -> QRectF:
    height = _SLAB_HEIGHT if held else _SLAB_HEIGHT * 0.7
    width = _SLAB_WIDTH if held else _SLAB_WIDTH * 0.6
    place = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
    if not held:
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
    drawing.painter.drawRoundedRect(place, _RADIUS, _RADIUS)
    return place
