"""What is true of the time that is looked at, where that is not now."""

from collections.abc import Sequence
from typing import NamedTuple

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.wording.moments import began_with
from gpuexplorer.telemetry.happenings import Happening

NOTHING_YET = mark("nothing read yet")
NOTHING_THEN = mark("nothing was read in this time")


class Then(NamedTuple):
    """The end of the stretch that is shown, and when reading began, in steady seconds."""

    end: float
    began: float
    following: bool  # it ends now

    @property
    def nothing_yet(self) -> bool:
        """All of it was before the first reading."""
        return not self.following and self.end <= self.began


def holds_then(state: CardState, since: float | None, then: Then) -> bool:
    """Whether a card was already as it is now, as far as anybody saw it begin."""
    return then.following or (since is not None and since <= then.end)


def reason_then(
    reason: str,
    card: CardId,
    state: CardState,
    happenings: Sequence[Happening],
    then: Then,
) -> str:
    """Why a line has no figures there; `reason` is why it has none now. Empty where that is
    not known: a card that is lost was not lost all the time.
    """
    if then.nothing_yet:
        return tr(NOTHING_YET)
    if state is CardState.WORKING or then.following:
        return reason
    began = began_with(happenings, card, state)
    return reason if holds_then(state, None if began is None else began.at, then) else ""
