"""The lab's worker on another machine, by a real ssh: its end, however the way there ends."""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.start import Start
from gpuexplorer.remote.link import LinkState
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import host_name
from tests.lab.processes import Worker, needs_torch
from tests.machines.ground import Ground
from tests.machines.network import Wire
from tests.remote.waiting import becomes, gone_within

pytestmark = [pytest.mark.machines, needs_torch]

PATIENCE = 60.0
# Of ssh, which notices a dead link by itself; and a little for what it has to do.
NOTICED = 5 * 3 + 10.0


@pytest.fixture
def wire(ground: Ground) -> Iterator[Wire]:
    made = Wire()
    try:
        made.pull()
        ground.user(made.name, is_root=True)  # our PyTorch is root's alone
        ground.serve(22, made.address, made.inside)
        ground.host(made.name, made.name, address=made.address, port=22)
        yield made
    finally:
        made.close()


@contextmanager
def connected(wire: Wire) -> Iterator[FarMachine]:
    far = FarMachine(host_name(wire.name))
    far.connect()
    try:
        far.wait_until_up(PATIENCE)
        yield far
    finally:
        far.stop()


def started(far: FarMachine) -> Worker:
    return Worker(far.lab_start(Start(Path(sys.executable))))


def test_a_hanging_worker_over_there_ends_when_it_is_killed_from_here(
    wire: Wire, figures: list[str]
) -> None:
    with connected(wire) as far:
        there = started(far)
        assert there.value("import os, ctypes\nos.environ['SSH_CONNECTION'] != ''") == "True"
        pid = there.process.pid
        held = Path(tempfile.gettempdir(), f"{wire.name}.held")  # that user may write there
        there.begin(f"open({str(held)!r}, 'w').close(); ctypes.PyDLL(None).sleep(600)")
        assert becomes(held.exists, PATIENCE)
        held.unlink()
        began = time.monotonic()
        there.process.kill()
        assert gone_within(pid, PATIENCE)
        figures.append(f"a killed worker over there is gone: {time.monotonic() - began:.1f} s")
        there.process.stop()
        assert started_and_stopped(far) == "2"


def started_and_stopped(far: FarMachine) -> str:
    there = started(far)
    said = there.value("1 + 1")
    pid = there.process.pid
    there.process.stop()
    assert gone_within(pid, PATIENCE)
    return said


def test_a_cut_fails_the_cell_with_a_sentence_and_ends_the_worker_over_there(
    wire: Wire, figures: list[str]
) -> None:
    with connected(wire) as far:
        there = started(far)
        there.value("import time")
        pid = there.process.pid
        running = there.begin("print('on'); time.sleep(600)")
        there.listener.wait(lambda: there.printed(running) != "")
        wire.cut()
        began = time.monotonic()
        there.listener.wait(lambda: bool(there.listener.ends), NOTICED)
        took = time.monotonic() - began
        figures.append(f"a cell on a cut link, after {took:.1f} s: {there.listener.end}")
        assert there.listener.end == f"The connection to {wire.name} broke."
        assert isinstance(there.listener.outcome(running), Failed)
        assert gone_within(pid, PATIENCE)  # by itself: nobody could tell it
        took = time.monotonic() - began
        figures.append(f"the worker on the other side of the cut has ended: {took:.1f} s")
        wire.mend()
        assert becomes(lambda: far.now.state is LinkState.UP, PATIENCE)
        assert started_and_stopped(far) == "2"
