"""Key caps: keys of the keyboard, drawn as one finds them there."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPen

from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run

_HEIGHT, _AIR, _GAP, _BETWEEN = 18.0, 6.0, 4.0, 8.0


def draw_key_caps(drawing: Drawing, right: float, middle: float, keys: str) -> float:
    """A cap for each key of "Ctrl+Shift+P", ending at `right`. Returns where they begin.

    With a space between they are pressed one or the other: "+ -".
    """
    for either in reversed(keys.split()):
        right = _draw_together(drawing, right, middle, either) - _BETWEEN
    return right + _BETWEEN


def _wide(letters: float) -> float:
    return max(_HEIGHT, letters + 2 * _AIR)


def _draw_together(drawing: Drawing, right: float, middle: float, keys: str) -> float:
    for key in reversed(parts_of(keys)):
        run = Run(key, drawing.letters.caption, drawing.theme.quiet)
        wide = _wide(run.width)
        cap = QRectF(right - wide, middle - _HEIGHT / 2, wide, _HEIGHT)
        drawing.painter.setPen(QPen(drawing.theme.line, 1))
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
        half = cap.adjusted(0.5, 0.5, -0.5, -0.5)
        drawing.painter.drawRoundedRect(half, CHIP_RADIUS, CHIP_RADIUS)
        baseline = middle + run.letters.cap_height / 2
        drawing.text(cap.center().x() - run.width / 2, baseline, run)
        right = cap.left() - _GAP
    return right + _GAP


def parts_of(keys: str) -> list[str]:
    """ "Ctrl++" is Ctrl and the plus."""
    if keys.endswith("++"):
        return [*parts_of(keys[:-2]), "+"] if keys != "++" else ["+"]
    return keys.split("+") if keys not in ("", "+") else [keys]
