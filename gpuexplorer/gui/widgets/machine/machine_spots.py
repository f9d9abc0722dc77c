"""Spots: where the things in the drawing of a machine are, and the way among them by arrows."""

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QPoint, QRect, Qt

from gpuexplorer.gui.wording.machine.machine_things import Thing

STEPS = {
    Qt.Key.Key_Left: QPoint(-1, 0),
    Qt.Key.Key_Right: QPoint(1, 0),
    Qt.Key.Key_Up: QPoint(0, -1),
    Qt.Key.Key_Down: QPoint(0, 1),
}


class Spots:
    """One stop for the Tab key; the thing where the keyboard is stays so when they move."""

    def __init__(self) -> None:
        self._places: Mapping[Thing, QRect] = {}
        self._things: Sequence[Thing] = ()
        self._at: Thing | None = None

    @property
    def things(self) -> Sequence[Thing]:
        return self._things

    @property
    def at(self) -> Thing | None:
        """None only where there are none."""
        return self._at

    def place(self, places: Iterable[tuple[Thing, QRect]]) -> None:
        self._places = dict(places)
        self._things = tuple(self._places)
        if self._at not in self._places:
            self._at = next(iter(self._things), None)

    def place_of(self, thing: Thing | None) -> QRect:
        """Empty where it is not."""
        return QRect() if thing is None else self._places.get(thing, QRect())

    def go_to(self, thing: Thing) -> None:
        self._at = thing

    def step(self, step: QPoint) -> None:
        """To the nearest in that direction; what is straight ahead counts as nearer."""
        here = self.place_of(self._at)

        def distance(thing: Thing) -> float:
            ahead, aside = _apart(here, self._places[thing], step)
            return ahead + 3 * aside if ahead > 0 else float("inf")

        nearest = min(self._things, key=distance, default=None)
        if nearest is not None and distance(nearest) < float("inf"):
            self._at = nearest


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
