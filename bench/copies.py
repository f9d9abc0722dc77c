"""Copies as the program measures them, beside plain loops in C and, with a card, in CUDA."""

import contextlib
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from bench.lab_worker import Worker, lab_python
from bench.table import Figure, show
from gpuexplorer.lab.events import Hello, Measured, Printed
from gpuexplorer.lab.wire import Measure

_MIB = 1 << 20
_HOST_SIZES = (64 * _MIB, 256 * _MIB)
_CARD_SIZES = (4096, 65536, _MIB, 64 * _MIB, 256 * _MIB)
_LARGE = 64 * _MIB
_ROUNDS = 25
_SAMPLES = 1  # then comes the other program
_HOST_GOAL, _LARGE_GOAL, _SMALL_GOAL = 0.10, 0.01, 0.05
_WAYS = {("cpu", "cuda:0"): 1, ("cuda:0", "cpu"): 2, ("cuda:0", "cuda:0"): 3}


class Loop:
    """A program that copies so many bytes so often, whenever it is asked to."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def seconds(self, *asked: int) -> float:
        """Of one copy."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(" ".join(map(str, asked)) + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


def figures() -> list[Figure]:
    python = lab_python()
    if python is None:
        return [Figure("copies", "no Python with torch")]
    with Worker(python) as worker:
        return [*_host(worker), *_card(worker)]


def _host(worker: Worker) -> Sequence[Figure]:
    compiler = shutil.which("cc")
    if compiler is None:
        return [Figure("within the host / memcpy", "no C compiler")]
    rows = []
    threads = _threads(worker)
    with _built(compiler, "copies_host.c", "-O2", "-pthread") as loop:
        for mode, count in (("raw", 1), ("copy", 1), ("copy", threads)):
            worker.run(f"torch.set_num_threads({count})")
            for size in _HOST_SIZES:
                asked = Measure(1, "cpu", "cpu", size, mode, samples=_SAMPLES, most_share=0.5)
                how = "the C library's call" if mode == "raw" else f"threads: {count}"
                what = f"{size // _MIB} MiB within the host, {how} / memcpy"
                # With as many threads as cores, others on this machine are in the figure too.
                goal = _HOST_GOAL if count == 1 else None
                rows.append(
                    _beside(
                        what,
                        worker,
                        asked,
                        partial(loop.seconds, size, count),
                        goal,
                    )
                )
    return rows


def _card(worker: Worker) -> Sequence[Figure]:
    compiler = shutil.which("nvcc")
    hello = next(each for each in worker.seen if isinstance(each, Hello))
    if not any(each.name == "cuda:0" and each.usable for each in hello.devices):
        return [Figure("copies of a card / cudaMemcpyAsync", "no card")]
    if compiler is None:
        return [Figure("copies of a card / cudaMemcpyAsync", "no CUDA compiler")]
    rows = []
    with _built(compiler, "copies_cuda.cu", "-O2") as loop:
        for (source, target), way in _WAYS.items():
            pinned = None if source == target else True
            for size in _CARD_SIZES:
                asked = Measure(1, source, target, size, pinned=pinned, samples=_SAMPLES)
                size_told = f"{size // 1024} KiB" if size < _MIB else f"{size // _MIB} MiB"
                rows.append(
                    _beside(
                        f"{size_told} {source} to {target} / cudaMemcpyAsync",
                        worker,
                        asked,
                        partial(loop.seconds, way, size),
                        _LARGE_GOAL if size >= _LARGE else _SMALL_GOAL,
                    )
                )
    return rows


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
        measured = _measured(worker, asked)
        pairs.append((statistics.median(measured.samples_s), theirs(measured.loops)))
    ratio = statistics.median(ours / other for ours, other in pairs)
    rates = [asked.bytes / statistics.median(each) / 1e9 for each in zip(*pairs, strict=True)]
    told = f"{rates[0]:.2f} / {rates[1]:.2f} GB/s, times {ratio:.3f}"
    if goal is None:
        return Figure(what, told)
    return Figure(what, told, f"within {goal:.0%}", abs(ratio - 1) <= goal)


def _measured(worker: Worker, asked: Measure) -> Measured:
    worker.ask(asked)
    return next(each for each in reversed(worker.seen) if isinstance(each, Measured))


def _threads(worker: Worker) -> int:
    worker.run("torch.get_num_threads()")
    printed = next(each for each in reversed(worker.seen) if isinstance(each, Printed))
    return int(printed.text)


@contextlib.contextmanager
def _built(compiler: str, source: str, *options: str) -> Iterator[Loop]:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "loop"
        text = Path(__file__).parent / source
        subprocess.run([compiler, *options, "-o", program, text], check=True)
        with subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            yield Loop(process)


if __name__ == "__main__":
    show("Copies, beside plain loops", figures())
