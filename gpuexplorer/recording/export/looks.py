"""Who used the cards: at every change, and now and then; and from when to when."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.recording.export.choosing import Choice
from gpuexplorer.recording.told import ProgramFacts, ProgramSeen, Turn
from gpuexplorer.telemetry.processes import ProcessFigure

_EVERY = 60.0  # seconds
_MOST = 50_000  # a month and a little more


class Look(NamedTuple):
    at: float
    card: CardId
    programs: Sequence[ProgramSeen] | None  # None: nobody could tell


@dataclass(slots=True)
class Use:
    """Of one card by one process, from the look that found it to the first that did not."""

    facts: ProgramFacts
    begin: float
    until: float = 0.0
    most: float | None = None  # of the card's memory, in bytes


def looks(choice: Choice, most: int = _MOST) -> Iterator[Look]:
    """In order of time, while somebody recorded; at most so many in a run beside changes."""
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
        every = max(_EVERY, (last - first) / most)
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


def uses(choice: Choice, most: int = _MOST) -> Sequence[Use]:
    """In the order in which they began."""
    there: dict[tuple[CardId, int], Use] = {}
    over: list[Use] = []
    run = choice.recording.run(choice.start)
    for look in looks(choice, most):
        last, run = run, choice.recording.run(look.at)
        present = {(look.card, each.subject): each for each in look.programs or ()}
        for key in [*there]:
            # What somebody saw before a pause may have ended during it.
            if last is not run or (key[0] == look.card and key not in present):
                there[key].until = look.at if last is run else last.ended
                over.append(there.pop(key))
        for key, seen in present.items():
            use = there.setdefault(key, Use(seen.facts, look.at))
            memory = seen.values.get(ProcessFigure.MEMORY)
            use.most = max(use.most or 0.0, memory) if memory is not None else use.most
    for use in there.values():
        use.until = min(run.ended, choice.end)
    return sorted([*over, *there.values()], key=lambda each: each.begin)
