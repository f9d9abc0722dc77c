"""The parts of a machine, and where each of them stands when it is drawn."""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum, auto
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QPainterPath, QPolygonF

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


Hop = tuple[Part, Part]
SOCKETS = Part(Kind.SOCKETS)


def way_of(shape: MachineShape, part: Part) -> Sequence[Part]:
    """All that a link runs through, its ends included; anything else is itself."""
    if part.kind is not Kind.LINK:
        return (part,)
    a, b, link = part.card, part.to, shape.link(part.card, part.to)
    ours, theirs = _up(shape, a)[:-2], _up(shape, b)[:-2]
    if b == HOST_ID:
        return ours
    if link is None:
        return ours[0], theirs[0]
    if link.nvlinks:
        hub, spokes = shape.hub_of(a), (Part(Kind.SPOKE, a), Part(Kind.SPOKE, b))
        between = (part,) if hub is None else (*spokes, Part(Kind.HUB, number=hub.number))
        return (ours[0], theirs[0], *between)
    common = [each for each in ours if each in theirs]
    way = [each for each in (*ours, *theirs) if each not in common[1:]]
    return way if common else [*way, SOCKETS]


def _up(shape: MachineShape, card: CardId) -> list[Part]:
    """From a card to the memory of its processor: what stands there, and in turn what leads up
    from it.
    """
    way = [Part(Kind.CARD, card), Part(Kind.LINK, card, HOST_ID)]
    for junction in shape.above.get(card, ()):
        way += [Part(kind, number=junction.number) for kind in (Kind.JUNCTION, Kind.UPLINK)]
    if card in shape.home:
        kinds = (Kind.SOCKET, Kind.MEMORY_WIRE, Kind.MEMORY)
        way += [Part(kind, number=shape.home[card]) for kind in kinds]
    return way


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

    def places(self, part: Part) -> list[QRectF]:
        return [place for each, place in self.boxes if each == part]


_LANE_GAP = 3.0
UNKNOWN_WIDTH = 2.0  # the width of a lane of which nobody tells what it carries
_SCALES = (8e9, 16e9, 32e9, 64e9, 128e9)
_LANE_SHARE = 0.36  # what a lane may take of the width of a tile
# From left to right: tiles, and the gaps between cards and processors.
_IN_A_ROW, _MOST = 8, 220.0
_GAP, _SOCKET_GAP, _RAIL = 8.0, 28.0, 20.0
_INSET, _ROW_GAP = 4.0, 36.0
HUB_TITLE = 26.0  # below the figures that stand in it
# From top to bottom: the gap above each kind of box, and how high it is.
_LEVELS: Mapping[Kind | PathKind, tuple[float, float]] = {
    Kind.MEMORY: (0, 30),
    Kind.SOCKET: (18, 34),
    PathKind.HOST_BRIDGE: (0, 24),
    PathKind.SWITCHES: (40, 28),
    PathKind.SWITCH: (40, 28),
    Kind.CARD: (74, 104),
    Kind.HUB: (40, 60),
}
_WIDE, _NARROW_HIGHER = 120.0, 26.0  # a tile with two texts in a line, or in two
_BRACKET, _BRACKET_WORDS = 16.0, 60.0


def layout_of(shape: MachineShape, cards: Collection[CardId], width: float) -> MachineLayout:
    """Of these cards. Those of one processor stay in one row where they can."""
    groups = [
        [card for card in near if card in cards]
        for near in (*(socket.cards for socket in shape.sockets), shape.loose)
    ]
    rows: list[list[CardId]] = []
    for group in groups:
        for piece in (group[at:][:_IN_A_ROW] for at in range(0, len(group), _IN_A_ROW)):
            if rows and len(rows[-1]) + len(piece) <= _IN_A_ROW:
                rows[-1] += piece
            else:
                rows.append(piece)
    return _Plan(shape, rows, width).layout()


class _Plan:
    """Goes through the rows from top to bottom."""

    def __init__(self, shape: MachineShape, rows: list[list[CardId]], width: float) -> None:
        self._shape, self._rows = shape, rows
        self._boxes: list[tuple[Part, QRectF]] = []
        self._wires: list[Wire] = []
        rail = _RAIL if len(rows) > 1 else 0.0
        gaps = {
            card: _GAP if shape.home.get(card) == shape.home.get(after) else _SOCKET_GAP
            for row in rows
            for card, after in pairwise(row)
        }
        rooms = [(width - sum(gaps[card] for card in row[:-1])) / len(row) for row in rows]
        self._tile = float(int(min([_MOST, *rooms])))
        self._left = dict[CardId, float]()
        for row in rows:
            left = rail
            for card in row:
                self._left[card] = left
                left += self._tile + gaps.get(card, 0.0)
        rates = [link.rate or 0 for link in shape.topology.links if link.b == HOST_ID]
        rates += [spoke.rate or 0 for spoke in shape.spokes.values()]
        rates += [link.rate or 0 for link in shape.bridges]
        widest, fastest = self._tile * _LANE_SHARE, max(rates, default=0)
        self._scale = next((x for x in _SCALES if fastest / x <= widest), _SCALES[-1])

    def layout(self) -> MachineLayout:
        top = 0.0
        for row in self._rows:
            top = self._row(row, top) + _ROW_GAP
        self._join_sockets()
        right = max(self._left.values(), default=0.0) + self._tile
        size = QSizeF(right, max(0.0, top - _ROW_GAP))
        return MachineLayout(size, self._boxes, self._wires)

    def _row(self, row: Sequence[CardId], top: float) -> float:
        """Boxes in their levels, and what joins them. Returns where the row ends."""
        shape, places = self._shape, dict[Part, QRectF]()
        found: list[tuple[Kind | PathKind, Part, Sequence[CardId]]] = []
        for at, near in enumerate(shape.sockets):
            found += [(k, Part(k, number=at), near.cards) for k in (Kind.MEMORY, Kind.SOCKET)]
        found += [(Kind.HUB, Part(Kind.HUB, number=e.number), e.cards) for e in shape.hubs]
        found += [(e.kind, Part(Kind.JUNCTION, number=e[0]), e.cards) for e in shape.junctions]
        found += [(Kind.CARD, Part(Kind.CARD, card), [card]) for card in row]
        more = _NARROW_HIGHER if self._tile < _WIDE else 0.0
        for level, (gap, least) in _LEVELS.items():
            height = least + (more if level is Kind.CARD else 0.0)
            here = {
                part: ours
                for kind, part, cards in found
                if kind is level and (ours := [card for card in cards if card in row])
            }
            if here:
                top += gap if places else 0.0
                places |= {part: self._over(cards, top, height) for part, cards in here.items()}
                top += height
        self._boxes += places.items()
        for card in row:
            way = _up(shape, card)
            for low, wire, high in zip(way[::2], way[1::2], way[2::2], strict=False):
                self._upright(wire, (low, high), places)
            if card in shape.spokes:
                self._spoke(card, places)
        return self._brackets(row, top)

    def _upright(self, part: Part, ends: Hop, places: Mapping[Part, QRectF]) -> None:
        low, high = (places[end] for end in ends)
        roof, rate = high.bottom(), self._rate(part)
        # What touches has no wire; that of a switch is there already at its second card.
        if roof < low.top() and all(wire.ends != ends for wire in self._wires):
            half = _lane_width(rate, self._scale) + _LANE_GAP / 2
            x = low.left() + _INSET + half if part.kind is Kind.LINK else low.center().x()
            left = x + half + _INSET
            words = QRectF(left, roof, low.right() - left, low.top() - roof)
            self._wire(part, ends, [QPointF(x, low.top()), QPointF(x, roof)], rate, words)

    def _rate(self, part: Part) -> float | None:
        """Of an uplink that of the widest of its cards' links: nobody tells more."""
        shared = part.kind is Kind.UPLINK
        cards = self._shape.junctions[part.number].cards if shared else (part.card,)
        links = [self._shape.host_link(card) for card in cards]
        return max((link.rate for link in links if link and link.rate), default=None)

    def _spoke(self, card: CardId, places: Mapping[Part, QRectF]) -> None:
        """Its figures stand in the bar, since there is no room beside so wide a wire."""
        spoke = self._shape.spokes[card]
        ends = Part(Kind.CARD, card), Part(Kind.HUB, number=spoke.hub)
        tile, bar = (places[end] for end in ends)
        points = [QPointF(tile.center().x(), y) for y in (tile.bottom(), bar.top())]
        words = QRectF(tile.left(), bar.top() + 2, tile.width(), bar.height() - HUB_TITLE)
        self._wire(Part(Kind.SPOKE, card), ends, points, spoke.rate, words)

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
            floor = top + _BRACKET + half + deep * (half + 2 * _BRACKET_WORDS)
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
            path.addPath(path_of(between(one, other)))
            if words.isEmpty() and one.top() == other.top():
                words = QRectF(one.right(), one.top() - 2, other.left() - one.right(), 14)
        ends = sockets[0][0], sockets[-1][0]
        self._wires.append(Wire(SOCKETS, ends, (path,), UNKNOWN_WIDTH, words))

    def _wire(
        self, part: Part, ends: Hop, points: list[QPointF], rate: float | None, words: QRectF
    ) -> None:
        width = _lane_width(rate, self._scale)
        # Forth is at the left of a wire that stands upright, and outside of a bracket.
        aside = (width + _LANE_GAP) / 2 * (1 if points[0].y() > points[1].y() else -1)
        lanes = path_of(_beside(points, aside)), path_of(_beside(points, -aside)[::-1])
        self._wires.append(Wire(part, ends, lanes, width, words))

    def _over(self, cards: Sequence[CardId], top: float, height: float) -> QRectF:
        """From the first to the last of these."""
        lefts = [self._left[card] for card in cards]
        return QRectF(min(lefts), top, max(lefts) + self._tile - min(lefts), height)


def _lane_width(rate: float | None, scale: float) -> float:
    return UNKNOWN_WIDTH if rate is None else max(1.0, float(round(rate / scale)))


def between(one: QRectF, other: QRectF) -> list[QPointF]:
    """Straight where they stand side by side; else by the left of all rows."""
    here, there, rail = one.center().y(), other.center().y(), _RAIL / 4
    if here == there:
        one, other = sorted((one, other), key=QRectF.left)
        return [QPointF(one.right(), here), QPointF(other.left(), here)]
    corners = (one.left(), here), (rail, here), (rail, there), (other.left(), there)
    return [QPointF(*corner) for corner in corners]


def _beside(points: Sequence[QPointF], aside: float) -> list[QPointF]:
    """The same way, so much to its left; its corners are right angles."""
    sides = [QPointF()]
    for one, other in pairwise(points):
        step = other - one
        side = QPointF(step.y(), -step.x()) * (aside / step.manhattanLength())
        sides[-1] += side
        sides.append(side)
    return [point + side for point, side in zip(points, sides, strict=True)]


def path_of(points: list[QPointF]) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon(QPolygonF(points))
    return path
