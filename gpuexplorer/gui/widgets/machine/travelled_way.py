"""TravelledWay: a route through the drawn machine: strips to be lit, a line to be travelled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QPainterPath

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.widgets.machine.machine_layout import MachineLayout, Wire
from gpuexplorer.gui.widgets.machine.machine_things import (
    OfCard,
    OfHub,
    OfJunction,
    OfMemory,
    OfSocket,
    OfSockets,
    Thing,
)

Hop = tuple[Thing, Thing]


@dataclass(frozen=True, slots=True)
class TravelledWay:
    """In pixels of the layout. `strips` lie on wires; `points` lead on through the boxes."""

    strips: tuple[QRectF, ...]
    points: tuple[QPointF, ...]
    boxes: tuple[QRectF, ...]

    def block(self, share: float, size: QSizeF) -> QRectF:
        """What travels, after this share of the way: beside the boxes at either end, whose
        names it would cover.
        """
        path = QPainterPath(self.points[0])
        for point in self.points[1:]:
            path.lineTo(point)
        place = QRectF(QPointF(), size)
        place.moveCenter(path.pointAtPercent(min(1.0, max(0.0, share))))
        for end, next_to_it in (self.points[:2], self.points[:-3:-1]):
            box = _nearest(self.boxes, end)
            if place.intersects(box):
                _put_beside(place, box, next_to_it)
        return place


def place_things(places: Sequence[tuple[str, str]], cards: Mapping[str, CardId]) -> list[Hop]:
    """Of places as a route names them: "cuda:0", "memory 0", "socket 0", "junction 2"."""
    hops = [(thing_at(begin, cards), thing_at(end, cards)) for begin, end in places]
    return [(a, b) for a, b in hops if a is not None and b is not None and a != b]


def thing_at(place: str, cards: Mapping[str, CardId]) -> Thing | None:
    if place in cards:
        return OfCard(cards[place])
    kind, _, number = place.partition(" ")
    if not number.isdigit():
        return None
    at = int(number)
    match kind:
        case "memory":
            return OfMemory(at)
        case "socket":
            return OfSocket(at)
        case "junction":
            return OfJunction(at)
        case "hub":
            return OfHub(at)
    return None


def way_through(layout: MachineLayout, hops: Sequence[Hop]) -> TravelledWay:
    """Where no wire is drawn for a hop, it is crossed without one."""
    boxes: dict[Thing, list[QRectF]] = {}
    for box in layout.boxes:
        boxes.setdefault(box.thing, []).append(box.place)
    # Memory has no box where there are many cards: what goes there ends at its processor.
    hops = [(a, b) for a, b in hops if a in boxes and b in boxes]
    strips: list[QRectF] = []
    points: list[QPointF] = []
    seen: dict[Thing, None] = {}
    for begin, end in hops:
        seen |= {begin: None, end: None}
        here = _nearest(boxes[begin], boxes[end][0].center())
        there = _nearest(boxes[end], here.center())
        if not points:
            points.append(here.center())
        lit = _between(layout, begin, end, here, there)
        strips += lit
        points += _line(lit, points[-1], there)
    if hops:
        points.append(_nearest(boxes[hops[-1][1]], points[-1]).center())
    drawn = tuple(place for thing in seen for place in boxes[thing])
    return TravelledWay(tuple(strips), tuple(points), drawn)


def _between(
    layout: MachineLayout, begin: Thing, end: Thing, here: QRectF, there: QRectF
) -> Sequence[QRectF]:
    """The strips of the lane that leads from one to the other, in their order."""
    for wire in layout.wires:
        if wire.ends == (begin, end):
            return _of_rail(wire, here, there) or wire.lanes.forth
        if wire.ends == (end, begin):
            return _of_rail(wire, here, there) or wire.lanes.back or wire.lanes.forth
    if isinstance(begin, OfSocket) and isinstance(end, OfSocket):
        rails = [each for each in layout.wires if isinstance(each.thing, OfSockets)]
        for rail in rails:
            found = _of_rail(rail, here, there)
            if found:
                return found
    return ()


def _of_rail(wire: Wire, here: QRectF, there: QRectF) -> Sequence[QRectF]:
    """Of the strip that joins processors of several rows only what lies between the two."""
    if wire.lanes.back or len(wire.lanes.forth) < 3:
        return ()
    spine, *branches = wire.lanes.forth
    first = min(branches, key=lambda each: abs(each.center().y() - here.center().y()))
    last = min(branches, key=lambda each: abs(each.center().y() - there.center().y()))
    if first == last:
        return ()
    top, bottom = sorted((first.center().y(), last.center().y()))
    part = QRectF(spine.left(), top, spine.width(), bottom - top)
    return (first, part, last)


def _line(strips: Sequence[QRectF], start: QPointF, end: QRectF) -> list[QPointF]:
    """Along the middle of the strips, each entered at the end that is nearer."""
    points: list[QPointF] = []
    at = start
    if not strips:
        return [end.center()]
    for strip in strips:
        one, other = _ends(strip)
        if _apart(one, at) > _apart(other, at):
            one, other = other, one
        points += [one, other]
        at = other
    return points


def _ends(strip: QRectF) -> tuple[QPointF, QPointF]:
    middle = strip.center()
    if strip.height() >= strip.width():
        return QPointF(middle.x(), strip.top()), QPointF(middle.x(), strip.bottom())
    return QPointF(strip.left(), middle.y()), QPointF(strip.right(), middle.y())


def _apart(one: QPointF, other: QPointF) -> float:
    return hypot(one.x() - other.x(), one.y() - other.y())


def _put_beside(place: QRectF, box: QRectF, wire: QPointF) -> None:
    """At the side of the box on which the wire is."""
    sides = {
        place.moveBottom: (wire.y() - box.top(), box.top()),
        place.moveTop: (box.bottom() - wire.y(), box.bottom()),
        place.moveRight: (wire.x() - box.left(), box.left()),
        place.moveLeft: (box.right() - wire.x(), box.right()),
    }
    move = min(sides, key=lambda each: sides[each][0])
    move(sides[move][1])


def _nearest(places: Sequence[QRectF], to: QPointF) -> QRectF:
    return min(places, key=lambda each: _apart(each.center(), to))
