"""Episodes: what began and ended in the log, put together; what is momentary stays so."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import mark
from gpuexplorer.telemetry.happenings import (
    BEGINNING_OF,
    BEGINNINGS,
    SILENCES,
    Happening,
    Kind,
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
        episodes = []
        for happening in log[new:]:
            beginning = BEGINNING_OF.get(happening.kind)
            if beginning is not None:
                known = self._open.pop((beginning, happening.card, happening.about), None)
                if known is None:
                    episodes.append(Episode(happening, happening))
                else:
                    known.end = happening
                continue
            episode = Episode(happening)
            episodes.append(episode)
            if happening.kind in BEGINNINGS:
                self._make_way(happening)
                self._open[happening.kind, happening.card, happening.about] = episode
        self._newest = log[-1] if log else None
        return episodes

    def state(self, episode: Episode) -> tuple[EpisodeState, float | None]:
        """And since when that is not known, as the time of day, where it is not."""
        if episode.end is not None:
            unseen = episode.end.kind in _ENDS_UNSEEN
            if unseen:
                return EpisodeState.NOT_KNOWN, episode.end.wall
            return EpisodeState.ENDED, None
        first = episode.first
        if not episode.running:
            return EpisodeState.MOMENTARY, None
        unknown = self._unknown_since(first)
        if unknown is not None:
            return EpisodeState.NOT_KNOWN, unknown.wall
        if first.kind in SILENCES and (Kind.RESTLESS, first.card, "") in self._open:
            return EpisodeState.COMES_AND_GOES, None
        if first.kind is Kind.PROCESS_APPEARED:
            return EpisodeState.STILL_USING, None
        return EpisodeState.ONGOING, None

    def since(self, kinds: Collection[Kind], card: CardId) -> float | None:
        """In steady seconds: since when the card, or the whole driver, is so."""
        keys = [(kind, about, "") for about in (card, None) for kind in kinds]
        found = [self._open[key].first.at for key in keys if key in self._open]
        return found[0] if found else None

    def _make_way(self, happening: Happening) -> None:
        """A card is in one state at a time: one that is lost does not also keep us waiting.
        When the driver or the connection is back it says anew of each card whether it is well.
        """
        over = [(happening.kind, happening.card, happening.about)]
        if happening.kind in SILENCES:
            over += [(kind, happening.card, "") for kind in SILENCES]
        if happening.kind in (Kind.DRIVER_GONE, Kind.CONNECTION_LOST):
            over += [each for each in self._open if each[0] in SILENCES]
        for key in over:
            known = self._open.pop(key, None)
            if known is not None:
                known.end = happening

    def _unknown_since(self, happening: Happening) -> Happening | None:
        """What keeps anybody from knowing whether it goes on."""
        if happening.kind in SILENCES or happening.kind is Kind.RESTLESS:
            return None
        kinds = [(kind, "") for kind in SILENCES]
        if happening.kind is Kind.PROCESS_APPEARED:
            kinds.append((Kind.PROCESSES_UNKNOWN, ""))
        found = [
            self._open[kind, card, about].first
            for kind, about in kinds
            for card in (happening.card, None)
            if (kind, card, about) in self._open
        ]
        return min(found, key=lambda each: each.at, default=None)
