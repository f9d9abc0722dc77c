"""CopyRow: one copy that a cell of the lab made, or several alike, as its table shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gpuexplorer.copies.route import Route, Way
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.lab.events import Transferred

HOST = "cpu"
# Of fewer bytes a copy is over before any wire is full.
SMALL = 64 * 1024


class NoRate(StrEnum):
    """Why a copy has no rate."""

    NOTHING = "nothing"
    WRONG = "wrong"
    LATENCY = "latency"
    NOT_TIMED = "not timed"

    @property
    def words(self) -> Message:
        """To stand behind a colon."""
        return Message(_NO_RATE[self])


_NO_RATE = {
    NoRate.NOTHING: mark("nothing to copy"),
    NoRate.WRONG: mark("arrived WRONG"),
    NoRate.LATENCY: mark("all latency"),
    NoRate.NOT_TIMED: mark("the card was not asked how long it took"),
}


@dataclass(frozen=True, kw_only=True)
class CopyRow(Transferred):
    """What was told, and where it belongs. Where several copies are alike, bytes and times are
    those of all together. `what` and `cell` are known here even where the worker did not say.
    """

    number: int  # its place in the book, which it keeps
    ran: int  # the number of the cell that ran; the code may stand in an earlier one
    command: int
    code: str  # the line that copied
    whole: str  # the cell in which it stands
    life: int = 0  # of the worker in which it ran; others may give the same cards other names
    cards: Mapping[str, str] = field(default_factory=dict)  # UUIDs by that worker's names
    route: Route | None = None
    cell_seconds: float | None = None  # the host's, of the whole cell; None: it goes on yet

    @property
    def place(self) -> str:
        """ "3:2" is line 2 of cell 3; a cell of one line is its number."""
        several = self.line and "\n" in self.whole
        return f"{self.cell}:{self.line}" if several else f"{self.cell}"

    def card(self, device: str) -> str:
        """Its UUID; empty for the host, and where PyTorch does not say it."""
        return self.cards.get(device, "")

    @property
    def device_seconds(self) -> float | None:
        return self.seconds

    @property
    def wrong(self) -> bool:
        return self.intact is False

    @property
    def small(self) -> bool:
        """Its price is that it began, and not how much was copied."""
        return not self.already_there and self.bytes < SMALL * self.copies

    @property
    def no_rate(self) -> NoRate | None:
        """Why there is none; None where there is one."""
        if self.already_there:
            return NoRate.NOTHING
        if self.wrong:
            return NoRate.WRONG
        if self.small:
            return NoRate.LATENCY
        return None if self.device_seconds else NoRate.NOT_TIMED

    @property
    def rate(self) -> float | None:
        """Bytes per second."""
        if self.no_rate is not None or not self.device_seconds:
            return None
        return self.bytes / self.device_seconds

    @property
    def limit(self) -> float | None:
        """What the narrowest wire of its way could carry."""
        return None if self.route is None else self.route.limit

    @property
    def share(self) -> float | None:
        """How much of the limit was reached."""
        return self.rate / self.limit if self.rate is not None and self.limit else None

    @property
    def host_side(self) -> Message:
        """What the host's memory is; empty where none takes part, or it cannot be told."""
        if self.pinned is None:
            return NOTHING
        return Message("pinned") if self.pinned else Message("pageable")

    @property
    def kind_of_way(self) -> Way:
        """As the copy took it; what its route promises where that was not told."""
        if self.direct is False:
            return Way.STAGED
        if self.route is not None and self.route.words:
            return self.route.way
        return Way.DIRECT if self.direct else Way.UNKNOWN

    @property
    def path(self) -> Message:
        if self.already_there:
            return Message("already there")
        if self.direct is False:
            return Message("staged through host memory")
        if self.route is not None and self.route.words:
            return self.route.words
        return Message("direct") if self.direct else NOTHING

    @property
    def way(self) -> tuple[str, str, bool | None]:
        """Copies of the same way are compared: the ends, and what memory the host's is."""
        return self.source, self.target, self.pinned
