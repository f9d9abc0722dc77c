"""Which way the bytes take, leg by leg, and what the narrowest wire could carry."""

from collections.abc import Mapping
from itertools import pairwise

import pytest

from gpuexplorer.copies.routes import Route, Routes
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.topology import Link, PathKind, Topology, pcie_rate
from tests.copies.made import routes

A, B = CardId("GPU-a"), CardId("GPU-b")
CARDS = (Card(A, 0, "One", 8 << 30, cuda_index=1), Card(B, 1, "Other", 8 << 30, cuda_index=0))
FULL = pcie_rate(4, 16)
LANES = {
    m.PCIE_GENERATION: 1.0,
    m.PCIE_GENERATION_MAX: 4.0,
    m.PCIE_WIDTH: 16.0,
    m.PCIE_WIDTH_MAX: 16.0,
    m.PCIE_WIDTH_SLOT: 16.0,
}
Lanes = Mapping[CardId, Mapping[MetricId, float]]


def places(route: Route) -> list[str]:
    return [route.legs[0].begins, *(leg.ends for leg in route.legs)]


def two_cards(lanes: Lanes | None = None, *between: Link) -> Routes:
    reason = Message("PCIe 4.0 x16")
    to_host = [
        Link(card, HOST_ID, PathKind.HOST_BRIDGE, rate=FULL, rate_reason=reason)
        for card in (A, B)
    ]
    return Routes(Topology((A, B), [*between, *to_host], {}), CARDS, readings=lanes)


@pytest.mark.parametrize("text", ["8xH100+nvlink", "4xRTX4090+pcie", "1xH100,2xT4", "1xL4"])
def test_every_ordered_pair_has_a_way_whose_legs_join(text: str) -> None:
    found = routes(text)
    for source in found.devices:
        for target in found.devices:
            route = found.route(source, target)
            assert (route.source, route.target) == (source, target)
            assert all(one.ends == then.begins for one, then in pairwise(route.legs))
            if "cpu" not in (source, target):
                assert (places(route)[0], places(route)[-1]) == (source, target)


ACROSS = "junction 0, socket 0, socket 1, junction 3"
STAGED = "junction 0, socket 0, memory 0, socket 0, socket 1, junction 1"


@pytest.mark.parametrize(
    ("text", "target", "way", "words", "limit"),
    [
        ("8xH100+nvlink", 5, "hub 0", "NVLink x18", 450e9),
        ("8xL4", 7, ACROSS, "direct across the sockets", FULL),
        ("4xRTX4090+pcie", 3, STAGED, "staged through host memory", FULL),
    ],
)
def test_a_way_is_as_wide_as_its_narrowest_wire(
    text: str, target: int, way: str, words: str, limit: float
) -> None:
    route = routes(text).route("cuda:0", f"cuda:{target}")
    assert places(route) == ["cuda:0", *way.split(", "), f"cuda:{target}"]
    assert (route.words, route.limit, route.direct) == (words, limit, way != STAGED)


NOT_OFFERED = "There is no direct way: the driver does not offer it."
SWITCHED_OFF = "NVLink is there, and not used: it is switched off."


@pytest.mark.parametrize(
    ("path", "reason", "said"),
    [
        (PathKind.HOST_BRIDGE, "", ""),
        (PathKind.HOST_BRIDGE, "the driver does not offer it", NOT_OFFERED),
        (PathKind.NVLINK, "it is switched off", SWITCHED_OFF),
    ],
)
def test_cards_that_may_not_reach_each_other_are_staged_and_the_reason_stands_there(
    path: PathKind, reason: str, said: str
) -> None:
    link = Link(A, B, path, 4, peer_to_peer=False, peer_reason=Message(reason), rate=56e9)
    route = two_cards(None, link).route("cuda:0", "cuda:1")
    assert (route.words, route.note) == ("staged through host memory", said)


def test_a_card_s_own_memory_carries_half_of_its_rate_since_it_reads_and_writes() -> None:
    route = routes("1xH200").route("cuda:0", "cuda:0")
    assert route.limit == 2400e9
    assert route.limit_reason == "4.80 TB/s by its datasheet, for reading and writing"


def test_a_card_on_fewer_lanes_than_it_could_have_says_so() -> None:
    route = two_cards({A: {**LANES, m.PCIE_WIDTH: 8.0}}).route("cpu", "cuda:1")
    assert route.limit == pcie_rate(4, 8)
    assert route.words == "PCIe 4.0 x8"
    assert route.note == "cuda:1 runs at x8: card and slot could do x16."
    assert [each.device for each in route.narrow] == ["cuda:1"]


def test_a_link_that_stays_low_under_load_says_so() -> None:
    found = two_cards({A: LANES})
    assert found.route("cpu", "cuda:1").note == ""
    assert found.see_under_load({A: {**LANES, m.PCIE_GENERATION: 3.0}}) == {"cuda:1"}
    route = found.route("cpu", "cuda:1")
    assert route.limit == pcie_rate(3, 16)
    assert route.note == "cuda:1 runs at PCIe 3.0: card and slot could do PCIe 4.0."
    assert found.route("cpu", "cuda:0").note == ""
