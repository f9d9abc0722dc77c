"""The state of chance as a text: told, compared, and taken up again."""

import random
from collections.abc import Callable, Iterator

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.worker import randomness  # noqa: E402 - only where there is torch


@pytest.fixture(autouse=True)
def left_as_it_was() -> Iterator[None]:
    before = randomness.state()
    yield
    randomness.set_state(before)


def numpy_number() -> float:
    return float(pytest.importorskip("numpy").random.rand())


DRAWN: dict[str, Callable[[], object]] = {
    "torch": lambda: torch.rand(3).tolist(),
    "torch on the normal curve": lambda: torch.randn(1).tolist(),
    "python": random.random,
    "python on the normal curve": lambda: random.gauss(0, 1),
    "numpy": numpy_number,
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_a_generator_that_drew_is_noticed_and_can_draw_the_same_again(
    draw: Callable[[], object],
) -> None:
    randomness.seed(7)
    before = randomness.state()
    assert randomness.state() == before
    drawn = draw()
    assert randomness.state() != before
    randomness.set_state(before)
    assert randomness.state() == before
    assert draw() == drawn


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_after_the_same_seed_everything_drawn_is_the_same(draw: Callable[[], object]) -> None:
    randomness.seed(5)
    drawn = draw()
    draw()
    randomness.seed(5)
    assert draw() == drawn


def test_the_spare_number_of_the_normal_curve_is_kept_too() -> None:
    random.gauss(0, 1)
    before = randomness.state()
    drawn = random.gauss(0, 1)
    randomness.set_state(before)
    assert random.gauss(0, 1) == drawn


def test_each_card_that_is_in_use_has_a_state_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host_alone = randomness.state()
    cards = (torch.Generator(), torch.Generator())
    monkeypatch.setattr(torch.cuda, "default_generators", cards)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    before = randomness.state()
    assert before != host_alone
    first, second = (torch.rand(1, generator=each).item() for each in cards)
    assert randomness.state() != before
    randomness.set_state(before)
    assert [torch.rand(1, generator=each).item() for each in cards] == [first, second]


def test_the_state_of_a_card_that_is_gone_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as cards_here:
        cards_here.setattr(torch.cuda, "default_generators", (torch.Generator(),))
        cards_here.setattr(torch.cuda, "is_initialized", lambda: True)
        with_card = randomness.state()
    randomness.set_state(with_card)
    assert with_card.startswith(randomness.state().split()[0])


def test_a_default_device_does_not_move_the_state_of_chance() -> None:
    before = randomness.state()
    with torch.device("meta"):
        assert randomness.state() == before
        randomness.set_state(before)
    assert randomness.state() == before


def test_the_state_is_told_where_pytorch_came_without_numpy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_numpy(*_: object) -> None:
        raise RuntimeError("Numpy is not available")

    monkeypatch.setattr(torch.Tensor, "numpy", no_numpy)
    before = randomness.state()
    drawn = torch.rand(1).item()
    randomness.set_state(before)
    assert torch.rand(1).item() == drawn


def test_the_state_of_another_pytorch_is_refused() -> None:
    with pytest.raises(ValueError, match="another PyTorch"):
        randomness.set_state("torch=AAAA")
