"""Absence: why there is no number, in words a person can use."""

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import Message


class Absence(StrEnum):
    """The reason a metric has no value. `sentence` is what a person reads in its place."""

    NOT_SUPPORTED = "not supported"
    NOT_IN_DRIVER = "not in this driver"
    NO_PERMISSION = "no permission"
    NEEDS_TWO = "needs two readings"
    TOO_SOON = "too soon after the first reading"
    IMPOSSIBLE = "impossible figure"
    NO_PART = "no such part"
    NO_SWAP = "no swap space"
    LOST = "card lost"
    UNLISTED = "card not listed"
    ASLEEP = "card asleep"
    NO_ANSWER = "no answer"
    NO_DRIVER = "no driver"
    NO_CONNECTION = "no connection"
    MIG_ON = "MIG is on"
    IN_INSTANCE = "not told per instance"
    SHARED_MEMORY = "shared memory"
    WINDOWS_KEEPS_IT = "Windows keeps it"
    NOT_AVAILABLE = "not available"
    NO_NEW_SAMPLE = "no new sample"
    REFUSED = "refused"
    NOT_YET = "not read yet"
    NOT_ASKED = "not asked"
    NOT_TOLD = "not told"
    NO_NEW_VALUE = "no new value"

    @property
    def sentence(self) -> Message:
        return _SENTENCES[self]

    @property
    def lasting(self) -> bool:
        """Whether asking again soon is pointless."""
        return self in _LASTING


_SENTENCES = {
    Absence.NOT_SUPPORTED: Message("this card does not report it"),
    Absence.NOT_IN_DRIVER: Message("this driver is too old to report it"),
    Absence.NO_PERMISSION: Message("this user may not read it"),
    Absence.NEEDS_TWO: Message("it takes two readings, and this is the first"),
    Absence.TOO_SOON: Message("it takes two readings, and these were too close together"),
    Absence.IMPOSSIBLE: Message("the driver answered with an impossible figure"),
    Absence.NO_PART: Message("this card has no such part"),
    Absence.NO_SWAP: Message("there is no swap space"),
    Absence.LOST: Message("the card is lost"),
    Absence.UNLISTED: Message("the driver no longer lists the card"),
    Absence.ASLEEP: Message("the card is asleep and is not woken to be read"),
    Absence.NO_ANSWER: Message("the driver does not answer for this card"),
    Absence.NO_DRIVER: Message("the driver is gone"),
    Absence.NO_CONNECTION: Message("there is no connection to its computer"),
    Absence.MIG_ON: Message("MIG is on: this is known per instance only"),
    Absence.IN_INSTANCE: Message(
        "the driver reports this for the whole card, not per MIG instance"
    ),
    Absence.SHARED_MEMORY: Message(
        "the card uses the computer's memory and has none of its own"
    ),
    Absence.WINDOWS_KEEPS_IT: Message(
        "Windows manages this memory and the driver does not know it"
    ),
    Absence.NOT_AVAILABLE: Message("the driver does not know it for this program"),
    Absence.NO_NEW_SAMPLE: Message(
        "it did nothing the driver could measure in the last moment"
    ),
    Absence.REFUSED: Message("the driver refused this time; it is asked again"),
    Absence.NOT_YET: Message("it was not read again yet"),
    Absence.NOT_ASKED: Message("not read, since nobody looks at it"),
    Absence.NOT_TOLD: Message("the exporter of this card does not tell it"),
    Absence.NO_NEW_VALUE: Message("Prometheus has no new value of it"),
}

_LASTING = frozenset(
    {Absence.NOT_SUPPORTED, Absence.NOT_IN_DRIVER, Absence.NO_PART, Absence.NO_SWAP}
)
