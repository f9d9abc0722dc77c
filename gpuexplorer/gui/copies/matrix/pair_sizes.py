"""How large the cells of the maps are: as large as there is room for."""

from dataclasses import dataclass

AFTER_HOST, EDGE = 6, 6  # what the host's row and column, and a number at a corner, take more
_HEADS, _SMALL_HEADS = (46, 34), 30
_SIZES = ((3, (170, 72)), (5, (124, 56)), (9, (84, 40)))  # cells of so many devices at most
_WIDEST, _HIGHEST, _HIGHEST_OF_TWO = 84, 36, 44
_NUMBERS_FROM, _LEAST_HIGH, _LEAST = 27, 18, 4
_FLAT, _LEAST_FLAT = 0.68, 22  # how high a cell with a figure is, of its width


@dataclass(frozen=True, slots=True)
class PairSizes:
    """In pixels; `left` and `top` are what the heads take."""

    across: int
    down: int
    gap: int
    left: int
    top: int
    numbers: bool  # a cell has room for a figure


def sizes_in(count: int, width: int, height: int, *, two_lines: bool) -> PairSizes:
    """As large as there is room for, within what is pleasant to read."""
    count = max(1, count)
    wide, high = _most(count, two_lines=two_lines)
    across = _across(count, width, wide)
    down = min(high, (height - _HEADS[1] - AFTER_HOST - EDGE) // count)
    if across >= _NUMBERS_FROM and down >= _LEAST_HIGH:
        return PairSizes(across, down, 3 if across >= 40 else 2, *_HEADS, numbers=True)
    side = _side(count, min(width, height))
    gap = 1 if side < 14 else 2
    return PairSizes(side, side, gap, _SMALL_HEADS, _SMALL_HEADS, numbers=False)


def height_for(count: int, width: int, *, two_lines: bool) -> int:
    """What it takes at that width where nothing is short."""
    count = max(1, count)
    wide, high = _most(count, two_lines=two_lines)
    across = _across(count, width, wide)
    if across < _NUMBERS_FROM:
        return _SMALL_HEADS + count * _side(count, width)
    down = high if two_lines else min(high, max(_LEAST_FLAT, round(across * _FLAT)))
    return _HEADS[1] + EDGE + AFTER_HOST + count * down


def least_size(count: int) -> int:
    return _SMALL_HEADS + max(1, count) * _LEAST


def _across(count: int, width: int, widest: int) -> int:
    return min(widest, (width - _HEADS[0] - AFTER_HOST - EDGE) // count)


def _side(count: int, room: int) -> int:
    return max(_LEAST, min(_NUMBERS_FROM - 1, (room - _SMALL_HEADS) // count))


def _most(count: int, *, two_lines: bool) -> tuple[int, int]:
    """Of a few devices there is room for larger cells."""
    wide, high = next((size for most, size in _SIZES if count <= most), (_WIDEST, _HIGHEST))
    return wide, max(high, _HIGHEST_OF_TWO) if two_lines else high
