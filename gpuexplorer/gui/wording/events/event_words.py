"""What took place, as a row of a list says it: sign, card, sentence, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.moments import moment_words, span_words
from gpuexplorer.gui.wording.reasons import ORDINARY
from gpuexplorer.telemetry.happenings import BEGINNING_OF, Happening, Kind

_BEGINNINGS = frozenset(BEGINNING_OF.values())
_SILENCES = (Kind.CARD_LOST, Kind.NO_ANSWER, Kind.DRIVER_GONE, Kind.ASLEEP)


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
            if happening.kind in _BEGINNINGS:
                self._open[happening.kind, happening.card, happening.about] = happening
            elif (beginning := BEGINNING_OF.get(happening.kind)) is not None:
                self._open.pop((beginning, happening.card, happening.about), None)
        if added:
            self._newest = added[-1]
        return added

    def result(self, happening: Happening) -> str:
        """ "ongoing" as long as it is, "after 33 s" of what ended; else empty.

        Of a program that uses the card: "still using it".
        """
        if happening.lasted is not None:
            return tr("after {time}", time=span_words(happening.lasted))
        key = (happening.kind, happening.card, happening.about)
        if self._open.get(key) is not happening:
            return ""
        # Nobody knows whether a card that is silent is still throttled.
        silent = happening.kind not in _SILENCES and any(
            (kind, card, "") in self._open
            for kind in _SILENCES
            for card in (happening.card, None)
        )
        if silent:
            return ""
        running = happening.kind is Kind.PROCESS_APPEARED
        return tr("still using it") if running else tr("ongoing")


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
        case Kind.CARD_LOST | Kind.DRIVER_GONE | Kind.XID | Kind.MEMORY_ERROR:
            return Icon.LOST, Tone.BAD
        case Kind.NO_ANSWER:
            return Icon.SILENT, Tone.WARN
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
            | Kind.ANSWERS_AGAIN
            | Kind.DRIVER_BACK
            | Kind.AWAKE
            | Kind.THROTTLING_ENDED
            | Kind.ALERT_ENDED
        ):
            return Icon.THERE, Tone.QUIET
        case _:
            assert_never(happening.kind)


def group(kind: Kind) -> Group:
    match kind:
        case Kind.THROTTLING_BEGAN | Kind.THROTTLING_ENDED:
            return Group.THROTTLING
        case Kind.PROCESS_APPEARED | Kind.PROCESS_ENDED:
            return Group.PROCESS
        case Kind.ASLEEP | Kind.AWAKE:
            return Group.SLEEP
        case Kind.ALERT_BEGAN | Kind.ALERT_ENDED:
            return Group.ALERT
        case (
            Kind.CARD_LOST
            | Kind.CARD_BACK
            | Kind.NO_ANSWER
            | Kind.ANSWERS_AGAIN
            | Kind.DRIVER_GONE
            | Kind.DRIVER_BACK
            | Kind.XID
            | Kind.MEMORY_ERROR
            | Kind.SLOW_LINK
        ):
            return Group.FAULT
        case _:
            assert_never(kind)
