"""The program's icon as pictures of any size, drawn from the SVG that the window has too."""

import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

DRAWING = Path(__file__).resolve().parents[1] / "resources" / "icons" / "gpuexplorer.svg"
# The same with a bolder line, so that nothing is thinner than a pixel.
SMALL = Path(__file__).resolve().parent / "linux" / "files" / "gpuexplorer-small.svg"
_LARGEST_SMALL = 32


def fitting(size: int) -> QImage:
    """The drawing that is made for this size."""
    return drawn(size, SMALL if size <= _LARGEST_SMALL else DRAWING)


def drawn(size: int, drawing: Path = DRAWING) -> QImage:
    """A square of so many pixels; what is around the drawing can be seen through."""
    renderer = QSvgRenderer(str(drawing))
    if not renderer.isValid():
        raise FileNotFoundError(f"This is no drawing: {drawing}")
    image = QImage(QSize(size, size), QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image


def as_png(image: QImage) -> bytes:
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload] # stubs know paths only
        raise OSError("Qt could not write a PNG.")
    return bytes(content.data())


def channels(image: QImage) -> tuple[bytes, bytes, bytes, bytes]:
    """Alpha, red, green and blue, each from the top left to the bottom right."""
    # Its memory goes with it, so it has a name for as long as that is read.
    plain = image.convertToFormat(QImage.Format.Format_RGBA8888)
    pixels = bytes(plain.constBits())
    return pixels[3::4], pixels[0::4], pixels[1::4], pixels[2::4]


def be32(value: int) -> bytes:
    return struct.pack(">I", value)
