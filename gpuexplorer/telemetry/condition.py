"""Condition: what is wrong with a card as a whole, said once and not at every flicker."""

from collections import deque
from typing import NamedTuple

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.happenings import BEGINNING_OF, OF_ALL_CARDS, Kind

# What answers now and then is well again when it has been so for this long.
_WELL_AFTER = 5.0
# One reading that fails is no news where the next one comes anyway.
_GRACE = {Kind.NO_FIGURES: 5.0, Kind.PROCESSES_UNKNOWN: 5.0}
# So many changes in so many seconds: from then on nothing is told but what lasts.
_RESTLESS, _WITHIN = 6, 300.0
# What changed every ten seconds is calm after thirty.
_CALM_AFTER, _LONGEST_CALM = 3.0, 100.0

_END_OF = {began: ended for ended, began in BEGINNING_OF.items()}
_SENTENCES = {
    Kind.CARD_LOST: Message("The card is lost"),
    Kind.CARD_BACK: Message("The card is back"),
    Kind.CARD_UNLISTED: Message("The driver no longer lists the card"),
    Kind.CARD_LISTED: Message("The driver lists the card again"),
    Kind.NO_ACCESS: Message("The driver gives no access to the card"),
    Kind.ACCESS: Message("The driver gives access to the card"),
    Kind.NO_ANSWER: Message("The card does not answer"),
    Kind.ANSWERS_AGAIN: Message("The card answers again"),
    Kind.DRIVER_GONE: Message("The driver is gone"),
    Kind.DRIVER_BACK: Message("The driver is back"),
    Kind.CONNECTION_LOST: Message("The connection to the computer is lost"),
    Kind.CONNECTION_BACK: Message("The computer is connected again"),
    Kind.ASLEEP: Message("The card sleeps"),
    Kind.AWAKE: Message("The card woke"),
    Kind.FIGURES_AGAIN: Message("The card gives figures again"),
    Kind.PROCESSES_UNKNOWN: Message("It is not known which programs use the card"),
    Kind.PROCESSES_KNOWN: Message("It is known again which programs use the card"),
}
_RESTLESS_SENTENCES = {
    Kind.CARD_LOST: Message("The card is lost and comes back again and again"),
    Kind.CARD_UNLISTED: Message("The driver lists the card only now and then"),
    Kind.NO_ACCESS: Message("The driver gives access to the card only now and then"),
    Kind.NO_ANSWER: Message("The card answers only now and then"),
    Kind.DRIVER_GONE: Message("The driver goes and comes back again and again"),
    Kind.CONNECTION_LOST: Message("The connection to the computer comes and goes"),
    Kind.ASLEEP: Message("The card falls asleep and wakes up again and again"),
    Kind.NO_FIGURES: Message("The card gives figures only now and then"),
    Kind.PROCESSES_UNKNOWN: Message(
        "It is known only now and then which programs use the card"
    ),
}
_CALM = Message("What came and went has been steady for a while")


class News(NamedTuple):
    """Something to tell. `since` is when it began, or when what ends was last seen to be so."""

    kind: Kind
    sentence: Message
    since: float
    about: str = ""


class Condition:
    """Follows one thing that can be in one of several kinds of trouble, each called by the
    `Kind` that begins it; None where all is well.
    """

    def __init__(self, about: str = "") -> None:
        self._about = about
        self.told: Kind | None = None
        self.restless = False
        self.seen: Kind | None = None
        self._seen_since = 0.0
        self._changes: deque[float] = deque(maxlen=_RESTLESS)

    @property
    def well(self) -> bool:
        """Nothing is wrong, and nothing was a moment ago."""
        return self.told is None and not self.restless

    def consider(self, at: float, seen: Kind | None, why: Message = NOTHING) -> list[News]:
        """`why` there are no figures."""
        if seen is not self.seen:
            trouble = seen or self.seen
            self.seen, self._seen_since = seen, at
            self._changes.append(at)
            if self._is_restless(at) and not self.restless and trouble is not None:
                self.restless = True
                return [News(Kind.RESTLESS, _RESTLESS_SENTENCES[trouble], at, self._about)]
        held = at - self._seen_since
        if self.restless:
            apart = (self._changes[-1] - self._changes[0]) / (_RESTLESS - 1)
            if held < min(max(_CALM_AFTER * apart, _WELL_AFTER), _LONGEST_CALM):
                return []
            return [*self._calm(), *self._turn(why)]
        grace = _WELL_AFTER if seen is None else _GRACE.get(seen, 0.0)
        return [] if held < grace else self._turn(why)

    def over(self, at: float) -> list[News]:
        """What it is about is no longer there, and so is in no trouble."""
        self.seen, self._seen_since = None, at
        return [*(self._calm() if self.restless else ()), *self._turn(NOTHING)]

    def _calm(self) -> list[News]:
        self.restless = False
        self._changes.clear()
        return [News(Kind.CALM, _CALM, self._seen_since, self._about)]

    def _is_restless(self, at: float) -> bool:
        return len(self._changes) == _RESTLESS and at - self._changes[0] <= _WITHIN

    def _turn(self, why: Message) -> list[News]:
        """From what was told last to what is seen now."""
        before, self.told = self.told, self.seen
        if before is self.told:
            return []
        since = self._seen_since
        found = []
        # A driver or a connection that is back may bring a card that is lost.
        if before is not None and (self.told is None or before in OF_ALL_CARDS):
            over = _END_OF[before]
            found.append(News(over, _SENTENCES[over], since))
        if self.told is Kind.NO_FIGURES:
            sentence = Message("The card gives no usable figure: {why}", why=why)
            found.append(News(self.told, sentence, since))
        elif self.told is not None:
            found.append(News(self.told, _SENTENCES[self.told], since))
        return found
