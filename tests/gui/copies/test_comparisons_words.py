"""What follows from figures that are compared: computed from them, and nothing without them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.gui.copies.comparisons_of_copies import (
    COMPARISONS,
    CROWD,
    ONE_CARD,
    OVERLAP,
    PIECES,
    PINNED,
    STAGED,
    Comparison,
    Pair,
    Setup,
    unsaid,
)
from gpuexplorer.lab.events import Measured
from tests.copies.made import bench, measured

SIZE = 256 << 20


def pair(source: str = "cpu", target: str = "cuda:0", cards: int = 2, size: int = SIZE) -> Pair:
    return Pair(source, target, size, [f"cuda:{at}" for at in range(cards)])


def found(
    setup: Setup, text: str = "2xTitanRTX", faults: str = ""
) -> Sequence[CopyResult | None]:
    on = bench(text, faults)
    return [measured(on, job) for job in setup.jobs]


def taking(setup: Setup, *seconds: float, **told: Any) -> list[CopyResult | None]:
    """As if each had taken so long."""
    return [
        CopyResult(job, Measured(1, (each,), **told), None)
        for job, each in zip(setup.jobs, seconds, strict=True)
    ]


@pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda each: each.name)
@pytest.mark.parametrize("ends", [("cpu", "cuda:0"), ("cuda:1", "cpu"), ("cuda:0", "cuda:1")])
def test_each_says_something_of_each_pair(
    comparison: Comparison, ends: tuple[str, str]
) -> None:
    setup = comparison.set_up(pair(*ends))
    assert not setup.refusal
    results = found(setup)
    assert all(each is not None and each.rate is not None for each in results)
    assert comparison.conclude(results)
    bars = comparison.bars(setup.trials, results)
    assert all(bar.seconds for bar in bars)


@pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda each: each.name)
def test_nothing_is_said_of_what_was_not_measured(comparison: Comparison) -> None:
    setup = comparison.set_up(pair())
    nothing = [None for _ in setup.jobs]
    assert comparison.conclude(nothing) == ""
    bars = comparison.bars(setup.trials, nothing)
    assert all(bar.seconds is None and bar.trouble for bar in bars)


@pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda each: each.name)
def test_without_a_card_the_reason_is_said(comparison: Comparison) -> None:
    setup = comparison.set_up(pair("cpu", "cpu", cards=0))
    if comparison is PIECES:  # which the host's memory alone has, too
        assert {job.pinned for job in setup.jobs} == {False}
        assert comparison.conclude(found(setup))
        return
    assert setup.refusal.endswith(".")
    assert not setup.trials


def test_pinned_memory_is_so_many_times_as_fast() -> None:
    setup = PINNED.set_up(pair())
    said = PINNED.conclude(taking(setup, 0.01, 0.02))
    assert said == ("Pinned memory is 2.0 times as fast as pageable: 26.8 against 13.4 GB/s.")


def test_what_makes_no_difference_is_said_to_make_none() -> None:
    setup = PINNED.set_up(pair())
    said = PINNED.conclude(taking(setup, 0.02, 0.0205))
    assert "Pinning makes no difference worth mentioning here" in said


def test_figures_the_other_way_round_give_the_other_sentence() -> None:
    setup = PINNED.set_up(pair())
    said = PINNED.conclude(taking(setup, 0.04, 0.02))
    assert said.startswith("Pageable memory is 2.0 times as fast as pinned here")


def test_only_the_host_can_pin_so_it_takes_part() -> None:
    setup = PINNED.set_up(pair("cuda:0", "cuda:1"))
    assert (setup.jobs[0].source, setup.jobs[0].target) == ("cpu", "cuda:1")
    assert "Only the host's memory can be pinned" in setup.remark


def test_direct_that_is_slower_is_called_slower() -> None:
    setup = STAGED.set_up(pair("cuda:0", "cuda:1"))
    said = STAGED.conclude(taking(setup, 0.027, 0.012, direct=True))
    assert said.startswith("Direct is slower here: staged is 2.2 times as fast, 22.4 against")


def test_without_a_direct_path_the_driver_is_said_to_go_through_the_host() -> None:
    setup = STAGED.set_up(pair("cuda:0", "cuda:1", cards=4))
    said = STAGED.conclude(found(setup, "4xRTX4090+pcie"))
    assert said.startswith("There is no direct path between these two")


def test_what_arrives_wrong_has_no_rate_and_staged_goes_on() -> None:
    setup = STAGED.set_up(pair("cuda:0", "cuda:1"))
    results = found(setup, faults="wrong:0>1")
    assert STAGED.conclude(results) == (
        "What PyTorch copies arrives WRONG; staged it goes on at 8.60 GB/s."
    )
    wrong, right = STAGED.bars(setup.trials, results)
    assert wrong.wrong
    assert wrong.seconds is None
    assert right.seconds is not None


def test_where_all_is_wrong_there_is_nothing_to_compare() -> None:
    setup = PIECES.set_up(pair("cuda:0", "cuda:1"))
    results = found(setup, faults="wrong:0>1")
    assert PIECES.conclude(results) == ""
    assert unsaid(results) == "3 copies arrive WRONG, so there is nothing to compare."


def test_one_card_has_no_direct_path() -> None:
    assert STAGED.set_up(pair(cards=1)).refusal == ONE_CARD


def test_a_pair_with_the_host_takes_another_card_for_the_direct_path() -> None:
    setup = STAGED.set_up(pair("cpu", "cuda:0"))
    assert (setup.jobs[0].source, setup.jobs[0].target) == ("cuda:1", "cuda:0")


def test_each_further_piece_has_its_price() -> None:
    setup = PIECES.set_up(pair())
    said = PIECES.conclude(taking(setup, 1e-3, 2e-3, 6.11e-3))
    assert said == (
        "In 512 pieces the same bytes take 6.1 times as long: each further piece costs "
        "10.0 µs, however small it is."
    )
    assert "no difference" in PIECES.conclude(taking(setup, 1e-3, 1e-3, 1.02e-3))


def test_a_size_of_few_bytes_is_cut_into_fewer_pieces() -> None:
    setup = PIECES.set_up(pair(size=128))
    assert [job.pieces for job in setup.jobs] == [1, 64]


def test_a_copy_that_waits_is_not_hidden_and_one_that_does_not_is() -> None:
    setup = OVERLAP.set_up(pair())
    blocking, beside = setup.jobs
    told = Measured(1, (0.01,), alone_s=0.1, copying_s=0.1, loops=10)
    results = [
        CopyResult(job, replace(told, together_s=together), None)
        for job, together in ((blocking, 0.2), (beside, 0.103))
    ]
    assert OVERLAP.conclude(results) == (
        "A blocking copy adds 10.0 ms to the computation: nothing of it is hidden. "
        "With non_blocking it adds 300 µs: 97 % of it is hidden behind the computation."
    )
    names = [bar.trial.words for bar in OVERLAP.bars(setup.trials, results)]
    assert names == [
        "the computation alone",
        "the copy alone",
        "both, blocking",
        "both, non_blocking",
    ]


def test_a_copy_that_is_half_hidden_is_said_to_be() -> None:
    setup = OVERLAP.set_up(pair())
    results = taking(setup, 0.01, 0.01, alone_s=0.01, copying_s=0.01, together_s=0.015)
    assert "With non_blocking it adds 5.00 ms: 50 % of it is hidden" in OVERLAP.conclude(
        results
    )


def test_copies_that_share_a_wire_slow_each_other_down() -> None:
    setup = CROWD.set_up(pair(cards=4))
    alone, both, many = taking(setup, 0.01, 0.0125, 0.04)
    assert both is not None
    assert both.measured is not None
    assert many is not None
    assert many.measured is not None
    both = replace(both, measured=replace(both.measured, back_samples_s=(0.0125,)))
    lanes = ((0.04,), (0.04,), (0.04,))
    many = replace(many, measured=replace(many.measured, beside_samples_s=lanes))
    assert CROWD.conclude([alone, both, many]) == (
        "Both ways at once it keeps 80 %: 42.9 GB/s there and back. Beside the others it keeps "
        "25 %: they share a wire. All 4 together reach 26.8 GB/s."
    )


def test_copies_that_were_not_at_once_have_no_sum() -> None:
    setup = CROWD.set_up(pair(cards=4))
    alone, both, many = (
        replace(each, measured=replace(each.measured, overlap=0.1, back_samples_s=(0.01,)))
        for each in taking(setup, 0.01, 0.01, 0.01)
        if each is not None and each.measured is not None
    )
    said = CROWD.conclude([alone, both, many])
    assert said.startswith("There and back were under way together for 10 % of the shorter")
    assert "It and the others were under way together for 10 %" in said
    assert "GB/s" not in said


def test_two_that_share_no_wire_are_both() -> None:
    setup = CROWD.set_up(pair(cards=2))
    alone, both, many = taking(setup, 0.01, 0.01, 0.01)
    assert many is not None
    assert many.measured is not None
    many = replace(many, measured=replace(many.measured, beside_samples_s=((0.01,),)))
    assert "they share no wire. Both together reach" in CROWD.conclude([alone, both, many])


def test_with_one_card_only_the_way_back_is_beside_it() -> None:
    words = [trial.words for trial in CROWD.set_up(pair(cards=1)).trials]
    assert words == ["alone", "both ways at once, each way"]


def test_at_most_so_many_copies_run_at_once() -> None:
    setup = CROWD.set_up(pair(cards=64))
    assert len(setup.jobs[-1].beside) == 15
