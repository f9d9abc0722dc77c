"""What is seen of a program beside its copies: idle cards, loaders, and trips of tensors."""

from dataclasses import dataclass
from enum import Enum


class Why(str, Enum):  # noqa: UP042 - Python 3.10
    """Why a card had nothing to do."""

    READ = "read"  # the host waited for the card there, and had asked it for nothing further
    LOADER = "loader"  # the host waited there for the next batch
    HOST = "host"  # the host computed, read or slept there
    START = "start"  # before the first step: imports, the model, the first batch


@dataclass(frozen=True)
class Idle:
    """One card had nothing to do because of one line of code: sums since the beginning."""

    row: int
    device: str
    why: Why
    seconds: float
    times: int
    longest: float
    file: str = ""
    cell: int = 0
    line: int = 0
    what: str = ""  # the expression, such as "loss.item()"
    # The row of a READ, of whose seconds these are a part, in which the host was here; 0: none.
    part_of: int = 0


@dataclass(frozen=True)
class Loader:
    """Batches that one line of code took from a DataLoader: sums since the beginning."""

    row: int
    batches: int
    seconds: float  # for which the host waited for them
    workers: int  # processes of the loader; 0: the program's own
    pins: bool  # it was asked for pinned memory
    file: str = ""
    cell: int = 0
    line: int = 0
    what: str = ""


@dataclass(frozen=True)
class Trip:
    """What left a card at one line came back to it from another, itself or computed from it
    on the host: sums since the beginning.
    """

    row: int  # the Transferred that brought it back
    out: int  # the row of the Transferred by which it had left
    device: str
    times: int
    bytes: int  # that came back
    changed: bool  # the host computed with it in between
