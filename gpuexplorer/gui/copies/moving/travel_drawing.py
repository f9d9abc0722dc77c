"""TravelDrawing: the drawn machine with lit lanes, and a block that travels along them."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsPathItem,
    QStyleOptionGraphicsItem,
    QWidget,
)

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import mixed
from gpuexplorer.gui.widgets.machine.layout import Hop, MachineLayout, Route, way_through
from gpuexplorer.gui.widgets.machine.machine_drawing import BLOCK, LIT, MachineDrawing, stroked

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
        self._lit: list[QGraphicsPathItem] = []
        self._lanes = 0
        self._way: Route | None = None
        self._block = _Block()
        self.drawn.addItem(self._block)
        look().changed.connect(self._light)

    def show_flows(self, flows: Sequence[Flow]) -> None:
        """Many of the same way are one lit lane; the chosen one is drawn last."""
        if flows != self._flows:
            self._flows = flows
            hops = [hop for flow in flows if flow.chosen for hop in flow.hops]
            self.draw_alone([part.card for hop in hops for part in hop if part.card])
            self._light()

    def show_block(self, name: str, share: float | None) -> None:
        """None: nothing travels, and the way only stays lit."""
        if (name, share) != (self._block.name, self._block.share):
            self._block.name, self._block.share = name, share
            self._place_block()

    def block_place(self) -> QRect:
        """Where the block is drawn, in the view; empty where there is none."""
        place = self._block.place
        return QRect() if place.isEmpty() else self.mapFromScene(place).boundingRect()

    def lit(self) -> int:
        """How many lanes of wires are lit."""
        return self._lanes

    def laid_out(self, layout: MachineLayout) -> None:
        self._light()

    def _light(self) -> None:
        for item in self._lit:
            self.drawn.removeItem(item)
        self._lit, self._way, self._lanes = [], None, 0
        layout, theme = self.drawn.layout, look().theme
        for flow in sorted(self._flows, key=lambda each: each.chosen):
            if layout is None:
                break
            way, bright = way_through(layout, flow.hops), theme.card(flow.colour)
            self._lanes += len(way.wires)
            for wire in way.wires:
                lane = self._add(stroked(wire.lanes[0], wire.width))
                lane.setBrush(bright if flow.chosen else mixed(theme.surface, bright, _FLOW))
            if flow.chosen:
                self._way, self._block.colour = way, flow.colour
                frames = QPainterPath()
                for place in way.boxes:
                    frames.addRoundedRect(place, _BOX_RADIUS, _BOX_RADIUS)
                self._add(frames, QPen(bright, 1.5))
        self._place_block()

    def _add(
        self, path: QPainterPath, pen: QPen | Qt.PenStyle = Qt.PenStyle.NoPen
    ) -> QGraphicsPathItem:
        item = QGraphicsPathItem(path)
        item.setPen(pen)
        item.setZValue(LIT)
        item.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.drawn.addItem(item)
        self._lit.append(item)
        return item

    def _place_block(self) -> None:
        place, block = QRectF(), self._block
        if self._way is not None and not self._way.path.isEmpty() and block.share is not None:
            letters = look().letters
            name = letters.mono.width(letters.mono.elided(block.name, _MOST_NAME))
            width = round(name + letters.caption.width("100 %") + 3 * _PADDING)
            place = self._way.block(block.share, QSizeF(width, _BLOCK))
            # On a narrow drawing it stays within.
            room = self.drawn.sceneRect()
            place.moveLeft(max(room.left() + 1, min(place.left(), room.right() - width - 1)))
        block.put(place)


class _Block(QGraphicsItem):
    """What travels: its name, and how much of it has arrived."""

    def __init__(self) -> None:
        super().__init__()
        self.place = QRectF()
        self.name = ""
        self.colour: int | None = None
        self.share: float | None = None
        self.setZValue(BLOCK)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def put(self, place: QRectF) -> None:
        if place != self.place:
            self.prepareGeometryChange()
            self.place = place
        self.update()

    def boundingRect(self) -> QRectF:
        return self.place

    @guarded
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if self.share is None or self.place.isEmpty():
            return
        drawing = Drawing(painter)
        theme, letters, place = drawing.theme, drawing.letters, self.place
        bright, half = theme.card(self.colour), place.adjusted(0.5, 0.5, -0.5, -0.5)
        drawing.filled(half, mixed(theme.surface, bright, _EMPTY), _RADIUS)
        done = QRectF(half)
        done.setWidth(half.width() * self.share)
        painter.save()
        painter.setClipRect(done, Qt.ClipOperation.IntersectClip)
        drawing.filled(half, mixed(theme.surface, bright, _FILLED), _RADIUS)
        painter.restore()
        painter.setPen(QPen(bright, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(half, _RADIUS, _RADIUS)
        middle = place.center().y()
        name = letters.mono.elided(self.name, _MOST_NAME)
        run = Run(name, letters.mono, theme.text)
        drawing.text(place.left() + _PADDING, middle + letters.mono.cap_height / 2, run)
        percent = Run(f"{self.share * 100:.0f} %", letters.caption, theme.text)
        right = place.right() - _PADDING
        drawing.runs_right(right, middle + letters.caption.cap_height / 2, [percent])
