"""TravelDrawing: the drawn machine with lit lanes, and a block that travels along them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QPen

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.palette import mixed
from gpuexplorer.gui.widgets.machine.machine_drawing import MARGIN, MachineDrawing
from gpuexplorer.gui.widgets.machine.machine_layout import MachineLayout
from gpuexplorer.gui.widgets.machine.machine_scene import BLOCK, LIT, DrawnItem
from gpuexplorer.gui.widgets.machine.travelled_way import Hop, TravelledWay, way_through

_BLOCK, _PADDING, _RADIUS = 24.0, 8.0, 5.0
_MOST_NAME = 110.0
_FILLED, _EMPTY = 0.62, 0.3
_FLOW = 0.62  # how bright what only flows beside is
_BOX_RADIUS = 6.0


@dataclass(frozen=True, slots=True)
class Flow:
    """What is lit: from where to where, in the colour of the data."""

    hops: tuple[Hop, ...]
    colour: int | None
    chosen: bool = False


class TravelDrawing(MachineDrawing):
    """Lanes are lit as long as they are told to be; the block is drawn where it is told."""

    def __init__(self) -> None:
        super().__init__()
        self._flows: Sequence[Flow] = ()
        self._lit: list[tuple[DrawnItem, TravelledWay]] = []
        self._chosen_way: TravelledWay | None = None
        self._colour: int | None = None
        self._name = ""
        self._share: float | None = None
        self._block = DrawnItem(QRectF(), BLOCK, self._draw_block)
        self.drawn.addItem(self._block)

    def show_flows(self, flows: Sequence[Flow]) -> None:
        """Many of the same way are one lit lane; the chosen one is drawn last."""
        if flows != self._flows:
            self._flows = flows
            layout = self.layout_shown()
            if layout is not None:
                self._light(layout)

    def show_block(self, name: str, share: float | None) -> None:
        """None: nothing travels, and the way only stays lit."""
        if (name, share) != (self._name, self._share):
            self._name, self._share = name, share
            self._place_block()

    def block_place(self) -> QRect:
        """Where the block is drawn, in the view; empty where there is none."""
        place = self._block.boundingRect()
        return place.translated(MARGIN, MARGIN).toAlignedRect() if place.isValid() else QRect()

    def lit(self) -> int:
        """How many strips of wires are lit."""
        return sum(len(way.strips) for _, way in self._lit)

    def laid_out(self, layout: MachineLayout) -> None:
        self._light(layout)

    def _light(self, layout: MachineLayout) -> None:
        for item, _ in self._lit:
            self.drawn.removeItem(item)
        self._lit, self._chosen_way = [], None
        for flow in sorted(self._flows, key=lambda each: each.chosen):
            way = way_through(layout, flow.hops)
            place = QRectF()
            for each in (*way.strips, *(way.boxes if flow.chosen else ())):
                place = place.united(each)
            draw = partial(_draw_flow, way=way, flow=flow)
            item = DrawnItem(place.adjusted(-1, -1, 1, 1), LIT, draw)
            self.drawn.addItem(item)
            self._lit.append((item, way))
            if flow.chosen:
                self._chosen_way, self._colour = way, flow.colour
        self._place_block()

    def _place_block(self) -> None:
        way, place = self._chosen_way, QRectF()
        if way is not None and way.points and self._share is not None:
            letters = self.look.letters
            name = letters.mono.width(letters.mono.elided(self._name, _MOST_NAME))
            width = round(name + letters.caption.width("100 %") + 3 * _PADDING)
            place = way.block(self._share, QSizeF(width, _BLOCK))
            # On a narrow drawing it stays within.
            room = self.width() - MARGIN - 1
            place.moveLeft(min(max(place.left(), 1.0 - MARGIN), max(1.0, room - width)))
        self._block.put(place)

    def _draw_block(self, drawing: Drawing) -> None:
        if self._share is None:
            return
        theme, painter, letters = drawing.theme, drawing.painter, drawing.letters
        place, bright = self._block.boundingRect(), theme.card(self._colour)
        half = place.adjusted(0.5, 0.5, -0.5, -0.5)
        drawing.filled(half, mixed(theme.surface, bright, _EMPTY), _RADIUS)
        done = QRectF(half)
        done.setWidth(half.width() * self._share)
        painter.save()
        painter.setClipRect(done, Qt.ClipOperation.IntersectClip)
        painter.setBrush(mixed(theme.surface, bright, _FILLED))
        painter.drawRoundedRect(half, _RADIUS, _RADIUS)
        painter.restore()
        painter.setPen(QPen(bright, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(half, _RADIUS, _RADIUS)
        middle = place.center().y()
        name = letters.mono.elided(self._name, _MOST_NAME)
        run = Run(name, letters.mono, theme.text)
        drawing.text(place.left() + _PADDING, middle + letters.mono.cap_height / 2, run)
        percent = Run(f"{self._share * 100:.0f} %", letters.caption, theme.text)
        right = place.right() - _PADDING
        drawing.runs_right(right, middle + letters.caption.cap_height / 2, [percent])


def _draw_flow(drawing: Drawing, way: TravelledWay, flow: Flow) -> None:
    theme, painter = drawing.theme, drawing.painter
    bright = theme.card(flow.colour)
    colour = bright if flow.chosen else mixed(theme.surface, bright, _FLOW)
    for strip in way.strips:
        painter.fillRect(strip, colour)
    if not flow.chosen:
        return
    painter.setPen(QPen(bright, 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for place in way.boxes:
        radius = min(_BOX_RADIUS, place.height() / 4)
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
