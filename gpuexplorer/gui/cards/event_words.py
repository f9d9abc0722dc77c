"""What took place, as a row of a list says it: sign, card, sentence, and how it ended."""

from collections.abc import Callable, Iterable
from enum import StrEnum

from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.cards.moments import moment_words
from gpuexplorer.gui.cards.reasons import ORDINARY
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.telemetry.happenings import Episode, EpisodeState, Happening, Kind
from gpuexplorer.telemetry.session import Session

OLDER_UNREAD = mark(
    "Only the newest events of this recording are read, and all of them are later than the "
    "moment that is shown."
)


class EventGroup(StrEnum):
    """What people look for; its value is translated where it is shown."""

    FAULT = mark("Faults")
    THROTTLING = mark("Throttling")
    PROCESS = mark("Processes")
    SLEEP = mark("Sleep")
    ALERT = mark("Alerts")


_GROUPS = {
    Kind.THROTTLING_BEGAN: EventGroup.THROTTLING,
    Kind.THROTTLING_ENDED: EventGroup.THROTTLING,
    Kind.THROTTLING_UNKNOWN: EventGroup.THROTTLING,
    Kind.PROCESS_APPEARED: EventGroup.PROCESS,
    Kind.PROCESS_ENDED: EventGroup.PROCESS,
    Kind.PROCESSES_UNKNOWN: EventGroup.PROCESS,
    Kind.PROCESSES_KNOWN: EventGroup.PROCESS,
    Kind.ASLEEP: EventGroup.SLEEP,
    Kind.AWAKE: EventGroup.SLEEP,
    Kind.ALERT_BEGAN: EventGroup.ALERT,
    Kind.ALERT_ENDED: EventGroup.ALERT,
    Kind.ALERT_UNKNOWN: EventGroup.ALERT,
}


def group_of(kind: Kind) -> EventGroup:
    """All that is wrong with a card or its driver is a fault, until it ends too."""
    return _GROUPS.get(kind, EventGroup.FAULT)


def _program(episode: Episode) -> tuple[object, object]:
    """Its name and its process, as far as they are known."""
    values = episode.first.sentence.values
    program = values.get("program")
    if isinstance(program, Message):
        values, program = program.values, program.values.get("name")
    return program, values.get("pid")


def stem(episode: Episode) -> Message:
    """What is said of each card alike: without the number of a process."""
    program, _ = _program(episode)
    if program is None:
        return episode.first.sentence
    if episode.first.kind is Kind.PROCESS_ENDED:
        return Message("{program} no longer uses the card", program=program)
    if episode.end is not None:
        return Message("{program} used the card", program=program)
    return Message("{program} uses the card", program=program)


def sentence(episode: Episode) -> str:
    """A program that is gone used the card; else what was said when it began."""
    program, pid = _program(episode)
    began = episode.first.kind is Kind.PROCESS_APPEARED
    if not began or episode.end is None or pid is None:
        return tr(episode.first.sentence)
    if program is None:
        return tr("Process {pid} used the card", pid=pid)
    return tr("{program} ({pid}) used the card", program=program, pid=pid)


def of_all(episodes: Iterable[Episode], said: Callable[[Episode], str]) -> str:
    """What is said of each, once, where it is the same for all."""
    words = {said(each): None for each in episodes}
    return next(iter(words)) if len(words) == 1 else tr("not the same for all")


def told(happening: Happening, shown: Shown | None) -> str:
    """ "Card 1: The card is lost"; one that is not listed goes by its lasting name."""
    card = (happening.card or "") if shown is None else shown.number
    sentence = tr(happening.sentence)
    return tr("Card {card}: {sentence}", card=card, sentence=sentence) if card else sentence


def state_words(state: EpisodeState, unknown_since: float | None, now: float) -> str:
    """ "ongoing", "still using it", "not known since 14:03:21"."""
    if unknown_since is not None:
        return tr("not known since {moment}", moment=moment_words(unknown_since, now))
    return tr(state.value)


def sign(happening: Happening) -> tuple[Icon, Tone]:
    if happening.kind is Kind.THROTTLING_BEGAN and happening.about in ORDINARY:
        return Icon.NOTE, Tone.QUIET
    return _SIGNS.get(happening.kind, (Icon.THERE, Tone.QUIET))


# Whatever is not among them ends something, and all is well.
_SIGNS = {
    **dict.fromkeys(
        (
            *(Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE),
            *(Kind.XID, Kind.MEMORY_ERROR),
        ),
        (Icon.LOST, Tone.BAD),
    ),
    **dict.fromkeys(
        (
            *(Kind.NO_ANSWER, Kind.NO_FIGURES, Kind.RESTLESS, Kind.PROCESSES_UNKNOWN),
            Kind.CONNECTION_LOST,
        ),
        (Icon.SILENT, Tone.WARN),
    ),
    **dict.fromkeys(
        (Kind.NO_ACCESS, Kind.THROTTLING_BEGAN, Kind.SLOW_LINK, Kind.ALERT_BEGAN),
        (Icon.WARNING, Tone.WARN),
    ),
    **dict.fromkeys((Kind.THROTTLING_UNKNOWN, Kind.ALERT_UNKNOWN), (Icon.SILENT, Tone.QUIET)),
    **dict.fromkeys((Kind.PROCESS_APPEARED, Kind.PROCESS_ENDED), (Icon.PROCESS, Tone.QUIET)),
    Kind.ASLEEP: (Icon.ASLEEP, Tone.QUIET),
}


def nothing_told(session: Session, usually: str, unread: str = OLDER_UNREAD) -> str:
    """What an empty list says; events that were not read are not "nothing"."""
    cut = isinstance(session, RecordedSession) and session.older_unread
    return tr(unread if cut else usually)
