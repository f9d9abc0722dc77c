"""What a measurement decides, and what it refuses; without torch and without cards."""

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.wire import CopyJob, Measure
from gpuexplorer.worker.engines.measuring import plan
from gpuexplorer.worker.engines.measuring.refusals import copy_needs, made_to_fit, refuse_copy

HERE = ("cpu", "cuda:0", "cuda:1")
MIB = 1 << 20


@pytest.mark.parametrize(
    ("seconds", "operations", "loops"),
    [
        (10.0, 1, 1),
        (0.05, 1, 1),
        (0.005, 1, 10),
        (1e-6, 1, 100),
        (1e-6, plan.BETWEEN_CARDS, 100),
        (1e-6, 64, 15),
        (1e-6, 5000, 1),
        (0.0, 1, 100),
    ],
)
def test_a_sample_lasts_and_fits_the_queue(seconds: float, operations: int, loops: int) -> None:
    assert plan.loops_for(seconds, operations) == loops


def test_the_gate_is_wide_enough_for_the_asking_and_never_too_long_for_windows() -> None:
    assert plan.gate_for(1) == 0.002
    assert plan.gate_for(100) == pytest.approx(0.003)
    assert plan.gate_for(100_000) == 0.2


def test_a_link_is_awake_when_it_ran_for_a_while_and_copies_take_alike() -> None:
    assert not plan.is_awake([1.0, 1.0, 1.0], 0.1)
    assert not plan.is_awake([3.0, 2.0, 1.0], 0.3)
    assert not plan.is_awake([1.0], 0.3)
    assert plan.is_awake([9.0, 1.0, 1.05, 1.0], 0.3)
    assert plan.is_awake([3.0, 2.0, 1.0], 1.6)
    assert plan.usual([9.0, 1.0, 1.1, 1.05]) == 1.05


def test_copies_overlap_by_the_share_of_the_shortest_in_which_all_run() -> None:
    assert plan.overlap_of([(0.0, 2.0), (0.0, 2.0)]) == 1.0
    assert plan.overlap_of([(0.0, 2.0), (1.0, 2.0)]) == 1.0
    assert plan.overlap_of([(0.0, 2.0), (1.0, 3.0)]) == 0.5
    assert plan.overlap_of([(0.0, 1.0), (1.0, 2.0)]) == 0.0
    assert plan.overlap_of([(0.0, 1.0), (3.0, 4.0)]) == 0.0


@pytest.mark.parametrize("size", [1, 4, 4096, MIB, 3 * MIB, 256 * MIB, 1 << 30])
def test_staging_takes_few_pieces_that_a_queue_holds(size: int) -> None:
    chunk = plan.chunk_for(size)
    pieces = -(-size // chunk)
    assert 1 <= pieces <= 64
    assert pieces > 1 or size <= 256 << 10


@pytest.mark.parametrize(("size", "count"), [(10, 3), (4, 4), (MIB, 1000), (7, 1)])
def test_pieces_are_all_of_it_and_alike(size: int, count: int) -> None:
    pieces = plan.pieces_of(size, count)
    lengths = [end - begin for begin, end in pieces]
    assert sum(lengths) == size
    assert len(lengths) == count
    assert max(lengths) - min(lengths) <= 1
    assert min(lengths) >= 1


def test_small_copies_are_checked_each_time_and_large_ones_at_begin_middle_and_end() -> None:
    assert all(plan.is_checked(number, 7, MIB) for number in range(7))
    assert [n for n in range(7) if plan.is_checked(n, 7, 256 * MIB)] == [0, 3, 6]
    assert plan.is_checked(0, 1, 256 * MIB)


def test_copies_are_compared_one_by_one_for_half_a_second_and_large_ones_longer() -> None:
    assert plan.goes_on_comparing(3, 4.0)
    assert not plan.goes_on_comparing(3, 6.0)
    assert plan.goes_on_comparing(90, 0.4)
    assert not plan.goes_on_comparing(4, 0.6)


def test_a_row_is_a_part_of_the_whole() -> None:
    for size in (2, 4, 6, 1000, MIB, 3 * MIB):
        row = plan.row_for(size)
        assert size % row == 0
        assert 1 <= row <= 1024


@pytest.mark.parametrize(
    ("job", "by_host"),
    [
        (CopyJob("cpu", "cpu", 1), True),
        (CopyJob("cpu", "cuda:0", 1, pinned=True), False),
        (CopyJob("cuda:0", "cpu", 1, pinned=False), True),
        (CopyJob("cuda:0", "cpu", 1), True),
        (CopyJob("cuda:0", "cuda:1", 1), False),
        (CopyJob("cuda:0", "cuda:0", 1), False),
        (CopyJob("cpu", "cuda:0", 2, "strided", pinned=True), True),
        (CopyJob("cuda:0", "cpu", 2, "strided", pinned=True), False),
        (CopyJob("cuda:0", "cpu", 2, "strided", pinned=False), True),
        (CopyJob("cuda:0", "cpu", 4, "converted", pinned=True), True),
        (CopyJob("cuda:0", "cuda:1", 2, "strided"), False),
    ],
)
def test_what_keeps_the_host_waiting_is_timed_by_its_clock(job: CopyJob, by_host: bool) -> None:
    assert job.is_timed_by_host is by_host


def test_both_sides_are_needed_and_what_checking_takes() -> None:
    job = CopyJob("cuda:0", "cuda:1", 100 * MIB)
    assert copy_needs(job) == {"cuda:0": 100 * MIB, "cuda:1": 100 * MIB, "cpu": 132 * MIB}
    rows = copy_needs(CopyJob("cuda:0", "cpu", 100 * MIB, "strided", pinned=True))
    assert rows["cuda:0"] == 3 * 100 * MIB  # every other row, and all brought together
    pinned = copy_needs(CopyJob("cpu", "cuda:0", 100 * MIB, pinned=True))
    assert pinned["cpu"] == 128 * MIB + 32 * MIB


@pytest.mark.parametrize("mode", ["copy", "strided", "converted", "latency", "overlap"])
def test_what_can_be_measured_is_not_refused(mode: str) -> None:
    for source, target in (("cpu", "cuda:1"), ("cuda:0", "cuda:1"), ("cuda:1", "cuda:1")):
        refuse_copy(_asked(source, target, bytes=1024, mode=mode, pinned=source == "cpu"), HERE)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"target": "cuda:7"},
            "There is no cuda:7 here. This PyTorch has: cpu, cuda:0, cuda:1.",
        ),
        ({"source": "xpu:0"}, "Copies from and to xpu:0 are not measured."),
        ({"beside": (("cpu", "cuda:9"),)}, "There is no cuda:9 here."),
        ({"mode": "teleport"}, "'teleport' is no way to copy that can be measured."),
        ({"bytes": 0}, "`bytes` must be from 1 to"),
        ({"bytes": -4}, "`bytes` must be from 1 to"),
        ({"bytes": 1 << 60}, "`bytes` must be from 1 to"),
        ({"samples": 0}, "`samples` must be from 1 to 1000, and is 0."),
        ({"pieces": 2 * MIB}, "`pieces` must be from 1 to"),
        ({"most_share": 0.0}, "The share of the free memory must be more than 0"),
        ({"most_share": float("nan")}, "The share of the free memory must be more than 0"),
        ({"mode": "staged"}, "Only a copy from one card to another can be staged"),
        ({"mode": "staged", "source": "cuda:0"}, "Only a copy from one card to another"),
        ({"mode": "fresh", "source": "cuda:1"}, "Fresh memory makes a difference on the host"),
        ({"mode": "fresh"}, "Pinned memory is never fresh"),
        ({"mode": "latency"}, "Latency shows with few bytes only, not with 1 MiB."),
        ({"mode": "overlap", "pinned": False}, "not pinned keeps the host waiting"),
        ({"mode": "blocking", "target": "cpu"}, "nothing can be computed beside them"),
        ({"mode": "converted", "bytes": 6}, "must be a multiple of 4. Take 4 bytes."),
        ({"mode": "strided", "bytes": 7}, "Every other row needs an even number of bytes."),
        ({"target": "cpu"}, "Pinned memory makes no difference within the host."),
        ({"both_ways": True, "pinned": False}, "not pinned keeps the host waiting"),
        ({"both_ways": True, "source": "cuda:0"}, "copy to itself has only one way"),
        ({"both_ways": True, "mode": "strided"}, "measured as plain copies only"),
        ({"both_ways": True, "target": "cpu", "pinned": None}, "are measured alone"),
        ({"pieces": 2, "mode": "strided"}, "In pieces only plain copies are measured."),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(
    changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(Trouble) as refused:
        refuse_copy(_asked(**changes), HERE)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("way", [("cpu", "cuda:1"), ("cuda:1", "cuda:0"), ("cuda:1",) * 2])
def test_copies_that_would_have_to_share_a_queue_of_a_card_are_refused(
    way: tuple[str, str],
) -> None:
    refuse_copy(_asked("cpu", "cuda:1", beside=(way,) * 31), HERE)
    with pytest.raises(Trouble) as refused:
        refuse_copy(_asked("cpu", "cuda:1", beside=(way,) * 32), HERE)
    assert refused.value.sentence == (
        "33 copies from or to cuda:1 cannot run at the same time: a card has 32 queues, and "
        "each copy needs its own."
    )
    assert refused.value.hint == "Take at most 32 copies of one card."


def test_many_copies_spread_over_the_cards_are_not_refused() -> None:
    beside = (*[("cpu", "cuda:0")] * 31, *[("cpu", "cuda:1")] * 32)
    refuse_copy(_asked("cpu", "cuda:0", beside=beside), HERE)


def test_a_size_beyond_the_share_is_refused_with_all_its_figures() -> None:
    free = {"cpu": 1 << 34, "cuda:0": 6 << 30}
    command = _asked(bytes=1 << 30)
    with pytest.raises(Trouble) as refused:
        made_to_fit(command, free.get)
    assert refused.value.sentence == (
        "Measuring 1 GiB takes 1 GiB on cuda:0, more than 12.5 % of the 6 GiB that are free "
        "there."
    )
    roomy = _asked(bytes=1 << 30, most_share=0.5)
    assert made_to_fit(roomy, free.get) == (roomy, "")
    assert made_to_fit(command, lambda _: None) == (command, "")


def _asked(source: object = "cpu", target: object = "cuda:0", **changes: object) -> Measure:
    wanted: dict[str, object] = {"bytes": MIB, "pinned": True, **changes}
    return Measure(1, source, target, **wanted)  # type: ignore[arg-type]  # as JSON may hold
