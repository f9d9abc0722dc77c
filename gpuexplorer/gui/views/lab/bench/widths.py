"""How wide each column of the bench is, and which devices have one."""

from collections.abc import Sequence

GAP = 8
_HOLDING = 192  # a block can be read
_EMPTY = 136  # the head and the foot can
_MOST_COLUMNS = 10  # the host, eight cards and meta


def column_widths(holding: Sequence[bool], room: int) -> Sequence[int]:
    """Alike where there is room; else empty ones give way, and then the bench scrolls."""
    count = len(holding)
    if not count:
        return ()
    room -= GAP * (count - 1)
    if room // count >= _HOLDING:
        return _shared([0] * count, room)
    least = [_HOLDING if each else _EMPTY for each in holding]
    return _shared(least, room - sum(least))


def in_columns(holding: Sequence[bool], host: Sequence[bool]) -> Sequence[bool]:
    """Where there are very many, only those that hold something; the others are listed."""
    if len(holding) <= _MOST_COLUMNS:
        return [True] * len(holding)
    return [held or is_host for held, is_host in zip(holding, host, strict=True)]


def _shared(widths: list[int], rest: int) -> Sequence[int]:
    """What is left over goes to all alike."""
    if rest <= 0:
        return widths
    each, more = divmod(rest, len(widths))
    return [width + each + (at < more) for at, width in enumerate(widths)]
