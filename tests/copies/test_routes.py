"""Which way the bytes take, leg by leg, and what the narrowest wire could carry."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from gpuexplorer.copies.route import Route, Wire
from gpuexplorer.copies.routes import Routes, device_names
from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.topology import Link, PathKind, Topology, pcie_rate
from tests.copies.made import routes

A, B = CardId("GPU-a"), CardId("GPU-b")
CARDS = (
    Card(A, 0, "One", 8 << 30, cuda_index=1),
    Card(B, 1, "Other", 8 << 30, cuda_index=0),
)
FULL = pcie_rate(4, 16)
Lanes = Mapping[CardId, Mapping[MetricId, float]]


def places(route: Route) -> list[str]:
    return [route.legs[0].begins, *(leg.ends for leg in route.legs)]


def two_cards(between: Link | None = None, lanes: Lanes | None = None) -> Routes:
    to_host = [
        Link(
            card, HOST_ID, PathKind.HOST_BRIDGE, rate=FULL, rate_reason=Message("PCIe 4.0 x16")
        )
        for card in (A, B)
    ]
    joined = [between] if between is not None else []
    return Routes(Topology((A, B), [*joined, *to_host], {}), CARDS, readings=lanes)


@pytest.mark.parametrize("text", ["8xH100+nvlink", "4xRTX4090+pcie", "1xH100,2xT4", "1xL4"])
def test_every_ordered_pair_has_a_way_whose_legs_join(text: str) -> None:
    found = routes(text)
    told = found.all()
    assert len(told) == len(found.devices) ** 2
    for (source, target), route in told.items():
        assert (route.source, route.target) == (source, target)
        assert route.legs
        for leg, after in zip(route.legs, route.legs[1:], strict=False):
            assert leg.ends == after.begins
        ends = [place if place != "memory 0" else "cpu" for place in places(route)]
        if "cpu" not in (source, target):
            assert (ends[0], ends[-1]) == (source, target)


def test_nvlink_through_a_switch_goes_by_the_hub() -> None:
    route = routes("8xH100+nvlink").route("cuda:0", "cuda:5")
    assert places(route) == ["cuda:0", "hub 0", "cuda:5"]
    assert (route.words, route.direct, route.limit) == ("NVLink x18", True, 450e9)


def test_a_bridge_joins_two_cards_without_anything_between() -> None:
    route = routes("2xTitanRTX").route("cuda:1", "cuda:0")
    assert places(route) == ["cuda:1", "cuda:0"]
    assert route.limit == 50e9


def test_cards_on_one_switch_do_not_touch_the_processor() -> None:
    route = routes("8xL4").route("cuda:2", "cuda:3")
    assert places(route) == ["cuda:2", "junction 1", "cuda:3"]
    assert route.words == "direct over one PCIe switch"


def test_the_way_across_sockets_is_as_wide_as_its_narrowest_wire() -> None:
    route = routes("8xL4").route("cuda:0", "cuda:7")
    assert places(route) == [
        "cuda:0", "junction 0", "socket 0", "socket 1", "junction 3", "cuda:7",
    ]  # fmt: skip
    assert Wire.SOCKETS in {leg.wire for leg in route.legs}
    assert route.limit == pcie_rate(4, 16)


def test_cards_that_may_not_reach_each_other_are_staged_and_the_reason_stands_there() -> None:
    route = routes("4xRTX4090+pcie").route("cuda:0", "cuda:3")
    assert route.words == "staged through host memory"
    assert route.direct is False
    assert "memory 0" in places(route)
    assert route.note == "There is no direct way: the driver of this card does not offer it."


def test_staged_on_purpose_leaves_nvlink_alone() -> None:
    route = routes("2xH100").staged("cuda:0", "cuda:1")
    assert route.limit == pcie_rate(5, 16)
    assert Wire.NVLINK not in {leg.wire for leg in route.legs}


def test_the_host_s_memory_has_no_limit_that_anybody_tells() -> None:
    route = routes("1xT4").route("cpu", "cpu")
    assert route.limit is None
    assert route.limit_reason == "it is not known how fast the memory of the computer is"


def test_a_card_s_own_memory_carries_half_of_its_rate_since_bytes_are_read_and_written() -> (
    None
):
    route = routes("1xH200").route("cuda:0", "cuda:0")
    assert route.limit == 2400e9
    assert route.limit_reason == "4.80 TB/s by its datasheet, for reading and writing"


def test_a_card_on_fewer_lanes_than_it_could_have_says_so() -> None:
    lanes = {
        A: {
            m.PCIE_WIDTH: 8.0,
            m.PCIE_WIDTH_MAX: 16.0,
            m.PCIE_WIDTH_SLOT: 16.0,
            m.PCIE_GENERATION_MAX: 4.0,
        }
    }
    route = two_cards(lanes=lanes).route("cpu", "cuda:1")
    assert route.limit == pcie_rate(4, 8)
    assert route.words == "PCIe 4.0 x8"
    assert route.note == "cuda:1 runs at x8: card and slot could do x16."
    assert [each.device for each in route.narrow] == ["cuda:1"]


def test_a_card_on_nvlink_c2c_is_limited_by_that_and_not_by_its_pcie() -> None:
    words = Message("10 links of NVLink-C2C")
    link = Link(A, HOST_ID, PathKind.C2C, rate=447e9, rate_reason=words)
    lanes = {A: {m.PCIE_WIDTH: 1.0, m.PCIE_WIDTH_MAX: 16.0}}
    route = Routes(Topology((A,), [link], {}), CARDS[:1], readings=lanes).route("cpu", "cuda:1")
    assert (route.limit, route.words, route.narrow) == (447e9, words, ())


def test_a_card_made_for_eight_lanes_is_as_it_should_be() -> None:
    lanes = {
        A: {
            m.PCIE_WIDTH: 8.0,
            m.PCIE_WIDTH_MAX: 8.0,
            m.PCIE_WIDTH_SLOT: 16.0,
        }
    }
    assert two_cards(lanes=lanes).route("cpu", "cuda:1").note == ""


LANES = {
    m.PCIE_GENERATION: 1.0,
    m.PCIE_GENERATION_MAX: 4.0,
    m.PCIE_WIDTH: 16.0,
    m.PCIE_WIDTH_MAX: 16.0,
    m.PCIE_WIDTH_SLOT: 16.0,
}


def test_a_link_that_rests_at_a_low_generation_is_as_it_should_be() -> None:
    route = two_cards(lanes={A: LANES}).route("cpu", "cuda:1")
    assert (route.limit, route.note) == (FULL, "")


def test_a_link_that_stays_low_under_load_says_so() -> None:
    found = two_cards(lanes={A: LANES})
    assert found.route("cpu", "cuda:1").note == ""
    found.see_under_load({A: {**LANES, m.PCIE_GENERATION: 3.0}})
    route = found.route("cpu", "cuda:1")
    assert route.limit == pcie_rate(3, 16)
    assert route.note == "cuda:1 runs at PCIe 3.0: card and slot could do PCIe 4.0."
    assert found.route("cpu", "cuda:0").note == ""


def test_what_a_sleeping_card_does_not_tell_changes_nothing() -> None:
    found = two_cards()
    found.see_under_load({A: {}})
    assert found.route("cpu", "cuda:1").limit == FULL


def test_where_the_driver_does_not_say_whether_peers_reach_each_other_it_is_left_open() -> None:
    link = Link(A, B, PathKind.NODE, rate=FULL, rate_reason=Message("PCIe 4.0 x16"))
    route = two_cards(link).route("cuda:0", "cuda:1")
    assert route.direct is None
    assert "does not say" in route.words


def test_nvlink_that_may_not_be_used_is_gone_around() -> None:
    link = Link(
        A,
        B,
        PathKind.NVLINK,
        nvlinks=4,
        peer_to_peer=False,
        peer_reason=Message("it is switched off in the driver's settings"),
        rate=56e9,
    )
    route = two_cards(link).route("cuda:0", "cuda:1")
    assert route.words == "staged through host memory"
    assert "switched off" in route.note


def test_a_card_of_whose_wiring_nothing_is_known_has_no_limit_and_a_reason() -> None:
    route = Routes(Topology((), (), {}), CARDS).route("cuda:0", "cuda:1")
    assert route.limit is None
    assert route.limit_reason == "the driver has not reported how this card is wired"


def test_devices_are_called_what_cuda_calls_them() -> None:
    assert device_names(CARDS) == {"cuda:1": A, "cuda:0": B}
    lost = replace(CARDS[0], cuda_index=None, denied=Absence.LOST)
    assert A not in device_names([lost, *CARDS[1:]]).values()
