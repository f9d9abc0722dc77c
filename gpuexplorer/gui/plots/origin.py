"""Origin: where the figures of plots come from, which every picture and file of them says."""

from dataclasses import dataclass

from gpuexplorer.telemetry.trace import TraceSource


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """`past` knows every reading, of which plots show no more than fits."""

    source: str = ""  # as it stands in the top bar
    simulated: bool = False
    past: TraceSource | None = None
