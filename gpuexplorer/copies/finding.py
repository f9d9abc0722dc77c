"""Finding: one thing that stands out among measured copies."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import gigabytes_per_second

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
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Bar:
    """One figure of a finding, to be drawn beside the others."""

    words: str
    rate: float
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """`title` goes on from the names of its cells or devices: "arrives WRONG"."""

    matter: Matter
    title: str
    sentence: str
    cells: Sequence[Cell] = ()
    devices: Sequence[str] = ()  # where it is about devices, and not about pairs
    hint: str = ""
    bars: Sequence[Bar] = ()
    instead: CopyResult | None = None  # of a wrong or slow copy: the same bytes, staged
    detour: bool = False  # of a wrong copy between cards: another way is left, through the host


def cell_of(result: CopyResult) -> Cell:
    return result.job.source, result.job.target


def from_to(values: Sequence[float], form: str = "") -> str:
    """In GB/s, unless a form says otherwise."""

    def shown(value: float) -> str:
        return form.format(value) if form else gigabytes_per_second(value)

    least, most = shown(min(values)), shown(max(values))
    return least if least == most else f"{least} to {most}"
