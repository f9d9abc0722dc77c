"""Timeline rows: where each engine of each device stands, from top to bottom."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.copies.timeline import Engine, Timeline, Track

FLAGS = 16  # above all rows, for the numbers of lines
ROW = 17
_GROUP_GAP = 7
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
    top = FLAGS
    for device in timeline.devices:
        engines: Sequence[Engine] = (Engine.PYTHON,) if device == "cpu" else _OF_CARD
        for at, engine in enumerate(engines):
            tracks = [Track(device, engine)]
            if engine is Engine.COMPUTE:
                tracks.append(Track(device, Engine.WAIT))
            rows.append(TimelineRow(device, engine, tuple(tracks), top, at == 0))
            top += ROW
        top += _GROUP_GAP
    return rows


def height_of(rows: Sequence[TimelineRow]) -> int:
    return rows[-1].top + ROW + 4 if rows else FLAGS
