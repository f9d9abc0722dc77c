"""Copies between machines on wires that are shaped, cut, or shut, each for real."""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from gpuexplorer.__main__ import main
from tests.lab.processes import needs_torch
from tests.machines.ground import Ground, run, wait_for
from tests.machines.network import Wire

pytestmark = [pytest.mark.machines, needs_torch]
LESS_HEADERS = 0.956
Out = pytest.CaptureFixture[str]


@pytest.fixture
def wire(ground: Ground) -> Iterator[Wire]:
    """With a machine at its end that is called as it is."""
    made = Wire()
    try:
        made.pull()
        ground.user(made.name, is_root=True)
        ground.serve(22, made.address, made.inside)
        ground.host(made.name, made.name, address=made.address, port=22)
        yield made
    finally:
        wait_for(lambda: not ranks_of(made))
        made.close()


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
        kind = each["mode"], each["source"], each["target"], each["bytes"]
        with capsys.disabled():
            say(f"{rate} {kind}: {each['rate_gbs'] * 1e3:.1f} MB/s, {share:.3f} of the shape")
        assert 0.9 < share < 1.1
        assert each["intact"]


def test_a_host_that_vanishes_is_told_within_the_patience(wire: Wire, capsys: Out) -> None:
    try:
        said, took = told_when(wire, wire.cut, capsys)
    finally:
        wire.mend()
    assert "has not been heard of for 10 s" in said
    assert took < 20


def test_a_rank_that_is_killed_is_told_at_once(wire: Wire, capsys: Out) -> None:
    def kill() -> None:
        pids = map(int, run("ip", "netns", "pids", wire.name).split())
        os.kill(max(pids), signal.SIGKILL)  # the youngest, behind its keeper

    said, took = told_when(wire, kill, capsys)
    assert f"Our part on {wire.name} was killed." in said
    assert took < 10


def told_when(wire: Wire, happens: Callable[[], None], capsys: Out) -> tuple[str, float]:
    """What is said after something happens in the middle of a copy, and how soon."""
    wire.shape("100mbit")
    at: list[float] = []

    def meanwhile() -> None:
        wait_for(lambda: moved(wire) > 20_000_000)
        at.append(time.monotonic())
        happens()

    happening = threading.Thread(target=meanwhile)
    happening.start()
    try:
        assert copies(wire, "--sizes", "32M", "--mode", "one-way") == 1
        took = time.monotonic() - at[0]
    finally:
        happening.join()
    said = capsys.readouterr().err
    with capsys.disabled():
        say(f"told after {took:.1f} s: {said}")
    return said, took


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
    with capsys.disabled():
        say(f"told after {time.monotonic() - began:.1f} s: {said}")
    named = said.replace(wire.name, "there")
    assert f" does not reach {told.format(there=wire.address, here=wire.ours)}" in named
    assert time.monotonic() - began < 25


def say(told: str) -> None:
    """The figures are what this is run for."""
    sys.stderr.write(f"{told}\n")


def moved(wire: Wire) -> int:
    said = run("ip", "-s", "-j", "link", "show", "dev", wire.here)
    return int(json.loads(said)[0]["stats64"]["tx"]["bytes"])
