"""MachinePanel: the drawing with what one must know to read it, or why there is none; and the
same as a file, which says what it shows, when, and whether it is real.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsScene

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.top_bar import SIMULATED
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, add, say, wrapped_label
from gpuexplorer.gui.widgets.live_view import EmptyState, Panel
from gpuexplorer.gui.widgets.machine.layout import Part
from gpuexplorer.gui.widgets.machine.machine_drawing import MachineDrawing
from gpuexplorer.gui.widgets.machine.machine_faces import INFERRED, Face
from gpuexplorer.gui.widgets.saving import png
from gpuexplorer.telemetry.topology import MachineShape

_EMPTY_HEIGHT = 320
# Of the drawing as a file, whatever the window it was asked for in.
_MARGIN, _HEAD, _FOOT, _WIDTH = 24, 44, 30, 860.0
_FINER = 2  # pixels of a PNG for one of the drawing


class MachinePanel(Panel):
    """Its parts are connected by whoever holds this."""

    def __init__(self, *, may_ask: bool = True) -> None:
        super().__init__(tr("How the cards are wired"))
        self.drawing = MachineDrawing()
        self.empty = EmptyState(Icon.TOPOLOGY)
        self.empty.setMinimumHeight(_EMPTY_HEIGHT)
        self.again = ToolButton("word", Icon.BACK, tr("Ask again"))
        self._may_ask = may_ask
        self.again.setToolTip(tr("Ask the driver again how the cards are wired (F5)"))
        self.save = ToolButton("word", Icon.EXPORT, tr("Save picture"))
        self.save.setToolTip(tr("Save the drawing as SVG or PNG (Ctrl+S)"))
        for button in (self.again, self.save):
            self.head.addWidget(button)
        self._notes = wrapped_label("", Tone.TEXT)
        self._notes.setContentsMargins(0, 0, 0, 6)
        self._legend = wrapped_label("", Tone.QUIET, look().letters.caption)
        add(self.body, self.empty, GROWS, self.drawing, Space(10), FREE)
        add(self.body, self._notes, self._legend, self.drawing.below)
        self.show_words("", "")

    def show_words(self, heading: str, more: str, way_on: str = "") -> None:
        """In the place of the drawing."""
        self.empty.show_words(heading, more, way_on)
        self._show_drawing(drawn=False)

    def show_machine(
        self, shape: MachineShape, faces: Mapping[Part, Face], notes: Sequence[str]
    ) -> None:
        self._show_drawing(drawn=True)
        self.drawing.show_machine(shape, faces)
        say(self._notes, " ".join(notes))
        said = tr(
            "A wire has a lane for each direction, as wide as it is fast; the more it carries "
            "of that, the stronger its colour. Rates are in GB/s, traffic is as seen from the "
            "card."
        )
        self._legend.setText(f"{said} {tr(INFERRED)}" if shape.junctions else said)
        for part in (self.save, self._legend, self.drawing):
            part.setVisible(bool(self.drawing.cards))

    def _show_drawing(self, *, drawn: bool) -> None:
        self.empty.setVisible(not drawn)
        for part in (self.save, self._legend, self.drawing, self.drawing.below):
            part.setVisible(drawn)
        self.again.setVisible(drawn and self._may_ask)
        self._notes.setVisible(drawn and bool(self._notes.text()))


def picture_of(
    scene: QGraphicsScene, title: str, foot: str, *, simulated: bool, path: Path
) -> bytes:
    """SVG, or PNG for any other ending."""
    room = QRectF(_MARGIN, _MARGIN + _HEAD, _WIDTH, _WIDTH * scene.height() / scene.width())
    whole = room.adjusted(-_MARGIN, -_MARGIN - _HEAD, _MARGIN, _MARGIN + _FOOT)
    image = QImage(whole.toRect().size() * _FINER, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_FINER)
    content, drawn = QBuffer(), QSvgGenerator()
    content.open(QIODevice.OpenModeFlag.WriteOnly)
    drawn.setOutputDevice(content)
    drawn.setSize(whole.toRect().size())
    drawn.setViewBox(whole)
    drawn.setTitle(f"{tr(SIMULATED)}: {title}" if simulated else title)
    drawn.setDescription(foot)
    as_svg = path.suffix.lower() == ".svg"
    with QPainter(drawn if as_svg else image) as painter:
        theme, letters = look().theme, look().letters
        drawing = Drawing(painter)
        painter.fillRect(whole, theme.surface)
        x, baseline = float(_MARGIN), _MARGIN + letters.title.ascent
        if simulated:
            wide = letters.badge.width(tr(SIMULATED)) + 18
            badge = QRectF(x, baseline - letters.badge.ascent - 4, wide, 22)
            ink = theme.simulated_ink
            drawing.chip(badge, tr(SIMULATED), letters.badge, theme.simulated, ink)
            x = badge.right() + 12
        heading = letters.title.elided(title, whole.width() - _MARGIN - x)
        drawing.text(x, baseline, Run(heading, letters.title, theme.text))
        scene.render(painter, room)
        last = letters.caption.elided(foot, _WIDTH)
        below = whole.height() - _MARGIN
        drawing.text(_MARGIN, below, Run(last, letters.caption, theme.quiet))
    return bytes(content.data().data()) if as_svg else png(image)
