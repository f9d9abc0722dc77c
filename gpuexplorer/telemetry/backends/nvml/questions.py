"""Question: one driver call, and the metrics it answers; and Pause, when it was refused."""

from collections.abc import Callable, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import MetricId

Values = dict[MetricId, float]
Missing = dict[MetricId, Absence]

# How long something that the driver refused is left alone before it is asked again.
_FIRST, _LONGEST = 1.0, 60.0


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


class Question:
    """Asks the driver once and writes what it learned; raises NVMLError when refused.

    `pause` is about the call as a whole; where its figures are refused one by one, each has
    its own among `members`.
    """

    def __init__(
        self,
        answers: tuple[MetricId, ...],
        ask: Callable[[Values, Missing], None],
        members: Sequence[Pause] = (),
        prepare: Callable[[], None] | None = None,
    ) -> None:
        self.answers = answers
        self.ask = ask
        self.prepare = prepare  # what `ask` compares with, taken beforehand
        self.members = members
        self.pause = Pause()
        self.answered = False  # when it was asked last, so that there is no pause to look at

    def forget_refusals(self) -> None:
        self.answered = False
        for pause in (self.pause, *self.members):
            pause.forget()


def number_question(
    metric: MetricId, ask_driver: Callable[[], float], factor: float = 1.0
) -> Question:
    def ask(values: Values, missing: Missing) -> None:
        values[metric] = ask_driver() * factor

    return Question((metric,), ask)


def put(values: Values, missing: Missing, metric: MetricId, figure: float | Absence) -> None:
    """Write one figure of a batch, or the reason it has none."""
    if isinstance(figure, Absence):
        missing[metric] = figure
    else:
        values[metric] = figure
