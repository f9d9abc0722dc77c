"""MachinePicture: the drawing as a file; it says what it shows, when, and if it is real."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.bars.source_badge import SIMULATED
from gpuexplorer.gui.widgets.machine.machine_drawing import draw_machine
from gpuexplorer.gui.widgets.machine.machine_layout import layout_of
from gpuexplorer.gui.wording.machine.machine_face import Face
from gpuexplorer.gui.wording.machine.machine_things import Thing
from gpuexplorer.telemetry.machine_shape import MachineShape

_MARGIN, _HEAD, _FOOT = 24, 44, 30
_LEAST_WIDTH = 860
_FINER = 2  # pixels of a PNG for one of the drawing


@dataclass(frozen=True, slots=True)
class MachinePicture:
    """Of one moment. Widths and sizes do not depend on the window it was asked for in."""

    look: Look
    shape: MachineShape
    faces: Mapping[Thing, Face]
    title: str
    foot: str
    simulated: bool

    def drawn_for(self, path: Path) -> bytes:
        """SVG, or PNG for any other ending."""
        return self._svg() if path.suffix.lower() == ".svg" else self._png()

    def _svg(self) -> bytes:
        size, buffer = self._size(), QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        generator.setSize(size)
        generator.setViewBox(QRect(0, 0, size.width(), size.height()))
        generator.setTitle(f"{tr(SIMULATED)}: {self.title}" if self.simulated else self.title)
        generator.setDescription(self.foot)
        with QPainter(generator) as painter:
            self._paint(painter)
        return _bytes(buffer.data())

    def _png(self) -> bytes:
        size, buffer = self._size(), QBuffer()
        image = QImage(size * _FINER, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(_FINER)
        with QPainter(image) as painter:
            self._paint(painter)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.save(buffer, "PNG")  # type: ignore[call-overload]  # a buffer takes it too
        return _bytes(buffer.data())

    def _size(self) -> QSize:
        layout = layout_of(self.shape, _LEAST_WIDTH)
        height = round(layout.size.height()) + 2 * _MARGIN + _HEAD + _FOOT
        return QSize(_LEAST_WIDTH + 2 * _MARGIN, height)

    def _paint(self, painter: QPainter) -> None:
        size, theme, letters = self._size(), self.look.theme, self.look.letters
        drawing = Drawing(painter, self.look)
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), theme.surface)
        x = float(_MARGIN)
        baseline = _MARGIN + letters.title.ascent
        if self.simulated:
            badge = Run(tr(SIMULATED), letters.badge, theme.simulated_ink)
            wide = badge.width + 18
            place = QRectF(x, baseline - letters.badge.ascent - 4, wide, 22)
            painter.setPen(theme.simulated)
            painter.setBrush(theme.simulated)
            painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
            middle = place.center().y() + letters.badge.cap_height / 2
            drawing.text(x + 9, middle, badge)
            x = place.right() + 12
        title = letters.title.elided(self.title, size.width() - _MARGIN - x)
        drawing.text(x, baseline, Run(title, letters.title, theme.text))
        painter.translate(_MARGIN, _MARGIN + _HEAD)
        draw_machine(drawing, layout_of(self.shape, _LEAST_WIDTH), self.faces)
        painter.resetTransform()
        foot = letters.caption.elided(self.foot, size.width() - 2 * _MARGIN)
        drawing.text(_MARGIN, size.height() - _MARGIN, Run(foot, letters.caption, theme.quiet))


def _bytes(data: QByteArray) -> bytes:
    return bytes(data.data())
