"""Spots: the things in the drawing of a machine, for the keyboard and for screen readers."""

from collections.abc import Callable, Collection, Iterable, Mapping

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.wording.machine.machine_face import Face
from gpuexplorer.gui.wording.machine.machine_things import Thing

_STEPS = {
    Qt.Key.Key_Left: QPoint(-1, 0),
    Qt.Key.Key_Right: QPoint(1, 0),
    Qt.Key.Key_Up: QPoint(0, -1),
    Qt.Key.Key_Down: QPoint(0, 1),
}
_MOST_TOLD = 64
_TAKES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class Spots(QObject):
    """One stop for the Tab key; arrows go to the thing in that direction, Enter takes it."""

    taken = Signal(object)
    focus_moved = Signal(QRect)  # where something has got the keyboard, or lost it

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._drawing = parent
        self._spots: dict[Thing, _Spot] = {}
        self._faces: Mapping[Thing, Face] = {}

    def place(self, things: Iterable[Thing], place_of: Callable[[Thing], QRect]) -> None:
        """Spots of things that stay are kept, and where the keyboard is with them."""
        there = dict.fromkeys(things)
        for thing in [thing for thing in self._spots if thing not in there]:
            spot = self._spots.pop(thing)
            spot.hide()
            spot.deleteLater()
        for thing in there:
            if thing not in self._spots:
                spot = self._spots[thing] = _Spot(thing, self._drawing)
                spot.key_pressed.connect(self._on_key_pressed)
                spot.focus_changed.connect(self._on_focus_changed)
                spot.show()
            self._spots[thing].setGeometry(place_of(thing))
        offered = (spot.focusPolicy() for spot in self._spots.values())
        if Qt.FocusPolicy.TabFocus not in offered:
            self._offer(next(iter(self._spots.values()), None))

    def say(self, faces: Mapping[Thing, Face], changed: Collection[Thing]) -> None:
        """Where very much changed, only what has the keyboard is told at once."""
        self._faces = faces
        for thing in changed:
            spot = self._spots.get(thing)
            if spot is not None and (len(changed) <= _MOST_TOLD or spot.hasFocus()):
                self._tell(spot)

    def introduce(self, faces: Mapping[Thing, Face]) -> None:
        """All of them, after they were placed."""
        self._faces = faces
        for spot in self._spots.values():
            self._tell(spot)

    def focus(self, thing: Thing) -> None:
        self._spots[thing].setFocus(Qt.FocusReason.MouseFocusReason)

    def focused(self) -> QRect:
        """Where the thing is that has the keyboard; empty where none of them has."""
        for spot in self._spots.values():
            if spot.hasFocus():
                return spot.geometry()
        return QRect()

    def _tell(self, spot: "_Spot") -> None:
        face = self._faces.get(spot.thing)
        if face is not None:
            spot.setAccessibleName(face.name)
            spot.setAccessibleDescription(face.spoken)

    def _offer(self, chosen: "_Spot | None") -> None:
        for spot in self._spots.values():
            policy = Qt.FocusPolicy.TabFocus if spot is chosen else Qt.FocusPolicy.NoFocus
            if spot.focusPolicy() is not policy:
                spot.setFocusPolicy(policy)

    def _neighbour(self, spot: "_Spot", step: QPoint) -> "_Spot":
        """The nearest in that direction; what is straight ahead counts as nearer."""
        here = spot.geometry()

        def distance(other: _Spot) -> float:
            ahead, aside = _apart(here, other.geometry(), step)
            return ahead + 3 * aside if ahead > 0 else float("inf")

        nearest = min(self._spots.values(), key=distance)
        return nearest if distance(nearest) < float("inf") else spot

    def _on_key_pressed(self, spot: "_Spot", key: int) -> None:
        if key in _TAKES:
            self.taken.emit(spot.thing)
            return
        step = next(step for name, step in _STEPS.items() if name == key)
        self._neighbour(spot, step).setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_focus_changed(self, spot: "_Spot") -> None:
        if spot.hasFocus():
            self._tell(spot)
            self._offer(spot)
        self.focus_moved.emit(spot.geometry())


class _Spot(QWidget):
    """Where a thing is drawn. Draws nothing itself, and lets the pointer through."""

    key_pressed = Signal(object, int)
    focus_changed = Signal(object)

    def __init__(self, thing: Thing, parent: QWidget) -> None:
        super().__init__(parent)
        self.thing = thing
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _TAKES or event.key() in _STEPS:
            self.key_pressed.emit(self, event.key())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit(self)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit(self)


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
