"""What stands out among measured copies, in sentences, and what is said of the rest."""

from dataclasses import replace

import pytest

from gpuexplorer.copies.findings import Finding, Matter, findings, the_rest
from gpuexplorer.copies.plan import Kind
from gpuexplorer.copies.result import Busy, CopyResult
from gpuexplorer.copies.route import Narrow
from gpuexplorer.copies.wrong_advice import advice
from gpuexplorer.lab.wire import CopyJob
from tests.copies.made import all_pairs, at_rate, bench, measured


def about(results: list[CopyResult], matter: Matter) -> list[Finding]:
    return [each for each in findings(results) if each.matter is matter]


def changed(
    results: list[CopyResult], source: str, target: str, rate: float
) -> list[CopyResult]:
    return [
        at_rate(each, rate) if (each.job.source, each.job.target) == (source, target) else each
        for each in results
    ]


def test_nothing_stands_out_where_all_is_as_it_should_be() -> None:
    assert findings(all_pairs("8xH100+nvlink", Kind.ONE_WAY)) == []
    assert findings(all_pairs("4xRTX4090+pcie", Kind.ONE_WAY, Kind.LATENCY)) == []
    assert findings(all_pairs("1xH100,2xT4", Kind.ONE_WAY)) == []


def test_what_arrives_wrong_comes_first_with_its_bytes_and_what_to_do() -> None:
    results = all_pairs("8xL4", Kind.PAGEABLE, Kind.ONE_WAY, Kind.STAGED, faults="wrong:6>1")
    first = findings(results)[0]
    assert first.matter is Matter.WRONG
    assert first.cells == (("cuda:6", "cuda:1"),)
    assert first.title == "Arrives WRONG"
    said = first.sentence.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "In 3 of 7 rounds, 12 288 of 268 435 456 bytes came as zeros" in said
    assert "A wrong copy has no rate." in first.sentence
    assert "Through host memory: 18.0 GB/s one way, modelled." in first.sentence
    assert "IOMMU" in first.hint
    assert "ACS" in first.hint
    assert first.instead is not None
    assert first.instead.job.mode == "staged"


def test_what_is_staged_already_is_not_advised_to_go_through_the_host() -> None:
    results = all_pairs("4xRTX4090+pcie", Kind.ONE_WAY, Kind.STAGED, faults="wrong:1>2")
    [wrong] = about(results, Matter.WRONG)
    assert "It went through host memory already" in wrong.hint
    assert "ACS" not in wrong.hint
    assert "Through host memory" not in wrong.sentence
    assert (wrong.instead, wrong.detour) == (None, False)


def test_between_cards_that_reach_each_other_another_way_is_left() -> None:
    [wrong] = about(all_pairs("8xL4", Kind.ONE_WAY, faults="wrong:6>1"), Matter.WRONG)
    assert wrong.detour


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("cpu", "cuda:0", "look for PCIe errors of the card"),
        ("cuda:0", "cuda:0", "errors of the card's memory (ECC)"),
        ("cpu", "cpu", "test the memory of the computer"),
    ],
)
def test_the_advice_is_about_what_took_part(source: str, target: str, said: str) -> None:
    told = advice(source, target, staged=False)
    assert said in told
    assert "between cards" not in told


def test_direct_that_is_slower_than_staged_is_said_with_both_figures() -> None:
    results = all_pairs("8xL4", Kind.ONE_WAY, Kind.STAGED)
    slow = [
        at_rate(each, 9.9e9)
        if (each.job.source, each.job.target, each.job.mode) == ("cuda:2", "cuda:5", "copy")
        else each
        for each in results
    ]
    [found] = about(slow, Matter.DIRECT_SLOWER)
    assert found.cells == (("cuda:2", "cuda:5"),)
    assert found.sentence.startswith("Staged 18.0 of 31.5 GB/s one way, direct 9.90.")
    assert [bar.words for bar in found.bars] == ["Staged", "Direct"]
    assert not about(slow, Matter.FAR_BELOW), "it is said once"


def narrowed(result: CopyResult, device: str) -> CopyResult:
    route = result.route
    assert route is not None
    if device not in (result.job.source, result.job.target) or result.job.local:
        return result
    route = replace(
        route,
        limit=15.75e9,
        narrow=(Narrow(device, "x8", "x16", slot=True),),
    )
    return at_rate(replace(result, route=route), 13.1e9)


def test_a_card_on_half_its_lanes_is_one_finding_with_all_its_paths() -> None:
    results = [narrowed(each, "cuda:3") for each in all_pairs("8xL4", Kind.ONE_WAY)]
    [found] = about(results, Matter.NARROW)
    assert found.devices == ("cuda:3",)
    assert found.title == "Runs at x8"
    assert found.sentence == (
        "13.1 GB/s one way on every PCIe path: 83 % of what that carries. Card and "
        "slot could do x16."
    )
    assert len(found.cells) == 16
    assert "Reseat" in found.hint
    assert not about(results, Matter.FAR_BELOW)


def test_copies_faster_than_their_wire_are_doubted() -> None:
    results = changed(all_pairs("2xTitanRTX", Kind.ONE_WAY), "cpu", "cuda:0", 20e9)
    [found] = about(results, Matter.FASTER)
    assert found.cells == (("cpu", "cuda:0"),)
    assert found.sentence == "20.0 GB/s one way, where 15.8 are the limit."


def test_copies_within_a_cache_are_not_held_against_the_memory() -> None:
    results = changed(all_pairs("2xH100", Kind.ONE_WAY), "cuda:0", "cuda:0", 3e12)
    assert about(results, Matter.FASTER)
    cached = [
        replace(each, measured=replace(each.measured, in_cache=True))
        if each.measured and each.job.local
        else each
        for each in results
    ]
    assert findings(cached) == []
    assert {each.share for each in cached if each.job.local} == {None}
    assert {each.traffic for each in cached if each.job.local} == {None}


def test_one_pair_far_below_its_kin_is_named() -> None:
    results = changed(all_pairs("8xH100+nvlink", Kind.ONE_WAY), "cuda:2", "cuda:5", 200e9)
    [found] = about(results, Matter.FAR_BELOW)
    assert found.cells == (("cuda:2", "cuda:5"),)
    assert found.sentence == "200 GB/s one way, where the median of 56 like it is 409."


def test_a_card_all_of_whose_paths_are_slow_is_named_once() -> None:
    results = [
        at_rate(each, 5e9)
        if "cuda:3" in (each.job.source, each.job.target) and not each.job.local
        else each
        for each in all_pairs("8xL4", Kind.ONE_WAY)
    ]
    [found] = about(results, Matter.FAR_BELOW)
    assert found.devices == ("cuda:3",)
    assert found.title == "Slower than others of its kind"
    assert len(found.cells) == 16


@pytest.mark.parametrize(
    ("near", "hint"),
    [
        (True, "The host's memory lay close to it, so look at its slot"),
        (None, "It is not known whether the host's memory lay close to it"),
        (False, "It is not known whether the host's memory lay close to it"),
    ],
)
def test_a_slot_is_not_blamed_for_memory_that_may_have_been_far(
    near: bool | None, hint: str
) -> None:
    results = [
        replace(each, measured=replace(each.measured, modelled=False, near=near))
        for each in (
            at_rate(one, 5e9)
            if "cuda:3" in (one.job.source, one.job.target) and not one.job.local
            else one
            for one in all_pairs("8xL4", Kind.ONE_WAY)
        )
        if each.measured
    ]
    [found] = about(results, Matter.FAR_BELOW)
    assert found.hint.startswith(hint)


def test_a_way_that_is_slower_than_the_way_back_is_said() -> None:
    results = changed(all_pairs("2xTitanRTX", Kind.ONE_WAY), "cuda:0", "cpu", 6e9)
    [found] = about(results, Matter.ASYMMETRIC)
    assert found.cells[0] == ("cuda:0", "cpu")
    assert found.sentence == "6.00 GB/s there, 12.3 GB/s back."


def test_what_pageable_memory_costs_is_summed_up() -> None:
    [found] = about(all_pairs("4xRTX4090", Kind.ONE_WAY, Kind.PAGEABLE), Matter.PAGEABLE)
    assert found.sentence == (
        "6.00 GB/s one way, where pinned memory reaches 25.8: it takes 4.3 times as long."
    )
    assert len(found.cells) == 8


def test_a_card_that_was_busy_is_named_with_how_busy() -> None:
    results = all_pairs("2xT4", Kind.ONE_WAY)
    results[1] = replace(results[1], busy=(Busy("cuda:0", 0.83),))
    [found] = about(results, Matter.BUSY)
    assert found.devices == ("cuda:0",)
    assert found.title == "Busy while it was measured: 83 %"
    results[2] = replace(results[2], busy=(Busy("cuda:1", 0.12),))
    [both] = about(results, Matter.BUSY)
    assert both.devices == ("cuda:0", "cuda:1")
    assert both.title == "Busy while it was measured: 83 %, 12 %"


def test_what_was_not_measured_is_told_once_for_each_reason() -> None:
    results = all_pairs("2xT4", Kind.ONE_WAY, faults="lost:1@0s")
    [found] = about(results, Matter.NOT_MEASURED)
    assert found.sentence == "cuda:1 is lost: it no longer answers the driver."
    assert len(found.cells) == 5


def test_copies_that_were_not_at_once_are_said_to_be() -> None:
    results = all_pairs("2xT4", Kind.BOTH_WAYS)
    assert not about(results, Matter.NOT_AT_ONCE)
    told = results[0].measured
    assert told is not None
    results[0] = replace(results[0], measured=replace(told, overlap=0.12))
    [found] = about(results, Matter.NOT_AT_ONCE)
    assert found.cells == (("cpu", "cuda:0"),)
    assert "for 12 % of the shortest" in found.sentence


def test_fewer_bytes_than_asked_for_are_said() -> None:
    on = bench("1xT4")
    job = CopyJob("cuda:0", "cuda:0", 1 << 30, fit=True)
    [found] = about([measured(on, job)], Matter.FEWER_BYTES)
    assert found.cells == (("cuda:0", "cuda:0"),)
    assert found.sentence == (
        "512 MiB instead of 1.00 GiB: more would have taken too much of the memory that is "
        "free."
    )


def test_samples_that_vary_are_said_to_and_by_how_much() -> None:
    results = all_pairs("2xT4", Kind.ONE_WAY)
    told = results[1].measured
    assert told is not None
    results[1] = replace(results[1], measured=replace(told, samples_s=(0.01, 0.02, 0.03)))
    [found] = about(results, Matter.UNSTEADY)
    assert found.cells == (("cpu", "cuda:0"),)
    assert found.sentence == (
        "By 50 % (standard deviation): something else used the way meanwhile."
    )


def test_small_copies_are_not_held_against_each_other() -> None:
    results = [
        replace(each, job=replace(each.job, bytes=64))
        for each in changed(all_pairs("8xL4", Kind.ONE_WAY), "cuda:2", "cuda:5", 1e9)
    ]
    assert findings(results) == []


def test_the_rest_is_summed_up_by_kind() -> None:
    results = changed(all_pairs("8xL4", Kind.ONE_WAY), "cuda:2", "cuda:5", 9e9)
    rest = the_rest(results, findings(results))
    told = {kin.words: (len(kin.results), round((kin.rate or 0) / 1e9, 1)) for kin in rest}
    assert told == {
        "Inside the host": (1, 12.0),
        "Host to card": (8, 25.8),
        "Card to host": (8, 25.8),
        "Inside a card": (8, 131.8),
        "On one PCIe switch": (8, 25.8),
        "Inside one socket": (16, 25.8),
        "Across the sockets": (31, 21.9),
    }
