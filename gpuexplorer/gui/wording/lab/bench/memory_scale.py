"""How far the small plot of a card's memory reaches: little on a large card is to be seen."""

from gpuexplorer.core.units import USUAL, Units, memory

_ROOM = 1.1
_LEAST = 0.25


def memory_reach(most: float, total: float | None, units: Units = USUAL) -> float:
    """The next round figure above the most that was seen, and never beyond the card."""
    one = 1e9 if units.decimal_memory else float(1 << 30)
    reach = _LEAST * one
    while reach < most * _ROOM:
        reach *= 2
    return min(reach, total) if total else reach


def reach_words(reach: float, units: Units = USUAL) -> str:
    """ "4 GiB", without the digits that a round figure does not need."""
    shown = memory(reach, units)
    number = shown.number
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {shown.unit}"
