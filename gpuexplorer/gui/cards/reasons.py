"""Reasons: how a card is, why a figure is missing, since when, and what took place."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS, MetricId, throttle
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.telemetry.card_course import BRIEFLY
from gpuexplorer.telemetry.happenings import OF_STATE, Episode, EpisodeState, Happening, Kind
from gpuexplorer.telemetry.session import Session

_GRAVE = "hw_thermal_slowdown", "hw_power_brake_slowdown", "hw_slowdown", "sw_thermal_slowdown"
HARMFUL = tuple(map(throttle, _GRAVE))  # the gravest first
# A busy card is held back by one of these as a rule, and nothing is wrong with it.
ORDINARY = (throttle("sw_power_cap"), throttle("sync_boost"))
_GONE, _SILENT = (Tone.BAD, Icon.LOST), (Tone.WARN, Icon.SILENT)
_WRONG, _UNKNOWN = (Tone.WARN, Icon.WARNING), (Tone.QUIET, Icon.SILENT)
_SIGNS = {
    Kind.CARD_LOST: _GONE,
    Kind.CARD_UNLISTED: _GONE,
    Kind.DRIVER_GONE: _GONE,
    Kind.XID: _GONE,
    Kind.MEMORY_ERROR: _GONE,
    Kind.NO_ACCESS: _WRONG,
    Kind.THROTTLING_BEGAN: _WRONG,
    Kind.SLOW_LINK: _WRONG,
    Kind.ALERT_BEGAN: _WRONG,
    Kind.THROTTLING_UNKNOWN: _UNKNOWN,
    Kind.ALERT_UNKNOWN: _UNKNOWN,
    Kind.PROCESS_APPEARED: (Tone.QUIET, Icon.PROCESS),
    Kind.PROCESS_ENDED: (Tone.QUIET, Icon.PROCESS),
    Kind.ASLEEP: (Tone.QUIET, Icon.ASLEEP),
}


def short_reasons(absence: Absence) -> tuple[str]:
    """In the place of a figure; the tooltip has the whole sentence."""
    return (tr(absence.value),)


class StateMark(NamedTuple):
    """How the card is, at the right of its name: "Lost", "At its power limit", "Idle"."""

    word: str
    tone: Tone
    icon: Icon | None = None
    brief: str = ""  # for a narrow tile
    more: str = ""  # what else to say where there is a line for it


def state_mark(state: CardState, more: str = "") -> StateMark | None:
    """What stands beside the name of a card that gives no figures."""
    if state is CardState.WORKING:
        return None
    word, (tone, icon) = tr(state.word), _SIGNS.get(OF_STATE[state], _SILENT)
    return StateMark(f"{word[:1].upper()}{word[1:]}", tone, icon, more=more)


def throttle_mark(metric: MetricId, more: str = "") -> StateMark:
    """Why a card is slower than it could be."""
    tone, icon = (Tone.QUIET, None) if metric in ORDINARY else _WRONG
    return StateMark(tr(METRICS[metric].label), tone, icon, tr(BRIEFLY.get(metric, "")), more)


NOTHING_YET = mark("nothing read yet")
NOTHING_THEN = mark("nothing was read in this time")


def moment_words(wall: float, now: float) -> str:
    """The time of day, with the day where it is not today's."""
    moment, today = (datetime.fromtimestamp(each).astimezone() for each in (wall, now))
    words = f"{moment:%H:%M:%S}"
    if moment.date() == (today - timedelta(days=1)).date():
        return tr("yesterday {time}", time=words)
    return words if moment.date() == today.date() else f"{moment:%Y-%m-%d} {words}"


def began_with(
    happenings: Sequence[Happening], card: CardId, state: CardState
) -> Happening | None:
    """What made the card as it is; None where nobody saw it."""
    kind, about = OF_STATE.get(state), (None, card)
    return next((e for e in reversed(happenings) if e.kind is kind and e.card in about), None)


class Then(NamedTuple):
    """The end of the stretch that is shown, and when reading began, in steady seconds."""

    end: float
    began: float
    following: bool  # it ends now
    looking_back: bool = False  # figures beside it are of a later time

    @property
    def nothing_yet(self) -> bool:
        return not self.following and self.end <= self.began


def holds_then(state: CardState, since: float | None, then: Then) -> bool:
    """Whether a card was already as it is now, as far as anybody saw it begin."""
    return then.following or (since is not None and since <= then.end)


def reason_then(
    reason: str, card: CardId, state: CardState, happenings: Sequence[Happening], then: Then
) -> str:
    """Why a line has no figures there: a card that is lost was not lost all the time."""
    if then.nothing_yet:
        return tr(NOTHING_YET)
    began = began_with(happenings, card, state)
    since = None if began is None else began.at
    return reason if state is CardState.WORKING or holds_then(state, since, then) else ""


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


def sign(happening: Happening) -> tuple[Icon, Tone]:
    if happening.kind is Kind.THROTTLING_BEGAN and happening.about in ORDINARY:
        return Icon.NOTE, Tone.QUIET
    # What ends something says that all is well; whatever else there is, that one is not sure.
    usual = (Tone.QUIET, Icon.THERE) if happening.kind.ends else _SILENT
    return _SIGNS.get(happening.kind, usual)[::-1]


def sentence(episode: Episode, *, numbered: bool = True) -> str:
    """A program that is gone used the card. `numbered`: with the number of its process."""
    first = episode.first
    program = first.sentence.values.get("program")
    if isinstance(program, Message) and not numbered:
        program = program.values.get("name")
    if program is None:
        return tr(first.sentence)
    words = mark("{program} uses the card")
    if first.kind is Kind.PROCESS_ENDED:
        words = mark("{program} no longer uses the card")
    elif episode.end is not None:
        words = mark("{program} used the card")
    return tr(words, program=program)


stem = partial(sentence, numbered=False)  # what is said of each card alike


def of_all(episodes: Iterable[Episode], said: Callable[[Episode], str]) -> str:
    """What is said of each, once, where it is the same for all."""
    words = {said(each) for each in episodes}
    return words.pop() if len(words) == 1 else tr("not the same for all")


def state_words(state: EpisodeState, unknown_since: float | None, now: float) -> str:
    """ "ongoing", "still using it", "not known since 14:03:21"."""
    if unknown_since is not None:
        return tr("not known since {moment}", moment=moment_words(unknown_since, now))
    return tr(state.value)


def nothing_told(session: Session, usually: str, unread: str = "") -> str:
    """What an empty list says; events that were not read are not "nothing"."""
    newest = mark(
        "Only the newest events of this recording are read, and all of them are later than the "
        "moment that is shown."
    )
    cut = isinstance(session, RecordedSession) and session.older_unread
    return tr((unread or newest) if cut else usually)
