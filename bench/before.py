"""The window beside that of another checkout, as it was before a large change, in turns."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.child import OFFSCREEN, stub
from bench.table import Figure, beside
from bench.window import CARD, OVERVIEW, diagnostics, first_reading, spent

_ROUNDS = 3
_SECONDS = 10.0
_MEASURED = (
    ("first drawn reading", "s"),
    ("processor a minute, 8 cards", "s"),
    ("the window's thread, a reading, 8 cards", "ms"),
    ("processor a minute, 64 cards", "s"),
    ("the window's thread, a reading, a card's screen", "ms"),
    ("a frame of the overview, 8 cards", "ms"),
    ("a frame of a card's screen", "ms"),
    ("memory, 8 cards", "MB"),
)


def figures(checkout: Path) -> Iterator[Figure]:
    turns = [(_measured(None), _measured(checkout)) for _ in range(_ROUNDS + 1)]
    for number, (what, unit) in enumerate(_MEASURED):
        # The first of each is to compile what it imports.
        pairs = [(ours[number], theirs[number]) for ours, theirs in turns[1:]]
        yield beside(f"{what}, now / before", pairs, unit, 1)


def _measured(checkout: Path | None) -> Sequence[float]:
    eight, many = ({**OFFSCREEN, **stub(cards)} for cards in (8, 64))
    minute, reading = spent(OVERVIEW, _SECONDS, eight, checkout)
    overview = diagnostics(OVERVIEW, _SECONDS, eight, checkout)
    card = diagnostics(CARD, _SECONDS, OFFSCREEN, checkout)
    return (
        first_reading(OFFSCREEN, checkout),
        minute,
        reading * 1e3,
        spent(OVERVIEW, _SECONDS, many, checkout)[0],
        spent(CARD, _SECONDS, OFFSCREEN, checkout)[1] * 1e3,
        overview["frames"]["cpu_ms"]["median"],
        card["frames"]["cpu_ms"]["median"],
        overview["resident_bytes"]["now"] / 1e6,
    )
