"""MachineDrawing: the picture of a machine; all in it can be pointed at and chosen."""

from collections.abc import Collection, Iterator, Mapping

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPaintEvent, QPen, QRegion, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.widgets.machine.machine_boxes import draw_box, draw_card
from gpuexplorer.gui.widgets.machine.machine_layout import Box, MachineLayout, Wire, layout_of
from gpuexplorer.gui.widgets.machine.machine_spots import Spots
from gpuexplorer.gui.widgets.machine.machine_wires import (
    Shades,
    draw_chosen,
    draw_lanes,
    draw_wire_words,
)
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.machine.machine_face import BoxFace, Face, TileFace, WireFace
from gpuexplorer.gui.wording.machine.machine_things import OfCard, Thing, way_of
from gpuexplorer.telemetry.machine_shape import MachineShape

_MARGIN = 5
_REACH = 6  # pixels beside a thin wire that still mean it
_LEAST_WIDTH = 320
_RADIUS = 8.0
_EVERYWHERE = QRectF(-1e6, -1e6, 2e6, 2e6)


def draw_machine(
    drawing: Drawing,
    layout: MachineLayout,
    faces: Mapping[Thing, Face],
    chosen: Collection[Thing] = (),
    within: QRectF = _EVERYWHERE,
) -> None:
    """Wires first: boxes stand on their ends. What lies outside of `within` is left out."""
    shades = Shades(drawing.theme)
    wires = [
        (wire, faces.get(wire.thing))
        for wire in layout.wires
        if within.intersects(wire.place.adjusted(-_REACH, -_REACH, _REACH, _REACH))
    ]
    for wire, face in wires:
        if wire.thing in chosen:
            draw_chosen(drawing, wire)
        if isinstance(face, WireFace):
            draw_lanes(drawing, wire, face, shades)
    for box in layout.boxes:
        if not within.intersects(box.place):
            continue
        face = faces.get(box.thing)
        if isinstance(face, TileFace):
            draw_card(drawing, box.place, face, layout.form)
        elif isinstance(face, BoxFace):
            draw_box(drawing, box, face, layout.form)
        if box.thing in chosen:
            _draw_frame(drawing, box.place)
    for wire, face in wires:
        if isinstance(face, WireFace):
            draw_wire_words(drawing, wire, face, layout.form)


class MachineDrawing(Painted):
    """Repaints only what looks different. Lays out anew only another machine or width."""

    chosen = Signal(object)
    opened = Signal(object)  # a card that was clicked twice, or chosen again with Enter

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._shape: MachineShape | None = None
        self._faces: Mapping[Thing, Face] = {}
        self._chosen: Thing | None = None
        self._made: tuple[object, MachineLayout | None] = (None, None)
        self._room = 0
        self._dirty = _EVERYWHERE
        self._spots = Spots(self)
        self._spots.taken.connect(self._on_taken)
        self._spots.focus_moved.connect(self._on_focus_moved)
        look.changed.connect(self._on_look_changed)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName("The machine")

    def show_machine(self, shape: MachineShape, faces: Mapping[Thing, Face]) -> None:
        before, self._faces = self._faces, faces
        if shape is not self._shape:
            self._shape = shape
            self._lay_out()
            self._spots.introduce(faces)
            return
        changed = {
            thing
            for thing, face in faces.items()
            if (was := before.get(thing)) is not face and was != face
        }
        self._spots.say(faces, changed)
        if changed:
            self.update(self._places_of(changed))

    def show_room(self, height: int) -> None:
        """How tall it may become where there is room; it takes what it needs in any case."""
        if height != self._room:
            self._room = height
            self._lay_out()

    def show_chosen(self, thing: Thing | None) -> None:
        """Without telling anybody: who asks knows already."""
        if thing != self._chosen:
            self._chosen = thing
            self.update()

    def layout_shown(self) -> MachineLayout | None:
        """As it is drawn now, without the margin around it."""
        return self._layout_at(self.width())

    def place_of(self, thing: Thing) -> QRect:
        """Where it is drawn; of a wire, its first stretch. Empty where it is not."""
        for part in self._parts():
            if part.thing == thing:
                place = part.place if isinstance(part, Box) else part.lanes.first
                return place.translated(_MARGIN, _MARGIN).toRect()
        return QRect()

    def thing_at(self, position: QPointF) -> Thing | None:
        """Boxes first, then wires with some room beside them, then their words."""
        layout = self.layout_shown()
        if layout is None:
            return None
        at = position - QPointF(_MARGIN, _MARGIN)
        for box in layout.boxes:
            if box.place.contains(at):
                return box.thing
        for wire in layout.wires:
            for strip in (*wire.lanes.forth, *wire.lanes.back):
                if strip.adjusted(-_REACH, -_REACH, _REACH, _REACH).contains(at):
                    return wire.thing
        for wire in layout.wires:
            if wire.after.contains(at) or wire.before.contains(at):
                return wire.thing
        return None

    def hints(self) -> list[str]:
        faces = (self._faces.get(part.thing) for part in self._parts())
        return [face.hint for face in faces if face is not None]

    def draw(self, drawing: Drawing) -> None:
        drawing.painter.fillRect(self._dirty, drawing.theme.surface)
        layout = self.layout_shown()
        if layout is None or self._shape is None:
            return
        way = way_of(self._shape, self._chosen) if self._chosen is not None else ()
        drawing.painter.translate(_MARGIN, _MARGIN)
        within = self._dirty.translated(-_MARGIN, -_MARGIN)
        draw_machine(drawing, layout, self._faces, frozenset(way), within)
        drawing.painter.translate(-_MARGIN, -_MARGIN)
        focused = self._spots.focused()
        if not focused.isEmpty():
            drawing.focus_ring(QRectF(focused).adjusted(-3, -3, 3, 3), _RADIUS)

    def _parts(self) -> Iterator[Box | Wire]:
        layout = self.layout_shown()
        if layout is not None:
            yield from layout.boxes
            yield from layout.wires

    def _layout_at(self, width: int) -> MachineLayout | None:
        if self._shape is None:
            return None
        if self._made[0] != width:
            across = float(max(_LEAST_WIDTH, width) - 2 * _MARGIN)
            made = layout_of(self._shape, across, self._room - 2 * _MARGIN)
            self._made = (width, made)
        return self._made[1]

    def _lay_out(self) -> None:
        self._made = (None, None)
        self.updateGeometry()
        self._place_spots()
        self.update()

    def _place_spots(self) -> None:
        self._spots.place((part.thing for part in self._parts()), self.place_of)

    def _places_of(self, things: Collection[Thing]) -> QRegion:
        """All that is drawn of them, their words and the ring around them included."""
        region = QRegion()
        for part in self._parts():
            if part.thing in things:
                place = part.place.translated(_MARGIN, _MARGIN).toAlignedRect()
                region += place.adjusted(-4, -4, 4, 4)
        return region

    def _choose(self, thing: Thing) -> None:
        self.show_chosen(thing)
        self.chosen.emit(thing)

    def _on_taken(self, thing: Thing) -> None:
        if thing == self._chosen and isinstance(thing, OfCard):
            self.opened.emit(thing)
        else:
            self._choose(thing)

    def _on_focus_moved(self, place: QRect) -> None:
        self.update(place.adjusted(-_REACH, -_REACH, _REACH, _REACH))

    def _on_look_changed(self) -> None:
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, self.heightForWidth(max(_LEAST_WIDTH, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, 0)

    def heightForWidth(self, width: int) -> int:
        layout = self._layout_at(width)
        return 0 if layout is None else round(layout.size.height()) + 2 * _MARGIN

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            thing = self.thing_at(QPointF(event.pos()))
            face = None if thing is None else self._faces.get(thing)
            if face is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), face.hint, self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_spots()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._dirty = QRectF(event.rect())
        super().paintEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        thing = self.thing_at(event.position())
        if thing is None or event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self._spots.focus(thing)
        self._choose(thing)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        thing = self.thing_at(event.position())
        if isinstance(thing, OfCard) and event.button() is Qt.MouseButton.LeftButton:
            self.opened.emit(thing)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        nothing = self.thing_at(event.position()) is None
        shape = Qt.CursorShape.ArrowCursor if nothing else Qt.CursorShape.PointingHandCursor
        if self.cursor().shape() is not shape:
            self.setCursor(shape)


def _draw_frame(drawing: Drawing, place: QRectF) -> None:
    drawing.painter.setPen(QPen(drawing.theme.text, 2))
    drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
    drawing.painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), _RADIUS - 1, _RADIUS - 1)
