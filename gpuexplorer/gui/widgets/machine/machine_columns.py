"""Which cards stand beside each other in a drawn machine, and how wide they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from math import ceil

from PySide6.QtCore import QRectF

from gpuexplorer.core.cards import CardId
from gpuexplorer.telemetry.topology import MachineShape

LANE_GAP = 3.0
_UNKNOWN = 2.0  # the width of a lane of which nobody tells what it carries
SCALES = (8e9, 16e9, 32e9, 64e9, 128e9)  # bytes per second for one pixel


@dataclass(frozen=True, slots=True)
class Lanes:
    """Strips forth and back; several in a row where the wire has corners."""

    forth: tuple[QRectF, ...]
    back: tuple[QRectF, ...]

    @property
    def first(self) -> QRectF:
        """Both lanes of its first stretch."""
        return self.forth[0].united(self.back[-1]) if self.back else self.forth[0]

    def bounds(self) -> QRectF:
        whole = QRectF()
        for strip in (*self.forth, *self.back):
            whole = whole.united(strip)
        return whole


def lane_width(rate: float | None, scale: float) -> float:
    """Whole pixels, and at least one."""
    return _UNKNOWN if rate is None else max(1.0, float(round(rate / scale)))


def wire_width(lane: float) -> float:
    return 2 * lane + LANE_GAP


def upright(middle: float, top: float, bottom: float, lane: float) -> Lanes:
    """Forth is at the left."""
    left = float(round(middle - wire_width(lane) / 2))
    return Lanes(
        (QRectF(left, top, lane, bottom - top),),
        (QRectF(left + lane + LANE_GAP, top, lane, bottom - top),),
    )


def level(left: float, right: float, middle: float, lane: float) -> Lanes:
    """Forth is above."""
    top = float(round(middle - wire_width(lane) / 2))
    return Lanes(
        (QRectF(left, top, right - left, lane),),
        (QRectF(left, top + lane + LANE_GAP, right - left, lane),),
    )


def bracket(left: float, right: float, top: float, depth: float, lane: float) -> Lanes:
    """Down, across and up again; forth is outside."""
    outer = wire_width(lane) / 2
    bottom = top + depth
    begin, end = float(round(left - outer)), float(round(right - outer))
    step = lane + LANE_GAP
    far = end + step
    forth = (
        QRectF(begin, top, lane, depth),
        QRectF(begin + lane, bottom - lane, far - begin - lane, lane),
        QRectF(far, top, lane, depth),
    )
    near = bottom - step
    back = (
        QRectF(end, top, lane, near - top),
        QRectF(begin + step + lane, near - lane, end - begin - step - lane, lane),
        QRectF(begin + step, top, lane, near - top),
    )
    return Lanes(forth, back)


def rail(x: float, stops: Sequence[tuple[float, float]]) -> Lanes:
    """A plain strip from top to bottom with a branch to each stop, given as end and height."""
    strip = _UNKNOWN
    heights = [float(round(height - strip / 2)) for _, height in stops]
    spine = QRectF(x, heights[0], strip, heights[-1] + strip - heights[0])
    branches = [
        QRectF(x + strip, at, end - x - strip, strip)
        for (end, _), at in zip(stops, heights, strict=True)
    ]
    return Lanes((spine, *branches), ())


@dataclass(frozen=True, slots=True)
class Across:
    """What a form takes from left to right, in pixels."""

    least: float  # a tile's width
    most: float
    gap: float  # between two cards of one switch
    group_gap: float  # between switches
    socket_gap: float
    rows: int  # at most


class MachineForm(Enum):
    """How much is said: the more cards, the less of each."""

    LARGE = Across(160, 340, 24, 8, 64, 1)  # a few cards in much room: all each has to say
    ROOMY = Across(168, 236, 24, 8, 64, 1)  # words on both sides of a wire
    NORMAL = Across(60, 168, 8, 4, 28, 2)  # words at the right of it
    COMPACT = Across(44, 76, 4, 4, 28, 4)  # numbers only; the words are told on asking
    PACKED = Across(30, 76, 4, 4, 28, 1000)  # the same, in as many rows as it takes


RAIL = 22.0  # at the left, where the processors of several rows are joined


@dataclass(frozen=True, slots=True)
class CardColumn:
    """One card's place."""

    card: CardId
    socket: int | None  # None: nothing is known of its wiring
    left: float
    right: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


@dataclass(frozen=True, slots=True)
class CardRows:
    """All cards in rows of tiles that are equally wide."""

    form: MachineForm
    rows: tuple[tuple[CardColumn, ...], ...]
    tile: float


_Seat = tuple[CardId, int | None]
_Block = list[_Seat]


def card_rows(shape: MachineShape, width: float, form: MachineForm) -> CardRows | None:
    """None where there is no room for them so. The last form takes any room."""
    rows = _rows(shape, _blocks(shape), form, width)
    return None if rows is None else _placed(shape, rows, form, width)


def _blocks(shape: MachineShape) -> list[_Block]:
    """Processors whose cards NVLinks join stay together; each other stands by itself."""
    groups: list[set[int]] = [{at} for at in range(len(shape.sockets))]
    joined = [hub.cards for hub in shape.hubs] + [(link.a, link.b) for link in shape.bridges]
    for cards in joined:
        touched = {shape.home[card] for card in cards}
        inside = [group for group in groups if group & touched]
        groups = [group for group in groups if group not in inside] + [set().union(*inside)]
    blocks: list[_Block] = [
        [(card, at) for at in sorted(group) for card in shape.sockets[at].cards]
        for group in sorted(groups, key=min)
    ]
    blocks.append([(card, None) for card in shape.loose])
    return [block for block in blocks if block]


def _rows(
    shape: MachineShape, blocks: Sequence[_Block], form: MachineForm, width: float
) -> list[_Block] | None:
    across = form.value

    def needed(seats: _Block) -> float:
        return len(seats) * across.least + sum(_gaps(shape, seats, across))

    pieces: Sequence[_Block] = blocks
    room = width - (RAIL if len(blocks) > 1 else 0)
    if any(needed(block) > room for block in blocks):
        if form is not MachineForm.PACKED:
            return None
        pieces = [piece for block in blocks for piece in _pieces(block, across, width)]
        room = width - RAIL
    rows: list[_Block] = []
    for piece in pieces:
        if rows and needed([*rows[-1], *piece]) <= room:
            rows[-1] = [*rows[-1], *piece]
        else:
            rows.append(piece)
    if len(rows) > across.rows:
        return None
    if len({len(piece) for piece in pieces}) > 1:
        return rows
    # Pieces that are alike: as many in each row as in the others, as far as that goes.
    each = ceil(len(pieces) / max(1, len(rows)))
    return [
        [seat for piece in pieces[at : at + each] for seat in piece]
        for at in range(0, len(pieces), each)
    ]


def _pieces(block: _Block, across: Across, width: float) -> Sequence[_Block]:
    """Several, where it is wider than there is room."""
    each = across.least + across.gap + across.group_gap
    # An even number leaves the pairs together that a bridge or a switch joins.
    fitting = max(2, int((width - RAIL - across.socket_gap) / each) // 2 * 2)
    count = ceil(len(block) / fitting)
    size = ceil(len(block) / count / 2) * 2
    return [block[at : at + size] for at in range(0, len(block), size)]


def _gaps(shape: MachineShape, seats: _Block, across: Across) -> list[float]:
    """Before each seat but the first."""
    gaps = []
    for (card, socket), (after, next_socket) in pairwise(seats):
        ours, theirs = (shape.above.get(each, ())[:1] for each in (card, after))
        if socket != next_socket:
            gaps.append(across.socket_gap)
        elif ours and ours == theirs:
            gaps.append(across.gap)
        else:
            gaps.append(across.gap + across.group_gap)
    return gaps


def _placed(
    shape: MachineShape, rows: Sequence[_Block], form: MachineForm, width: float
) -> CardRows:
    """Tiles of one width in all rows, the whole in the middle."""
    across = form.value
    rail = RAIL if len(rows) > 1 and len(shape.sockets) > 1 else 0.0
    seated = [(row, _gaps(shape, row, across)) for row in rows]
    fitting = [(width - rail - sum(gaps)) / len(row) for row, gaps in seated]
    tile = float(int(min(across.most, max(across.least, min(fitting, default=0.0)))))
    widest = max((len(row) * tile + sum(gaps) for row, gaps in seated), default=0.0)
    begin = float(round(max(0.0, (width - rail - widest) / 2))) + rail
    placed = []
    for row, gaps in seated:
        columns, left = [], begin
        for (card, socket), gap in zip(row, (*gaps, 0.0), strict=True):
            columns.append(CardColumn(card, socket, left, left + tile))
            left += tile + gap
        placed.append(tuple(columns))
    return CardRows(form, tuple(placed), tile)
