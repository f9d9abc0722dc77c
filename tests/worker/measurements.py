"""Measurements on any cards, without a process. Needs torch."""

from collections.abc import Callable

from gpuexplorer.lab.events import Event, Measured, Sampled
from gpuexplorer.lab.wire import Measure
from gpuexplorer.worker.engines.measuring.measure import measure
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

SIZE = 1 << 20


def asked_for(source: str = "cpu", target: str = "cuda:0", **changes: object) -> Measure:
    wanted: dict[str, object] = {"bytes": SIZE, "samples": 3, **changes}
    if "cpu" in (source, target) and source != target:
        wanted = {"pinned": True, **wanted}
    return Measure(1, source, target, **wanted)  # type: ignore[arg-type]  # a test's own


def said_by(
    cards: TorchCards, command: Measure, checkpoint: Callable[[], None] = lambda: None
) -> list[Event]:
    said: list[Event] = []
    measure(command, cards, said.append, checkpoint)
    return said


def measured_on(
    cards: TorchCards, source: str = "cpu", target: str = "cuda:0", **changes: object
) -> Measured:
    """All that was said before is the progress."""
    *progress, last = said_by(cards, asked_for(source, target, **changes))
    assert all(isinstance(each, Sampled) for each in progress)
    assert isinstance(last, Measured)
    return last
