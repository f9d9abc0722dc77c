"""Memory: the card's own, the window the processor sees of it, and the computer's."""

from gpuexplorer.core.metric import Cadence, Metric, MetricId, Scope, Unit
from gpuexplorer.core.words import Message

MEMORY_USED = MetricId("memory_used")
MEMORY_FREE = MetricId("memory_free")
MEMORY_RESERVED = MetricId("memory_reserved")
MEMORY_TOTAL = MetricId("memory_total")
BAR1_USED = MetricId("bar1_used")
BAR1_TOTAL = MetricId("bar1_total")
SWAP_USED = MetricId("swap_used")
SWAP_TOTAL = MetricId("swap_total")

MOST_BYTES = float(1 << 50)


def _bytes(
    metric: MetricId,
    label: Message,
    meaning: Message,
    smi: str,
    cadence: Cadence,
    scope: Scope = Scope.CARD,
    plotted: bool = True,
) -> Metric:
    return Metric(
        metric,
        label,
        Unit.BYTES,
        meaning,
        smi,
        cadence,
        highest=MOST_BYTES,
        scope=scope,
        plotted=plotted,
    )


METRICS = (
    _bytes(
        MEMORY_USED,
        Message("Memory used"),
        Message("Memory taken by programs, without what the driver keeps for itself."),
        "memory.used",
        Cadence.FAST,
        Scope.BOTH,
    ),
    _bytes(
        MEMORY_FREE,
        Message("Memory free"),
        Message("Memory that a program could still ask for."),
        "memory.free",
        Cadence.FAST,
        Scope.BOTH,
    ),
    _bytes(
        MEMORY_RESERVED,
        Message("Memory reserved"),
        Message("Memory that the driver and the firmware keep for themselves."),
        "memory.reserved",
        Cadence.FAST,
    ),
    _bytes(
        MEMORY_TOTAL,
        Message("Memory"),
        Message("All of the memory: used, free and reserved together."),
        "memory.total",
        Cadence.FAST,
        Scope.BOTH,
        plotted=False,
    ),
    _bytes(
        BAR1_USED,
        Message("BAR1 used"),
        Message(
            "Part in use of the window through which the processor sees the card's memory."
        ),
        "-q -d MEMORY",
        Cadence.SLOW,
    ),
    _bytes(
        BAR1_TOTAL,
        Message("BAR1"),
        Message("Size of the window through which the processor sees the card's memory."),
        "-q -d MEMORY",
        Cadence.SLOW,
        plotted=False,
    ),
    _bytes(
        SWAP_USED,
        Message("Swap used"),
        Message("Memory of the computer that was moved out to disk."),
        "",
        Cadence.SLOW,
        Scope.HOST,
    ),
    _bytes(
        SWAP_TOTAL,
        Message("Swap"),
        Message("Disk space the computer may move memory out to."),
        "",
        Cadence.SLOW,
        Scope.HOST,
        plotted=False,
    ),
)
