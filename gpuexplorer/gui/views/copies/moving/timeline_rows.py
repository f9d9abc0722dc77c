"""Timeline rows: which engine of which device stands where, and their names beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from gpuexplorer.copies.timeline import Engine, Timeline, Track
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.wording.copies.moving.cells import chip_of
from gpuexplorer.gui.wording.copies.moving.time_frame import TimeFrame
from gpuexplorer.gui.wording.copies.moving.timeline_words import (
    lane_words,
    name_of,
    overlapped_words,
)
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

FLAGS = 16  # above all rows, for the numbers of lines
ROW = 17
GUTTER = 172
_GROUP_GAP = 7
_CHIP, _NAME, _LANE, _NARROW = 18.0, 66.0, 64.0, 150.0
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


def draw_names(
    drawing: Drawing,
    place: QRectF,
    rows: Sequence[TimelineRow],
    timeline: Timeline,
    frame: TimeFrame,
    devices: Mapping[str, BenchDevice],
) -> None:
    """`rows` lie from the top of the place. Where it is narrow, chips stand for names."""
    theme, letters, small = drawing.theme, drawing.letters, drawing.letters.caption
    narrow = place.width() < _NARROW
    for row in rows:
        middle = place.top() + row.top + ROW / 2
        lane = Run(small.elided(lane_words(row.engine), _LANE), small, theme.quiet)
        drawing.runs_right(place.right() - 10, middle + small.cap_height / 2, [lane])
        if not row.first:
            continue
        chip = chip_of(row.device, devices)
        width = max(_CHIP, small.width(chip.text) + 8)
        fill = None if chip.colour is None else theme.card(chip.colour)
        top = place.top() + row.top
        drawing.chip(QRectF(place.left(), top, width, _CHIP), chip.text, small, fill)
        if narrow:
            continue
        name = Run(name_of(row.device, devices), letters.caption, theme.text)
        left = place.left() + width + 8
        drawing.elided(left, middle + small.cap_height / 2, name, _NAME)
        share = timeline.overlapped(row.device, frame.begin, frame.end)
        said = Run(overlapped_words(share), small, theme.quiet)
        below = middle + ROW + 3 + small.cap_height / 2
        drawing.elided(place.left(), below, said, place.width() - 72)
