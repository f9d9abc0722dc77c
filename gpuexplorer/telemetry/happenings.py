"""Happening: one thing that took place, and the kinds there are; Episode: what began and ended
of them, put together.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import Message, mark


class Kind(StrEnum):
    """What kind of thing took place. Files hold the value; windows translate it."""

    CARD_LOST = mark("card lost")
    CARD_BACK = mark("card back")
    CARD_UNLISTED = mark("card not listed")
    CARD_LISTED = mark("card listed again")
    NO_ACCESS = mark("no access")
    ACCESS = mark("access again")
    NO_ANSWER = mark("no answer")
    ANSWERS_AGAIN = mark("answers again")
    DRIVER_GONE = mark("driver gone")
    DRIVER_BACK = mark("driver back")
    CONNECTION_LOST = mark("connection lost")
    CONNECTION_BACK = mark("connected again")
    ASLEEP = mark("asleep")
    AWAKE = mark("awake")
    NO_FIGURES = mark("no figures")
    FIGURES_AGAIN = mark("figures again")
    RESTLESS = mark("comes and goes")
    CALM = mark("steady again")
    XID = mark("xid")
    THROTTLING_BEGAN = mark("throttling began")
    THROTTLING_ENDED = mark("throttling ended")
    THROTTLING_UNKNOWN = mark("throttling not known")
    MEMORY_ERROR = mark("memory error")
    SLOW_LINK = mark("slow link")
    PROCESS_APPEARED = mark("process appeared")
    PROCESS_ENDED = mark("process ended")
    PROCESSES_UNKNOWN = mark("processes not known")
    PROCESSES_KNOWN = mark("processes known again")
    ALERT_BEGAN = mark("alert began")
    ALERT_ENDED = mark("alert ended")
    ALERT_UNKNOWN = mark("alert not known")


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
BEGINNING_OF = {
    Kind.CARD_BACK: Kind.CARD_LOST,
    Kind.CARD_LISTED: Kind.CARD_UNLISTED,
    Kind.ACCESS: Kind.NO_ACCESS,
    Kind.ANSWERS_AGAIN: Kind.NO_ANSWER,
    Kind.DRIVER_BACK: Kind.DRIVER_GONE,
    Kind.CONNECTION_BACK: Kind.CONNECTION_LOST,
    Kind.AWAKE: Kind.ASLEEP,
    Kind.FIGURES_AGAIN: Kind.NO_FIGURES,
    Kind.CALM: Kind.RESTLESS,
    Kind.THROTTLING_ENDED: Kind.THROTTLING_BEGAN,
    Kind.THROTTLING_UNKNOWN: Kind.THROTTLING_BEGAN,
    Kind.PROCESS_ENDED: Kind.PROCESS_APPEARED,
    Kind.PROCESSES_KNOWN: Kind.PROCESSES_UNKNOWN,
    Kind.ALERT_ENDED: Kind.ALERT_BEGAN,
    Kind.ALERT_UNKNOWN: Kind.ALERT_BEGAN,
}
BEGINNINGS = frozenset(BEGINNING_OF.values())
# Every card says so, and it is true of all: a person wants to hear it once.
OF_ALL_CARDS = frozenset(
    {Kind.DRIVER_GONE, Kind.DRIVER_BACK, Kind.CONNECTION_LOST, Kind.CONNECTION_BACK}
)
# How a card or its driver is: one at a time, and each makes unknown what went on before.
SILENCES = frozenset(
    {
        *(Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.NO_ACCESS, Kind.NO_ANSWER),
        *(Kind.DRIVER_GONE, Kind.CONNECTION_LOST, Kind.ASLEEP, Kind.NO_FIGURES),
    }
)

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
            return None if self.end is None else self.end.wall
        return min(self.end.wall, self.first.wall + self.lasted)

    @property
    def lasted(self) -> float | None:
        """Seconds; None while it runs, of a moment, and where it was not seen to begin."""
        if self.end is None:
            return None
        if BEGINNING_OF.get(self.end.kind) is self.first.kind or self.first is self.end:
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
        new = len(log)
        while new and log[new - 1] is not self._newest:
            new -= 1
        self.anew = not new
        if self.anew:
            self._open.clear()
        self._newest = log[-1] if log else None
        return [episode for each in log[new:] if (episode := self._take(each)) is not None]

    def _take(self, happening: Happening) -> Episode | None:
        kind, card, about = happening.kind, happening.card, happening.about
        if beginning := BEGINNING_OF.get(kind):
            known = self._open.pop((beginning, card, about), None)
            if known is None:
                return Episode(happening, happening)
            known.end = happening
            return None
        episode = Episode(happening)
        if kind in BEGINNINGS:
            # A card is in one state at a time: one that is lost does not also keep us waiting.
            # When the driver or the connection is back, each card says anew whether it is well.
            over = [(kind, card, about)]
            if kind in SILENCES:
                all_cards = kind in OF_ALL_CARDS
                states = [key for key in self._open if key[0] in SILENCES]
                over += [key for key in states if all_cards or key[1] == card]
            for key in over:
                if known := self._open.pop(key, None):
                    known.end = happening
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
                return EpisodeState.NOT_KNOWN, min(unknown, key=lambda each: each.at).wall
        return EpisodeState.STILL_USING if program else EpisodeState.ONGOING, None

    def since(self, kinds: Collection[Kind], card: CardId) -> float | None:
        """In steady seconds: since when the card, or the whole driver, is so."""
        return next((each.at for each in self._standing(kinds, card)), None)

    def _standing(self, kinds: Collection[Kind], card: CardId | None) -> list[Happening]:
        keys = [(kind, about, "") for about in (card, None) for kind in kinds]
        return [self._open[key].first for key in keys if key in self._open]
