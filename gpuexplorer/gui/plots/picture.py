"""Pictures of plots for other programs: who, when and whether it is simulated stand on them."""

from datetime import datetime

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.plots.canvas import PlotCanvas
from gpuexplorer.gui.plots.content import Origin
from gpuexplorer.gui.plots.layout import StackShown

_MARGIN, _HEADER = 20, 34
_SHARP = 2.0  # pixels for each of the screen's, so that print and projector stay legible
# A picture that fills a large screen is sharp without, and takes the window's time otherwise.
_MOST_PIXELS = 6_000_000
_LEAST = QSize(560, 160)


def picture(canvas: PlotCanvas, origin: Origin) -> QImage:
    whole = _whole(canvas.size())
    large = whole.width() * whole.height() * _SHARP * _SHARP > _MOST_PIXELS
    scale = 1.0 if large else _SHARP
    image = QImage(whole * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    with QPainter(image) as painter:
        _draw(painter, whole, canvas, origin)
    return image


def png(image: QImage) -> bytes:
    """May be called from any thread."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


def svg(canvas: PlotCanvas, origin: Origin) -> bytes:
    whole = _whole(canvas.size())
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(whole)
    generator.setViewBox(QRectF(0, 0, whole.width(), whole.height()))
    generator.setTitle(
        tr("SIMULATED: {title}", title=origin.source) if origin.simulated else origin.source
    )
    generator.setDescription(_when(canvas.shown()))
    with QPainter(generator) as painter:
        _draw(painter, whole, canvas, origin)
    buffer.close()
    return bytes(content.data())


def _whole(size: QSize) -> QSize:
    plots = size.expandedTo(_LEAST)
    return QSize(plots.width() + 2 * _MARGIN, plots.height() + 2 * _MARGIN + _HEADER)


def _draw(painter: QPainter, whole: QSize, canvas: PlotCanvas, origin: Origin) -> None:
    drawing = Drawing(painter)
    place = QRectF(0, 0, whole.width(), whole.height())
    painter.fillRect(place, drawing.theme.surface)
    inner = place.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    _draw_header(drawing, inner, canvas.shown(), origin)
    canvas.draw_into(painter, inner.adjusted(0, _HEADER, 0, 0))


def _draw_header(drawing: Drawing, place: QRectF, shown: StackShown, origin: Origin) -> None:
    theme, letters = drawing.theme, drawing.letters
    middle = place.top() + 10
    right = place.right()
    if origin.simulated:
        word = tr("SIMULATED")
        width = letters.badge.width(word) + 18
        badge = QRectF(right - width, middle - 11, width, 22)
        drawing.filled(badge, theme.simulated, CHIP_RADIUS)
        ink = Run(word, letters.badge, theme.simulated_ink)
        drawing.text(badge.left() + 9, middle + letters.badge.cap_height / 2, ink)
        right = badge.left() - 16
    baseline = middle + letters.body.cap_height / 2
    when = Run(_when(shown), letters.caption, theme.quiet)
    left = drawing.runs_right(right, baseline, [when]) - 16
    who = [content.title for content in shown.contents]
    words = Run(
        " · ".join([*who[:1], origin.source]) if len(who) == 1 else origin.source,
        letters.body,
        theme.text,
    )
    drawing.elided(place.left(), baseline, words, left - place.left())


def _when(shown: StackShown) -> str:
    stretch = shown.stretch
    start, end = (
        datetime.fromtimestamp(at + stretch.offset).astimezone()
        for at in (stretch.start, stretch.end)
    )
    if start.date() == end.date():
        return tr("{start:%Y-%m-%d %H:%M:%S} to {end:%H:%M:%S}", start=start, end=end)
    return tr("{start:%Y-%m-%d %H:%M:%S} to {end:%Y-%m-%d %H:%M:%S}", start=start, end=end)
