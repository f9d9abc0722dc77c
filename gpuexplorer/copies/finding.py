"""Finding: one thing that stands out among measured copies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import NOTHING, Message

Cell = tuple[str, str]


class Matter(StrEnum):
    """What kind of thing stands out; the gravest first."""

    WRONG = "wrong"
    DIRECT_SLOWER = "direct is slower"
    NARROW = "fewer lanes"
    FAR_BELOW = "far below its kin"
    ASYMMETRIC = "asymmetric"
    FASTER = "faster than its wire"
    PAGEABLE = "pageable"
    BUSY = "busy"
    UNSTEADY = "unsteady"
    NOT_AT_ONCE = "not at once"
    FEWER_BYTES = "fewer bytes"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Bar:
    """One figure of a finding, to be drawn beside the others."""

    words: Message
    rate: float
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """`title` is a heading: what stands out, without where. `sentence` has the figures."""

    matter: Matter
    title: Message
    sentence: Message
    cells: Sequence[Cell] = ()
    devices: Sequence[str] = ()  # where it is about devices, and not about pairs
    hint: Message = NOTHING
    bars: Sequence[Bar] = ()
    instead: CopyResult | None = None  # of a wrong or slow copy: the same bytes, staged
    both_ways: bool = False  # of a wrong copy: while the other direction was copied, too
    detour: bool = False  # of a wrong copy between cards: another way is left, through the host


def cell_of(result: CopyResult) -> Cell:
    return result.job.source, result.job.target


def cells_of(results: Iterable[CopyResult]) -> tuple[Cell, ...]:
    """Each once."""
    return tuple(dict.fromkeys(map(cell_of, results)))


def unit_of(results: Iterable[CopyResult]) -> Message:
    """Of their rates: which way is meant, where all mean the same."""
    units = {each.unit for each in results}
    return units.pop() if len(units) == 1 else Message("GB/s")


def from_to(values: Sequence[float], form: str = "") -> str:
    """In GB/s, unless a form says otherwise."""

    def shown(value: float) -> str:
        return form.format(value) if form else gigabytes_per_second(value)

    least, most = shown(min(values)), shown(max(values))
    return least if least == most else Message("{least} to {most}", least=least, most=most)
