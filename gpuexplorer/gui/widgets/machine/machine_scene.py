"""MachineScene: a drawn machine, an item for each box and wire; what changes is drawn anew."""

from collections.abc import Callable, Collection, Mapping

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene, QStyleOptionGraphicsItem, QWidget

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.widgets.machine.machine_boxes import draw_box, draw_card
from gpuexplorer.gui.widgets.machine.machine_face import BoxFace, Face, TileFace, WireFace
from gpuexplorer.gui.widgets.machine.machine_layout import Box, MachineLayout, Wire
from gpuexplorer.gui.widgets.machine.machine_things import Thing
from gpuexplorer.gui.widgets.machine.machine_wires import AROUND, draw_lanes, draw_wire_words

_REACH = 6  # pixels beside a thin wire that still mean it
_WIRES, _BOXES, _WORDS, LIT, BLOCK = range(5)  # what is drawn over what
_FRAME_RADIUS = 7.0


class DrawnItem(QGraphicsItem):
    """Draws itself in the scene's own coordinates, by `draw`."""

    def __init__(self, place: QRectF, level: int, draw: Callable[[Drawing], None]) -> None:
        super().__init__()
        self._place, self._draw = place, draw
        self.setZValue(level)

    def put(self, place: QRectF) -> None:
        if place != self._place:
            self.prepareGeometryChange()
            self._place = place
        self.update()

    def boundingRect(self) -> QRectF:
        return self._place

    @guarded
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        self._draw(Drawing(painter))


class ThingItem(DrawnItem):
    """A part of the machine. `rank`: what it means where several lie under the pointer."""

    def __init__(
        self,
        thing: Thing,
        place: QRectF,
        level: int,
        draw: Callable[[Drawing], None],
        touched: Collection[QRectF] = (),
    ) -> None:
        super().__init__(place, level, draw)
        self.thing = thing
        self.rank = {_BOXES: 0, _WIRES: 1}.get(level, 2)
        self._shape = QPainterPath()
        # Where the rooms of two lanes overlap, both are meant.
        self._shape.setFillRule(Qt.FillRule.WindingFill)
        for each in touched or (place,):
            self._shape.addRect(each)

    def shape(self) -> QPainterPath:
        return self._shape


class MachineScene(QGraphicsScene):
    """Knows nothing of the keyboard and the mouse; also drawn into a file."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._faces: Mapping[Thing, Face] = {}
        self._chosen: frozenset[Thing] = frozenset()
        self._items: dict[Thing, list[ThingItem]] = {}
        self.layout: MachineLayout | None = None

    def show_layout(self, layout: MachineLayout) -> None:
        self.layout = layout
        for each in [item for items in self._items.values() for item in items]:
            self.removeItem(each)
        self._items = {}
        for wire in layout.wires:
            self._add_wire(wire, layout)
        for box in layout.boxes:
            place = box.place.adjusted(-1, -1, 1, 1)
            self._add(ThingItem(box.thing, place, _BOXES, self._box(box, layout)))

    def show_faces(self, faces: Mapping[Thing, Face]) -> frozenset[Thing]:
        """Returns those that look different now."""
        before, self._faces = self._faces, faces
        changed = frozenset(
            thing
            for thing, face in faces.items()
            if (was := before.get(thing)) is not face and was != face
        )
        self._update(changed)
        return changed

    def show_chosen(self, things: frozenset[Thing]) -> None:
        changed, self._chosen = self._chosen ^ things, things
        self._update(changed)

    def _update(self, things: Collection[Thing]) -> None:
        for thing in things:
            for item in self._items.get(thing, ()):
                item.update()

    def _add(self, item: ThingItem) -> None:
        self._items.setdefault(item.thing, []).append(item)
        self.addItem(item)

    def _add_wire(self, wire: Wire, layout: MachineLayout) -> None:
        def draw_wire(drawing: Drawing) -> None:
            face = self._faces.get(wire.thing)
            if isinstance(face, WireFace):
                draw_lanes(drawing, wire, face, chosen=wire.thing in self._chosen)

        def draw_words(drawing: Drawing) -> None:
            face = self._faces.get(wire.thing)
            if isinstance(face, WireFace):
                draw_wire_words(drawing, wire, face, layout.form)

        strips = (*wire.lanes.forth, *wire.lanes.back)
        touched = [each.adjusted(-_REACH, -_REACH, _REACH, _REACH) for each in strips]
        place = wire.lanes.bounds().adjusted(-_REACH, -_REACH, _REACH, _REACH)
        assert _REACH >= AROUND
        self._add(ThingItem(wire.thing, place, _WIRES, draw_wire, touched))
        words = [each for each in (wire.before, wire.after) if not each.isEmpty()]
        if words:
            room = wire.before.united(wire.after).adjusted(-2, -2, 2, 2)
            self._add(ThingItem(wire.thing, room, _WORDS, draw_words, words))

    def _box(self, box: Box, layout: MachineLayout) -> Callable[[Drawing], None]:
        def draw(drawing: Drawing) -> None:
            face = self._faces.get(box.thing)
            if isinstance(face, TileFace):
                draw_card(drawing, box.place, face, layout.form)
            elif isinstance(face, BoxFace):
                draw_box(drawing, box.thing, box.place, face, layout.form)
            if box.thing in self._chosen:
                drawing.painter.setPen(QPen(drawing.theme.text, 2))
                drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
                place = box.place.adjusted(1, 1, -1, -1)
                drawing.painter.drawRoundedRect(place, _FRAME_RADIUS, _FRAME_RADIUS)

        return draw
