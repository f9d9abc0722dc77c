"""Copies and products measured by a worker: one that plays its part as ordered."""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.measuring import Bench
from gpuexplorer.copies.result import Busy, CopyResult
from gpuexplorer.copies.routes import Values
from gpuexplorer.copies.worker_bench import WorkerBench, names_by_uuid, offered, remarks
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Device
from gpuexplorer.lab.wire import CopyJob, ProductJob
from tests.clocks import ManualClock
from tests.copies.made import measured, routes
from tests.lab.processes import Fake, ended

PATIENCE = 30.0
FINE, FAILS, DIES, HANGS, STUBBORN = 64, 1, 2, 3, 4
# What it does with a command follows from the number of its bytes.
SCRIPT = """
import json, os, signal, sys
def say(**what):
    print(json.dumps(what), flush=True)
say(**{"is": "hello"}, python="3.11", torch="2", build="CPU", simulated=False,
    devices=[{"name": "cpu", "label": "cpu"}])
for line in sys.stdin:
    told = json.loads(line)
    number = told["id"]
    if told["is"] == "cancel":
        if hanging == 3:
            say(**{"is": "failed"}, id=number, cause="cancelled", error="", message="",
                sentence="Cancelled.")
        continue
    if "seconds" in told:
        say(**{"is": "sampled"}, id=number, taken=0, samples=told["samples"])
        say(**{"is": "sampled"}, id=number, taken=1, samples=told["samples"])
        say(**{"is": "multiplied"}, id=number, samples_s=[0.5, 0.25, 0.5], right=True,
            loaded_s=told["seconds"], notes=["%s for %g s" % (told["kind"], told["seconds"])])
        say(**{"is": "finished"}, id=number, host_seconds=1.0)
        continue
    hanging = told["bytes"]
    if hanging == 1:
        say(**{"is": "failed"}, id=number, cause="refused by PyTorch", error="RuntimeError",
            message="CUDA says no", sentence="", hint="Ask again.")
    elif hanging == 2:
        print("bad memory", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    elif hanging in (3, 4):
        say(**{"is": "sampled"}, id=number, taken=1, samples=7)
    else:
        say(**{"is": "sampled"}, id=number, taken=1, samples=told["samples"])
        say(**{"is": "measured"}, id=number, samples_s=[0.5, 0.5], intact=True,
            notes=["process %d" % os.getpid()])
        say(**{"is": "finished"}, id=number, host_seconds=1.0)
"""


SLEEPY = {m.PCIE_GENERATION: 1.0, m.PCIE_GENERATION_MAX: 3.0, m.PCIE_WIDTH: 16.0}
SLEEPY |= {m.PCIE_WIDTH_MAX: 16.0}


def job(size: int) -> CopyJob:
    return CopyJob("cpu", "cpu", size)


def pid_of(result: CopyResult) -> int:
    assert result.measured is not None, result.failure
    return int(result.measured.notes[0].removeprefix("process "))


@pytest.fixture
def bench() -> Iterator[WorkerBench]:
    made = WorkerBench(Fake(script=SCRIPT), lambda devices: routes("1xT4"))
    yield made
    made.close()


def stopped(bench: WorkerBench, size: int) -> CopyResult:
    """A job that hangs, and is stopped when it has begun."""
    begun = threading.Event()
    results: list[CopyResult] = []

    def run() -> None:
        results.append(bench.measure(job(size), lambda taken, samples: begun.set()))

    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(PATIENCE)
    bench.stop()
    thread.join(PATIENCE)
    assert results
    return results[0]


def test_one_process_measures_all_and_closing_ends_it(bench: WorkerBench) -> None:
    pid = pid_of(measured(bench, job(FINE)))
    result = measured(bench, job(FAILS))
    assert (result.failure, result.hint) == ("CUDA says no", "Ask again.")
    assert pid_of(measured(bench, job(FINE))) == pid
    bench.close()
    assert ended(pid)


def test_a_worker_that_dies_is_said_and_another_goes_on(bench: WorkerBench) -> None:
    pid = pid_of(measured(bench, job(FINE)))
    result = measured(bench, job(DIES))
    assert "SIGKILL" in result.failure
    assert result.hint == "A new worker measures what comes after it."
    assert pid_of(measured(bench, job(FINE))) != pid


def test_a_job_can_be_stopped_with_its_worker_only_if_it_does_not_heed(
    bench: WorkerBench,
) -> None:
    pid = pid_of(measured(bench, job(FINE)))
    assert stopped(bench, HANGS).failure == "Cancelled."
    assert pid_of(measured(bench, job(FINE))) == pid
    assert stopped(bench, STUBBORN).failure == "It was stopped."
    assert ended(pid)
    assert pid_of(measured(bench, job(FINE))) != pid


def test_a_worker_that_is_still_starting_can_be_stopped() -> None:
    bench = WorkerBench(Fake(argv=[sys.executable, "-c", "import time; time.sleep(600)"]))
    results: list[CopyResult] = []
    thread = threading.Thread(target=lambda: results.append(measured(bench, job(FINE))))
    thread.start()
    while thread.is_alive():
        bench.stop()
        thread.join(0.02)
    assert results[0].failure == "It was stopped."


def test_a_card_that_others_use_is_noted_and_our_own_work_is_not() -> None:
    clock, asked = ManualClock(), []

    def busy() -> dict[str, float]:
        asked.append(clock.now())
        return {"cpu": 0.83}

    with closing(WorkerBench(Fake(script=SCRIPT), busy=busy, clock=clock)) as bench:
        assert [measured(bench, job(FINE)).busy for _ in range(2)] == [(Busy("cpu", 0.83),)] * 2
        clock.advance(10.0)
        measured(bench, job(FINE))
    assert len(asked) == 2


def test_links_are_read_while_they_copy_once_for_each_device() -> None:
    asked: list[Sequence[str]] = []

    def under_load(devices: Sequence[str]) -> Values:
        asked.append(devices)
        return {CardId("SIM-0"): SLEEPY}

    made = WorkerBench(Fake(script=SCRIPT), lambda _: routes("1xT4"), under_load=under_load)
    with closing(made) as bench:
        results = [
            measured(bench, CopyJob(*pair, 1 << 20, pinned=True))
            for pair in (("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:0"))
        ]
    assert asked == [["cuda:0"]]
    assert results[0].route is not None
    assert results[0].route.note == "cuda:0 runs at PCIe 1.0: card and slot could do PCIe 3.0."


def test_devices_are_matched_to_cards_by_their_uuid() -> None:
    cards = [Card(CardId(f"GPU-{name}"), 0, name.upper(), 1) for name in ("aa", "bb")]
    devices = [
        Device("cpu", "cpu"),
        Device("cuda:0", "B", uuid="bb"),
        Device("cuda:1", "A", uuid="AA"),
        Device("cuda:2", "no card of this PyTorch", usable=False),
        Device("meta", "meta"),
    ]
    assert names_by_uuid(devices, cards) == {"cuda:0": "GPU-bb", "cuda:1": "GPU-aa"}
    assert offered(devices) == ["cpu", "cuda:0", "cuda:1"]


def test_a_card_without_kernels_is_offered_and_a_pytorch_without_cards_says_why() -> None:
    reason = Message("Copies work, computing does not.")
    weak = Device("cuda:1", "GTX 1080", "u", capability=(6, 1), usable=False, reason=reason)
    devices = [Device("cpu", "cpu"), Device("cuda:0", "T4", "v", capability=(7, 5)), weak]
    assert offered(devices) == ["cpu", "cuda:0", "cuda:1"]
    assert remarks(devices) == ["cuda:1, GTX 1080: Copies work, computing does not."]
    old, way_out = Message("The driver is too old."), Message("Update it.")
    none = Device("cuda:0", "", usable=False, reason=old, way_out=way_out)
    assert offered([none]) == []
    assert remarks([none]) == ["The driver is too old. Update it."]


def product(bench: Bench, job: ProductJob) -> ProductResult:
    return bench.measure_product(job, lambda taken, samples: None)


@pytest.fixture
def multiplying() -> Iterator[WorkerBench]:
    made = WorkerBench(Fake(script=SCRIPT), clock=ManualClock(now=100.0))
    yield made
    made.close()


def test_the_moment_of_the_first_sample_ends_the_time_at_work(multiplying: WorkerBench) -> None:
    result = product(multiplying, ProductJob("cuda:0", "bf16", 2048))
    assert result.measured is not None, result.failure
    assert result.loaded == (96.0, 100.0)
    assert result.measured.notes == ("bf16 for 4 s",)
    assert result.rate == 2 * 2048**3 / 0.5
    host = product(multiplying, ProductJob("cpu", "fp32", 512))
    assert host.measured is not None
    assert host.measured.notes == ("fp32 for 0 s",)  # nobody tells its power
