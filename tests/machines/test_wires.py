"""Wires that are narrow, far, lossy, shaped, cut or shut by a firewall: what is read, run and
copied over them, each for real.
"""

import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.start import Start
from gpuexplorer.remote.link import LinkState
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import host_name
from gpuexplorer.remote.wire import Knock
from tests.lab.processes import Worker, needs_torch
from tests.machines.conftest import Ground, Reached, Wire, run, wait_for
from tests.remote.waiting import becomes, gone_within

pytestmark = [pytest.mark.machines, needs_torch]
PATIENCE = 60.0
# Of ssh, which notices a dead link by itself; and a little for what it has to do.
NOTICED = 5 * 3 + 10.0
LESS_HEADERS = 0.956
far_away = pytest.mark.parametrize("wire", [(0.25, 0.02)], indirect=True)
Out = pytest.CaptureFixture[str]


@pytest.fixture
def wire(ground: Ground, request: pytest.FixtureRequest) -> Iterator[Wire]:
    """With a machine at its end that is called as it is, and a user of the same name."""
    made = Wire()
    far = getattr(request, "param", None)
    try:
        if far is None:
            made.pull()
        else:
            made.pull_far(*far)
        ground.user(made.name, is_root=True)  # our PyTorch is root's alone
        ground.serve(22, made.address, made.inside)
        ground.host(made.name, made.name, address=made.address, port=22)
        yield made
    finally:
        wait_for(lambda: not ranks_of(made))
        made.close()


def test_a_cut_for_good_is_noticed_and_told(wire: Wire) -> None:
    with Reached(wire.name) as reached:
        reached.hello()
        wire.cut()
        end = reached.end()
        assert end.again
        assert end.why == f"The connection to {wire.name} broke."
        wire.mend()
        with Reached(wire.name) as again:
            again.hello()


@contextmanager
def connected(wire: Wire) -> Iterator[FarMachine]:
    far = FarMachine(host_name(wire.name), simulate="2xTitanRTX")
    far.connect()
    try:
        far.wait_until_up(PATIENCE)
        yield far
    finally:
        assert far.stop(5.0)


@pytest.mark.parametrize("seconds", [13.0, 30.0])
def test_a_machine_is_back_after_cuts(wire: Wire, seconds: float) -> None:
    """The shorter cut is over before ssh gives its connection up, the longer one is not."""
    with connected(wire) as far:
        wire.cut()
        began = time.monotonic()
        wait_for(lambda: far.now.state is LinkState.BROKEN)
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        wire.mend()
        wait_for(lambda: far.now.state is LinkState.UP, PATIENCE)
        assert len(far.stream.cards()) == 2


@far_away
def test_the_delay_of_a_far_machine_is_measured(wire: Wire) -> None:
    with connected(wire) as far:
        clock = far.stream.far_clock
        wait_for(lambda: clock.best.round_trip < 60)
        took = time.monotonic()
        far.tell(Knock(1.0))  # never waits
        assert time.monotonic() - took < 0.1
        assert 0.45 < clock.best.round_trip < 3
        assert not clock.differs


def started(far: FarMachine) -> Worker:
    return Worker(far.lab_start(Start(Path(sys.executable))))


def test_a_hanging_worker_ends_when_killed_from_here(wire: Wire) -> None:
    with connected(wire) as far:
        there = started(far)
        assert there.value("import os, ctypes\nos.environ['SSH_CONNECTION'] != ''") == "True"
        pid = there.process.pid
        held = Path(tempfile.gettempdir(), f"{wire.name}.held")  # that user may write there
        there.begin(f"open({str(held)!r}, 'w').close(); ctypes.PyDLL(None).sleep(600)")
        assert becomes(held.exists, PATIENCE)
        held.unlink()
        there.process.kill()
        assert gone_within(pid, PATIENCE)
        there.process.stop()
        assert started_and_stopped(far) == "2"


def started_and_stopped(far: FarMachine) -> str:
    there = started(far)
    said = there.value("1 + 1")
    pid = there.process.pid
    there.process.stop()
    assert gone_within(pid, PATIENCE)
    return said


def test_a_cut_fails_the_cell_and_ends_the_worker(wire: Wire) -> None:
    with connected(wire) as far:
        there = started(far)
        there.value("import time")
        pid = there.process.pid
        running = there.begin("print('on'); time.sleep(600)")
        there.listener.wait(lambda: there.printed(running) != "")
        wire.cut()
        there.listener.wait(lambda: bool(there.listener.ends), NOTICED)
        assert there.listener.end == f"The connection to {wire.name} broke."
        assert isinstance(there.listener.outcome(running), Failed)
        assert gone_within(pid, PATIENCE)  # by itself: nobody could tell it
        wire.mend()
        assert becomes(lambda: far.now.state is LinkState.UP, PATIENCE)
        assert started_and_stopped(far) == "2"


def ranks_of(wire: Wire) -> str:
    """What runs over there besides sshd."""
    pids = run("ip", "netns", "pids", wire.name).split()
    told = (run("ps", "-o", "args=", "-p", each, check=False) for each in pids)
    return "".join(each for each in told if "eval(i.readline" in each)


def copies(wire: Wire, *words: str) -> int:
    hosts = f"localhost,{wire.name}"
    return main(["copies", "--hosts", hosts, "--python", sys.executable, *words])


@pytest.mark.parametrize(("rate", "bits"), [("1gbit", 1e9), ("100mbit", 1e8)])
def test_a_shaped_wire_is_measured_as_it_was_shaped(
    wire: Wire, capsys: Out, rate: str, bits: float
) -> None:
    # A burst is what passes between two beats of the kernel; sizes are 16 bursts and more.
    burst, sizes = ("256kb", "16M,64M") if bits == 1e9 else ("64kb", "2M,4M")
    wire.shape(rate, burst)
    assert copies(wire, "--sizes", sizes, "--mode", "one-way,all-reduce", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    for each in told["results"]:
        share = each["bus_rate_gbs"] * 8e9 / (bits * LESS_HEADERS)
        assert 0.9 < share < 1.1
        assert each["intact"]


def test_a_host_that_vanishes_or_is_killed_is_told_within_the_patience(
    wire: Wire, capsys: Out
) -> None:
    def kill() -> None:
        pids = map(int, run("ip", "netns", "pids", wire.name).split())
        os.kill(max(pids), signal.SIGKILL)  # the youngest, behind its keeper

    said, took = told_when(wire, kill, capsys)
    assert f"Our part on {wire.name} was killed." in said
    assert took < 10
    try:
        vanished, later = told_when(wire, wire.cut, capsys)
    finally:
        wire.mend()
    assert "has not been heard of for 10 s" in vanished
    assert later < 20


def told_when(wire: Wire, happens: Callable[[], None], capsys: Out) -> tuple[str, float]:
    """What is said after something happens in the middle of a copy, and how soon."""
    wire.shape("100mbit")
    at: list[float] = []

    def meanwhile() -> None:
        before = moved(wire)
        wait_for(lambda: moved(wire) > before + 20_000_000)
        at.append(time.monotonic())
        happens()

    happening = threading.Thread(target=meanwhile)
    happening.start()
    try:
        assert copies(wire, "--sizes", "32M", "--mode", "one-way") == 1
        took = time.monotonic() - at[0]
    finally:
        happening.join()
    return capsys.readouterr().err, took


@pytest.mark.parametrize(
    ("hook", "rule", "told"),
    [
        ("input", "iif != lo tcp dport != 22 ct state new drop", "there: {there} (timed out)."),
        (
            *("input", "iif != lo tcp dport != 22 ct state new reject"),
            "there: {there} (Connection refused).",
        ),
        # A port takes connections, and whatever is said through it is lost.
        (
            *("output", "oif != lo tcp sport != 22 tcp flags & psh == psh drop"),
            "localhost: {here} (connected, but no answer came)",
        ),
    ],
)
def test_ports_that_a_firewall_shuts_are_told(
    wire: Wire, capsys: Out, hook: str, rule: str, told: str
) -> None:
    nft = *wire.inside, "nft", "add"
    run(*nft, "table", "inet", "shut")
    run(*nft, "chain", "inet", "shut", "at", f"{{ type filter hook {hook} priority 0; }}")
    run(*nft, "rule", "inet", "shut", "at", *rule.split())
    began = time.monotonic()
    assert copies(wire, "--sizes", "1M") == 1
    said = capsys.readouterr().err
    named = said.replace(wire.name, "there")
    assert f" does not reach {told.format(there=wire.address, here=wire.ours)}" in named
    assert time.monotonic() - began < 25


def moved(wire: Wire) -> int:
    said = run("ip", "-s", "-j", "link", "show", "dev", wire.here)
    return int(json.loads(said)[0]["stats64"]["tx"]["bytes"])
