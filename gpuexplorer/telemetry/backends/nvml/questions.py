"""Question: one driver call, and the metrics it answers."""

from collections.abc import Callable, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.backends.nvml.pause import Pause

Values = dict[MetricId, float]
Missing = dict[MetricId, Absence]


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


def put(values: Values, missing: Missing, metric: MetricId, figure: float | Absence) -> None:
    """Write one figure of a batch, or the reason it has none."""
    if isinstance(figure, Absence):
        missing[metric] = figure
    else:
        values[metric] = figure
