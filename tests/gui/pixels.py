"""What colours a picture has, and how much of each."""

from collections.abc import Mapping

import numpy as np
from PySide6.QtGui import QColor, QImage


def colours_of(image: QImage, step: int = 1) -> Mapping[str, int]:
    """Pixels of each colour; with a step, of every so manieth row and column."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    words = np.frombuffer(plain.constBits(), np.uint32)
    rows = words.reshape(plain.height(), plain.bytesPerLine() // 4)[:, : plain.width()]
    found, counts = np.unique(rows[::step, ::step], return_counts=True)
    pairs = zip(found.tolist(), counts.tolist(), strict=True)
    return {QColor(pixel).name(): count for pixel, count in pairs}
