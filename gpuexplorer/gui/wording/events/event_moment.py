"""EventMoment: the same thing on several cards at once, which is one row and not many."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gpuexplorer.core.words import Message, tr
from gpuexplorer.telemetry.happenings import Happening, Kind

# The cards of one round are read within this time.
_AT_ONCE = 1.5
# Rows that may have come in between: another round tells of other things meanwhile.
_LOOKED_AT = 16


@dataclass(slots=True)
class EventMoment:
    """The oldest first. All of one kind, about the same, and each of another card."""

    happenings: list[Happening]

    @property
    def first(self) -> Happening:
        return self.happenings[0]

    def take(self, happening: Happening) -> bool:
        """True if it belongs here, and then it is here."""
        first = self.first
        belongs = (
            happening.kind is first.kind
            and happening.card is not None
            and happening.at - first.at <= _AT_ONCE
            and all(happening.card != each.card for each in self.happenings)
            and stem(happening) == stem(first)
        )
        if belongs:
            self.happenings.append(happening)
        return belongs


def stem(happening: Happening) -> Message:
    """What is said of each card alike: without the number of a process."""
    program = happening.sentence.values.get("program")
    if program is None:
        return happening.sentence
    if happening.kind is Kind.PROCESS_APPEARED:
        return Message("{program} uses the card", program=program)
    return Message("{program} no longer uses the card", program=program)


def gathered(
    happenings: Iterable[Happening], top: Sequence[EventMoment] = ()
) -> tuple[list[EventMoment], int]:
    """The moments of these, the newest first; `happenings` come the oldest first. What belongs
    to one of `top`, which are listed already, goes there; also how many of them were looked at.
    """
    new: list[EventMoment] = []
    reached = 0
    for happening in happenings:
        if any(moment.take(happening) for moment in reversed(new[-_LOOKED_AT:])):
            continue
        for position, moment in enumerate(top[:_LOOKED_AT]):
            if moment.take(happening):
                reached = max(reached, position + 1)
                break
        else:
            new.append(EventMoment([happening]))
    return new[::-1], reached


def result_of(moment: EventMoment, result: Callable[[Happening], str]) -> str:
    """One for all where it is the same."""
    results = {result(each): None for each in moment.happenings}
    return next(iter(results)) if len(results) == 1 else tr("not the same for all")
