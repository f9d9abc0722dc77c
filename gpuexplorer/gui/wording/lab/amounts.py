"""Amounts as they stand within a sentence about a line of the lab."""

from collections.abc import Sequence

from gpuexplorer.core.units import USUAL, Units, duration, memory
from gpuexplorer.core.words import tr


def bytes_words(count: float, units: Units = USUAL) -> str:
    """ "24 B", "2 MiB", "7.45 GiB": without noughts that say nothing."""
    read = memory(count, units)
    number = read.number
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {read.unit}"


def seconds_words(seconds: float) -> str:
    """One or two digits, which is all that is known of what is only expected."""
    read = duration(float(f"{seconds:.2g}"))
    number = read.number
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {read.unit}"


def shape_words(shape: Sequence[int]) -> str:
    """ "2×3"; of a tensor without dimensions "one number"."""
    return "×".join(map(str, shape)) or tr("one number")


def beginning(text: str, most: int) -> str:
    """As many whole sentences as there is room for, or words; all of it where it is short."""
    if len(text) <= most:
        return text
    cut = max(text.rfind(". ", 0, most) + 1, text.rfind("\n", 0, most))
    if cut < most // 3:
        cut = text.rfind(" ", 0, most)
    return f"{text[: cut if cut > 0 else most].rstrip()} …"
