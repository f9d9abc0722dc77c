"""Columns: what can be told of a copy, in the order in which it is offered."""

from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.words import mark


class Column(StrEnum):
    """The name under which it is remembered."""

    LINE = "line"
    WHAT = "what"
    WAY = "way"
    SIZE = "size"
    DEVICE = "device"
    HOST = "host"
    RATE = "rate"
    SHARE = "share"
    BEST = "best"
    HOST_SIDE = "host_side"
    PATH = "path"
    BLOCKING = "blocking"
    INTACT = "intact"


@dataclass(frozen=True, slots=True)
class Spec:
    """How a column looks and what it means."""

    column: Column
    caption: str
    meaning: str
    width: int
    right: bool = False
    kept: int = 0  # where there is little room, the lowest goes first; 0 is always there
    largest_first: bool = False


COLUMNS = (
    Spec(
        Column.LINE,
        mark("Line"),
        mark("The line of the lab that copied; in dashes where nobody asked for the copy."),
        56,
        largest_first=True,
    ),
    Spec(
        Column.WHAT,
        mark("What"),
        mark("The thing that was copied, or the word that copied it."),
        84,
    ),
    Spec(Column.WAY, mark("From, to"), mark("H is the host, a number is a card."), 80),
    Spec(
        Column.SIZE,
        mark("Size"),
        mark("Bytes, of repeats all together."),
        74,
        right=True,
        kept=12,
        largest_first=True,
    ),
    Spec(
        Column.DEVICE,
        mark("Device ms"),
        mark("How long the device's engine took, of repeats all together."),
        76,
        right=True,
        kept=11,
        largest_first=True,
    ),
    Spec(
        Column.HOST,
        mark("Host ms"),
        mark("For how long Python was kept, of repeats all together."),
        66,
        right=True,
        kept=10,
        largest_first=True,
    ),
    Spec(
        Column.RATE,
        "GB/s",
        mark("Bytes by the device's time. Of less than 64 KiB there is none: all is latency."),
        54,
        right=True,
        kept=13,
        largest_first=True,
    ),
    Spec(
        Column.SHARE,
        mark("Of limit, %"),
        mark("Of what the narrowest wire of the way could carry in theory."),
        96,
        right=True,
        kept=9,
        largest_first=True,
    ),
    Spec(
        Column.BEST,
        mark("Of best, %"),
        mark("Of the best rate that was reached on this way in this session."),
        74,
        right=True,
        kept=3,
        largest_first=True,
    ),
    Spec(
        Column.HOST_SIDE,
        mark("Host side"),
        mark(
            "Whether the host's memory was pinned. From pageable memory the driver copies "
            "twice."
        ),
        78,
        kept=6,
    ),
    Spec(
        Column.PATH,
        mark("Path"),
        mark("The way of the bytes, and how often they went it."),
        106,
        kept=8,
    ),
    Spec(
        Column.BLOCKING,
        mark("Waited"),
        mark("Whether Python waited until the bytes had arrived."),
        62,
        kept=2,
    ),
    Spec(
        Column.INTACT,
        mark("Intact"),
        mark("Whether what arrived was compared with what was sent, and was the same."),
        68,
        kept=14,  # WRONG is seen in any case
    ),
)
INDEX = {spec.column: position for position, spec in enumerate(COLUMNS)}
ALWAYS = frozenset({Column.LINE, Column.WHAT, Column.WAY})
WHAT_AT_LEAST = 72


def fitting(chosen: frozenset[Column] | None, room: int) -> frozenset[Column]:
    """What was chosen; else as many as fit beside a name that can be read."""
    if chosen is not None:
        return chosen | ALWAYS
    shown = {spec.column for spec in COLUMNS}
    for spec in sorted(COLUMNS, key=lambda spec: spec.kept):
        widths = [each.width for each in COLUMNS if each.column in shown]
        if sum(widths) - COLUMNS[1].width + WHAT_AT_LEAST <= room:
            break
        if spec.kept:
            shown.discard(spec.column)
    return frozenset(shown)
