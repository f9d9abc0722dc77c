"""Stamps: parts of a painted widget kept as pictures, until what they show changes."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from gpuexplorer.gui.paint.drawing import Drawing, Hint


class Stamps:
    """One for each widget. To put a kept picture in place costs a tenth of writing a figure."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[object, QPixmap | None, list[Hint]]] = {}

    def draw(
        self,
        drawing: Drawing,
        name: str,
        place: QRectF,
        key: object,
        paint: Callable[[Drawing], None],
    ) -> None:
        """`paint` draws within `place`, in the widget's own coordinates; it is called only when
        `key`, the place, the theme or the screen's scale is another than the last time.

        A picture is kept from the second time on, since what changes each time is drawn faster
        without.
        """
        kept = self._kept.get(name)
        if kept is not None and not drawing.needs(place):
            drawing.hints += kept[2]
            return
        scale = drawing.painter.device().devicePixelRatioF()
        stamp = (key, place.getRect(), scale, drawing.theme)
        again = kept is not None and kept[0] == stamp
        if not again:
            told = len(drawing.hints)
            paint(drawing)
            self._kept[name] = (stamp, None, drawing.hints[told:])
            return
        whole = place.toAlignedRect()
        if kept is None or kept[1] is None:
            picture, hints = _painted(drawing, whole, scale, paint)
            self._kept[name] = (stamp, picture, hints)
        else:
            picture, hints = kept[1], kept[2]
        drawing.painter.drawPixmap(whole.topLeft(), picture)
        drawing.hints += hints


def _painted(
    drawing: Drawing, place: QRect, scale: float, paint: Callable[[Drawing], None]
) -> tuple[QPixmap, list[Hint]]:
    picture = QPixmap(place.size() * scale)
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.translate(QPointF(-place.topLeft()))
        inner = Drawing(painter)
        paint(inner)
    return picture, inner.hints
