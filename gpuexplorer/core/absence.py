"""Absence: why there is no number, in words a person can use."""

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import Message, mark


class Told(StrEnum):
    """What programs know by its name, and people by a sentence."""

    sentence: Message

    def __new__(cls, name: str, sentence: Message) -> "Told":
        self = str.__new__(cls, name)
        self._value_, self.sentence = str(name), sentence
        return self


class Absence(Told):
    """The reason a metric has no value; its value stands in the figure's place,
    translated, and its sentence says it in full."""

    NOT_SUPPORTED = mark("not supported"), Message("this card does not report it")
    NOT_IN_DRIVER = mark("not in this driver"), Message("this driver is too old to report it")
    NO_PERMISSION = mark("no permission"), Message("this user may not read it")
    NEEDS_TWO = (
        mark("needs two readings"),
        Message("it takes two readings, and this is the first"),
    )
    TOO_SOON = (
        mark("too soon after the first reading"),
        Message("two readings were too close together"),
    )
    IMPOSSIBLE = (
        mark("impossible figure"),
        Message("the driver answered with an impossible figure"),
    )
    NO_PART = mark("no such part"), Message("this card has no such part")
    NO_SWAP = mark("no swap space"), Message("there is no swap space")
    LOST = mark("card lost"), Message("the card is lost")
    UNLISTED = mark("card not listed"), Message("the driver no longer lists the card")
    ASLEEP = mark("card asleep"), Message("the card is asleep and is not woken to be read")
    NO_ANSWER = mark("no answer"), Message("the driver does not answer for this card")
    NO_DRIVER = mark("no driver"), Message("the driver is gone")
    NO_CONNECTION = mark("no connection"), Message("there is no connection to its computer")
    MIG_ON = mark("MIG is on"), Message("MIG is on: this is known per instance only")
    IN_INSTANCE = mark("not told per instance"), Message("it is known for the whole card only")
    SHARED_MEMORY = mark("shared memory"), Message("the card uses the computer's memory")
    WINDOWS_KEEPS_IT = (
        mark("Windows keeps it"),
        Message("Windows manages this memory by itself"),
    )
    NOT_AVAILABLE = (
        mark("not available"),
        Message("the driver does not know it for this program"),
    )
    NO_NEW_SAMPLE = (
        mark("no new sample"),
        Message("it did nothing that could be measured just now"),
    )
    REFUSED = mark("refused"), Message("the driver refused this time; it is asked again")
    NOT_YET = mark("not read yet"), Message("it was not read again yet")
    NOT_ASKED = mark("not asked"), Message("not read, since nobody looked at it")
    NOT_TOLD = mark("not told"), Message("the exporter of this card does not tell it")
    NO_NEW_VALUE = mark("no new value"), Message("Prometheus has no new value of it")

    @property
    def lasting(self) -> bool:
        """Whether asking again soon is pointless."""
        never = (Absence.NOT_SUPPORTED, Absence.NOT_IN_DRIVER, Absence.NO_PART, Absence.NO_SWAP)
        return self in never
