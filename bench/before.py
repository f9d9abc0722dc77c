"""This program beside another checkout of it, as it was before a large change, in turns."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.stage import measured
from bench.table import Figure
from bench.window import CARD, OFFSCREEN, OVERVIEW, diagnostics, spent, stub

_ROUNDS = 3
_SECONDS = 10.0
# What it says of itself, by its own bench: it may not have what ours asks for.
_ITS_OWN = ("panning", "copies_screen")
_READING = "the window's thread, a reading, overview of 8 cards"
_UNITS = {
    _READING: "ms",
    "a frame of the overview, 8 cards": "ms",
    "memory, overview, 8 cards": "MB",
    "the window's thread, a reading, a card's screen": "ms",
    "a frame of a card's screen": "ms",
    "start to the first drawn reading": "s",
    "processor per minute, 8 cards": "s",
    "processor per minute, 64 cards": "s",
}


def figures(checkout: Path) -> list[Figure]:
    turns = [(_measured(None), _measured(checkout)) for _ in range(_ROUNDS + 1)]
    # The first of each is to compile what it imports.
    return [*(_beside(what, turns[1:]) for what in _UNITS), *_its_own(checkout)]


def _measured(checkout: Path | None) -> Mapping[str, float]:
    eight, many = ({**OFFSCREEN, **stub(cards)} for cards in (8, 64))
    overview = diagnostics(OVERVIEW, _SECONDS, eight, checkout)
    card = diagnostics(CARD, _SECONDS, OFFSCREEN, checkout)
    used = spent(OVERVIEW, _SECONDS, eight, checkout=checkout)
    found = (
        used.reading * 1e3,
        overview["frames"]["cpu_ms"]["median"],
        overview["resident_bytes"]["now"] / 1e6,
        spent(CARD, _SECONDS, OFFSCREEN, checkout=checkout).reading * 1e3,
        card["frames"]["cpu_ms"]["median"],
        overview["first_reading_seconds"],
        used.minute,
        spent(OVERVIEW, _SECONDS, many, checkout=checkout).minute,
    )
    return dict(zip(_UNITS, map(float, found), strict=True))


def _beside(
    what: str, turns: Sequence[tuple[Mapping[str, float], Mapping[str, float]]]
) -> Figure:
    ours = statistics.median(mine[what] for mine, _ in turns)
    before = statistics.median(theirs[what] for _, theirs in turns)
    ratio = statistics.median(mine[what] / theirs[what] for mine, theirs in turns)
    compared = what == _READING
    return Figure(
        f"{what}, beside before",
        f"{ours:.2f} / {before:.2f} {_UNITS[what]} = {ratio:.2f}",
        "at most 1.0" if compared else "",
        ratio <= 1.0 if compared else None,
    )


def _its_own(checkout: Path) -> Iterator[Figure]:
    for subject in _ITS_OWN:
        for each in measured(subject, checkout):
            yield Figure(f"before: {each.what}", each.value, each.goal, each.met)
