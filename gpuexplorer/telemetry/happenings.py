"""Happening: one thing that took place, and the kinds there are."""

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
