"""How ranks find ways to each other: what is chosen, and what is said when there is none."""

import socket
import sys
from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.ranks.measuring import Met, meet
from gpuexplorer.ranks.wire import Address, Begin, Begun, Found, Here, Other, Reached
from gpuexplorer.worker import rank as network
from tests.lab.processes import needs_torch
from tests.ranks.hosts import Played

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
    ("torch", "said"),
    [
        ("2.13.1+cu130", []),
        ("2.4.0", ["Versions of PyTorch differ, which may not work: a: 2.13.0+cpu, b: 2.4.0."]),
    ],
)
def test_versions_that_differ_are_a_remark(torch: str, said: list[str]) -> None:
    met = _met(other=B._replace(torch=torch))
    assert [each for each in met.remarks if "PyTorch" in each] == said


def test_versions_of_another_age_are_refused() -> None:
    with pytest.raises(Trouble, match="do not understand each other"):
        _met(other=here(torch="3.0.0"))


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
def test_a_rank_is_known_by_its_word_and_a_shut_port_by_its_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody is asked for interfaces")
def test_own_addresses_have_interfaces_and_the_loopback_is_the_last() -> None:
    found = network.addresses()
    assert found[-1].text == "127.0.0.1"
    assert all(each.interface for each in found)
