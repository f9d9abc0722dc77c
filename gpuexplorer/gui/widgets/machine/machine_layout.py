"""MachineLayout: where each part of a drawn machine stands; the same for the same width."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from PySide6.QtCore import QRectF, QSizeF

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.gui.widgets.machine.machine_columns import (
    RAIL,
    SCALES,
    CardColumn,
    CardRows,
    Lanes,
    MachineForm,
    bracket,
    card_rows,
    lane_width,
    level,
    rail,
    upright,
    wire_width,
)
from gpuexplorer.gui.widgets.machine.machine_things import (
    OfCard,
    OfHub,
    OfJunction,
    OfLink,
    OfMemory,
    OfMemoryWire,
    OfSocket,
    OfSockets,
    OfSpoke,
    OfUplink,
    Thing,
)
from gpuexplorer.telemetry.topology import Junction, Link, MachineShape, PathKind


@dataclass(frozen=True, slots=True)
class Box:
    """Something with a name on it."""

    thing: Thing
    place: QRectF


@dataclass(frozen=True, slots=True)
class Wire:
    """What joins two boxes, and the room for its words: left of it, and right of it or below.

    Its lanes lead forth from the first end to the second, and back.
    """

    thing: Thing
    ends: tuple[Thing, Thing]
    lanes: Lanes
    before: QRectF = field(default_factory=QRectF)
    after: QRectF = field(default_factory=QRectF)


@dataclass(frozen=True, slots=True)
class MachineLayout:
    """All of it, in pixels from the top left corner."""

    form: MachineForm
    size: QSizeF
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    scale: float  # bytes per second for one pixel of a lane's width


@dataclass(frozen=True, slots=True)
class Down:
    """What a form takes from top to bottom, in pixels. A height of 0: it is not drawn."""

    memory: float
    memory_gap: float
    socket: float
    bridge: float
    uplink: float
    switch: float
    words: float  # between the lowest switch and the tile
    tile: float
    nvlink: float  # from the tile to where the NVLinks meet
    hub: float
    bracket: float
    bracket_words: float
    row_gap: float


_SMALL = Down(0, 0, 20, 8, 12, 8, 16, 34, 14, 18, 6, 0, 26)
_DOWN = {
    MachineForm.LARGE: Down(40, 28, 46, 26, 60, 32, 88, 136, 48, 64, 24, 44, 40),
    MachineForm.ROOMY: Down(32, 20, 38, 22, 44, 28, 60, 70, 40, 48, 16, 36, 36),
    MachineForm.NORMAL: Down(30, 18, 34, 22, 40, 26, 74, 86, 36, 58, 14, 64, 36),
    MachineForm.COMPACT: _SMALL,
    MachineForm.PACKED: _SMALL,
}
# How much gaps and boxes may grow at most where height is left.
_MOST = {
    MachineForm.LARGE: (2.1, 1.1),
    MachineForm.ROOMY: (2.1, 1.6),
    MachineForm.NORMAL: (2.1, 1.7),
    MachineForm.COMPACT: (3.0, 2.6),
    MachineForm.PACKED: (2.0, 2.0),
}
_GAPS = ("memory_gap", "uplink", "words", "nvlink", "bracket")
_BOXES = ("tile", "socket", "switch", "bridge", "hub")
HUB_TITLE = 26.0  # below the figures that stand in it
SMALL = (MachineForm.COMPACT, MachineForm.PACKED)
# Shares of a tile's width, or pixels, that the wires of one card may take.
_SPOKE_SHARE, _HOST_SHARE = 0.72, 0.5
_BRACKET_LANE = 30.0
_WIRE_INSET = 12.0
_NARROW, _NARROW_INSET = 90.0, 5.0  # a tile, in which a wire leaves its words more room
_WORDS_GAP = 7.0


def layout_of(shape: MachineShape, width: float, height: float = 0.0) -> MachineLayout:
    """The largest form for which there is room. A height that is left makes it taller."""
    rows, layout = None, None
    for form in MachineForm:
        large = form is MachineForm.LARGE
        rows = None if large and height <= 0 else card_rows(shape, width, form)
        if rows is not None:
            layout = _Plan(shape, rows, _DOWN[form]).layout()
            if not large or layout.size.height() <= height:
                break
    assert rows is not None
    assert layout is not None
    spare = height - layout.size.height()
    if spare <= 0:
        return layout
    tallest = _Plan(shape, rows, _stretched(_DOWN[rows.form], rows.form, 1.0)).layout()
    gained = tallest.size.height() - layout.size.height()
    if gained <= spare:
        return tallest
    return _Plan(shape, rows, _stretched(_DOWN[rows.form], rows.form, spare / gained)).layout()


def _stretched(down: Down, form: MachineForm, share: float) -> Down:
    """`share`, 0 to 1, of as tall as it may become. Rounded down: together they must not
    exceed what is left.
    """
    gap, box = (1 + (most - 1) * share for most in _MOST[form])
    taller = {name: float(int(getattr(down, name) * gap)) for name in _GAPS}
    taller |= {name: float(int(getattr(down, name) * box)) for name in _BOXES}
    return replace(down, **taller)


class _Plan:
    """Goes through the rows from top to bottom."""

    def __init__(self, shape: MachineShape, columns: CardRows, down: Down) -> None:
        self._shape = shape
        self._form = columns.form
        self._rows = columns.rows
        self._tile = columns.tile
        self._down = down
        self._scale = self._fitting_scale()
        self._boxes: list[Box] = []
        self._wires: list[Wire] = []
        self._says_words = columns.form not in SMALL
        self._stops: list[tuple[float, float]] = []

    def layout(self) -> MachineLayout:
        top = 0.0
        for row in self._rows:
            top = self._lay_row(row, top) + self._down.row_gap
        self._join_rows()
        right = max((column.right for row in self._rows for column in row), default=0.0)
        return MachineLayout(
            self._form,
            QSizeF(right, max(0.0, top - self._down.row_gap)),
            tuple(self._boxes),
            tuple(self._wires),
            self._scale,
        )

    def _wire(
        self,
        thing: Thing,
        ends: tuple[Thing, Thing],
        lanes: Lanes,
        before: QRectF | None = None,
        after: QRectF | None = None,
    ) -> None:
        if not self._says_words:
            before = after = None
        self._wires.append(Wire(thing, ends, lanes, before or QRectF(), after or QRectF()))

    def _fitting_scale(self) -> float:
        """The finest at which every wire has room."""
        shape, tile = self._shape, self._tile
        to_host = [link.rate for link in shape.topology.links if link.b == HOST_ID]
        wanted = [(rate, tile * _HOST_SHARE) for rate in to_host]
        wanted += [(spoke.rate, tile * _SPOKE_SHARE) for spoke in shape.spokes.values()]
        most = min(wire_width(_BRACKET_LANE), tile * _SPOKE_SHARE)
        wanted += [(link.rate, most) for link in shape.bridges]
        for scale in SCALES:
            if all(wire_width(lane_width(rate, scale)) <= room for rate, room in wanted):
                return scale
        return SCALES[-1]

    def _lay_row(self, row: Sequence[CardColumn], top: float) -> float:
        """Returns where the row ends."""
        wired = [column for column in row if column.socket is not None]
        bottoms = self._lay_processors(wired, top)
        under = max(bottoms.values(), default=top)
        for kind in (PathKind.HOST_BRIDGE, PathKind.SWITCHES, PathKind.SWITCH):
            under = self._lay_junctions(kind, wired, bottoms, under)
        tiles = under + (self._down.words if wired else 0.0)
        for column in row:
            tile = QRectF(column.left, tiles, self._tile, self._down.tile)
            self._boxes.append(Box(OfCard(column.card), tile))
            if column.socket is not None:
                self._wire_card(column, bottoms[column.card], tiles)
        return self._lay_nvlinks(row, tiles + self._down.tile)

    def _lay_processors(self, row: Sequence[CardColumn], top: float) -> dict[CardId, float]:
        """Returns for each card where the lowest box above it ends."""
        down = self._down
        above = top + down.memory + down.memory_gap
        bottoms: dict[CardId, float] = {}
        before: tuple[OfSocket, QRectF] | None = None
        for socket in dict.fromkeys(column.socket for column in row):
            assert socket is not None
            here = [column for column in row if column.socket == socket]
            place = _over(here, above, down.socket)
            thing = OfSocket(socket)
            self._boxes.append(Box(thing, place))
            if down.memory:
                self._boxes.append(Box(OfMemory(socket), _over(here, top, down.memory)))
                lanes = upright(place.center().x(), top + down.memory, above, 2.0)
                self._wires.append(Wire(OfMemoryWire(socket), (OfMemory(socket), thing), lanes))
            if before is None:
                self._stops.append((place.left(), place.center().y()))
            else:
                self._join(before, (thing, place))
            before = (thing, place)
            bottoms |= {column.card: place.bottom() for column in here}
        return bottoms

    def _join(self, left: tuple[OfSocket, QRectF], right: tuple[OfSocket, QRectF]) -> None:
        height = left[1].center().y()
        lanes = level(left[1].right(), right[1].left(), height, lane_width(None, 1.0))
        room = QRectF(left[1].right(), left[1].top() - 2, lanes.forth[0].width(), 14)
        self._wire(OfSockets(), (left[0], right[0]), lanes, after=room)

    def _join_rows(self) -> None:
        """The processors of several rows, at the left of them all."""
        if len(self._stops) < 2 or len(self._shape.sockets) < 2:
            return
        sockets = [box for box in self._boxes if isinstance(box.thing, OfSocket)]
        ends = (sockets[0].thing, sockets[-1].thing)
        x = float(round(min(end for end, _ in self._stops) - RAIL * 0.75))
        self._wire(OfSockets(), ends, rail(x, self._stops))

    def _lay_junctions(
        self,
        kind: PathKind,
        row: Sequence[CardColumn],
        bottoms: dict[CardId, float],
        under: float,
    ) -> float:
        """One kind of them over its cards. Returns where they end, or what was handed in."""
        found = [
            (each, here)
            for each in self._shape.junctions
            if each.kind is kind
            and (here := [column for column in row if column.card in each.cards])
        ]
        if not found:
            return under
        is_bridge = kind is PathKind.HOST_BRIDGE
        top = under if is_bridge else under + self._down.uplink
        height = self._down.bridge if is_bridge else self._down.switch
        for junction, here in found:
            place = _over(here, top, height)
            thing = OfJunction(junction.number)
            self._boxes.append(Box(thing, place))
            if not is_bridge:
                self._wire_up(junction, here, bottoms[here[0].card], place)
            bottoms |= {column.card: place.bottom() for column in here}
        return top + height

    def _wire_up(
        self, junction: Junction, here: Sequence[CardColumn], above: float, place: QRectF
    ) -> None:
        """As wide as the widest of its cards' wires: nobody tells more."""
        links = [self._shape.host_link(card) for card in junction.cards]
        rates = [link.rate for link in links if link is not None and link.rate is not None]
        lane = lane_width(max(rates, default=None), self._scale)
        lanes = upright(place.center().x(), above, place.top(), lane)
        thing = OfJunction(junction.number)
        ends = (thing, self._above(here[0], thing))
        words = QRectF(
            lanes.bounds().right() + _WORDS_GAP,
            above,
            place.right() - lanes.bounds().right() - _WORDS_GAP,
            place.top() - above,
        )
        self._wire(OfUplink(junction.number), ends, lanes, after=words)

    def _above(self, column: CardColumn, thing: OfJunction | OfCard) -> Thing:
        """The box that a card's or a switch's wire leads up to."""
        ways = [OfJunction(each.number) for each in self._shape.above[column.card]]
        rest = ways[ways.index(thing) + 1 :] if isinstance(thing, OfJunction) else ways
        assert column.socket is not None
        return rest[0] if rest else OfSocket(column.socket)

    def _wire_card(self, column: CardColumn, above: float, tiles: float) -> None:
        link = self._shape.host_link(column.card)
        lane = lane_width(None if link is None else link.rate, self._scale)
        wide = wire_width(lane)
        normal = self._form is MachineForm.NORMAL
        inset = _NARROW_INSET if self._tile < _NARROW else _WIRE_INSET
        middle = column.left + inset + wide / 2 if normal else column.middle
        lanes = upright(middle, above, tiles, lane)
        bounds = lanes.bounds()
        top = tiles - self._down.words
        gap = _NARROW_INSET if self._tile < _NARROW else _WORDS_GAP
        left = QRectF(column.left, top, bounds.left() - gap - column.left, tiles - top)
        right = QRectF(bounds.right() + gap, top, 0, tiles - top)
        right.setRight(column.right)
        thing = OfLink(column.card, HOST_ID)
        ends = (OfCard(column.card), self._above(column, OfCard(column.card)))
        self._wire(thing, ends, lanes, None if normal else left, right)

    def _lay_nvlinks(self, row: Sequence[CardColumn], top: float) -> float:
        """Below the tiles; what would cross stands deeper. Returns where they end."""
        places = {column.card: column for column in row}
        spans: list[tuple[float, float, Link | int]] = []
        for link in self._shape.bridges:
            if link.a in places and link.b in places:
                ends = sorted((places[link.a].middle, places[link.b].middle))
                spans.append((ends[0], ends[1], link))
        for hub in self._shape.hubs:
            here = [places[card] for card in hub.cards if card in places]
            if here:
                left = min(column.left for column in here)
                spans.append((left, max(column.right for column in here), hub.number))
        levels: list[float] = []
        bottom = top
        for left, right, what in sorted(spans, key=lambda span: span[:2]):
            deep = next((at for at, end in enumerate(levels) if end < left), len(levels))
            levels[deep : deep + 1] = [right]
            begin = top + deep * (self._down.nvlink + self._down.hub)
            if isinstance(what, int):
                bottom = max(bottom, self._lay_hub(what, places, top, begin))
            else:
                bottom = max(bottom, self._lay_bracket(what, places, top, begin - top))
        return bottom

    def _lay_hub(
        self, number: int, places: Mapping[CardId, CardColumn], top: float, begin: float
    ) -> float:
        hub = self._shape.hubs[number]
        here = [places[card] for card in hub.cards if card in places]
        bar = begin + self._down.nvlink
        self._boxes.append(Box(OfHub(number), _over(here, bar, self._down.hub)))
        for column in here:
            lane = lane_width(self._shape.spokes[column.card].rate, self._scale)
            lanes = upright(column.middle, top, bar, lane)
            ends = (OfCard(column.card), OfHub(number))
            # Its figures stand in the bar, where there is room below so wide a wire.
            words = QRectF(column.left, bar + 2, self._tile, self._down.hub - HUB_TITLE)
            self._wire(OfSpoke(column.card), ends, lanes, after=words)
        return bar + self._down.hub

    def _lay_bracket(
        self, link: Link, places: Mapping[CardId, CardColumn], top: float, deeper: float
    ) -> float:
        a, b = places[link.a], places[link.b]
        lane = lane_width(link.rate, self._scale)
        wide = wire_width(lane)
        depth = deeper + wide + self._down.bracket
        left, right = sorted((a.middle, b.middle))
        lanes = bracket(left, right, top, depth, lane)
        words = QRectF(0, top + depth + 4, 0, self._down.bracket_words)
        words.setLeft(min(a.left, b.left))
        words.setRight(max(a.right, b.right))
        turned = a.middle > b.middle
        thing = OfLink(link.a, link.b)
        if turned:
            lanes = Lanes(lanes.back, lanes.forth)
        self._wire(thing, (OfCard(link.a), OfCard(link.b)), lanes, after=words)
        return words.bottom() if self._down.bracket_words else top + depth


def _over(columns: Sequence[CardColumn], top: float, height: float) -> QRectF:
    """From the first to the last of these."""
    places = [QRectF(each.left, top, each.right - each.left, height) for each in columns]
    return reduce(QRectF.united, places)
