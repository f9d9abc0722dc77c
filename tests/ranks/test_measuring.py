"""Ranks that really run, how they find ways to each other, and what is said if one does not."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.ranks.measuring import ALL, Met, meet
from gpuexplorer.ranks.wire import Address, Begin, Begun, Found, Here, Other, Reached, Way
from gpuexplorer.worker import rank as network
from tests.lab.processes import needs_torch
from tests.ranks.hosts import PATIENCE, Course, Played, left_of, member, rank_on

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX runs it")

GIGABIT = 125e6
LOOPBACK = Address("127.0.0.1", "lo")


def here(
    *addresses: Address,
    torch: str = "2.13.0+cpu",
    nccl: str = "",
    cards: tuple[str, ...] = (),
    called: tuple[str, ...] = (),
) -> Here:
    return Here(torch, nccl, cards, (*addresses, LOOPBACK), called, 4567, "w")


A = here(Address("10.0.0.1", "eth0", 10 * GIGABIT), Address("172.17.0.1", "docker0"))
B = here(
    Address("172.17.0.1", "docker0"),
    Address("10.0.0.2", "ens3", GIGABIT),
    called=("10.0.0.2", "10.0.0.1"),
)
TO_B = Reached((Found(1, "10.0.0.2", "10.0.0.1"), Found(1, "172.17.0.1", why="another")))
TO_A = Reached((Found(0, "10.0.0.1", "10.0.0.2"),))


def _met(one: Here = A, other: Here = B, to_b: Reached = TO_B, to_a: Reached = TO_A) -> Met:
    company = Played("ab", {0: to_b, 1: to_a}, {0: Begun(), 1: Begun()})
    return meet(company, {0: one, 1: other}, 1 << 20)


def test_the_address_that_all_reach_is_used_with_its_interface_and_the_narrowest_wire() -> None:
    company = Played("ab", {0: TO_B, 1: TO_A}, {0: Begun(), 1: Begun()})
    met = meet(company, {0: A, 1: B}, 1 << 20)
    assert met.paths[0, 1].words == "eth0 10.0.0.1 to ens3 10.0.0.2"
    assert met.paths[0, 1].promised == met.paths[1, 0].promised == GIGABIT
    begun = [order for _, order in company.orders if isinstance(order, Begin)]
    assert [each[2:5] for each in begun] == [
        ("10.0.0.1", 4567, "eth0"),
        ("10.0.0.1", 4567, "ens3"),
    ]
    assert all(each.patience > 15 for each in begun)


def test_nobody_who_cannot_be_reached_is_waited_for() -> None:
    with pytest.raises(Trouble) as raised:
        _met(to_b=Reached((Found(1, "10.0.0.2", why="Connection refused"),)))
    assert raised.value.sentence == "a does not reach b: 10.0.0.2 (Connection refused)."
    assert "firewall" in raised.value.hint


def test_hosts_without_a_network_in_common_are_told_so() -> None:
    told = {
        0: Reached((Found(1, "10.0.0.2", "10.0.0.1"), Found(2, "10.9.0.3", "10.0.0.1"))),
        1: Reached((Found(0, "10.0.0.1", "10.0.0.2"), Found(2, "10.9.0.3", "10.9.0.2"))),
        2: Reached((Found(0, "10.0.0.1", "10.9.0.3"), Found(1, "10.9.0.2", "10.9.0.3"))),
    }
    two = here(Address("10.0.0.2", "ens3"), Address("10.9.0.2", "ens4"))
    with pytest.raises(Trouble) as raised:
        meet(Played("abc", told), {0: A, 1: two, 2: here(Address("10.9.0.3", "eth0"))}, 1)
    assert raised.value.sentence == "b has no address at which all others reach it."


@pytest.mark.parametrize(
    ("cards", "nccl", "inside", "said"),
    [
        (("A100",), ("2.27.3", "2.27.5"), False, "By NCCL, from card to card"),
        ((), ("2.27.3", "2.27.3"), False, "and b has 0."),
        (("H100",), ("2.27.3", "2.27.3"), True, "and b has 1."),
        (("A100",), ("2.27.3", "2.21.5"), False, "versions of NCCL differ"),
    ],
)
def test_nccl_moves_the_bytes_where_each_has_a_card_of_its_own(
    cards: tuple[str, ...], nccl: tuple[str, str], said: str, *, inside: bool
) -> None:
    one = A._replace(cards=("H100",), nccl=nccl[0])
    two = (A if inside else B)._replace(cards=cards, nccl=nccl[1])
    both = [Reached((Found(1 - each, "10.0.0.1", "10.0.0.1"),)) for each in range(2)]
    met = _met(one, two, *both) if inside else _met(one, two)
    assert said in met.remarks[-1]
    assert met.backend == ("nccl" if "NCCL, from" in said else "gloo")


@needs_torch
def test_a_rank_is_known_by_its_word_a_port_by_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpuexplorer.worker import exchange as ours

    monkeypatch.setattr(ours, "_KNOCKING", 1.0)
    exchange, at = ours.Exchange(lambda _: None), "127.0.0.1"
    with socket.create_server((at, 0)) as found:
        shut = found.getsockname()[1]
    others = [
        Other(1, at, exchange.port, exchange.word),
        Other(2, at, exchange.port, "x"),
        Other(3, at, shut, ""),
    ]
    came, *failed = ours.reached(others)
    assert came.ours == at
    assert [(each.ours, each.why) for each in failed] == [
        ("", "somebody else answers"),
        ("", "Connection refused"),
    ]


@pytest.mark.parametrize(
    ("files", "promised"),
    [
        ({"device": "", "speed": "1000", "uevent": ""}, GIGABIT),
        ({"device": "", "speed": "-1", "uevent": ""}, None),
        ({"speed": "10000", "uevent": "INTERFACE=veth0"}, None),
        ({"speed": "20000", "uevent": "DEVTYPE=bond"}, 20 * GIGABIT),
        ({}, None),
    ],
)
def test_only_what_a_real_wire_says_is_a_promise(
    tmp_path: Path, files: dict[str, str], promised: float | None
) -> None:
    (tmp_path / "eth0").mkdir()
    for name, text in files.items():
        (tmp_path / "eth0" / name).write_text(text)
    assert network.promised("eth0", tmp_path) == promised


@pytest.mark.long
@needs_torch
def test_three_ranks_measure_each_pair_and_all_together_and_all_arrives() -> None:
    course = Course()
    assert course.run(*map(member, "abc"), ways=tuple(Way), sizes=(1000, 1 << 20)) is None
    told = [(each.way, each.source, each.target, each.bytes) for each in course.results]
    assert {each[1:3] for each in told if each[0] is Way.ONE_WAY} == {
        (a, b) for a in "abc" for b in "abc" if a != b
    }
    assert {each for each in told if each[0] is Way.ALL_REDUCE} == {
        (Way.ALL_REDUCE, ALL, ALL, 1000),
        (Way.ALL_REDUCE, ALL, ALL, 1 << 20),
    }
    assert all(each.intact and (each.rate or 0) > 0 for each in course.results)
    assert all(len(each.seconds) >= 7 for each in course.results)


@pytest.mark.long
@needs_torch
def test_a_rank_that_is_killed_is_told_and_nothing_is_left() -> None:
    def kill(told: Message) -> None:
        if told.startswith("2 of"):
            rank_on("b").kill()

    course = Course()
    trouble = course.run(*map(member, "ab"), sizes=(1024, 64 << 20), meanwhile=kill)
    assert trouble is not None
    assert trouble.sentence == "Our part on b was killed."
    assert [each.bytes for each in course.results] == [1024]
    assert course.met[0].backend == "gloo"


@pytest.mark.long
@needs_torch
def test_a_python_without_pytorch_names_one_that_has_it(tmp_path: Path) -> None:
    alone = tmp_path / "python-alone"
    alone.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n', "utf-8")
    alone.chmod(alone.stat().st_mode | stat.S_IXUSR)
    assert Course().run(member("a"), member("b", str(alone))) is None


@pytest.mark.long
@needs_torch
def test_ranks_end_when_whoever_measures_was_killed(tmp_path: Path) -> None:
    program = tmp_path / "measures.py"
    program.write_text(
        "from tests.ranks.hosts import Course, member\n"
        "Course().run(member('orphan1'), member('orphan2'), sizes=range(1024, 9999),\n"
        "    meanwhile=lambda told: print(told, flush=True))\n",
        "utf-8",
    )
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, env=here
    ) as process:
        assert process.stdout is not None
        assert any(line.startswith(b"2 of") for line in process.stdout)
        process.kill()
    _, alive = psutil.wait_procs(left_of("orphan1", "orphan2"), PATIENCE)
    assert not alive
