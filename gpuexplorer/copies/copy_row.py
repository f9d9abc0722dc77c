"""CopyRow: one copy that a line of the lab made, or several alike, as its table tells it."""

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class CopyRow:
    """Of `copies` alike, bytes and times are those of all together."""

    number: int  # its place in the book, which it keeps
    line: int  # the line's, as it stands before the code
    command: int
    code: str
    transfer: Transferred
    route: Route | None = None
    line_seconds: float | None = None  # the host's, of the whole line; None: it goes on yet

    @property
    def what(self) -> str:
        """As a person would call it: "X", "loss.item()", "print(Z)"."""
        one = self.transfer
        if one.how in ("print", "call", "index", "assignment", "look", "train"):
            words = {"print": "print({})", "call": "{}(…)", "index": "{}[…]"}
            return words.get(one.how, "{}").format(one.what or "…")
        if one.asked or not one.how:
            return one.what or self.code
        dotted = one.how not in ("float", "int", "bool", "load", "save", "tensor", "equal")
        return f"{one.what}.{one.how}()" if dotted else f"{one.how}({one.what or '…'})"

    @property
    def source(self) -> str:
        return self.transfer.source

    @property
    def target(self) -> str:
        return self.transfer.target

    @property
    def how(self) -> str:
        return self.transfer.how

    @property
    def asked(self) -> bool:
        return self.transfer.asked

    @property
    def bytes(self) -> int:
        return self.transfer.bytes

    @property
    def copies(self) -> int:
        return self.transfer.copies

    @property
    def device_seconds(self) -> float | None:
        return self.transfer.seconds

    @property
    def host_seconds(self) -> float | None:
        return self.transfer.host_seconds

    @property
    def modelled(self) -> bool:
        return self.transfer.modelled

    @property
    def intact(self) -> bool | None:
        """None: it was not checked."""
        return self.transfer.intact

    @property
    def already_there(self) -> bool:
        return self.transfer.already_there

    @property
    def wrong(self) -> bool:
        return self.transfer.intact is False

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
        """Of the limit."""
        return self.rate / self.limit if self.rate is not None and self.limit else None

    @property
    def host_side(self) -> Message:
        """Of the host's memory; empty where none takes part, or it cannot be told."""
        if self.transfer.pinned is None:
            return NOTHING
        return Message("pinned") if self.transfer.pinned else Message("pageable")

    @property
    def kind_of_way(self) -> Way:
        """As the copy took it; what its route promises where that was not told."""
        if self.transfer.direct is False:
            return Way.STAGED
        if self.route is not None and self.route.words:
            return self.route.way
        return Way.DIRECT if self.transfer.direct else Way.UNKNOWN

    @property
    def path(self) -> Message:
        if self.already_there:
            return Message("already there")
        if self.transfer.direct is False:
            return Message("staged through host memory")
        if self.route is not None and self.route.words:
            return self.route.words
        return Message("direct") if self.transfer.direct else NOTHING

    @property
    def way(self) -> tuple[str, str, bool | None]:
        """Copies of the same way are compared: the ends, and what memory the host's is."""
        return self.source, self.target, self.transfer.pinned
