"""MachineDrawing: the picture of a machine; all in it can be pointed at and chosen."""

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.machine.large_card import draw_large_card
from gpuexplorer.gui.widgets.machine.machine_boxes import draw_box, draw_card
from gpuexplorer.gui.widgets.machine.machine_columns import Form
from gpuexplorer.gui.widgets.machine.machine_layout import Box, MachineLayout, Wire, layout_of
from gpuexplorer.gui.widgets.machine.machine_spots import STEPS, Spots
from gpuexplorer.gui.widgets.machine.machine_wires import (
    Shades,
    draw_chosen,
    draw_lanes,
    draw_wire_words,
)
from gpuexplorer.gui.widgets.machine.voiced import Voiced
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.machine.machine_face import BoxFace, Face, TileFace, WireFace
from gpuexplorer.gui.wording.machine.machine_things import Thing, opens, way_of
from gpuexplorer.telemetry.machine_shape import MachineShape

MARGIN = 5  # around the layout
_REACH = 6  # pixels beside a thin wire that still mean it
_LEAST_WIDTH = 320
_RADIUS = 8.0
_TAKES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
# How many widths it is asked about in one go: with a scroll bar, without, and before.
_MOST_MADE = 12
_COARSE = 16
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
            if layout.form is Form.LARGE:
                draw_large_card(drawing, box.place, face)
            else:
                draw_card(drawing, box.place, face, layout.form)
        elif isinstance(face, BoxFace):
            draw_box(drawing, box, face, layout.form)
        if box.thing in chosen:
            _draw_frame(drawing, box.place)
    for wire, face in wires:
        if isinstance(face, WireFace):
            draw_wire_words(drawing, wire, face, layout.form)


class MachineDrawing(Painted, Voiced[Thing]):
    """Repaints only what looks different. Lays out anew only another machine or size."""

    chosen = Signal(object)
    opened = Signal(str)  # what was clicked twice, or chosen again with Enter: a card, the host
    walked = Signal(QRect)  # the keyboard is at what is drawn there

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._shape: MachineShape | None = None
        self._faces: Mapping[Thing, Face] = {}
        self._chosen: Thing | None = None
        self._made: dict[tuple[int, int], MachineLayout] = {}
        self._room = 0
        self._dirty = _EVERYWHERE
        self._spots = Spots()
        look.changed.connect(self.update)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(tr("The machine"))

    def show_machine(self, shape: MachineShape, faces: Mapping[Thing, Face]) -> None:
        before, self._faces = self._faces, faces
        if shape is not self._shape:
            self._shape = shape
            self._made.clear()
            self._lay_out()
            return
        changed = {
            thing
            for thing, face in faces.items()
            if (was := before.get(thing)) is not face and was != face
        }
        if changed:
            self.update(self._places_of(changed))
        at = self.focused_part()
        if at in changed:
            self.tell_words(at)

    def show_room(self, height: int) -> None:
        """How tall it may become where there is room; it takes what it needs in any case."""
        before = self.layout_shown()
        self._room = height
        if self.layout_shown() is not before:
            self._lay_out()

    def show_chosen(self, thing: Thing | None) -> None:
        """Without telling anybody: who asks knows already."""
        if thing != self._chosen:
            self._chosen = thing
            self.update()

    def layout_shown(self) -> MachineLayout | None:
        """As it is drawn now, without the margin around it."""
        return self._layout_at(self.width())

    def parts(self) -> Sequence[Thing]:
        return self._spots.things

    def words_of(self, part: Thing) -> tuple[str, str]:
        face = self._faces.get(part)
        return ("", "") if face is None else (face.name, face.spoken)

    def place_of(self, part: Thing) -> QRect:
        """Where it is drawn; of a wire, its first stretch. Empty where it is not."""
        return self._spots.place_of(part)

    def focused_part(self) -> Thing | None:
        return self._spots.at if self.hasFocus() else None

    def thing_at(self, position: QPointF) -> Thing | None:
        """Boxes first, then wires with some room beside them, then their words."""
        layout = self.layout_shown()
        if layout is None:
            return None
        at = position - QPointF(MARGIN, MARGIN)
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
        faces = (self._faces.get(thing) for thing in self.parts())
        return [face.hint for face in faces if face is not None]

    def draw(self, drawing: Drawing) -> None:
        drawing.painter.fillRect(self._dirty, drawing.theme.surface)
        layout = self.layout_shown()
        if layout is None or self._shape is None:
            return
        way = way_of(self._shape, self._chosen) if self._chosen is not None else ()
        drawing.painter.translate(MARGIN, MARGIN)
        within = self._dirty.translated(-MARGIN, -MARGIN)
        draw_machine(drawing, layout, self._faces, frozenset(way), within)
        drawing.painter.translate(-MARGIN, -MARGIN)
        focused = self._spots.place_of(self.focused_part())
        if not focused.isEmpty():
            drawing.focus_ring(QRectF(focused).adjusted(-3, -3, 3, 3), _RADIUS)

    def _layout_at(self, width: int) -> MachineLayout | None:
        if self._shape is None:
            return None
        # Among many cards a layout takes long, and widths with and without a scroll bar,
        # say, are much the same.
        natural = self._made_for(self._shape, width // _COARSE * _COARSE, 0)
        if natural.form is Form.COMPACT:
            return natural
        return self._made_for(self._shape, width, self._room)

    def _made_for(self, shape: MachineShape, width: int, room: int) -> MachineLayout:
        made = self._made.get((width, room))
        if made is None:
            while len(self._made) >= _MOST_MADE:
                del self._made[next(iter(self._made))]
            across = float(max(_LEAST_WIDTH, width) - 2 * MARGIN)
            made = layout_of(shape, across, room - 2 * MARGIN)
            self._made[width, room] = made
        return made

    def _lay_out(self) -> None:
        self.updateGeometry()
        self._place_spots()
        self.update()

    def _place_spots(self) -> None:
        layout = self.layout_shown()
        boxes = () if layout is None else [(box.thing, box.place) for box in layout.boxes]
        wires = () if layout is None else [(w.thing, w.lanes.first) for w in layout.wires]
        self._spots.place(
            (thing, place.translated(MARGIN, MARGIN).toRect())
            for thing, place in (*boxes, *wires)
        )
        self.forget_parts()

    def _places_of(self, things: Collection[Thing]) -> QRegion:
        """All that is drawn of them, their words and the ring around them included."""
        region, layout = QRegion(), self.layout_shown()
        drawn: Sequence[Box | Wire] = ()
        if layout is not None:
            drawn = (*layout.boxes, *layout.wires)
        for part in drawn:
            if part.thing in things:
                place = part.place.translated(MARGIN, MARGIN).toAlignedRect()
                region += place.adjusted(-4, -4, 4, 4)
        return region

    def _choose(self, thing: Thing) -> None:
        self.show_chosen(thing)
        self.chosen.emit(thing)

    def _take(self, thing: Thing) -> None:
        card = opens(thing)
        if thing == self._chosen and card is not None:
            self.opened.emit(card)
        else:
            self._choose(thing)

    def _update_focus(self) -> None:
        place = self._spots.place_of(self._spots.at)
        self.update(place.adjusted(-_REACH, -_REACH, _REACH, _REACH))

    def _walk_to(self, thing: Thing) -> None:
        self._update_focus()
        self._spots.go_to(thing)
        self._update_focus()
        self.tell_focus()

    def sizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, self.heightForWidth(max(_LEAST_WIDTH, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, 0)

    def heightForWidth(self, width: int) -> int:
        layout = self._layout_at(width)
        return 0 if layout is None else round(layout.size.height()) + 2 * MARGIN

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            thing = self.thing_at(QPointF(event.pos()))
            face = None if thing is None else self._faces.get(thing)
            if face is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), face.hint, self)
            return True
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            # The space bar chooses what the keyboard is at, before it holds the time.
            event.setAccepted(event.key() == Qt.Key.Key_Space and self._spots.at is not None)
            return event.isAccepted() or super().event(event)
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
        self._walk_to(thing)
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._choose(thing)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        thing = self.thing_at(event.position())
        card = opens(thing)
        if card is not None and event.button() is Qt.MouseButton.LeftButton:
            self.opened.emit(card)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        nothing = self.thing_at(event.position()) is None
        shape = Qt.CursorShape.ArrowCursor if nothing else Qt.CursorShape.PointingHandCursor
        if self.cursor().shape() is not shape:
            self.setCursor(shape)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at, key = self._spots.at, event.key()
        step = next((step for name, step in STEPS.items() if name == key), None)
        if at is None or (step is None and key not in _TAKES):
            super().keyPressEvent(event)
        elif step is None:
            self._take(at)
        else:
            self._update_focus()
            self._spots.step(step)
            self._update_focus()
            self.tell_focus()
            self.walked.emit(self._spots.place_of(self._spots.at))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._update_focus()
        self.tell_focus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._update_focus()

    def inputMethodQuery(self, query: Qt.InputMethodQuery, /) -> object:
        # What a scroll area brings into sight when the Tab key comes here.
        if query is Qt.InputMethodQuery.ImCursorRectangle and self._spots.at is not None:
            return self._spots.place_of(self._spots.at)
        return super().inputMethodQuery(query)


def _draw_frame(drawing: Drawing, place: QRectF) -> None:
    drawing.painter.setPen(QPen(drawing.theme.text, 2))
    drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
    drawing.painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), _RADIUS - 1, _RADIUS - 1)
