"""Pause: how long something that the driver refused is left alone before it is asked again."""

from gpuexplorer.core.absence import Absence

_FIRST = 1.0
_LONGEST = 60.0


class Pause:
    """Doubles with each refusal, from 1 to 60 s; an answer ends it.

    What never answered and is refused for a lasting reason rests for the longest time at
    once, so that a card without the part costs nothing.
    """

    def __init__(self) -> None:
        self._reason: Absence | None = None
        self._until = 0.0
        self._seconds = 0.0
        self._answered = False

    def reason(self, now: float) -> Absence | None:
        """Why it is not asked now; None when it is to be asked."""
        return self._reason if now < self._until else None

    def note_answer(self) -> None:
        self._answered = True
        self._until = self._seconds = 0.0

    def note_refusal(self, reason: Absence, now: float) -> None:
        if reason.lasting and not self._answered:
            self._seconds = _LONGEST
        else:
            self._seconds = min(2 * self._seconds or _FIRST, _LONGEST)
        self._reason = reason
        self._until = now + self._seconds

    def forget(self) -> None:
        """The card is another than before: ask at once, as if it had never been asked."""
        self._answered = False
        self._until = self._seconds = 0.0
