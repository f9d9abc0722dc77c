"""The drawing of a machine as a file: it says what it shows, when, and whether it is real."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.bars.top_bar import SIMULATED
from gpuexplorer.gui.widgets.machine.layout import Part, layout_of
from gpuexplorer.gui.widgets.machine.machine_drawing import MachineScene
from gpuexplorer.gui.widgets.machine.machine_faces import Face
from gpuexplorer.gui.widgets.saving import png
from gpuexplorer.telemetry.topology import MachineShape

_MARGIN, _HEAD, _FOOT = 24, 44, 30
_WIDTH = 860.0
_FINER = 2  # pixels of a PNG for one of the drawing


@dataclass(frozen=True, slots=True)
class MachinePicture:
    """Of one moment. Widths and sizes do not depend on the window it was asked for in."""

    shape: MachineShape
    cards: Collection[CardId]
    faces: Mapping[Part, Face]
    title: str
    foot: str
    simulated: bool

    def drawn_for(self, path: Path) -> bytes:
        """SVG, or PNG for any other ending."""
        scene = MachineScene()
        scene.show_faces(self.faces)
        layout = layout_of(self.shape, _WIDTH, self.cards)
        scene.show_layout(layout)
        room = QRectF(0, 0, _WIDTH, layout.size.height())
        whole = room.adjusted(0, 0, 2 * _MARGIN, 2 * _MARGIN + _HEAD + _FOOT).toRect().size()
        if path.suffix.lower() != ".svg":
            image = QImage(whole * _FINER, QImage.Format.Format_RGB32)
            image.setDevicePixelRatio(_FINER)
            with QPainter(image) as painter:
                self._paint(painter, whole, scene, room)
            return png(image)
        content = QByteArray()
        buffer = QBuffer(content)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        generator.setSize(whole)
        generator.setViewBox(QRectF(0, 0, whole.width(), whole.height()))
        generator.setTitle(f"{tr(SIMULATED)}: {self.title}" if self.simulated else self.title)
        generator.setDescription(self.foot)
        with QPainter(generator) as painter:
            self._paint(painter, whole, scene, room)
        buffer.close()
        return bytes(content.data())

    def _paint(
        self, painter: QPainter, whole: QSize, scene: MachineScene, room: QRectF
    ) -> None:
        theme, letters = look().theme, look().letters
        drawing = Drawing(painter)
        painter.fillRect(QRectF(0, 0, whole.width(), whole.height()), theme.surface)
        x, baseline = float(_MARGIN), _MARGIN + letters.title.ascent
        if self.simulated:
            badge = Run(tr(SIMULATED), letters.badge, theme.simulated_ink)
            top = baseline - letters.badge.ascent - 4
            place = QRectF(x, top, badge.width + 18, 22)
            painter.setPen(theme.simulated)
            painter.setBrush(theme.simulated)
            painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
            drawing.text(x + 9, place.center().y() + letters.badge.cap_height / 2, badge)
            x = place.right() + 12
        title = letters.title.elided(self.title, whole.width() - _MARGIN - x)
        drawing.text(x, baseline, Run(title, letters.title, theme.text))
        scene.render(painter, room.translated(_MARGIN, _MARGIN + _HEAD), room)
        foot = letters.caption.elided(self.foot, whole.width() - 2 * _MARGIN)
        drawing.text(_MARGIN, whole.height() - _MARGIN, Run(foot, letters.caption, theme.quiet))
