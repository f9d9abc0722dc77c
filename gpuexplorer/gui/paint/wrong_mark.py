"""What arrived WRONG, drawn: in the matrix, in tables, on bars and on the timeline alike."""

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPen

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.palette import faded

_RADIUS, _HATCH = 4.0, 6.0


def draw_wrong(drawing: Drawing, place: QRectF, lettered: bool) -> None:
    """The only hatched thing anywhere. It has no figure."""
    theme, painter = drawing.theme, drawing.painter
    drawing.filled(place, theme.bad, _RADIUS)
    painter.save()
    painter.setClipRect(place.adjusted(0.5, 0.5, -0.5, -0.5))
    painter.setPen(QPen(faded(theme.inverse, 0.34), 1.5))
    count = int((place.width() + place.height()) / _HATCH) + 1
    low = place.bottom()
    lines = [
        QLineF(
            QPointF(place.left() + step * _HATCH - place.height(), low),
            QPointF(place.left() + step * _HATCH, place.top()),
        )
        for step in range(count + 1)
    ]
    painter.drawLines(lines)
    painter.restore()
    if not lettered:
        return
    run = Run(tr("WRONG"), drawing.letters.badge, theme.inverse)
    if run.width + 4 > place.width():
        run = Run("!", drawing.letters.badge, theme.inverse)
    ground = QRectF(0, 0, run.width + 4, run.letters.cap_height + 6)
    ground.moveCenter(place.center())
    painter.fillRect(ground, theme.bad)
    baseline = place.center().y() + run.letters.cap_height / 2
    drawing.text(place.center().x() - run.width / 2, baseline, run)
