"""Programs that were watched, made by hand: what a worker would have said of them."""

from collections.abc import Sequence
from pathlib import Path

from gpuexplorer.copies.route import Leg, Route, Way, Wire
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import (
    Began,
    Device,
    Failed,
    Finished,
    Hello,
    Idle,
    Loader,
    Transferred,
    Trip,
    Watched,
    Why,
)
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run
from gpuexplorer.programs.program_run import ProgramRun

FILE = Path("/home/ada/work/train.py")
KIB, MIB = 1 << 10, 1 << 20
LIMIT = 15.75e9
STEPS = 12_000
SECONDS = 41.0


def route(source: str, target: str) -> Route:
    leg = Leg(Wire.PCIE, Message("PCIe 3 x16"), LIMIT)
    return Route(source, target, (leg,), Way.TO_HOST, None, LIMIT)


def program(
    *events: Watched | Finished | Failed,
    cards: int = 1,
    status: int | None = 0,
    processors: int | None = 16,
    simulated: bool = False,
) -> ProgramRun:
    """It runs where the last event is no end."""
    names = [Device("cpu", "x86_64"), *(Device(f"cuda:{n}", "TITAN") for n in range(cards))]
    ledger = Ledger()
    ledger.apply(Hello(4, "3.13", "2.15", "CUDA 13.0", simulated, tuple(names)))
    ledger.sent(Run(1, "import torch\n", 1))
    ledger.apply(Began(1))
    for event in events:
        ledger.apply(event)
    return ProgramRun(FILE, ledger.cells, ledger.hello, status, route, processors=processors)


def seen(
    *,
    copies: Sequence[Transferred] = (),
    idle: Sequence[Idle] = (),
    loaders: Sequence[Loader] = (),
    trips: Sequence[Trip] = (),
    seconds: float = SECONDS,
    seen_seconds: float | None = None,
    steps: int = STEPS,
    seen_steps: int | None = None,
    step: str = "optimizer",
    cost: float | None = 0.8,
    busy: float = 30.0,
    children: Sequence[tuple[str, int]] = (),
    modelled: bool = False,
    dropped: int = 0,
    started: float = 0.0,
    pauses: float = 0.0,
) -> Watched:
    """Of a training of twelve thousand steps on one card."""
    return Watched(
        1,
        seconds,
        seconds if seen_seconds is None else seen_seconds,
        steps,
        steps if seen_steps is None else seen_steps,
        step,
        cost,
        modelled,
        tuple(copies),
        tuple(idle),
        tuple(loaders),
        tuple(trips),
        (("cuda:0", busy),) if busy else (),
        children=tuple(children),
        dropped=dropped,
        over=True,
        started=started,
        pauses=(("cuda:0", pauses),) if pauses else (),
    )


def read(
    line: int = 84,
    what: str = "loss.item()",
    *,
    times: int = STEPS,
    waited: float = 8.0,
    how: str = "item",
    row: int = 1,
    size: int = 4,
    bursts: int | None = None,
    seconds: float = 0.02,
) -> Transferred:
    """From the card to the host, which waits for it."""
    return Transferred(
        1,
        "cuda:0",
        "cpu",
        size * times,
        seconds,
        copies=times,
        what=what,
        asked=how in ("cpu", "to"),
        line=line,
        file=str(FILE),
        how=how,
        pinned=False,
        blocking=True,
        host_seconds=waited,
        row=row,
        bursts=times if bursts is None else bursts,
    )


def moved(
    line: int = 30,
    what: str = 'x.to("cuda")',
    *,
    times: int = STEPS,
    size: int = MIB,
    seconds: float = 3.0,
    pinned: bool = False,
    bursts: int | None = None,
    row: int = 2,
    within: str = "",
    blocking: bool | None = None,
) -> Transferred:
    """From the host to the card."""
    return Transferred(
        1,
        "cpu",
        "cuda:0",
        size * times,
        seconds,
        copies=times,
        what=what,
        line=line,
        file=str(FILE),
        within=within,
        how="to",
        pinned=pinned,
        blocking=not pinned if blocking is None else blocking,
        host_seconds=0.01 if pinned and not blocking else seconds,
        row=row,
        bursts=times if bursts is None else bursts,
    )


def idle(
    why: Why,
    seconds: float,
    *,
    line: int = 84,
    what: str = "loss.item()",
    times: int = STEPS,
    longest: float = 0.01,
    row: int = 1,
    device: str = "cuda:0",
) -> Idle:
    return Idle(row, device, why, seconds, times, longest, str(FILE), 0, line, what)


def loader(
    workers: int = 0,
    *,
    batches: int = STEPS,
    seconds: float = 14.0,
    line: int = 28,
    pins: bool = False,
) -> Loader:
    return Loader(1, batches, seconds, workers, pins, str(FILE), 0, line, "loader")
