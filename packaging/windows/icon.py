"""The icon as Windows keeps it: one file with a picture for each size it may be shown in."""

import struct
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QColor, QImage, QPainter

from program_icon import as_png, channels, fitting

# 16, 32, 48 and 256 at the usual scale; the others where a screen is set to 125 to 200 %.
SIZES = (16, 20, 24, 32, 40, 48, 64, 128, 256)
_PICTURE = 138  # pixels; what the installer wants where a screen is set to 250 %
_PACKED_FROM = 256  # smaller ones as PNG are not understood by every program that shows icons


def write_icon(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(icon([fitting(size) for size in SIZES]))
    return path


def write_picture(path: Path) -> Path:
    """The icon on the white of the installer's pages, which knows no transparency."""
    picture = QImage(_PICTURE, _PICTURE, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    painter = QPainter(picture)
    painter.drawImage(0, 0, fitting(_PICTURE))
    painter.end()
    if not picture.save(str(path)):
        raise OSError(f"{path} could not be written.")
    return path


def icon(images: Sequence[QImage]) -> bytes:
    pictures = [_picture(image) for image in images]
    head = struct.pack("<HHH", 0, 1, len(images))
    at = len(head) + 16 * len(images)
    for image, picture in zip(images, pictures, strict=True):
        side = image.width() % 256  # 256 is written as 0
        head += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(picture), at)
        at += len(picture)
    return head + b"".join(pictures)


def _picture(image: QImage) -> bytes:
    if image.width() >= _PACKED_FROM:
        return as_png(image)
    return _bitmap(image)


def _bitmap(image: QImage) -> bytes:
    """Without compression, from the bottom up, followed by a mask of one bit for each pixel."""
    side = image.width()
    alpha, red, green, blue = channels(image)
    colours = bytearray(4 * side * side)
    colours[0::4], colours[1::4], colours[2::4], colours[3::4] = blue, green, red, alpha
    row = 4 * side
    rows = [bytes(colours[start : start + row]) for start in range(0, row * side, row)]
    mask_row = (side + 31) // 32 * 4
    masks = [
        _bits(alpha[start : start + side]).ljust(mask_row, b"\0")
        for start in range(0, side * side, side)
    ]
    # The height counts both pictures.
    head = struct.pack("<IiiHHIIiiII", 40, side, 2 * side, 1, 32, 0, 0, 0, 0, 0, 0)
    return head + b"".join(reversed(rows)) + b"".join(reversed(masks))


def _bits(alphas: bytes) -> bytes:
    """One where nothing is drawn."""
    text = "".join("0" if alpha else "1" for alpha in alphas)
    text = text.ljust((len(text) + 7) // 8 * 8, "0")
    return int(text, 2).to_bytes(len(text) // 8, "big")
