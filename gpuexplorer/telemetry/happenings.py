"""Happening: one thing that took place, and the kinds there are; Episode: what began and ended
of them, put together.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import NOTHING, Message, mark


class Kind(StrEnum):
    """What kind of thing took place. Files hold the value; windows translate it.

    `sentence` says it where nothing more is known; `ends` is the kind of what it ends.
    """

    CARD_LOST = mark("card lost"), Message("The card is lost")
    CARD_BACK = mark("card back"), Message("The card is back"), "card lost"
    CARD_UNLISTED = mark("card not listed"), Message("The driver no longer lists the card")
    CARD_LISTED = (
        mark("card listed again"),
        Message("The driver lists the card again"),
        "card not listed",
    )
    NO_ACCESS = mark("no access"), Message("The driver gives no access to the card")
    ACCESS = mark("access again"), Message("The driver gives access to the card"), "no access"
    NO_ANSWER = mark("no answer"), Message("The card does not answer")
    ANSWERS_AGAIN = mark("answers again"), Message("The card answers again"), "no answer"
    DRIVER_GONE = mark("driver gone"), Message("The driver is gone")
    DRIVER_BACK = mark("driver back"), Message("The driver is back"), "driver gone"
    CONNECTION_LOST = (
        mark("connection lost"),
        Message("The connection to the computer is lost"),
    )
    CONNECTION_BACK = (
        mark("connected again"),
        Message("The computer is connected again"),
        "connection lost",
    )
    ASLEEP = mark("asleep"), Message("The card sleeps")
    AWAKE = mark("awake"), Message("The card woke"), "asleep"
    NO_FIGURES = mark("no figures"), Message("The card gives no usable figure")
    FIGURES_AGAIN = mark("figures again"), Message("The card gives figures again"), "no figures"
    RESTLESS = mark("comes and goes")
    CALM = (
        mark("steady again"),
        Message("What came and went has been steady for a while"),
        "comes and goes",
    )
    XID = mark("xid")
    THROTTLING_BEGAN = mark("throttling began")
    THROTTLING_ENDED = mark("throttling ended"), NOTHING, "throttling began"
    THROTTLING_UNKNOWN = mark("throttling not known"), NOTHING, "throttling began"
    MEMORY_ERROR = mark("memory error")
    SLOW_LINK = mark("slow link")
    PROCESS_APPEARED = mark("process appeared")
    PROCESS_ENDED = mark("process ended"), NOTHING, "process appeared"
    PROCESSES_UNKNOWN = (
        mark("processes not known"),
        Message("It is not known which programs use the card"),
    )
    PROCESSES_KNOWN = (
        mark("processes known again"),
        Message("It is known again which programs use the card"),
        "processes not known",
    )
    ALERT_BEGAN = mark("alert began")
    ALERT_ENDED = mark("alert ended"), NOTHING, "alert began"
    ALERT_UNKNOWN = mark("alert not known"), NOTHING, "alert began"

    sentence: Message
    ends: str

    def __new__(cls, name: str, sentence: Message = NOTHING, ends: str = "") -> "Kind":
        self = str.__new__(cls, name)
        self._value_, self.sentence, self.ends = name, sentence, ends
        return self


class EventGroup(StrEnum):
    """What people look for; its value is translated where it is shown."""

    FAULT = mark("Faults")
    THROTTLING = mark("Throttling")
    PROCESS = mark("Processes")
    SLEEP = mark("Sleep")
    ALERT = mark("Alerts")


def group_of(kind: Kind) -> EventGroup:
    """All that is wrong with a card or its driver is a fault, until it ends too."""
    if kind in (Kind.ASLEEP, Kind.AWAKE):
        return EventGroup.SLEEP
    found = (each for each in EventGroup if kind.name.startswith(each.name))
    return next(found, EventGroup.FAULT)


class Happening(NamedTuple):
    """One thing that took place. `at` is steady seconds, `wall` the time of day."""

    at: float
    wall: float
    kind: Kind
    card: CardId | None  # None: it is about the whole driver
    sentence: Message
    about: str = ""  # what it began and ends under, where a card can have several at once
    lasted: float | None = None  # seconds, where something ended that was seen to begin


# What ends, and as what it began.
BEGINNING_OF = {kind: Kind(kind.ends) for kind in Kind if kind.ends}
BEGINNINGS = frozenset(BEGINNING_OF.values())
# How a card that does not work is called.
OF_STATE = {
    CardState.LOST: Kind.CARD_LOST,
    CardState.UNLISTED: Kind.CARD_UNLISTED,
    CardState.REFUSED: Kind.NO_ACCESS,
    CardState.NO_ANSWER: Kind.NO_ANSWER,
    CardState.ASLEEP: Kind.ASLEEP,
    CardState.NO_DRIVER: Kind.DRIVER_GONE,
    CardState.NO_CONNECTION: Kind.CONNECTION_LOST,
}
# Every card says so, and it is true of all: a person wants to hear it once.
OF_ALL_CARDS = frozenset({Kind.DRIVER_GONE, Kind.CONNECTION_LOST})
# How a card or its driver is: one at a time, and each makes unknown what went on before.
SILENCES = frozenset({*OF_STATE.values(), Kind.NO_FIGURES})


def began_with(
    happenings: Sequence[Happening], card: CardId, state: CardState
) -> "Happening | None":
    """What made the card as it is; None where nobody saw it."""
    kind, about = OF_STATE.get(state), (None, card)
    return next((e for e in reversed(happenings) if e.kind is kind and e.card in about), None)


_ENDS_UNSEEN = (Kind.THROTTLING_UNKNOWN, Kind.ALERT_UNKNOWN)


class EpisodeState(StrEnum):
    """How an episode stands; its value is translated where it is shown."""

    MOMENTARY = mark("momentary")
    ENDED = mark("ended")
    ONGOING = mark("ongoing")
    STILL_USING = mark("still using it")
    COMES_AND_GOES = mark("comes and goes")
    NOT_KNOWN = mark("not known")


@dataclass(eq=False, slots=True)
class Episode:
    """`end` is what ended it, or took its place; `first` is that too where nobody saw it
    begin.
    """

    first: Happening
    end: Happening | None = None

    def sentence(self, *, numbered: bool = True) -> Message:
        """A program that is gone used the card. `numbered`: with the number of its process."""
        program = self.first.sentence.values.get("program")
        if isinstance(program, Message) and not numbered:
            program = program.values.get("name")
        if program is None:
            return self.first.sentence
        words = mark("{program} uses the card")
        if self.first.kind is Kind.PROCESS_ENDED:
            words = mark("{program} no longer uses the card")
        elif self.end is not None:
            words = mark("{program} used the card")
        return Message(words, program=program)

    @property
    def running(self) -> bool:
        return self.end is None and self.first.kind in BEGINNINGS

    @property
    def began(self) -> float | None:
        """The time of day in seconds since 1970; None where nobody saw it begin."""
        if self.first is not self.end:
            return self.first.wall
        return None if self.end.lasted is None else self.end.wall - self.end.lasted

    @property
    def ended(self) -> float | None:
        """The time of day. What ends is often sure only a moment later than it ended."""
        if self.end is None or self.first is self.end or self.lasted is None:
            return self.end and self.end.wall
        return min(self.end.wall, self.first.wall + self.lasted)

    @property
    def lasted(self) -> float | None:
        """Seconds; None while it runs, of a moment, and where it was not seen to begin."""
        if self.end is None:
            return None
        if self.first is self.end or self.end.kind.ends == self.first.kind:
            return self.end.lasted
        return max(0.0, self.end.at - self.first.at)


class EventBook:
    """Takes the log in as it grows; knows what began and has not ended."""

    def __init__(self) -> None:
        self._newest: Happening | None = None
        self.anew = True  # the log that was taken last is not the one before, gone on
        self._open: dict[tuple[Kind, CardId | None, str], Episode] = {}

    def take(self, log: Sequence[Happening]) -> Sequence[Episode]:
        """The episodes that are new since the last time, the oldest first. Others may have
        ended.
        """
        new = [*takewhile(lambda each: each is not self._newest, reversed(log))]
        self.anew = len(new) == len(log)
        if self.anew:
            self._open.clear()
        self._newest = log[-1] if log else None
        return [*filter(None, map(self._take, reversed(new)))]

    def _take(self, happening: Happening) -> Episode | None:
        kind, card, about = happening.kind, happening.card, happening.about
        over = [(BEGINNING_OF.get(kind, kind), card, about)]
        if kind in SILENCES:
            # A card is in one state at a time: one that is lost does not also keep us waiting.
            # When the driver or the connection is back, each card says anew whether it is well.
            every = kind in OF_ALL_CARDS
            over += [
                key for key in self._open if key[0] in SILENCES and (every or key[1] == card)
            ]
        ended = [self._open.pop(key) for key in over if key in self._open]
        for each in ended:
            each.end = happening
        if kind in BEGINNING_OF:
            return None if ended else Episode(happening, happening)
        episode = Episode(happening)
        if kind in BEGINNINGS:
            self._open[kind, card, about] = episode
        return episode

    def state(self, episode: Episode) -> tuple[EpisodeState, float | None]:
        """And since when that is not known, as the time of day, where it is not."""
        first, end = episode.first, episode.end
        if end is not None:
            unseen = end.kind in _ENDS_UNSEEN
            return (EpisodeState.NOT_KNOWN, end.wall) if unseen else (EpisodeState.ENDED, None)
        if first.kind not in BEGINNINGS:
            return EpisodeState.MOMENTARY, None
        if first.kind in SILENCES:
            restless = (Kind.RESTLESS, first.card, "") in self._open
            return EpisodeState.COMES_AND_GOES if restless else EpisodeState.ONGOING, None
        program = first.kind is Kind.PROCESS_APPEARED
        if first.kind is not Kind.RESTLESS:  # else: what keeps anybody from knowing?
            kinds = SILENCES | {Kind.PROCESSES_UNKNOWN} if program else SILENCES
            if unknown := self._standing(kinds, first.card):
                return EpisodeState.NOT_KNOWN, min(each.wall for each in unknown)
        return EpisodeState.STILL_USING if program else EpisodeState.ONGOING, None

    def since(self, kinds: Collection[Kind], card: CardId) -> float | None:
        """In steady seconds: since when the card, or the whole driver, is so."""
        return next((each.at for each in self._standing(kinds, card)), None)

    def _standing(self, kinds: Collection[Kind], card: CardId | None) -> list[Happening]:
        keys = [(kind, about, "") for about in (card, None) for kind in kinds]
        return [self._open[key].first for key in keys if key in self._open]
