"""The worker is expected to fail: each way it can, provoked for real."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuexplorer.lab.events import Began, Failed, Finished, Placed
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import NAME, Start, unpacked
from gpuexplorer.lab.wire import Run
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine
from tests.lab.processes import CARD, PATIENCE, Fake, Worker, ended, needs_torch, tampered

HELLO = '{"is":"hello","python":"3.11","torch":"2","build":"CPU","simulated":false}'


@pytest.mark.long
@needs_torch
def test_a_worker_introduces_itself_and_tells_what_a_line_made_and_cost(
    worker: Callable[[Start], Worker],
) -> None:
    shared = worker(Start(cards=[CARD], seed=7))
    hello = shared.listener.hello
    assert (hello.simulated, hello.seed) == (True, 7)
    assert [device.name for device in hello.devices] == ["cpu", "cuda:0", "meta"]
    assert hello.devices[1].capability == (7, 5)
    outcome = shared.run("import torch", "X = torch.ones(2, 3, device='cuda:0')")
    assert isinstance(outcome, Finished)
    (placed,) = shared.said(Placed, outcome.id)
    assert (placed.name, placed.device, placed.shape) == ("X", "cuda:0", (2, 3))
    assert (placed.dtype, placed.bytes, placed.holds[0].bytes) == ("float32", 24, 512)
    assert outcome.modelled
    assert outcome.memory[0].context_bytes == CARD["context_bytes"]


@pytest.mark.long
@needs_torch
@pytest.mark.parametrize("killer", ["SIGKILL", "SIGSEGV"])
def test_a_killed_worker_is_told_and_a_new_one_is_ready(
    worker: Callable[[Start], Worker], killer: str
) -> None:
    lost = worker(Start())
    assert isinstance(lost.run("X = 1"), Finished)
    run = lost.begin("import ctypes\nctypes.PyDLL(None).sleep(1000)")  # as a hang
    lost.listener.wait(lambda: bool(lost.said(Began, run)))
    os.kill(lost.process.pid, getattr(signal, killer))
    outcome = lost.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "worker lost"
    assert outcome.sentence.startswith("The worker was killed by")
    assert killer in outcome.sentence
    assert lost.listener.end == outcome.sentence
    after = lost.failure("X")
    assert after.cause == "worker lost"
    assert isinstance(worker(Start()).run("X = 1"), Finished)


@pytest.mark.long
@needs_torch
def test_a_worker_ends_with_its_window() -> None:
    code = "import torch\nX = torch.randn(9000, 9000)\nX @ X"
    home = Path(__file__).parents[2]
    script = f"""
import sys, threading
sys.path.insert(0, {str(home)!r})
from gpuexplorer.lab.events import Began
from gpuexplorer.lab.wire import Run
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.worker_process import WorkerProcess
def on_event(event):
    if isinstance(event, Began):
        print(worker.pid, flush=True)
worker = WorkerProcess(Start(), on_event, print)
worker.send(Run(1, {code!r}))
threading.Event().wait()
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as window:
        assert window.stdout is not None
        pid = int(window.stdout.readline())
        window.kill()
    assert ended(pid)


WITHOUT_TORCH = tampered("import sys; sys.modules['torch'] = None")


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (Fake(script="print('Welcome to FooShell')"), "no message: 'Welcome to FooShell'."),
        (Fake(script="import sys; sys.exit('no licence')"), "with status 1: no licence."),
        (WITHOUT_TORCH, "PyTorch cannot be loaded by this Python: "),
    ],
    ids=range(3),
)
def test_what_cannot_be_the_worker_says_why(
    worker: Callable[[Start], Worker], start: Start, said: str
) -> None:
    assert said in worker(start).listener.end


def test_one_that_will_not_end_is_ended(worker: Callable[[Start], Worker]) -> None:
    script = (
        "import signal, threading; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        f"print('{HELLO}', flush=True); threading.Event().wait()"
    )
    stubborn = worker(Fake(script=script))
    assert stubborn.listener.hello.build == "CPU"
    stubborn.process.stop(patience=0.1)
    assert not stubborn.process.running
    assert stubborn.listener.end == "The worker was ended."


def test_what_a_start_is_told_before_torch_comes() -> None:
    cards, links = simulated_cards(Machine(parse_machine("64xH100+nvlink")))
    start = Start(visible=("GPU-b", "GPU-a"), seed=3, cards=cards, links=links)
    told = start.variables_in({})
    assert told["CUDA_VISIBLE_DEVICES"] == "GPU-b,GPU-a"
    assert told["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert len(told[NAME]) < 100_000  # it fits into one variable
    assert unpacked(told[NAME])["seed"] == 3
    assert len(unpacked(told[NAME])["links"]) == 64 + 64 * 63 // 2


def test_who_does_not_read_keeps_nobody_waiting() -> None:
    worker = Worker(Fake(script="import threading; threading.Event().wait()"))

    def send() -> None:
        for number in range(100):
            worker.process.send(Run(number + 1, "X = 1" + " " * 3900))

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    sender.join(PATIENCE)
    assert not sender.is_alive()
    worker.process.kill()
    assert "SIGKILL" in worker.listener.end
    worker.process.stop()
