"""Copies that are asked for: their words, their way over wires, and their modelled times."""

from collections.abc import Mapping

import pytest

from gpuexplorer.copies.jobs import (
    Kind,
    devices_of,
    job_of,
    kind_of,
    kinds_of,
    matrix,
    sizes_of,
)
from gpuexplorer.copies.routes import Route, Routes
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.topology import Link, PathKind, Topology, pcie_rate
from tests.copies.made import bench, measured, routes

HERE = ("cpu", "cuda:0", "cuda:1", "cuda:2")


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("4", (4,)),
        ("64M", (64 << 20,)),
        ("4 KiB", (4096,)),
        ("64MB", (64_000_000,)),
        ("1e9", (10**9,)),
        ("0.5G", (1 << 29,)),
        ("1T", (1 << 40,)),
        ("1M, 4K,1024K", (4096, 1 << 20)),
        ("4B - 100B", (4, 16, 64, 100)),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, sizes: tuple[int, ...]) -> None:
    assert sizes_of(text) == sizes


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "No size is named."),
        ("64M,", "'64M,' has a comma with no size beside it."),
        ("1G-4B", "'1G-4B' ends before it begins."),
        ("4B-", "'' is not a size."),
        ("-4", "'-4' is nothing to copy."),
        ("big", "'big' is not a size."),
        ("0", "'0' is nothing to copy."),
        ("1.5", "'1.5' is not a whole number of bytes."),
        ("2T", "'2T' is more than any card holds."),
        ("nan", "'nan' is not a size."),
        ("1e999999K", "'1e999999K' is more than any card holds."),
        ("\u0664K", "'\u0664K' is not a size."),
    ],
)
def test_a_size_that_is_none_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(Trouble) as refused:
        sizes_of(text)
    assert refused.value.sentence == sentence
    assert refused.value.hint


@pytest.mark.parametrize("text", ["7", "cuda:9", "gpu", "", "cpu,", "0-5", "-1", "2-0"])
def test_a_device_that_is_not_there_gets_those_that_are(text: str) -> None:
    with pytest.raises(Trouble) as refused:
        devices_of(text, HERE)
    assert "no device here is called" in refused.value.sentence
    assert refused.value.hint == "There are: cpu, cuda:0, cuda:1, cuda:2."


def test_a_mode_that_is_nearly_right_is_recognised() -> None:
    with pytest.raises(Trouble) as refused:
        kinds_of("bothway")
    assert refused.value.sentence == "--mode names 'bothway', which is not known."
    assert refused.value.hint.startswith(
        "Did you mean both-ways? There are: one-way, both-ways, latency"
    )


DEVICES = ("cpu", "cuda:0", "cuda:1")


@pytest.mark.parametrize("kind", Kind)
def test_the_kind_of_a_job_is_the_one_it_was_asked_with(kind: Kind) -> None:
    jobs = matrix(DEVICES, kind, 4096)
    assert jobs
    assert {kind_of(job) for job in jobs} == {kind}


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


MACHINES = ("8xH100+nvlink", "4xRTX4090+pcie", "2xTitanRTX", "4xA6000", "8xL4", "1xH100,2xT4")
SIZE = 64 << 20


def rate(text: str, job: CopyJob | None) -> float:
    assert job is not None
    found = measured(bench(text), job).rate
    assert found is not None
    return found


def pinned(source: str, target: str, **more: object) -> CopyJob:
    return CopyJob(source, target, SIZE, pinned=True, **more)  # type: ignore[arg-type]  # as given


@pytest.mark.parametrize("text", MACHINES)
def test_the_lab_and_the_copies_agree_on_every_copy_of_a_machine(text: str) -> None:
    _, links = simulated_cards(Machine(parse_machine(text)))
    on = bench(text)
    for link in links:
        one, other = (int(str(link[end])) for end in ("one", "other"))
        source, target = ("cpu" if one < 0 else f"cuda:{one}"), f"cuda:{other}"
        latency, speed = float(str(link["latency"])), float(str(link["bytes_per_second"]))
        job = job_of(Kind.ONE_WAY, source, target, SIZE)
        assert job is not None
        assert measured(on, job).seconds == pytest.approx(latency + SIZE / speed)
        if one < 0:
            slow = float(str(link["pageable_bytes_per_second"]))
            pageable = job_of(Kind.PAGEABLE, source, target, SIZE)
            assert pageable is not None
            assert measured(on, pageable).seconds == pytest.approx(latency + SIZE / slow)


def test_wires_are_shared_and_memory_that_is_not_pinned_costs() -> None:
    def host(text: str, **more: object) -> float:
        return rate(text, pinned("cpu", "cuda:0", **more))

    assert host("1xRTX4090", both_ways=True) == pytest.approx(
        0.74 * host("1xRTX4090"), rel=0.01
    )
    switched = host("2xL4", beside=(("cpu", "cuda:1"),))
    assert switched == pytest.approx(host("2xL4") / 2, rel=0.01)
    pageable = rate("1xRTX4090", job_of(Kind.PAGEABLE, "cpu", "cuda:0", SIZE))
    assert host("1xRTX4090") > 2 * pageable
    # A slow card takes no more than it can, and leaves the rest to the others.
    beside = (("cpu", "cuda:1"), ("cpu", "cuda:2"))
    assert host("1xH100,2xT4", beside=beside) > 40e9


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        (CopyJob("cuda:0", "cuda:2", SIZE), "There is no cuda:2."),
        (CopyJob("cuda:0", "tpu", SIZE), "There is no tpu."),
        (CopyJob("cpu", "cuda:0", SIZE, "staged"), "Only copies from one card to another"),
        (
            CopyJob("cuda:0", "cuda:1", 1 << 40),
            "Copying 1.00 TiB takes 1.00 TiB on cuda:0, more than",
        ),
    ],
)
def test_what_cannot_be_done_is_answered_in_a_sentence(job: CopyJob, sentence: str) -> None:
    result = measured(bench("2xT4"), job)
    assert result.measured is None
    assert sentence in result.failure
