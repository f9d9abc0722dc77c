"""Finding: one thing in a program that is worth a change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import Message
from gpuexplorer.programs.program_run import Spot


class Matter(StrEnum):
    """What a finding is about."""

    READ = "read"  # the host reads from a card so often that the card waits
    BLOCKING = "blocking"  # copies of pinned memory for which the host waits all the same
    PAGEABLE = "pageable"  # large copies from memory that is not pinned
    SMALL = "small"  # many small copies where one large would do
    TRIP = "trip"  # a tensor that goes to the host and back
    LOADER = "loader"  # batches come too slowly
    HOST = "host"  # the host itself keeps a card waiting


@dataclass(frozen=True, slots=True)
class Finding:
    """`sentence` begins with the place and has the figures."""

    matter: Matter
    spot: Spot
    place: Message  # "train.py:84"
    what: str  # the expression, such as "loss.item()"; empty where it is not known
    sentence: Message
    cure: Message
    # Of those watched, what the cure can give back at most. None: it cannot be estimated.
    seconds: float | None
    figures: Mapping[str, float | int | None] = field(default_factory=dict)
    device: str = ""  # the card that waited
    other: Spot | None = None  # a second line that belongs to it, as of a trip
    rows: frozenset[int] = frozenset()  # of the copies that it is about

    def share(self, whole: float) -> str:
        """How many per cent of so many seconds the cure can give back at most: "23". Empty
        where it cannot be estimated.
        """
        if self.seconds is None or whole <= 0:
            return ""
        return plain(float(f"{min(1.0, self.seconds / whole) * 100:.2g}"))
