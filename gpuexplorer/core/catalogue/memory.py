"""Memory: the card's own, the window the processor sees of it, and the computer's."""

from gpuexplorer.core.metric import Cadence, Scope, Subject, Unit
from gpuexplorer.core.words import Message

_subject = Subject()
_add = _subject.add

MEMORY_USED = _add(
    "memory_used",
    Unit.BYTES,
    Message("Memory used"),
    Message("Memory taken by programs, without what the driver keeps for itself."),
    "memory.used",
    Cadence.FAST,
    scope=Scope.BOTH,
)
MEMORY_FREE = _add(
    "memory_free",
    Unit.BYTES,
    Message("Memory free"),
    Message("Memory that a program could still ask for."),
    "memory.free",
    Cadence.FAST,
    scope=Scope.BOTH,
)
MEMORY_RESERVED = _add(
    "memory_reserved",
    Unit.BYTES,
    Message("Memory reserved"),
    Message("Memory that the driver and the firmware keep for themselves."),
    "memory.reserved",
    Cadence.FAST,
)
MEMORY_TOTAL = _add(
    "memory_total",
    Unit.BYTES,
    Message("Memory"),
    Message("All of the memory: used, free and reserved together."),
    "memory.total",
    Cadence.FAST,
    scope=Scope.BOTH,
    plotted=False,
)
BAR1_USED = _add(
    "bar1_used",
    Unit.BYTES,
    Message("BAR1 used"),
    Message("Part in use of the window through which the processor sees the card's memory."),
    "-q -d MEMORY",
)
BAR1_TOTAL = _add(
    "bar1_total",
    Unit.BYTES,
    Message("BAR1"),
    Message("Size of the window through which the processor sees the card's memory."),
    "-q -d MEMORY",
    plotted=False,
)
SWAP_USED = _add(
    "swap_used",
    Unit.BYTES,
    Message("Swap used"),
    Message("Memory of the computer that was moved out to disk."),
    scope=Scope.HOST,
)
SWAP_TOTAL = _add(
    "swap_total",
    Unit.BYTES,
    Message("Swap"),
    Message("Disk space the computer may move memory out to."),
    scope=Scope.HOST,
    plotted=False,
)

METRICS = tuple(_subject.metrics)
