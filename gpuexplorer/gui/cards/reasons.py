"""Reasons: how a card is, why a figure is missing, since when, and what took place."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import GRAVE, METRICS, ORDINARY, MetricId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.telemetry.card_course import BRIEFLY
from gpuexplorer.telemetry.happenings import (
    OF_STATE,
    Episode,
    EpisodeState,
    EventBook,
    Happening,
    Kind,
    began_with,
)
from gpuexplorer.telemetry.session import Session

REASONS = (*GRAVE, *ORDINARY)  # where two hold at once, the gravest is told
_KEPT = 400
_GONE, _SILENT = (Tone.BAD, Icon.LOST), (Tone.WARN, Icon.SILENT)
_WRONG, _UNKNOWN = (Tone.WARN, Icon.WARNING), (Tone.QUIET, Icon.SILENT)
_GOING = frozenset({Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE})
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


def sign(happening: Happening) -> tuple[Icon, Tone]:
    if happening.kind is Kind.THROTTLING_BEGAN and happening.about in ORDINARY:
        return Icon.NOTE, Tone.QUIET
    # What ends something says that all is well; whatever else there is, that one is not sure.
    usual = (Tone.QUIET, Icon.THERE) if happening.kind.ends else _SILENT
    return _SIGNS.get(happening.kind, usual)[::-1]


def stem(episode: Episode) -> str:
    """What is said of each card alike."""
    return tr(episode.sentence(numbered=False))


def of_all(episodes: Iterable[Episode], said: Callable[[Episode], str]) -> str:
    """What is said of each, once, where it is the same for all."""
    words = {said(each) for each in episodes}
    return words.pop() if len(words) == 1 else tr("not the same for all")


def state_words(state: EpisodeState, unknown_since: float | None, now: float) -> str:
    """ "ongoing", "still using it", "not known since 14:03:21"."""
    if unknown_since is not None:
        return tr("not known since {moment}", moment=moment_word(unknown_since, now))
    return tr(state.value)


def nothing_told(session: Session, usually: str, unread: str = "") -> str:
    """What an empty list says; events that were not read are not "nothing"."""
    newest = mark(
        "Only the newest events of this recording are read, and all of them are later than the "
        "moment that is shown."
    )
    cut = isinstance(session, RecordedSession) and session.older_unread
    return tr((unread or newest) if cut else usually)


class Band(NamedTuple):
    """A stretch behind the lines of a plot, such as the time a card was slowed by heat."""

    start: float
    end: float
    word: str
    tone: Tone = Tone.WARN


class SlowedBook:
    """When cards were slowed, as the log says it while it grows."""

    def __init__(self) -> None:
        self._book = EventBook()
        self._slowed: dict[CardId | None, deque[Episode]] = {}

    def take(self, log: Sequence[Happening]) -> None:
        episodes = self._book.take(log)
        if self._book.anew:
            self._slowed.clear()
        for episode in episodes:
            first = episode.first
            if first.kind is Kind.THROTTLING_BEGAN and first.about in REASONS:
                self._slowed.setdefault(first.card, deque(maxlen=_KEPT)).append(episode)

    def stretches(self, card: CardId, start: float, end: float) -> Sequence[Band]:
        """The gravest reason first; what goes on ends at `end`."""
        found = []
        for each in self._slowed.get(card, ()):
            first, reason = each.first, MetricId(each.first.about)
            over = end if each.running else first.at + (each.lasted or 0.0)
            if over > start and first.at < end:
                how = throttle_mark(reason)
                band = Band(max(first.at, start), over, how.brief or how.word, how.tone)
                found.append((REASONS.index(reason), band))
        return [band for _, band in sorted(found)]

    def gone_at(self, card: CardId) -> float | None:
        """When it was lost, or the driver of all went, in steady seconds."""
        return self._book.since(_GOING, card)
