"""Copies as the program measures them, beside plain loops in C and, with a card, in CUDA; and
the timeline that shows those of a session.
"""

import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

from bench.lab_worker import Worker, lab_python
from bench.stage import let_run, measured
from bench.table import Figure, at_most
from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.gui.copies.moving.timeline_panel import TimeFrame, TimelineView
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.lab.events import (
    Began,
    Finished,
    Hello,
    Measured,
    Printed,
    Span,
    Spans,
    Transferred,
)
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Measure, Run

_MIB = 1 << 20
_HOST_SIZES = (64 * _MIB, 256 * _MIB)
_CARD_SIZES = (4096, 65536, _MIB, 64 * _MIB, 256 * _MIB)
_ROUNDS = 25
_WAYS = (("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:0"))
_COPIES, _OF_A_LINE = 100_000, 200
_CARDS = [f"cuda:{number}" for number in range(8)]
_ZOOMS = (2, 10, 100, 1000, 10_000)
_FRAMES = 60


def figures() -> Iterator[Figure]:
    with Worker(lab_python()) as worker:
        yield from _host(worker)
        yield from _card(worker)
    yield from measured("copies")


def _host(worker: Worker) -> Iterator[Figure]:
    worker.run("import torch", "torch.get_num_threads()")
    all_of_them = int(worker.last(Printed).text)
    with _built("cc", "copies_host.c", "-O2", "-pthread") as seconds:
        for threads in dict.fromkeys((1, all_of_them)):
            worker.run(f"torch.set_num_threads({threads})")
            for size in _HOST_SIZES:
                what = f"{size // _MIB} MiB within the host, threads: {threads}, / memcpy"
                asked = Measure(1, "cpu", "cpu", size, samples=1, most_share=0.5)
                # With as many threads as cores, others on this machine are in the figure too.
                goal = 0.10 if threads == 1 else None
                yield _beside(what, worker, asked, partial(seconds, size, threads), goal)


def _card(worker: Worker) -> Iterator[Figure]:
    devices = {each.name for each in worker.last(Hello).devices if each.usable}
    if "cuda:0" not in devices or shutil.which("nvcc") is None:
        yield Figure("copies of a card / cudaMemcpyAsync", "no card, or no CUDA compiler")
        return
    with _built("nvcc", "copies_cuda.cu", "-O2") as seconds:
        for way, (source, target) in enumerate(_WAYS, 1):
            pinned = None if source == target else True
            for size in _CARD_SIZES:
                what = f"{size // 1024} KiB {source} to {target} / cudaMemcpyAsync"
                asked = Measure(1, source, target, size, pinned=pinned, samples=1)
                goal = 0.01 if size >= 64 * _MIB else 0.05
                yield _beside(what, worker, asked, partial(seconds, way, size), goal)


def _beside(
    what: str,
    worker: Worker,
    asked: Measure,
    theirs: Callable[[int], float],
    goal: float | None,
) -> Figure:
    """The ratio of times is taken pair by pair, since machines drift."""
    pairs = []
    for _ in range(_ROUNDS):
        worker.ask(asked)
        found = worker.last(Measured)
        pairs.append((median(found.samples_s), theirs(found.loops)))
    off = abs(median(ours / other for ours, other in pairs) - 1)
    rates = [asked.bytes / median(each) / 1e9 for each in zip(*pairs, strict=True)]
    said = f"{rates[0]:.2f} / {rates[1]:.2f} GB/s, {off:.1%} off"
    if goal is None:
        return Figure(what, said)
    return at_most(what, off * 100, goal * 100, "%", said)


@contextmanager
def _built(compiler: str, source: str, *options: str) -> Iterator[Callable[..., float]]:
    """A program that copies as it is asked to, and answers with the seconds of one copy."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "loop"
        text = Path(__file__).parent / source
        subprocess.run([compiler, *options, "-o", program, text], check=True)
        pipe = subprocess.PIPE
        with subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True) as running:

            def seconds(*asked: int) -> float:
                assert running.stdin is not None
                assert running.stdout is not None
                print(*asked, file=running.stdin, flush=True)
                return float(running.stdout.readline())

            yield seconds


def on_stage() -> Iterator[Figure]:
    ledger, book, timeline = _session(), CopyBook(), Timeline()
    book.take(ledger)
    timeline.take(ledger, book)
    devices = {name: BenchDevice(name, "", name[-1], at) for at, name in enumerate(_CARDS)}
    look().choose(Scheme.DARK)
    view = TimelineView()
    view.show_session(timeline, book, devices)
    view.resize(1330, view.height())
    view.show()
    let_run(0.2)  # nothing is drawn before
    for zoom in _ZOOMS:
        span = timeline.length / zoom
        begins = [(timeline.length - span) * (0.4 + each * 1e-3) for each in range(_FRAMES)]
        moves = [partial(view.show_frame, TimeFrame(each, each + span)) for each in begins]
        yield _frames(view, f"panned, {zoom} times larger", moves)
    moments = [begins[-1] + span * each / _FRAMES for each in range(_FRAMES)]
    yield _frames(view, "played", [partial(view.show_playhead, each) for each in moments])


def _frames(view: TimelineView, what: str, moves: Sequence[Callable[[], None]]) -> Figure:
    """Processor time: what else runs on this computer is not counted."""
    taken = []
    for move in (moves[0], *moves):
        began = time.process_time()
        move()
        view.viewport().repaint()
        taken.append((time.process_time() - began) * 1e3)
    usual, longest = median(taken[1:]), max(taken[1:])  # the session is drawn once
    name = f"{_COPIES} copies on {len(_CARDS)} cards, {what}: a frame, median, longest"
    return at_most(name, usual, 16.7, "ms", f"{usual:.1f}, {longest:.1f} ms")


def _session() -> Ledger:
    ledger, dice = Ledger(), random.Random(1)
    for number in range(1, _COPIES // _OF_A_LINE + 1):
        ledger.sent(Run(number, "a loop", number))
        ledger.apply(Began(number))
        at, spans = 0.0, []
        for _ in range(_OF_A_LINE):
            source, target = dice.sample(["cpu", *_CARDS], 2)
            long, host = dice.uniform(1e-6, 5e-3), "cpu" in (source, target)
            copy = Transferred(
                *(number, source, target, _MIB, long),
                what="X",
                how="cuda",
                pinned=False if host else None,
                blocking=host,
                host_seconds=long,
                asked_at=at,
                begin=at,
                end=at + long,
            )
            ledger.apply(copy)
            spans.append(Span(dice.choice(_CARDS), at, at + long * 0.7, long * 0.7))
            at += long * 0.8
        ledger.apply(Spans(number, tuple(spans)))
        ledger.apply(Finished(number, at, at))
    return ledger
