"""Ways and figures of rates over size, in words."""

from collections.abc import Sequence

import pytest

from gpuexplorer.copies.jobs import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.words import Message
from gpuexplorer.gui.copies.shared_parts import size_words
from gpuexplorer.gui.copies.sweep_rows import (
    STILL_RISES,
    SweepRow,
    SweepWay,
    dashes_of,
    ends_words,
    jobs_of,
    proposed,
    rows_of,
    ways_between,
)
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.wire import CopyJob
from tests.copies.made import bench, measured, real, routes

HOST = BenchDevice("cpu", "EPYC", "H")
CARDS = [BenchDevice(f"cuda:{at}", "TITAN RTX", str(at), at, f"SIM-{at}") for at in range(2)]  # type: ignore[arg-type]  # ids are texts
CHIPS = {"cpu": "H", "cuda:0": "0", "cuda:1": "1"}
COLOURS: dict[str, int | None] = {"cpu": None, "cuda:0": 0, "cuda:1": 1}
DOWN, PAGEABLE = SweepWay("cpu", "cuda:0"), SweepWay("cpu", "cuda:0", Kind.PAGEABLE)
ACROSS, STAGED = SweepWay("cuda:0", "cuda:1"), SweepWay("cuda:0", "cuda:1", Kind.STAGED)


def rows(
    ways: Sequence[SweepWay], text: str = "2xTitanRTX", faults: str = "", most: int = 1 << 30
) -> list[SweepRow]:
    on, known = bench(text, faults), routes(text)
    results: dict[CopyJob, CopyResult] = {
        job: measured(on, job) for job in jobs_of(ways) if job.bytes <= most
    }

    def route(way: SweepWay) -> object:
        find = known.staged if way.kind is Kind.STAGED else known.route
        return find(way.source, way.target)

    return rows_of(ways, results, CHIPS, COLOURS, route)  # type: ignore[arg-type]  # a Route


def way_words(way: SweepWay, route: Route | None = None) -> tuple[str, str]:
    return ends_words(way.source, way.target, CHIPS), way.how(route)


def test_ways_are_called_by_the_numbers_of_their_cards() -> None:
    known = routes("2xTitanRTX")
    assert way_words(DOWN) == ("host to 0", "pinned")
    assert way_words(PAGEABLE) == ("host to 0", "pageable")
    assert way_words(ACROSS, known.route("cuda:0", "cuda:1")) == ("0 to 1", "NVLink")
    assert way_words(STAGED) == ("0 to 1", "staged")
    assert way_words(SweepWay("cuda:1", "cuda:1")) == ("inside 1", "")


def test_without_a_direct_path_the_way_says_that_it_goes_through_the_host() -> None:
    route = routes("4xRTX4090+pcie").route("cuda:0", "cuda:1")
    assert way_words(ACROSS, route) == ("0 to 1", "through the host")
    offered = proposed([HOST, *CARDS], lambda *_: route)
    assert STAGED not in offered


def test_pinned_pageable_direct_and_staged_are_proposed() -> None:
    route = routes("2xTitanRTX").route("cuda:0", "cuda:1")
    offered = proposed([HOST, *CARDS], lambda *_: route)
    assert offered == [DOWN, PAGEABLE, ACROSS, STAGED]


@pytest.mark.parametrize(
    ("devices", "ways"),
    [
        ([HOST], [SweepWay("cpu", "cpu")]),
        (
            [HOST, CARDS[0]],
            [DOWN, PAGEABLE, SweepWay("cuda:0", "cpu"), SweepWay("cuda:0", "cuda:0")],
        ),
        ([], []),
    ],
)
def test_few_devices_have_proposals_too(
    devices: Sequence[BenchDevice], ways: Sequence[SweepWay]
) -> None:
    assert proposed(devices, lambda *_: None) == ways


def test_only_what_makes_sense_between_two_devices_is_offered() -> None:
    assert Kind.STAGED not in [way.kind for way in ways_between("cpu", "cuda:0")]
    assert Kind.PAGEABLE not in [way.kind for way in ways_between("cuda:0", "cuda:1")]


def test_no_two_curves_of_a_colour_have_the_same_dashes() -> None:
    ways = [ACROSS, SweepWay("cuda:0", "cpu"), STAGED, DOWN, PAGEABLE]
    dashes = list(dashes_of(ways))
    drawn = {(way.source, dash) for way, dash in zip(ways, dashes, strict=True)}
    assert len(drawn) == len(ways)
    assert dashes[0] == 0
    assert dashes[4] != 0


def test_the_fastest_way_is_the_first_row() -> None:
    words = [row.words for row in rows([PAGEABLE, DOWN, ACROSS])]
    assert words == ["0 to 1, NVLink", "host to 0, pinned", "host to 0, pageable"]


def test_a_row_has_rate_share_half_rate_and_floor() -> None:
    (row,) = rows([DOWN])
    assert row.said == (
        "host to 0, pinned: 12.3 GB/s, 78 % of the limit, half at 121 KiB, floor 10.0 µs"
    )


def test_half_of_a_rate_that_still_rises_is_not_told() -> None:
    (row,) = rows([DOWN], most=64 << 10)
    _, _, (half, why), _ = row.figures
    assert half is None
    assert why == STILL_RISES


def test_a_wrong_copy_has_no_rate() -> None:
    (row,) = rows([ACROSS], faults="wrong:0>1")
    assert row.wrong
    assert row.curve is None
    assert "arrives WRONG" in row.said


def test_a_size_that_does_not_fit_leaves_the_others() -> None:
    way = SweepWay("cuda:0", "cuda:1")
    large = CopyJob("cuda:0", "cuda:1", 1 << 30)
    small = [real("cuda:0", "cuda:1", size, size / 1e9 + 1e-5) for size in (4, 1 << 20)]
    results = {each.job: each for each in small}
    results[large] = CopyResult(
        large, None, None, Message("1 GiB does not fit."), Message("Choose less.")
    )
    (row,) = rows_of([way], results, CHIPS, COLOURS, lambda _: None)
    assert row.trouble == "1 GiB: 1 GiB does not fit. Choose less."
    assert row.curve is not None


def test_sizes_that_are_chosen_have_no_needless_digits() -> None:
    assert [size_words(size) for size in (4, 1024, 256 << 20, 1 << 30)] == [
        "4 B",
        "1 KiB",
        "256 MiB",
        "1 GiB",
    ]
