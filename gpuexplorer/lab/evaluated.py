"""What expressions gave that a lesson asked about, as the worker says it."""

from dataclasses import dataclass

from gpuexplorer.core.words import NOTHING, Message


@dataclass(frozen=True)
class Worth:
    """What one expression gave."""

    truth: "bool | None" = None  # whether Python counts it as true
    number: "float | None" = None  # None: it is none
    text: str = ""
    error: Message = NOTHING  # why it gave nothing
    found: Message = NOTHING  # what the left side of a comparison was that is not true
    fault: bool = False  # Python raised it: the expression is wrong, and no figure missing


@dataclass(frozen=True)
class Evaluated:
    """What each expression gave, in their order; fewer where they were cancelled."""

    id: int
    worths: "tuple[Worth, ...]"
