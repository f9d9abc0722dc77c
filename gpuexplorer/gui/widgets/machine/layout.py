"""The parts of a machine, and where each of them stands when it is drawn."""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum, auto
from functools import reduce
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


class Layout(NamedTuple):
    """In the scene's own units, which a view makes larger or smaller."""

    size: QSizeF
    boxes: Sequence[tuple[Part, QRectF]]  # one that is in several rows stands in each
    wires: Sequence[Wire]
    scale: float  # bytes per second for a lane as wide as one unit
    rail: float  # where processors of several rows are joined

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


class Way(NamedTuple):
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


def way_through(layout: Layout, hops: Sequence[Hop]) -> Way:
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
    return Way(wires, path, tuple(boxes.values()))


_LANE_GAP = 3.0
_UNKNOWN = 2.0  # the width of a lane of which nobody tells what it carries
_SCALES = (8e9, 16e9, 32e9, 64e9, 128e9)
# What the wires of one card may take of the width of its tile.
_SPOKE_SHARE, _HOST_SHARE, _BRIDGE_MOST = 0.72, 0.3, 63.0
# From left to right: a tile, and the gaps between cards, switches and processors.
_LEAST, _MOST = 84.0, 190.0
_GAP, _GROUP_GAP, _SOCKET_GAP, _RAIL = 8.0, 12.0, 28.0, 22.0
_INSET, _WORDS_GAP = 6.0, 6.0
# From top to bottom: boxes, and gaps, which grow where there is height left.
_MEMORY, _SOCKET, _BRIDGE, _SWITCH, _TILE, _HUB, _ROW_GAP = 30, 34, 24, 28, 120, 60, 36
_MEMORY_GAP, _UPLINK, _TO_TILE, _TO_HUB, _BRACKET = 18, 40, 74, 36, 16
_BRACKET_WORDS, _TALLEST = 48, 2.0
HUB_TITLE = 26.0  # below the figures that stand in it


def layout_of(
    shape: MachineShape, width: float, cards: Collection[CardId], height: float = 0.0
) -> Layout:
    """Of these cards: in as few rows as have room for them."""
    plain = _Plan(shape, width, cards, 1.0).layout()
    spare = height - plain.size.height()
    if spare <= 0 or not plain.wires:
        return plain
    gained = _Plan(shape, width, cards, _TALLEST).layout().size.height() - plain.size.height()
    share = min(1.0, spare / gained)
    return _Plan(shape, width, cards, 1 + (_TALLEST - 1) * share).layout()


class _Plan:
    """Goes through the rows from top to bottom."""

    def __init__(
        self, shape: MachineShape, width: float, cards: Collection[CardId], taller: float
    ) -> None:
        self._shape, self._taller = shape, taller
        self._boxes: list[tuple[Part, QRectF]] = []
        self._wires: list[Wire] = []
        self._rows = self._seated(width, cards)
        rail = _RAIL if len(self._rows) > 1 else 0.0
        gaps = [sum(self._gaps(row)) for row in self._rows]
        rooms = [
            (width - rail - gap) / len(row) for row, gap in zip(self._rows, gaps, strict=True)
        ]
        self._tile = float(int(min(_MOST, max(_LEAST, min(rooms, default=0.0)))))
        self._left = dict[CardId, float]()
        for row in self._rows:
            left = rail
            for card, gap in zip(row, (*self._gaps(row), 0.0), strict=True):
                self._left[card] = left
                left += self._tile + gap
        self._rail = rail / 4
        self._scale = self._fitting_scale()

    def layout(self) -> Layout:
        top = 0.0
        for row in self._rows:
            top = self._row(row, top) + _ROW_GAP
        self._join_sockets()
        right = max(self._left.values(), default=0.0) + self._tile
        size = QSizeF(right, max(0.0, top - _ROW_GAP))
        return Layout(size, self._boxes, self._wires, self._scale, self._rail)

    def _seated(self, width: float, cards: Collection[CardId]) -> list[list[CardId]]:
        """Cards of one processor stay in one row where they can, and pairs in any case."""
        fitting = max(2, int((width - _RAIL) / (_LEAST + _GAP)))
        most = ceil(len(cards) / max(1, ceil(len(cards) / fitting)))
        groups = [*(socket.cards for socket in self._shape.sockets), self._shape.loose]
        rows: list[list[CardId]] = []
        for group in groups:
            here = [card for card in group if card in cards]
            size = ceil(len(here) / max(1, ceil(len(here) / fitting)) / 2) * 2
            for at in range(0, len(here), max(1, size)):
                piece = here[at : at + size]
                if rows and len(rows[-1]) + len(piece) <= most:
                    rows[-1] += piece
                else:
                    rows.append(piece)
        return rows

    def _gaps(self, row: Sequence[CardId]) -> list[float]:
        """Before each card but the first."""
        home, above = self._shape.home, self._shape.above
        return [
            _SOCKET_GAP
            if home.get(card) != home.get(after)
            else _GAP
            if above.get(card, ())[:1] == above.get(after, ())[:1]
            else _GROUP_GAP
            for card, after in pairwise(row)
        ]

    def _fitting_scale(self) -> float:
        """The finest at which every wire has room."""
        shape, tile = self._shape, self._tile
        wanted = [
            (link.rate, tile * _HOST_SHARE)
            for link in shape.topology.links
            if link.b == HOST_ID
        ]
        wanted += [(spoke.rate, tile * _SPOKE_SHARE) for spoke in shape.spokes.values()]
        wanted += [(link.rate, min(_BRIDGE_MOST, tile)) for link in shape.bridges]
        for scale in _SCALES:
            if all(2 * _lane_width(rate, scale) + _LANE_GAP <= room for rate, room in wanted):
                return scale
        return _SCALES[-1]

    def _row(self, row: Sequence[CardId], top: float) -> float:
        """Returns where the row ends."""
        wired = [card for card in row if card in self._shape.home]
        low = self._processors(wired, top)
        for kind in (PathKind.HOST_BRIDGE, PathKind.SWITCHES, PathKind.SWITCH):
            self._junctions(kind, wired, low)
        above = max((place.bottom() for _, place in low.values()), default=top)
        top = above + (_TO_TILE * self._taller if wired else 0.0)
        for card in row:
            tile = QRectF(self._left[card], top, self._tile, _TILE)
            self._boxes.append((Part(Kind.CARD, card), tile))
            if card in low:
                self._wire_card(card, low[card], tile)
        return self._nvlinks(row, top + _TILE)

    def _processors(
        self, row: Sequence[CardId], top: float
    ) -> dict[CardId, tuple[Part, QRectF]]:
        """Returns for each card the lowest box above it."""
        low: dict[CardId, tuple[Part, QRectF]] = {}
        for at in dict.fromkeys(self._shape.home[card] for card in row):
            here = [card for card in row if self._shape.home[card] == at]
            memory = self._over(here, top, _MEMORY)
            place = self._over(here, memory.bottom() + _MEMORY_GAP * self._taller, _SOCKET)
            ends = Part(Kind.MEMORY, number=at), Part(Kind.SOCKET, number=at)
            self._boxes += [(ends[0], memory), (ends[1], place)]
            middle = place.center().x()
            points = QPointF(middle, memory.bottom()), QPointF(middle, place.top())
            self._wire(Part(Kind.MEMORY_WIRE, number=at), ends, points, None)
            low |= dict.fromkeys(here, (ends[1], place))
        return low

    def _junctions(
        self, kind: PathKind, row: Sequence[CardId], low: dict[CardId, tuple[Part, QRectF]]
    ) -> None:
        """One kind of them, over its cards and below what is there."""
        bridge = kind is PathKind.HOST_BRIDGE
        under = max((place.bottom() for _, place in low.values()), default=0.0)
        for junction in self._shape.junctions:
            here = [card for card in row if card in junction.cards]
            if junction.kind is not kind or not here:
                continue
            top = under + (0.0 if bridge else _UPLINK * self._taller)
            place = self._over(here, top, _BRIDGE if bridge else _SWITCH)
            part = Part(Kind.JUNCTION, number=junction.number)
            self._boxes.append((part, place))
            if not bridge:
                # As wide as the widest of its cards' wires: nobody tells more.
                links = [self._shape.host_link(card) for card in junction.cards]
                rate = max((link.rate for link in links if link and link.rate), default=None)
                above, roof = low[here[0]]
                points = QPointF(place.center().x(), top), QPointF(0, roof.bottom())
                wire = Part(Kind.UPLINK, number=junction.number)
                self._wire(wire, (part, above), points, rate, place.right())
            low |= dict.fromkeys(here, (part, place))

    def _wire_card(self, card: CardId, above: tuple[Part, QRectF], tile: QRectF) -> None:
        link = self._shape.host_link(card)
        rate = None if link is None else link.rate
        half = _lane_width(rate, self._scale) + _LANE_GAP / 2
        points = QPointF(tile.left() + _INSET + half, tile.top()), QPointF(0, above[1].bottom())
        ends = Part(Kind.CARD, card), above[0]
        self._wire(Part(Kind.LINK, card, HOST_ID), ends, points, rate, tile.right())

    def _nvlinks(self, row: Sequence[CardId], top: float) -> float:
        """Below the tiles; what would cross stands deeper. Returns where they end."""
        joined = [(hub.cards, hub.number) for hub in self._shape.hubs]
        joined += [(link[:2], -1) for link in self._shape.bridges]
        levels: list[float] = []
        bottom = top
        found = [([card for card in row if card in cards], hub) for cards, hub in joined]
        for here, hub in sorted(
            found, key=lambda each: row.index(each[0][0]) if each[0] else 0
        ):
            if not here or (hub < 0 and len(here) < 2):
                continue
            span = self._over(here, top, 0.0)
            deep = next((at for at, end in enumerate(levels) if end < span.left()), len(levels))
            levels[deep : deep + 1] = [span.right()]
            deeper = top + deep * (_TO_HUB * self._taller + _HUB)
            lay = (
                self._hub(hub, here, top, deeper)
                if hub >= 0
                else self._bracket(here, top, deeper)
            )
            bottom = max(bottom, lay)
        return bottom

    def _hub(self, number: int, here: Sequence[CardId], top: float, deeper: float) -> float:
        bar = self._over(here, deeper + _TO_HUB * self._taller, _HUB)
        hub = Part(Kind.HUB, number=number)
        self._boxes.append((hub, bar))
        for card in here:
            x = self._left[card] + self._tile / 2
            ends, rate = (Part(Kind.CARD, card), hub), self._shape.spokes[card].rate
            self._wire(
                Part(Kind.SPOKE, card), ends, (QPointF(x, top), QPointF(x, bar.top())), rate
            )
            # Its figures stand in the bar, since there is no room beside so wide a wire.
            words = QRectF(self._left[card], bar.top() + 2, self._tile, _HUB - HUB_TITLE)
            self._wires[-1] = self._wires[-1]._replace(words=words)
        return bar.bottom()

    def _bracket(self, here: Sequence[CardId], top: float, deeper: float) -> float:
        part = link_between(self._shape, *here)
        link = self._shape.link(*here)
        assert link is not None
        wide = 2 * _lane_width(link.rate, self._scale) + _LANE_GAP
        a, b = (self._left[card] + self._tile / 2 for card in part[1:3])
        floor = deeper + _BRACKET * self._taller + wide / 2
        points = [QPointF(a, top), QPointF(a, floor), QPointF(b, floor), QPointF(b, top)]
        self._wire(part, (Part(Kind.CARD, link.a), Part(Kind.CARD, link.b)), points, link.rate)
        words = self._over(here, floor + wide / 2 + 4, _BRACKET_WORDS)
        self._wires[-1] = self._wires[-1]._replace(words=words)
        return words.bottom()

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
        words_to: float = 0.0,
    ) -> None:
        """Straight up where there are words: they stand at its right."""
        width = _lane_width(rate, self._scale)
        words = QRectF()
        if words_to:
            points = points[0], QPointF(points[0].x(), points[1].y())
            left = points[0].x() + width + _LANE_GAP / 2 + _WORDS_GAP
            words = QRectF(QPointF(left, points[1].y()), QPointF(words_to, points[0].y()))
        aside = (width + _LANE_GAP) / 2
        lanes = _path(_beside(points, aside)), _path(_beside(points, -aside)[::-1])
        self._wires.append(Wire(part, ends, lanes, width, words))

    def _over(self, cards: Sequence[CardId], top: float, height: float) -> QRectF:
        """From the first to the last of these."""
        places = [QRectF(self._left[card], top, self._tile, height) for card in cards]
        return reduce(QRectF.united, places)


def _lane_width(rate: float | None, scale: float) -> float:
    return _UNKNOWN if rate is None else max(1.0, float(round(rate / scale)))


def _between(one: QRectF, other: QRectF, rail: float) -> list[QPointF]:
    """Straight where they stand side by side; else by the left of all rows."""
    here, there = one.center().y(), other.center().y()
    if here == there:
        ends = (
            (one.right(), other.left())
            if one.left() < other.left()
            else (
                one.left(),
                other.right(),
            )
        )
        return [QPointF(x, here) for x in ends]
    return [
        QPointF(one.left(), here),
        QPointF(rail, here),
        QPointF(rail, there),
        QPointF(other.left(), there),
    ]


def _beside(points: Sequence[QPointF], aside: float) -> list[QPointF]:
    """The same way, so much to its left; its corners are right angles."""
    sides = [_left_of(one, other) * aside for one, other in pairwise(points)]
    firsts, lasts = [QPointF(), *sides], [*sides, QPointF()]
    turns = [a if a == b else a + b for a, b in zip(firsts, lasts, strict=True)]
    return [point + turn for point, turn in zip(points, turns, strict=True)]


def _left_of(one: QPointF, other: QPointF) -> QPointF:
    step = other - one
    return QPointF(step.y(), -step.x()) / max(1e-9, abs(step.x()) + abs(step.y()))


def _path(points: Sequence[QPointF]) -> QPainterPath:
    path = QPainterPath(points[0])
    for point in points[1:]:
        path.lineTo(point)
    return path


def _nearest(places: Sequence[QRectF], to: QPointF) -> QRectF:
    return min(places, key=lambda each: (each.center() - to).manhattanLength())
