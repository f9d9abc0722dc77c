"""What took place, as a row of a list says it: sign, card, sentence, and how it ended."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message, mark, tr, trn
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.moments import moment_words, span_words
from gpuexplorer.gui.wording.reasons import ORDINARY
from gpuexplorer.telemetry.happenings import (
    BEGINNING_OF,
    BEGINNINGS,
    SILENCES,
    Happening,
    Kind,
)

# The cards of one round are read within this time.
_AT_ONCE = 1.5
# Rows that may have come in between: another round tells of other things meanwhile.
_LOOKED_AT = 16


class Group(StrEnum):
    """What people look for; its value is translated where it is shown."""

    FAULT = mark("Faults")
    THROTTLING = mark("Throttling")
    PROCESS = mark("Processes")
    SLEEP = mark("Sleep")
    ALERT = mark("Alerts")


@dataclass(frozen=True, slots=True)
class EventFace:
    """What a row shows."""

    time: str
    icon: Icon
    tone: Tone
    card: str  # its number, or those of several; empty where it is about all of them
    colour: int | None
    sentence: str
    result: str = ""  # "after 33 s", "ongoing"; of a program "still using it"
    cards: int = 1  # how many it is about, where it is not about all

    @property
    def told(self) -> str:
        """ "Card 1: The card is lost"."""
        if not self.card:
            return self.sentence
        return tr("Card {card}: {sentence}", card=self.card, sentence=self.sentence)

    @property
    def spoken(self) -> str:
        said = tr("{time}: {sentence}", time=self.time, sentence=self.sentence)
        if self.card:
            said = trn(
                "{time}, card {numbers}: {sentence}",
                "{time}, cards {numbers}: {sentence}",
                self.cards,
                time=self.time,
                numbers=self.card,
                sentence=self.sentence,
            )
        return f"{said}, {self.result}" if self.result else said


class EventBook:
    """Knows what began and is not over. Takes the log in as it grows."""

    def __init__(self) -> None:
        self._newest: Happening | None = None
        self._open: dict[tuple[Kind, CardId | None, str], Happening] = {}

    def take(self, log: Sequence[Happening]) -> Sequence[Happening]:
        """What is new in the log since the last time, oldest first."""
        new = len(log)
        while new and log[new - 1] is not self._newest:
            new -= 1
        added = log[new:]
        for happening in added:
            if happening.kind in BEGINNINGS:
                if happening.kind in SILENCES:
                    # One at a time: a card that is lost does not also keep us waiting.
                    for kind in SILENCES:
                        self._open.pop((kind, happening.card, ""), None)
                if happening.kind is Kind.DRIVER_GONE:
                    # It tells anew of each card that is not well when it is back.
                    for open_ in [each for each in self._open if each[0] in SILENCES]:
                        del self._open[open_]
                self._open[happening.kind, happening.card, happening.about] = happening
            elif (beginning := BEGINNING_OF.get(happening.kind)) is not None:
                self._open.pop((beginning, happening.card, happening.about), None)
        if added:
            self._newest = added[-1]
        return added

    def result(self, happening: Happening) -> str:
        """ "ongoing" as long as it is, "after 33 s" of what ended; else empty.

        Of a program that uses the card: "still using it". Where nobody can know whether it
        goes on: "not known since 14:03:21".
        """
        if happening.lasted is not None:
            return tr("after {time}", time=span_words(happening.lasted))
        key = (happening.kind, happening.card, happening.about)
        if self._open.get(key) is not happening:
            return ""
        unknown = self._unknown_since(happening)
        if unknown is not None:
            moment = moment_words(unknown.wall, happening.wall)
            return tr("not known since {moment}", moment=moment)
        if happening.kind in SILENCES and (Kind.RESTLESS, happening.card, "") in self._open:
            return tr("comes and goes")
        running = happening.kind is Kind.PROCESS_APPEARED
        return tr("still using it") if running else tr("ongoing")

    def _unknown_since(self, happening: Happening) -> Happening | None:
        """What keeps anybody from knowing whether it goes on."""
        if happening.kind in SILENCES or happening.kind is Kind.RESTLESS:
            return None
        kinds = [(kind, "") for kind in SILENCES]
        if happening.kind is Kind.PROCESS_APPEARED:
            kinds.append((Kind.PROCESSES_UNKNOWN, ""))
        found = [
            self._open[kind, card, about]
            for kind, about in kinds
            for card in (happening.card, None)
            if (kind, card, about) in self._open
        ]
        return min(found, key=lambda each: each.at, default=None)


def event_face(
    happening: Happening, shown: Shown | None, result: str = "", now: float | None = None
) -> EventFace:
    """`shown` is its card, where that is listed; `now` is the time of day, for another day."""
    icon, tone = sign(happening)
    # A card that is no longer listed keeps its place in the log under its lasting name.
    unlisted = happening.card or ""
    return EventFace(
        time=moment_words(happening.wall, happening.wall if now is None else now),
        icon=icon,
        tone=tone,
        card=unlisted if shown is None else shown.number,
        colour=None if shown is None else shown.colour,
        sentence=tr(happening.sentence),
        result=result,
    )


def sign(happening: Happening) -> tuple[Icon, Tone]:
    match happening.kind:
        case (
            Kind.CARD_LOST
            | Kind.CARD_UNLISTED
            | Kind.DRIVER_GONE
            | Kind.XID
            | Kind.MEMORY_ERROR
        ):
            return Icon.LOST, Tone.BAD
        case Kind.NO_ACCESS:
            return Icon.WARNING, Tone.WARN
        case Kind.NO_ANSWER | Kind.NO_FIGURES | Kind.RESTLESS | Kind.PROCESSES_UNKNOWN:
            return Icon.SILENT, Tone.WARN
        case Kind.THROTTLING_UNKNOWN | Kind.ALERT_UNKNOWN:
            return Icon.SILENT, Tone.QUIET
        case Kind.THROTTLING_BEGAN if happening.about in ORDINARY:
            return Icon.NOTE, Tone.QUIET
        case Kind.THROTTLING_BEGAN | Kind.SLOW_LINK | Kind.ALERT_BEGAN:
            return Icon.WARNING, Tone.WARN
        case Kind.ASLEEP:
            return Icon.ASLEEP, Tone.QUIET
        case Kind.PROCESS_APPEARED | Kind.PROCESS_ENDED:
            return Icon.PROCESS, Tone.QUIET
        case (
            Kind.CARD_BACK
            | Kind.CARD_LISTED
            | Kind.ACCESS
            | Kind.ANSWERS_AGAIN
            | Kind.DRIVER_BACK
            | Kind.AWAKE
            | Kind.FIGURES_AGAIN
            | Kind.CALM
            | Kind.THROTTLING_ENDED
            | Kind.PROCESSES_KNOWN
            | Kind.ALERT_ENDED
        ):
            return Icon.THERE, Tone.QUIET
        case _:
            assert_never(happening.kind)


def group(kind: Kind) -> Group:
    match kind:
        case Kind.THROTTLING_BEGAN | Kind.THROTTLING_ENDED | Kind.THROTTLING_UNKNOWN:
            return Group.THROTTLING
        case (
            Kind.PROCESS_APPEARED
            | Kind.PROCESS_ENDED
            | Kind.PROCESSES_UNKNOWN
            | Kind.PROCESSES_KNOWN
        ):
            return Group.PROCESS
        case Kind.ASLEEP | Kind.AWAKE:
            return Group.SLEEP
        case Kind.ALERT_BEGAN | Kind.ALERT_ENDED | Kind.ALERT_UNKNOWN:
            return Group.ALERT
        case (
            Kind.CARD_LOST
            | Kind.CARD_BACK
            | Kind.CARD_UNLISTED
            | Kind.CARD_LISTED
            | Kind.NO_ACCESS
            | Kind.ACCESS
            | Kind.NO_ANSWER
            | Kind.ANSWERS_AGAIN
            | Kind.DRIVER_GONE
            | Kind.DRIVER_BACK
            | Kind.NO_FIGURES
            | Kind.FIGURES_AGAIN
            | Kind.RESTLESS
            | Kind.CALM
            | Kind.XID
            | Kind.MEMORY_ERROR
            | Kind.SLOW_LINK
        ):
            return Group.FAULT
        case _:
            assert_never(kind)


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
