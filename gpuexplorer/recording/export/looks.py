"""Who used the cards: at every change, and once a minute."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.recording.export.choosing import Choice
from gpuexplorer.recording.told import ProgramSeen, Turn

_EVERY = 60.0  # seconds
_MOST = 50_000  # a month and a little more


class Look(NamedTuple):
    at: float
    card: CardId
    programs: Sequence[ProgramSeen] | None  # None: nobody could tell


def looks(choice: Choice) -> Iterator[Look]:
    """In order of time, while somebody recorded."""
    recording = choice.recording
    said: dict[CardId, Sequence[ProgramSeen] | None] = {}
    cards = [card for card in choice.metrics if card != HOST_ID]
    turns = [
        (at, [card for card in cards if not isinstance(value, Mapping) or card in value])
        for at, value in recording.turns(Turn.PROCESSES)
        if choice.start < at <= choice.end
    ]
    for run in recording.runs:
        first, last = max(run.began, choice.start), min(run.ended, choice.end)
        every = max(_EVERY, (last - first) / _MOST)
        times = range(int((last - first) // every) + 1 if first <= last else 0)
        rhythm = [(first + every * number, cards) for number in times]
        for at, some in sorted(
            [*rhythm, *(turn for turn in turns if first < turn[0] <= last)],
            key=lambda each: each[0],
        ):
            for card in some:
                programs = recording.processes(card, at)
                # That nobody can tell is said once.
                if programs is not None or said.get(card, ()) is not None:
                    yield Look(at, card, programs)
                said[card] = programs
