"""MachineDrawing: the picture of a machine; all in it can be pointed at and chosen."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolTip, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.machine.machine_face import Face
from gpuexplorer.gui.widgets.machine.machine_layout import SMALL, MachineLayout, layout_of
from gpuexplorer.gui.widgets.machine.machine_scene import MachineScene, ThingItem
from gpuexplorer.gui.widgets.machine.machine_things import Thing, opens, way_of
from gpuexplorer.gui.widgets.machine.voiced import Voiced
from gpuexplorer.telemetry.topology import MachineShape

MARGIN = 5  # around the layout
_LEAST_WIDTH = 320
_RING, _RADIUS = 4, 8.0
_TAKES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_STEPS = {
    Qt.Key.Key_Left: QPoint(-1, 0),
    Qt.Key.Key_Right: QPoint(1, 0),
    Qt.Key.Key_Up: QPoint(0, -1),
    Qt.Key.Key_Down: QPoint(0, 1),
}
# How many widths it is asked about in one go: with a scroll bar, without, and before.
_MOST_MADE = 12
_COARSE = 16


class MachineDrawing(Voiced):
    """One stop for the Tab key; arrows walk among its parts. As high as it needs to be."""

    chosen = Signal(object)
    opened = Signal(str)  # what was clicked twice, or chosen again with Enter: a card, the host
    walked = Signal(QRect)  # the keyboard is at what is drawn there

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look()
        self._shape: MachineShape | None = None
        self._faces: Mapping[Thing, Face] = {}
        self._chosen: Thing | None = None
        self._made: dict[tuple[int, int], MachineLayout] = {}
        self._room = 0
        self._places: Mapping[Thing, QRect] = {}
        self._at: Thing | None = None  # where the keyboard is, or was last
        self.drawn = MachineScene(self)
        self.setScene(self.drawn)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The keyboard comes to the view itself: what its viewport is told would hold for both.
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.viewport().setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(tr("The machine"))
        look().changed.connect(self._on_look_changed)
        self._on_look_changed()

    def show_machine(self, shape: MachineShape, faces: Mapping[Thing, Face]) -> None:
        self._faces = faces
        changed = self.drawn.show_faces(faces)
        if shape is not self._shape:
            self._shape = shape
            self._made.clear()
            self.updateGeometry()
            self._lay_out()
            return
        at = self.focused_part()
        if at in changed:
            self.tell_words(at)

    def show_room(self, height: int) -> None:
        """How tall it may become where there is room; it takes what it needs in any case."""
        if height != self._room:
            self._room = height
            if self.layout_shown() is not self.drawn.layout:
                self.updateGeometry()
                self._lay_out()

    def show_chosen(self, thing: Thing | None) -> None:
        """Without telling anybody: who asks knows already."""
        if thing != self._chosen:
            self._chosen = thing
            way = way_of(self._shape, thing) if self._shape is not None and thing else ()
            self.drawn.show_chosen(frozenset(way))

    def layout_shown(self) -> MachineLayout | None:
        """As it is drawn now, without the margin around it."""
        return self._layout_at(self.width())

    def parts(self) -> Sequence[Thing]:
        return tuple(self._places)

    def words_of(self, part: Thing) -> tuple[str, str]:
        face = self._faces.get(part)
        return ("", "") if face is None else (face.name, face.spoken)

    def place_of(self, part: Thing) -> QRect:
        """Where it is drawn; of a wire, its first stretch. Empty where it is not."""
        return self._places.get(part, QRect())

    def focused_part(self) -> Thing | None:
        return self._at if self.hasFocus() else None

    def thing_at(self, position: QPoint) -> Thing | None:
        """Boxes first, then wires with some room beside them, then their words."""
        items = [each for each in self.items(position) if isinstance(each, ThingItem)]
        return min(items, key=lambda each: each.rank).thing if items else None

    def hints(self) -> list[str]:
        faces = (self._faces.get(thing) for thing in self._places)
        return [face.hint for face in faces if face is not None]

    def _layout_at(self, width: int) -> MachineLayout | None:
        if self._shape is None:
            return None
        # Among many cards a layout takes long, and widths with and without a scroll bar,
        # say, are much the same.
        natural = self._made_for(self._shape, width // _COARSE * _COARSE, 0)
        if natural.form in SMALL:
            return self._made_for(self._shape, width // _COARSE * _COARSE, self._room)
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
        layout = self.layout_shown()
        self.setSceneRect(-MARGIN, -MARGIN, self.width(), self.height())
        if layout is None or layout is self.drawn.layout:
            return
        self.drawn.show_layout(layout)
        boxes = [(box.thing, box.place) for box in layout.boxes]
        wires = [(wire.thing, wire.lanes.first) for wire in layout.wires]
        self._places = {
            thing: place.translated(MARGIN, MARGIN).toRect()
            for thing, place in (*boxes, *wires)
        }
        if self._at not in self._places:
            self._at = next(iter(self._places), None)
        self.forget_parts()
        self.laid_out(layout)

    def laid_out(self, layout: MachineLayout) -> None:
        """Anew: for another machine, or in another room."""

    def _choose(self, thing: Thing) -> None:
        self.show_chosen(thing)
        self.chosen.emit(thing)

    def _walk_to(self, thing: Thing | None) -> None:
        self._update_ring()
        self._at = thing
        self._update_ring()
        self.tell_focus()

    def _beside(self, step: QPoint) -> Thing | None:
        """The nearest in that direction; what is straight ahead counts as nearer."""
        here = self._places.get(self._at, QRect()) if self._at is not None else QRect()

        def distance(thing: Thing) -> float:
            ahead, aside = _apart(here, self._places[thing], step)
            return ahead + 3 * aside if ahead > 0 else float("inf")

        nearest = min(self._places, key=distance, default=None)
        return nearest if nearest is not None and distance(nearest) < float("inf") else self._at

    def _update_ring(self) -> None:
        if self._at is not None:
            place = self.place_of(self._at)
            self.viewport().update(place.adjusted(-_RING, -_RING, _RING, _RING))

    def _on_look_changed(self) -> None:
        self.setBackgroundBrush(self.look.theme.surface)
        self.drawn.update()

    def sizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, self.heightForWidth(max(_LEAST_WIDTH, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, 0)

    def heightForWidth(self, width: int) -> int:
        layout = self._layout_at(width)
        return 0 if layout is None else round(layout.size.height()) + 2 * MARGIN

    @guarded
    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        part = self.focused_part()
        if part is not None:
            ring = QRectF(self.place_of(part)).adjusted(-3, -3, 3, 3)
            Drawing(painter).focus_ring(ring.translated(-MARGIN, -MARGIN), _RADIUS)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            # The space bar chooses what the keyboard is at, before it holds the time.
            event.setAccepted(event.key() == Qt.Key.Key_Space and self._at is not None)
            return event.isAccepted() or super().event(event)
        return super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            thing = self.thing_at(event.pos())
            face = None if thing is None else self._faces.get(thing)
            words = "" if face is None else face.hint
            QToolTip.showText(event.globalPos(), words, self)  # none: it hides
            return True
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # it scrolls the page around it

    def mousePressEvent(self, event: QMouseEvent) -> None:
        thing = self.thing_at(event.position().toPoint())
        if thing is None or event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self._walk_to(thing)
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._choose(thing)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        card = opens(self.thing_at(event.position().toPoint()))
        if card is not None and event.button() is Qt.MouseButton.LeftButton:
            self.opened.emit(card)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        nothing = self.thing_at(event.position().toPoint()) is None
        shape = Qt.CursorShape.ArrowCursor if nothing else Qt.CursorShape.PointingHandCursor
        if self.viewport().cursor().shape() is not shape:
            self.viewport().setCursor(shape)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at, key = self._at, event.key()
        step = next((step for name, step in _STEPS.items() if name == key), None)
        if at is None or (step is None and key not in _TAKES):
            event.ignore()
        elif step is not None:
            self._walk_to(self._beside(step))
            self.walked.emit(self.place_of(self._at or at))
        elif at == self._chosen and (card := opens(at)) is not None:
            self.opened.emit(card)
        else:
            self._choose(at)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._update_ring()
        self.tell_focus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._update_ring()

    def inputMethodQuery(self, query: Qt.InputMethodQuery, /) -> object:
        # What a scroll area brings into sight when the Tab key comes here.
        if query is Qt.InputMethodQuery.ImCursorRectangle and self._at is not None:
            return self.place_of(self._at)
        return super().inputMethodQuery(query)


def _apart(here: QRect, there: QRect, step: QPoint) -> tuple[float, float]:
    """How far ahead its middle is, and how far the two miss each other sideways."""
    between = there.center() - here.center()
    if step.x():
        ahead = between.x() * step.x()
        aside = max(here.top() - there.bottom(), there.top() - here.bottom(), 0)
    else:
        ahead = between.y() * step.y()
        aside = max(here.left() - there.right(), there.left() - here.right(), 0)
    return float(ahead), float(aside)
