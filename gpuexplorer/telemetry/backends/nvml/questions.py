"""Question: one driver call, and the metrics it answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.backends.nvml.pause import Pause

Values = dict[MetricId, float]
Missing = dict[MetricId, Absence]


@dataclass(slots=True)
class Question:
    """Asks the driver once and writes what it learned; raises NVMLError when refused.

    `pause` is about the call as a whole; where its figures are refused one by one, each has
    its own among `members`.
    """

    answers: tuple[MetricId, ...]
    ask: Callable[[Values, Missing], None]
    members: Sequence[Pause] = ()
    prepare: Callable[[], None] | None = None  # what `ask` compares with, taken beforehand
    pause: Pause = field(default_factory=Pause)
    answered: bool = False  # when it was asked last, so that there is no pause to look at

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
