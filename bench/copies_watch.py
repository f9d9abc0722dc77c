"""What watching for copies costs a training loop, and a frame of a long timeline."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from bench.lab_worker import lab_python
from bench.table import Figure
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.lab.events import Finished, Transferred
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run, Train

_ROUNDS = 40
_STEPS = 5
_BATCH = 32
_COPIES = 100_000
_CARDS = 8
_PIXELS = 1000
_FRAME = 1 / 60


def figures() -> list[Figure]:
    return [*_watching(), _frame()]


def _watching() -> Sequence[Figure]:
    python = lab_python()
    if python is None:
        return [Figure("watching for copies", "no Python with torch")]
    home = Path(__file__).parents[1]
    told = subprocess.run(
        [python, "-m", "bench.copies_watch"],
        cwd=home,
        check=True,
        capture_output=True,
        text=True,
    )
    plain, as_it_is, always = json.loads(told.stdout)
    step = f"a training step of the small CNN, {plain * 1e3:.2f} ms"
    cost, most = as_it_is / plain - 1, always / plain - 1
    return [
        Figure(f"watching {step}", f"{cost * 100:+.1f} %", "under 10 %", cost < 0.1),
        Figure("the same, were it always watched", f"{most * 100:+.1f} %"),
    ]


def _frame() -> Figure:
    ledger, book, timeline = Ledger(), CopyBook(), Timeline()
    for number in range(1, _COPIES // 200 + 1):
        card = f"cuda:{number % _CARDS}"
        ledger.sent(Run(number, "a loop"))
        for at in range(200):
            begin = at * 1e-4
            copy = Transferred(
                number, "cpu", card, 1 << 20, 8e-5, blocking=True, pinned=True,
                host_seconds=8e-5, asked_at=begin, begin=begin, end=begin + 8e-5,
            )  # fmt: skip
            ledger.apply(copy)
        ledger.apply(Finished(number, 0.02, 0.02))
    book.take(ledger)
    timeline.take(ledger, book)
    took = []
    for _ in range(20):
        began = time.perf_counter()
        for lane in filter(None, map(timeline.lane, timeline.tracks)):
            lane.visible(0.0, timeline.length, _PIXELS)
        took.append(time.perf_counter() - began)
    best = min(took)
    what = f"bars of {_COPIES} copies on {_CARDS} cards, all in sight"
    return Figure(what, f"{best * 1e3:.1f} ms", "under 16.7 ms", best < _FRAME)


def _measured() -> tuple[float, float, float]:
    """Seconds of a step: unwatched, watched as the worker does, and watched in any case."""
    import torch  # noqa: PLC0415 - only in the lab's Python

    from gpuexplorer.worker.engines.torch_engine import TorchEngine  # noqa: PLC0415
    from gpuexplorer.worker.engines.watch import Watch  # noqa: PLC0415
    from gpuexplorer.worker.models import MODELS  # noqa: PLC0415
    from gpuexplorer.worker.staying import stays_on_host  # noqa: PLC0415
    from gpuexplorer.worker.training import train  # noqa: PLC0415

    torch.set_num_threads(1)
    engine, watch = TorchEngine(), Watch()
    net = MODELS["small_cnn"]()
    things = {
        "net": net,
        "X": torch.randn(_BATCH, 3, 32, 32),
        "Y": torch.randint(0, 10, (_BATCH,)),
        "opt": torch.optim.SGD(net.parameters(), lr=0.1),
    }
    command = Train(1, "net", "X", "Y", "opt", "cross_entropy", _STEPS, _BATCH)
    ways: Sequence[Callable[[], AbstractContextManager[object]]] = (
        contextlib.nullcontext,
        lambda: engine.running(lambda: stays_on_host(command, things)),
        lambda: watch,
    )
    best = [float("inf")] * len(ways)
    for _ in range(_ROUNDS):
        for number, way in enumerate(ways):  # in turn, since machines drift
            began = time.perf_counter()
            with way():
                train(command, things, engine, lambda _: None, lambda: None)
            best[number] = min(best[number], (time.perf_counter() - began) / _STEPS)
    return best[0], best[1], best[2]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_measured()))
