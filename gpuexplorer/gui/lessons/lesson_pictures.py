"""Pictures of a lesson: read from beside its file, and shown large on asking."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QLabel, QWidget

from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.sheets.sheet import Sheet

_KINDS = (".png", ".jpg", ".jpeg")
_INKS = ("currentColor", "#808080")  # a grey that is read on light and on dark, elsewhere
_PAPER = 8  # pixels around a drawing
_LARGE = 880


def read_picture(folder: Path, name: str, width: float, scale: float) -> QImage | None:
    """No wider than so many pixels, of which `scale` make one, and never larger than it is;
    None for what is not beside the lesson, or cannot be read.
    """
    path = (folder / name).resolve()
    if not path.is_relative_to(folder):
        return None
    if path.suffix.lower() == ".svg":
        return _drawn(path, width, scale)
    picture = QImage(str(path)) if path.suffix.lower() in _KINDS else QImage()
    if picture.isNull():
        return None
    most = round(min(width, picture.width()) * scale)
    return picture.scaledToWidth(most, Qt.TransformationMode.SmoothTransformation)


def _drawn(path: Path, width: float, scale: float) -> QImage | None:
    """In one ink it takes the theme's. In colours of its own it is made for light paper."""
    try:
        drawing = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    own = not any(ink in drawing for ink in _INKS)
    for ink in _INKS:
        drawing = drawing.replace(ink, look().theme.text.name())
    renderer = QSvgRenderer(QByteArray(drawing.encode()))
    whole = renderer.defaultSize()
    if not renderer.isValid() or whole.isEmpty():
        return None
    paper = _PAPER if own and look().theme.dark else 0
    wide = min(width - 2 * paper, whole.width())
    high = wide * whole.height() / whole.width()
    size = QSize(round((wide + 2 * paper) * scale), round((high + 2 * paper) * scale))
    picture = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        if paper:
            Drawing(painter).filled(
                QRectF(picture.rect()), look().theme.text, CHIP_RADIUS * scale
            )
        place = QRectF(picture.rect())
        inset = paper * scale
        renderer.render(painter, place.adjusted(inset, inset, -inset, -inset))
    return picture


class PictureSheet(Sheet):
    """As large as the window allows."""

    def __init__(self, folder: Path, name: str, words: str, window: QWidget) -> None:
        super().__init__(words, window, _LARGE + 60)
        scale = window.devicePixelRatioF()
        picture = read_picture(folder, name, min(_LARGE, window.width() - 80), scale)
        shown = QLabel()
        shown.setAccessibleName(words)
        if picture is not None:
            picture.setDevicePixelRatio(scale)
            shown.setPixmap(QPixmap.fromImage(picture))
        self.body.addWidget(shown, 0, Qt.AlignmentFlag.AlignHCenter)
        self.add_close()
