"""TravelDrawing: the drawn machine with lit lanes, and a block that travels along them."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import mixed
from gpuexplorer.gui.widgets.machine.machine_drawing import MARGIN, MachineDrawing
from gpuexplorer.gui.widgets.machine.machine_layout import MachineLayout
from gpuexplorer.gui.widgets.machine.ways import NO_WAY, Hop, Way, way_through

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

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._flows: Sequence[Flow] = ()
        self._ways: dict[tuple[Hop, ...], Way] = {}
        self._ways_of: MachineLayout | None = None
        self._name = ""
        self._share: float | None = None

    def show_flows(self, flows: Sequence[Flow]) -> None:
        """Many of the same way are one lit lane; the chosen one is drawn last."""
        if flows != self._flows:
            self._flows = flows
            self._ways.clear()
            self.update()

    def show_block(self, name: str, share: float | None) -> None:
        """None: nothing travels, and the way only stays lit."""
        if (name, share) == (self._name, self._share):
            return
        before = self.block_place()
        self._name, self._share = name, share
        for place in (before, self.block_place()):
            if not place.isEmpty():
                self.update(place.adjusted(-2, -2, 2, 2))

    def block_place(self) -> QRect:
        """Where the block is drawn; empty where there is none."""
        middle = self._block_middle()
        if middle is None:
            return QRect()
        place = QRectF(0, 0, self._block_width(), _BLOCK)
        place.moveCenter(middle)
        # On a narrow drawing it stays within.
        left = min(max(place.left(), 1.0), max(1.0, self.width() - place.width() - 1))
        place.moveLeft(left)
        return place.toAlignedRect()

    def lit(self) -> int:
        """How many strips of wires are lit."""
        layout = self.layout_shown()
        if layout is None:
            return 0
        return sum(len(self._way(layout, flow).strips) for flow in self._flows)

    def draw(self, drawing: Drawing) -> None:
        super().draw(drawing)
        layout = self.layout_shown()
        if layout is None:
            return
        painter = drawing.painter
        painter.translate(MARGIN, MARGIN)
        for flow in sorted(self._flows, key=lambda each: each.chosen):
            self._draw_flow(drawing, self._way(layout, flow), flow)
        painter.translate(-MARGIN, -MARGIN)
        self._draw_block(drawing)

    def _draw_flow(self, drawing: Drawing, way: Way, flow: Flow) -> None:
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

    def _draw_block(self, drawing: Drawing) -> None:
        place = QRectF(self.block_place())
        chosen = self._chosen_flow()
        if place.isEmpty() or chosen is None or self._share is None:
            return
        theme, painter, letters = drawing.theme, drawing.painter, drawing.letters
        bright = theme.card(chosen.colour)
        half = place.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mixed(theme.surface, bright, _EMPTY))
        painter.drawRoundedRect(half, _RADIUS, _RADIUS)
        done = QRectF(half)
        done.setWidth(half.width() * self._share)
        painter.save()
        painter.setClipRect(done)
        painter.setBrush(mixed(theme.surface, bright, _FILLED))
        painter.drawRoundedRect(half, _RADIUS, _RADIUS)
        painter.restore()
        painter.setPen(QPen(bright, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(half, _RADIUS, _RADIUS)
        middle = place.center().y()
        percent = Run(f"{self._share * 100:.0f} %", letters.caption, theme.text)
        name = letters.mono.elided(self._name, _MOST_NAME)
        run = Run(name, letters.mono, theme.text)
        drawing.text(place.left() + _PADDING, middle + letters.mono.cap_height / 2, run)
        right = place.right() - _PADDING
        drawing.runs_right(right, middle + letters.caption.cap_height / 2, [percent])

    def _block_width(self) -> float:
        letters = self.look.letters
        name = letters.mono.width(letters.mono.elided(self._name, _MOST_NAME))
        return round(name + letters.caption.width("100 %") + 3 * _PADDING)

    def _block_middle(self) -> QPointF | None:
        layout, chosen = self.layout_shown(), self._chosen_flow()
        if layout is None or chosen is None or self._share is None:
            return None
        way = self._way(layout, chosen)
        if not way.points:
            return None
        return way.at(self._share) + QPointF(MARGIN, MARGIN)

    def _chosen_flow(self) -> Flow | None:
        return next((flow for flow in self._flows if flow.chosen), None)

    def _way(self, layout: MachineLayout, flow: Flow) -> Way:
        if layout is not self._ways_of:
            self._ways.clear()
            self._ways_of = layout
        way = self._ways.get(flow.hops)
        if way is None:
            way = way_through(layout, flow.hops) if flow.hops else NO_WAY
            self._ways[flow.hops] = way
        return way

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.update()
