"""Timeline rows: where each engine of each device stands, from top to bottom."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.copies.timeline import Engine, Timeline, Track

STRIP = 26  # the session as a whole, above all
AXIS = 26
ROW = 17
GROUP_GAP = 7
GUTTER = 172
RIGHT = 10
BOTTOM = 6
_OF_CARD = (Engine.COMPUTE, Engine.COPY_IN, Engine.COPY_OUT)


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """`tracks` share it: what a card waits for stands where it would compute."""

    device: str
    engine: Engine
    tracks: tuple[Track, ...]
    top: int
    first: bool  # of its device


def rows_of(timeline: Timeline) -> Sequence[TimelineRow]:
    """Every card that did anything has all its engines, so that what is empty is seen."""
    rows: list[TimelineRow] = []
    top = STRIP + AXIS
    for device in timeline.devices:
        engines: Sequence[Engine] = (Engine.PYTHON,) if device == "cpu" else _OF_CARD
        for at, engine in enumerate(engines):
            tracks = [Track(device, engine)]
            if engine is Engine.COMPUTE:
                tracks.append(Track(device, Engine.WAIT))
            rows.append(TimelineRow(device, engine, tuple(tracks), top, at == 0))
            top += ROW
        top += GROUP_GAP
    return rows


def height_of(rows: Sequence[TimelineRow]) -> int:
    return (rows[-1].top + ROW if rows else STRIP + AXIS) + BOTTOM
