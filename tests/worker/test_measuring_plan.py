"""How many bytes and copies a measurement takes, and what it refuses; without cards."""

import pytest

pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.wire import Measure
from gpuexplorer.worker.engines.measuring.measure import made_to_fit
from tests.worker.fake_cards import FakeCards
from tests.worker.measurements import SIZE, measured_on, said_by


@pytest.mark.parametrize(
    ("rate", "pieces", "loops"), [(SIZE / 5e-3, 1, 10), (1e15, 1, 100), (1e15, 64, 15)]
)
def test_a_sample_lasts_and_fits_the_queue(rate: float, pieces: int, loops: int) -> None:
    cards = FakeCards(asking=1e-9)
    cards.rate = rate
    assert measured_on(cards, pieces=pieces).loops == loops


@pytest.mark.parametrize("size", [1, 3 << 20, 64 << 20])
def test_staging_takes_few_pieces_that_a_queue_holds(size: int) -> None:
    cards = FakeCards(asking=1e-4)
    cards.free = 1 << 40
    measured = measured_on(cards, "cuda:0", "cuda:1", mode="staged", bytes=size, samples=1)
    room = [size for _, size, pinned in cards.taken if pinned][-1]
    assert 1 <= -(-size // room) <= 64
    assert measured.intact


@pytest.mark.parametrize("changes", [{"target": "cuda:9"}, {"beside": (("cpu", "cuda:9"),)}])
def test_a_device_that_is_not_here_is_told_with_those_that_are(
    changes: dict[str, object],
) -> None:
    with pytest.raises(Trouble) as refused:
        said_by(FakeCards(), _asked(**changes))
    said = "There is no cuda:9 here. This PyTorch has: cpu, cuda:0, cuda:1."
    assert str(refused.value) == said


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
    wanted: dict[str, object] = {"bytes": 1 << 20, "pinned": True, **changes}
    return Measure(1, source, target, **wanted)  # type: ignore[arg-type]  # as JSON may hold
