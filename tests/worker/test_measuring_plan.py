"""What a measurement decides, and what it refuses; without torch and without cards."""

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.wire import CopyJob, Measure
from gpuexplorer.worker.engines.measuring import plan
from gpuexplorer.worker.engines.measuring.plan import copy_needs, made_to_fit, refuse_copy

HERE = ("cpu", "cuda:0", "cuda:1")
MIB = 1 << 20


@pytest.mark.parametrize(
    ("seconds", "operations", "loops"),
    [
        (0.005, 1, 10),
        (1e-6, 1, 100),
        (1e-6, plan.BETWEEN_CARDS, 100),
        (1e-6, 64, 15),
        (1e-6, 5000, 1),
    ],
)
def test_a_sample_lasts_and_fits_the_queue(seconds: float, operations: int, loops: int) -> None:
    assert plan.loops_for(seconds, operations) == loops


@pytest.mark.parametrize("size", [1, 4096, 3 * MIB, 1 << 30])
def test_staging_takes_few_pieces_that_a_queue_holds(size: int) -> None:
    chunk = plan.chunk_for(size)
    pieces = -(-size // chunk)
    assert 1 <= pieces <= 64
    assert pieces > 1 or size <= 256 << 10


def test_both_sides_are_needed_and_what_checking_takes() -> None:
    job = CopyJob("cuda:0", "cuda:1", 100 * MIB)
    assert copy_needs(job) == {"cuda:0": 100 * MIB, "cuda:1": 100 * MIB, "cpu": 132 * MIB}
    pinned = copy_needs(CopyJob("cpu", "cuda:0", 100 * MIB, pinned=True))
    assert pinned["cpu"] == 128 * MIB + 32 * MIB


@pytest.mark.parametrize("changes", [{"target": "cuda:9"}, {"beside": (("cpu", "cuda:9"),)}])
def test_a_device_that_is_not_here_is_told_with_those_that_are(
    changes: dict[str, object],
) -> None:
    with pytest.raises(Trouble) as refused:
        refuse_copy(_asked(**changes), HERE)
    said = "There is no cuda:9 here. This PyTorch has: cpu, cuda:0, cuda:1."
    assert str(refused.value) == said


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
