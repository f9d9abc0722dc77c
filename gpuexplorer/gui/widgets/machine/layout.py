"""The parts of a machine, and where each of them stands when it is drawn."""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum, auto
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QPainterPath

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.telemetry.topology import MachineShape, PathKind


class Kind(Enum):
    """What of a drawn machine one can point at."""

    CARD = auto()
    LINK = auto()  # between two cards, or from a card to the host
    SPOKE = auto()  # all NVLinks of a card, up to where they meet those of the others
    HUB = auto()  # where the NVLinks of three cards or more meet
    JUNCTION = auto()  # a PCIe switch or a host bridge
    UPLINK = auto()  # from a switch, which has the number, towards the processor
    SOCKET = auto()  # a processor
    MEMORY = auto()  # close to the processor of this number
    MEMORY_WIRE = auto()  # between the two
    SOCKETS = auto()  # what joins the processors


class Part(NamedTuple):
    """One of them: of a card, or with its place among its like in the shape of the machine."""

    kind: Kind
    card: CardId = CardId("")
    to: CardId = CardId("")  # of a link: the other card, or HOST_ID
    number: int = 0

    @property
    def opens(self) -> CardId | None:
        """The card, or the computer itself, whose screen shows more of it."""
        if self.kind in (Kind.SOCKET, Kind.MEMORY):
            return HOST_ID
        return self.card if self.kind is Kind.CARD else None


Hop = tuple[Part, Part]
SOCKETS = Part(Kind.SOCKETS)
_PLACES = {
    "memory": Kind.MEMORY,
    "socket": Kind.SOCKET,
    "junction": Kind.JUNCTION,
    "hub": Kind.HUB,
}


def link_between(shape: MachineShape, a: CardId, b: CardId) -> Part:
    """The same part, whichever end is named first."""
    link = shape.link(a, b)
    return Part(Kind.LINK, *((a, b) if link is None else link[:2]))


def way_of(shape: MachineShape, part: Part) -> Sequence[Part]:
    """All that a link runs through, its ends included; anything else is itself."""
    if part.kind is not Kind.LINK:
        return (part,)
    ours, theirs = _up(shape, part.card), _up(shape, part.to)
    ends = [Part(Kind.CARD, card) for card in part[1:3] if card != HOST_ID]
    link = shape.link(part.card, part.to)
    if link is None or part.to == HOST_ID:
        return (*ends, *(ours if part.to == HOST_ID else ()))
    if link.nvlinks:
        hub = shape.hub_of(part.card)
        spokes = [Part(Kind.SPOKE, card) for card in part[1:3]]
        return (*ends, part) if hub is None else (*ends, Part(Kind.HUB, number=hub[0]), *spokes)
    common = next((each for each in ours if each in theirs), None)
    if common is None:
        return (*ends, *ours, SOCKETS, *theirs)
    return (*ends, *ours[: ours.index(common) + 1], *theirs[: theirs.index(common)])


def _up(shape: MachineShape, card: CardId) -> list[Part]:
    """From a card to its processor, without the card."""
    if card not in shape.home:
        return []
    way = [Part(Kind.LINK, card, HOST_ID)]
    for junction in shape.above[card]:
        way.append(Part(Kind.JUNCTION, number=junction.number))
        # A host bridge is a part of its processor: no wire leads up from it.
        if junction.kind is not PathKind.HOST_BRIDGE:
            way.append(Part(Kind.UPLINK, number=junction.number))
    return [*way, Part(Kind.SOCKET, number=shape.home[card])]


def hops_of(places: Sequence[tuple[str, str]], cards: Mapping[str, CardId]) -> tuple[Hop, ...]:
    """Of places as a route names them: "cuda:0", "memory 0", "socket 0", "junction 2"."""

    def part_at(place: str) -> Part | None:
        if place in cards:
            return Part(Kind.CARD, cards[place])
        kind, _, number = place.partition(" ")
        known = kind in _PLACES and number.isdigit()
        return Part(_PLACES[kind], number=int(number)) if known else None

    hops = [(part_at(begin), part_at(end)) for begin, end in places]
    return tuple((a, b) for a, b in hops if a is not None and b is not None and a != b)


class Wire(NamedTuple):
    """Its lanes lead forth from the first end to the second, and back."""

    part: Part
    ends: Hop
    lanes: tuple[QPainterPath, ...]  # one where nobody tells directions apart
    width: float  # of a lane
    words: QRectF  # the room for them


class MachineLayout(NamedTuple):
    """In the scene's own units, which a view makes larger or smaller."""

    size: QSizeF
    boxes: Sequence[tuple[Part, QRectF]]  # one that is in several rows stands in each
    wires: Sequence[Wire]
    scale: float  # bytes per second for a lane as wide as one unit
    rail: float  # where processors of several rows are joined
    zoom: float = 1.0  # how much larger it is seen in the room that it was made for

    def places(self, part: Part) -> list[QRectF]:
        return [place for each, place in self.boxes if each == part]

    def lane(self, begin: Part, end: Part, here: QRectF, there: QRectF) -> Wire | None:
        """The wire from one to the other, with no lane but the one that leads there."""
        if begin.kind is end.kind is Kind.SOCKET:
            path = _path(_between(here, there, self.rail))
            return Wire(SOCKETS, (begin, end), (path,), _UNKNOWN, QRectF())
        for wire in self.wires:
            if wire.ends == (begin, end):
                return wire._replace(lanes=wire.lanes[:1])
            if wire.ends == (end, begin):
                return wire._replace(lanes=wire.lanes[-1:])
        return None


class Route(NamedTuple):
    """A route through the drawing: what is lit, and the line that is travelled."""

    wires: Sequence[Wire]
    path: QPainterPath
    boxes: Sequence[QRectF]

    def block(self, share: float, size: QSizeF) -> QRectF:
        """What travels, after this share of the way: beside the boxes at either end, whose
        names it would cover.
        """
        place = QRectF(QPointF(), size)
        place.moveCenter(self.path.pointAtPercent(min(1.0, max(0.0, share))))
        for end, next_to_it in ((0.0, 0.15), (1.0, 0.85)):
            box = _nearest(self.boxes, self.path.pointAtPercent(end))
            if place.intersects(box):
                wire = self.path.pointAtPercent(next_to_it)
                if wire.y() < box.center().y():
                    place.moveBottom(box.top())
                else:
                    place.moveTop(box.bottom())
        return place


def way_through(layout: MachineLayout, hops: Sequence[Hop]) -> Route:
    """Where no wire is drawn for a hop, it is crossed without one."""
    wires, path, boxes = list[Wire](), QPainterPath(), dict[Part, QRectF]()
    for begin, end in hops:
        if not (layout.places(begin) and layout.places(end)):
            continue
        towards = layout.places(end)[0].center()
        here = boxes.setdefault(begin, _nearest(layout.places(begin), towards))
        there = boxes.setdefault(end, _nearest(layout.places(end), here.center()))
        if path.isEmpty():
            path.moveTo(here.center())
        wire = layout.lane(begin, end, here, there)
        if wire is not None:
            wires.append(wire)
            path.connectPath(wire.lanes[0])
        path.lineTo(there.center())
    return Route(wires, path, tuple(boxes.values()))


_LANE_GAP = 3.0
_UNKNOWN = 2.0  # the width of a lane of which nobody tells what it carries
_SCALES = (8e9, 16e9, 32e9, 64e9, 128e9)
# What the wires of one card may take of the width of its tile.
_SPOKE_SHARE, _HOST_SHARE, _BRIDGE_MOST = 0.72, 0.3, 63.0
# From left to right: a tile, and the gaps between cards, switches and processors.
_LEAST, _MOST, _SHRUNK = 72.0, 220.0, 0.93
_GAP, _GROUP_GAP, _SOCKET_GAP, _RAIL = 8.0, 12.0, 28.0, 22.0
_INSET, _ROW_GAP = 6.0, 36.0
HUB_TITLE = 26.0  # below the figures that stand in it
# From top to bottom: the gap above each kind of box, which grows where height is left, and how
# high it is.
_LEVELS: Mapping[Kind | PathKind, tuple[float, float]] = {
    Kind.MEMORY: (0, 30),
    Kind.SOCKET: (18, 34),
    PathKind.HOST_BRIDGE: (0, 24),
    PathKind.SWITCHES: (40, 28),
    PathKind.SWITCH: (40, 28),
    Kind.CARD: (74, 120),
    Kind.HUB: (36, 60),
}
_BRACKET, _BRACKET_WORDS = 16.0, 48.0
_TALLEST, _LARGEST = 2.0, 1.3  # gaps, and all of a few cards in much room


def layout_of(
    shape: MachineShape, width: float, cards: Collection[CardId], height: float = 0.0
) -> MachineLayout:
    """Of these cards: in as few rows as have room for them, and as tall as there is room."""
    rows = _seated(shape, width, cards)
    plain, tall = (_Plan(shape, rows, width, taller).layout() for taller in (1.0, _TALLEST))
    across, down = width / max(1.0, plain.size.width()), height / max(1.0, plain.size.height())
    zoom = min(_LARGEST, across, max(1.0, down))
    spare, gained = (
        height / zoom - plain.size.height(),
        tall.size.height() - plain.size.height(),
    )
    share = min(1.0, spare / gained) if gained else 0.0
    layout = _Plan(shape, rows, width, 1 + max(0.0, share)).layout()
    return layout._replace(zoom=zoom)


def _seated(
    shape: MachineShape, width: float, cards: Collection[CardId]
) -> Sequence[Sequence[CardId]]:
    """Cards of one processor stay in one row where they can, and pairs in any case."""
    # A view may make it a little smaller.
    fitting = max(2, int(width / _SHRUNK / (_LEAST + _GAP)))
    most = ceil(len(cards) / max(1, ceil(len(cards) / fitting)))
    rows: list[list[CardId]] = []
    for group in (*(socket.cards for socket in shape.sockets), shape.loose):
        here = [card for card in group if card in cards]
        size = max(2, ceil(len(here) / max(1, ceil(len(here) / fitting)) / 2) * 2)
        for piece in (here[at : at + size] for at in range(0, len(here), size)):
            if rows and len(rows[-1]) + len(piece) <= most:
                rows[-1] += piece
            else:
                rows.append(piece)
    return rows


class _Plan:
    """Goes through the rows from top to bottom."""

    def __init__(
        self,
        shape: MachineShape,
        rows: Sequence[Sequence[CardId]],
        width: float,
        taller: float,
    ) -> None:
        self._shape, self._rows, self._taller = shape, rows, taller
        self._boxes: list[tuple[Part, QRectF]] = []
        self._wires: list[Wire] = []
        rail = _RAIL if len(rows) > 1 else 0.0
        rooms = [(width - rail - sum(self._gaps(row))) / len(row) for row in rows]
        self._tile = float(int(min(_MOST, max(_LEAST, min(rooms, default=0.0)))))
        self._left = dict[CardId, float]()
        for row in rows:
            left = rail
            for card, gap in zip(row, (*self._gaps(row), 0.0), strict=True):
                self._left[card] = left
                left += self._tile + gap
        self._rail = rail / 4
        self._scale = self._fitting_scale()

    def layout(self) -> MachineLayout:
        top = 0.0
        for row in self._rows:
            top = self._row(row, top) + _ROW_GAP
        self._join_sockets()
        right = max(self._left.values(), default=0.0) + self._tile
        size = QSizeF(right, max(0.0, top - _ROW_GAP))
        return MachineLayout(size, self._boxes, self._wires, self._scale, self._rail)

    def _gaps(self, row: Sequence[CardId]) -> list[float]:
        """After each card but the last."""
        home, above = self._shape.home, self._shape.above
        gaps = []
        for card, after in pairwise(row):
            together = above.get(card, ())[:1] == above.get(after, ())[:1]
            inside = _GAP if together else _GROUP_GAP
            gaps.append(inside if home.get(card) == home.get(after) else _SOCKET_GAP)
        return gaps

    def _fitting_scale(self) -> float:
        """The finest at which every wire has room."""
        shape, tile = self._shape, self._tile
        to_host = [link.rate for link in shape.topology.links if link.b == HOST_ID]
        wanted = [(rate, tile * _HOST_SHARE) for rate in to_host]
        wanted += [(spoke.rate, tile * _SPOKE_SHARE) for spoke in shape.spokes.values()]
        wanted += [(link.rate, min(_BRIDGE_MOST, tile)) for link in shape.bridges]
        for scale in _SCALES:
            if all(2 * _lane_width(rate, scale) + _LANE_GAP <= room for rate, room in wanted):
                return scale
        return _SCALES[-1]

    def _row(self, row: Sequence[CardId], top: float) -> float:
        """Boxes in their levels, and what joins them. Returns where the row ends."""
        shape, places = self._shape, dict[Part, QRectF]()
        found: list[tuple[Kind | PathKind, Part, Sequence[CardId]]] = []
        for kind in (Kind.MEMORY, Kind.SOCKET):
            found += [
                (kind, Part(kind, number=n), e.cards) for n, e in enumerate(shape.sockets)
            ]
        found += [(e.kind, Part(Kind.JUNCTION, number=e[0]), e.cards) for e in shape.junctions]
        found += [(Kind.HUB, Part(Kind.HUB, number=e.number), e.cards) for e in shape.hubs]
        found += [(Kind.CARD, Part(Kind.CARD, card), [card]) for card in row]
        for level, (gap, height) in _LEVELS.items():
            here = [
                (part, [card for card in cards if card in row])
                for kind, part, cards in found
                if kind is level
            ]
            if any(cards for _, cards in here):
                # Above a card of which nothing is known there is nothing.
                top += gap * self._taller if places or level is not Kind.CARD else 0.0
                places |= {
                    part: self._over(cards, top, height) for part, cards in here if cards
                }
                top += height
        self._boxes += places.items()
        for card in row:
            self._wire_up(card, places)
        for card in row:
            if card in shape.spokes:
                self._spoke(card, places)
        return self._brackets(row, top)

    def _wire_up(self, card: CardId, places: Mapping[Part, QRectF]) -> None:
        """From the card to the memory of its processor."""
        shape = self._shape
        chain = [Part(Kind.CARD, card)]
        if card in shape.home:
            chain += [Part(Kind.JUNCTION, number=each.number) for each in shape.above[card]]
            chain += [Part(k, number=shape.home[card]) for k in (Kind.SOCKET, Kind.MEMORY)]
        for low, high in pairwise(chain):
            place, roof, part, rate = places[low], places[high].bottom(), low, None
            if roof >= place.top() or any(wire.ends == (low, high) for wire in self._wires):
                continue
            x, link = place.center().x(), shape.host_link(card)
            if low.kind is Kind.CARD:
                part, rate = Part(Kind.LINK, card, HOST_ID), link and link.rate
                x = place.left() + _INSET + _lane_width(rate, self._scale) + _LANE_GAP / 2
            elif low.kind is Kind.JUNCTION:
                # As wide as the widest of its cards' wires: nobody tells more.
                links = [shape.host_link(each) for each in shape.junctions[low.number].cards]
                rate = max((each.rate for each in links if each and each.rate), default=None)
                part = Part(Kind.UPLINK, number=low.number)
            else:
                part = Part(Kind.MEMORY_WIRE, number=low.number)
            beside = x + _lane_width(rate, self._scale) + _LANE_GAP / 2 + _INSET
            words = QRectF(beside, roof, place.right() - beside, place.top() - roof)
            points = QPointF(x, place.top()), QPointF(x, roof)
            self._wire(part, (low, high), points, rate, words)

    def _spoke(self, card: CardId, places: Mapping[Part, QRectF]) -> None:
        """Its figures stand in the bar, since there is no room beside so wide a wire."""
        ends = Part(Kind.CARD, card), Part(Kind.HUB, number=self._shape.spokes[card].hub)
        tile, bar = (places[end] for end in ends)
        points = [QPointF(tile.center().x(), y) for y in (tile.bottom(), bar.top())]
        words = QRectF(tile.left(), bar.top() + 2, tile.width(), bar.height() - HUB_TITLE)
        rate = self._shape.spokes[card].rate
        self._wire(Part(Kind.SPOKE, card), ends, points, rate, words)

    def _brackets(self, row: Sequence[CardId], top: float) -> float:
        """What joins two cards alone; what would cross another stands deeper."""
        levels: list[float] = []
        bottom = top
        found = [link for link in self._shape.bridges if link.a in row and link.b in row]
        for link in sorted(found, key=lambda each: min(map(row.index, each[:2]))):
            span = self._over(link[:2], top, 0.0)
            deep = next((at for at, end in enumerate(levels) if end < span.left()), len(levels))
            levels[deep : deep + 1] = [span.right()]
            half = _lane_width(link.rate, self._scale) + _LANE_GAP / 2
            floor = top + (_BRACKET * self._taller + half) + deep * (half + 2 * _BRACKET_WORDS)
            a, b = (self._left[card] + self._tile / 2 for card in link[:2])
            points = [QPointF(a, top), QPointF(a, floor), QPointF(b, floor), QPointF(b, top)]
            words = self._over(link[:2], floor + half + 4, _BRACKET_WORDS)
            ends = Part(Kind.CARD, link.a), Part(Kind.CARD, link.b)
            self._wire(Part(Kind.LINK, *link[:2]), ends, points, link.rate, words)
            bottom = max(bottom, words.bottom())
        return bottom

    def _join_sockets(self) -> None:
        sockets = [each for each in self._boxes if each[0].kind is Kind.SOCKET]
        if len({part for part, _ in sockets}) < 2:
            return
        path, words = QPainterPath(), QRectF()
        for (_, one), (_, other) in pairwise(sockets):
            path.addPath(_path(_between(one, other, self._rail)))
            if words.isEmpty() and one.top() == other.top():
                words = QRectF(one.right(), one.top() - 2, other.left() - one.right(), 14)
        ends = sockets[0][0], sockets[-1][0]
        self._wires.append(Wire(SOCKETS, ends, (path,), _UNKNOWN, words))

    def _wire(
        self,
        part: Part,
        ends: Hop,
        points: Sequence[QPointF],
        rate: float | None,
        words: QRectF,
    ) -> None:
        width = _lane_width(rate, self._scale)
        # Forth is at the left of a wire that stands upright, and outside of a bracket.
        aside = (width + _LANE_GAP) / 2 * (1 if points[0].y() > points[1].y() else -1)
        lanes = _path(_beside(points, aside)), _path(_beside(points, -aside)[::-1])
        self._wires.append(Wire(part, ends, lanes, width, words))

    def _over(self, cards: Sequence[CardId], top: float, height: float) -> QRectF:
        """From the first to the last of these."""
        left = min(self._left[card] for card in cards)
        right = max(self._left[card] for card in cards) + self._tile
        return QRectF(left, top, right - left, height)


def _lane_width(rate: float | None, scale: float) -> float:
    return _UNKNOWN if rate is None else max(1.0, float(round(rate / scale)))


def _between(one: QRectF, other: QRectF, rail: float) -> list[QPointF]:
    """Straight where they stand side by side; else by the left of all rows."""
    here, there = one.center().y(), other.center().y()
    if here == there:
        one, other = sorted((one, other), key=QRectF.left)
        return [QPointF(one.right(), here), QPointF(other.left(), here)]
    ends = QPointF(one.left(), here), QPointF(other.left(), there)
    return [ends[0], QPointF(rail, here), QPointF(rail, there), ends[1]]


def _beside(points: Sequence[QPointF], aside: float) -> list[QPointF]:
    """The same way, so much to its left; its corners are right angles."""
    sides = [QPointF()]
    for one, other in pairwise(points):
        step = other - one
        side = QPointF(step.y(), -step.x()) * (aside / step.manhattanLength())
        sides[-1] += side
        sides.append(side)
    return [point + side for point, side in zip(points, sides, strict=True)]


def _path(points: Sequence[QPointF]) -> QPainterPath:
    path = QPainterPath(points[0])
    for point in points[1:]:
        path.lineTo(point)
    return path


def _nearest(places: Sequence[QRectF], to: QPointF) -> QRectF:
    return min(places, key=lambda each: (each.center() - to).manhattanLength())
