"""Question: one driver call, and the metrics it answers."""

from collections.abc import Callable
from dataclasses import dataclass

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import MetricId

Values = dict[MetricId, float]
Missing = dict[MetricId, Absence]


@dataclass(slots=True)
class Question:
    """Asks the driver once and writes what it learned; raises NVMLError when refused.

    A lasting refusal is not asked again until `rest_until`, so that a card without the part
    costs nothing, and a card that changes its mode is noticed all the same.
    """

    answers: tuple[MetricId, ...]
    ask: Callable[[Values, Missing], None]
    refusal: Absence | None = None
    rest_until: float = 0.0


def put(values: Values, missing: Missing, metric: MetricId, figure: float | Absence) -> None:
    """Write one figure of a batch, or the reason it has none."""
    if isinstance(figure, Absence):
        missing[metric] = figure
    else:
        values[metric] = figure
