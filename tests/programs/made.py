"""Programs that were watched, made by hand: what a worker would have said of them."""

from pathlib import Path
from typing import Any

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
) -> ProgramRun:
    """It runs where the last event is no end."""
    names = [Device("cpu", "x86_64"), *(Device(f"cuda:{n}", "TITAN") for n in range(cards))]
    ledger = Ledger()
    ledger.apply(Hello(0, "3.13", "2.15", "CUDA 13.0", simulated=False, devices=tuple(names)))
    ledger.sent(Run(1, "import torch\n", 1))
    ledger.apply(Began(1))
    for event in events:
        ledger.apply(event)
    return ProgramRun(FILE, ledger.cells, ledger.hello, status, route, processors=processors)


# Any, here and below: by the names of the event's own fields.
def seen(
    *, steps: int = STEPS, busy: float = 30.0, pauses: float = 0.0, **more: Any
) -> Watched:
    """Of a training of twelve thousand steps on one card."""
    seconds = more.pop("seconds", SECONDS)
    more = {
        "seen_seconds": seconds,
        "seen_steps": steps,
        "step": "optimizer",
        "cost_seconds": more.pop("cost", 0.8),
        "busy": (("cuda:0", busy),) if busy else (),
        "pauses": (("cuda:0", pauses),) if pauses else (),
        **{
            each: tuple(rows) if isinstance(rows, list) else rows for each, rows in more.items()
        },
    }
    return Watched(1, seconds, steps=steps, over=True, **more)


def read(
    line: int = 84,
    what: str = "loss.item()",
    *,
    times: int = STEPS,
    waited: float = 8.0,
    how: str = "item",
    size: int = 4,
    seconds: float = 0.02,
    **more: Any,
) -> Transferred:
    """From the card to the host, which waits for it."""
    more = {"row": 1, "bursts": times, "asked": how in ("cpu", "to"), **more}
    more |= {"pinned": False, "blocking": True, "host_seconds": waited, "how": how}
    more |= {"copies": times, "what": what, "line": line, "file": str(FILE)}
    return Transferred(1, "cuda:0", "cpu", size * times, seconds, **more)


def moved(
    line: int = 30,
    what: str = 'x.to("cuda")',
    *,
    times: int = STEPS,
    size: int = MIB,
    seconds: float = 3.0,
    pinned: bool = False,
    **more: Any,
) -> Transferred:
    """From the host to the card."""
    more = {"row": 2, "bursts": times, "how": "to", "blocking": not pinned, **more}
    waited = seconds if more["blocking"] or not pinned else 0.01
    place = {"copies": times, "what": what, "line": line, "file": str(FILE), **more}
    return Transferred(
        1, "cpu", "cuda:0", size * times, seconds, pinned=pinned, host_seconds=waited, **place
    )


def idle(
    why: Why, seconds: float, *, line: int = 84, what: str = "loss.item()", **more: Any
) -> Idle:
    more = {"row": 1, "device": "cuda:0", "times": STEPS, "longest": 0.01, **more}
    return Idle(why=why, seconds=seconds, file=str(FILE), line=line, what=what, **more)


def loader(workers: int = 0, *, seconds: float = 14.0) -> Loader:
    return Loader(
        1, STEPS, seconds, workers, pins=False, file=str(FILE), line=28, what="loader"
    )
