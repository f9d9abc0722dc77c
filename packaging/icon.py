"""The program's icon as pictures of any size, drawn from the SVG that the window has too."""

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice, QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

DRAWING = Path(__file__).resolve().parents[1] / "resources" / "icons" / "gpuexplorer.svg"
# The same with a bolder line, so that nothing is thinner than a pixel.
SMALL = Path(__file__).resolve().parent / "linux" / "files" / "gpuexplorer-small.svg"
_LARGEST_SMALL = 32
# 16, 32, 48 and 256 at the usual scale; the others where a screen is set to 125 to 200 %.
ICO_SIZES = (16, 20, 24, 32, 40, 48, 64, 128, 256)
# At one and at two pixels a point.
ICNS_SIZES = (32, 64, 128, 256, 512, 1024)


def fitting(size: int) -> QImage:
    """A square of so many pixels, by the drawing that is made for this size; what is around it
    can be seen through.
    """
    renderer = QSvgRenderer(str(SMALL if size <= _LARGEST_SMALL else DRAWING))
    if not renderer.isValid():
        raise FileNotFoundError(f"This is no drawing: {DRAWING}")
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image


def write_ico(path: Path) -> Path:
    """For Windows. As bitmaps, since not every program that shows small icons reads PNG."""
    return _write(path, ICO_SIZES, bitmap_format="bmp")


def write_icns(path: Path) -> Path:
    """For macOS."""
    return _write(path, ICNS_SIZES)


def write_picture(path: Path, size: int) -> Path:
    """On the white of an installer's pages, which know no transparency."""
    picture = Image.new("RGB", (size, size), "white")
    drawn = pillow(fitting(size))
    picture.paste(drawn, mask=drawn)
    picture.save(path)
    return path


def pillow(image: QImage) -> Image.Image:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload] # stubs know paths only
    return Image.open(io.BytesIO(bytes(buffer.data().data())))


def _write(path: Path, sizes: Sequence[int], **more: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    *smaller, largest = (pillow(fitting(size)) for size in sizes)
    squares = [(size, size) for size in sizes]
    largest.save(path, append_images=smaller, sizes=squares, **more)
    return path
