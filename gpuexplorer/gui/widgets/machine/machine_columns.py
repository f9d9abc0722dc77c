"""Columns: which cards stand beside each other in a drawn machine, and how wide they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from math import ceil

from gpuexplorer.core.cards import CardId
from gpuexplorer.telemetry.machine_shape import MachineShape


class Form(Enum):
    """How much is said: the more cards, the less of each."""

    LARGE = "large"  # a few cards in much room: larger, and all that a card has to say
    ROOMY = "roomy"  # words on both sides of a wire
    NORMAL = "normal"  # words at the right of it
    COMPACT = "compact"  # numbers only; the words are told on asking


@dataclass(frozen=True, slots=True)
class Across:
    """What a form takes from left to right, in pixels."""

    most: float  # a tile's width
    gap: float  # between two cards of one switch
    group_gap: float  # between switches
    socket_gap: float


ACROSS = {
    Form.LARGE: Across(340, 24, 8, 64),
    Form.ROOMY: Across(236, 24, 8, 64),
    Form.NORMAL: Across(168, 10, 6, 40),
    Form.COMPACT: Across(76, 4, 4, 28),
}


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A form, with tiles at least so wide, in at most so many rows."""

    form: Form
    least: float
    rows: int


_LARGE = _Attempt(Form.LARGE, 160, 1)
_LAST = _Attempt(Form.COMPACT, 30, 1000)
_ATTEMPTS = (
    _Attempt(Form.ROOMY, 168, 1),
    _Attempt(Form.NORMAL, 72, 2),
    _Attempt(Form.COMPACT, 44, 4),
    _LAST,
)
RAIL = 22.0  # at the left, where the processors of several rows are joined


@dataclass(frozen=True, slots=True)
class Column:
    """One card's place."""

    card: CardId
    socket: int | None  # None: nothing is known of its wiring
    left: float
    right: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


@dataclass(frozen=True, slots=True)
class Columns:
    """All cards in rows."""

    form: Form
    rows: tuple[tuple[Column, ...], ...]
    tile: float


_Seat = tuple[CardId, int | None]
_Block = list[_Seat]


def columns_of(shape: MachineShape, width: float) -> Columns:
    """Rows that are as wide as they may be at most; too narrow a place is exceeded."""
    blocks = _blocks(shape)
    for attempt in _ATTEMPTS:
        rows = _rows(shape, blocks, attempt, width)
        if rows is not None:
            return _placed(shape, rows, attempt, width)
    return _placed(shape, blocks, _LAST, width)


def large_columns_of(shape: MachineShape, width: float) -> Columns | None:
    """One row in the largest form; None where there is no room for it."""
    rows = _rows(shape, _blocks(shape), _LARGE, width)
    return None if rows is None else _placed(shape, rows, _LARGE, width)


def _blocks(shape: MachineShape) -> list[_Block]:
    """Processors whose cards NVLinks join stay together; each other stands by itself."""
    groups: list[set[int]] = [{at} for at in range(len(shape.sockets))]
    joined = [hub.cards for hub in shape.hubs] + [(link.a, link.b) for link in shape.bridges]
    for cards in joined:
        touched = {shape.home[card] for card in cards}
        inside = [group for group in groups if group & touched]
        merged = set().union(*inside)
        groups = [group for group in groups if group not in inside] + [merged]
    blocks: list[_Block] = [
        [(card, at) for at in sorted(group) for card in shape.sockets[at].cards]
        for group in sorted(groups, key=min)
    ]
    blocks.append([(card, None) for card in shape.loose])
    return [block for block in blocks if block]


def _rows(
    shape: MachineShape, blocks: Sequence[_Block], attempt: _Attempt, width: float
) -> list[_Block] | None:
    """None where there is no room for them so."""

    def needed(seats: _Block) -> float:
        return len(seats) * attempt.least + sum(_gaps(shape, seats, attempt.form))

    pieces: Sequence[_Block] = blocks
    room = width - (RAIL if len(blocks) > 1 else 0)
    if any(needed(block) > room for block in blocks):
        if attempt is not _LAST:
            return None
        pieces = [piece for block in blocks for piece in _pieces(block, attempt, width)]
        room = width - RAIL
    rows: list[_Block] = []
    for piece in pieces:
        if rows and needed([*rows[-1], *piece]) <= room:
            rows[-1] = [*rows[-1], *piece]
        else:
            rows.append(piece)
    if len(rows) > attempt.rows:
        return None
    return _balanced(pieces, len(rows)) if _alike(pieces) else rows


def _pieces(block: _Block, attempt: _Attempt, width: float) -> Sequence[_Block]:
    """Several, where it is wider than there is room."""
    across = ACROSS[attempt.form]
    each = attempt.least + across.gap + across.group_gap
    # An even number leaves the pairs together that a bridge or a switch joins.
    fitting = max(2, int((width - RAIL - across.socket_gap) / each) // 2 * 2)
    count = ceil(len(block) / fitting)
    size = ceil(len(block) / count / 2) * 2
    return [block[at : at + size] for at in range(0, len(block), size)]


def _alike(pieces: Sequence[_Block]) -> bool:
    return len({len(piece) for piece in pieces}) == 1


def _balanced(pieces: Sequence[_Block], rows: int) -> list[_Block]:
    """As many in each row as in the others, as far as that goes."""
    each = ceil(len(pieces) / rows)
    return [
        [seat for piece in pieces[at : at + each] for seat in piece]
        for at in range(0, len(pieces), each)
    ]


def _gaps(shape: MachineShape, seats: _Block, form: Form) -> list[float]:
    """Before each seat but the first."""
    across = ACROSS[form]
    gaps = []
    for (card, socket), (after, next_socket) in pairwise(seats):
        if socket != next_socket:
            gaps.append(across.socket_gap)
            continue
        ours, theirs = (shape.above.get(each, ())[:1] for each in (card, after))
        together = ours == theirs and bool(ours)
        gaps.append(across.gap if together else across.gap + across.group_gap)
    return gaps


def _placed(
    shape: MachineShape, rows: Sequence[_Block], attempt: _Attempt, width: float
) -> Columns:
    """Tiles of one width in all rows, the whole in the middle."""
    form, across = attempt.form, ACROSS[attempt.form]
    rail = RAIL if len(rows) > 1 and len(shape.sockets) > 1 else 0.0
    gaps = [_gaps(shape, row, form) for row in rows]
    fitting = min(
        (
            (width - rail - sum(between)) / len(row)
            for row, between in zip(rows, gaps, strict=True)
        ),
        default=0.0,
    )
    tile = float(int(min(across.most, max(attempt.least, fitting))))
    widest = max(
        (len(row) * tile + sum(between) for row, between in zip(rows, gaps, strict=True)),
        default=0.0,
    )
    begin = float(round(max(0.0, (width - rail - widest) / 2))) + rail
    placed = []
    for row, between in zip(rows, gaps, strict=True):
        columns, left = [], begin
        for (card, socket), gap in zip(row, (*between, 0.0), strict=True):
            columns.append(Column(card, socket, left, left + tile))
            left += tile + gap
        placed.append(tuple(columns))
    return Columns(form, tuple(placed), tile)
