"""The list named `losses` is followed while a cell runs."""

import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.lab.events import Progressed  # noqa: E402 - only where there is torch
from gpuexplorer.worker.losses import Losses  # noqa: E402
from tests.worker.benches import Bench  # noqa: E402


class Followed:
    """A namespace whose losses are followed, and what was said."""

    def __init__(self, names: "dict[str, object] | None" = None) -> None:
        self.names: dict[str, object] = {} if names is None else names
        self.said: list[Progressed] = []
        self.losses = Losses(self.names, self._hear)
        self._cell = 0

    def _hear(self, event: object) -> None:
        assert isinstance(event, Progressed)
        self.said.append(event)

    @contextmanager
    def cell(self) -> Iterator[None]:
        self._cell += 1
        self.losses.begin(self._cell)
        yield
        self.losses.end()

    @property
    def told(self) -> list[tuple[int, int, tuple[float, ...]]]:
        """Cell, place of the first, and losses; of each time something was said."""
        return [(each.id, each.first, each.losses) for each in self.said]

    @property
    def values(self) -> list[float]:
        return [each for event in self.said for each in event.losses]


@pytest.fixture
def followed() -> Iterator[Followed]:
    here = Followed()
    yield here
    here.losses.stop()


def test_losses_are_said_while_the_cell_runs(followed: Followed) -> None:
    losses: list[float] = []
    followed.names["losses"] = losses
    with followed.cell():
        losses.append(0.5)
        give_up = time.monotonic() + 20
        while not followed.said and time.monotonic() < give_up:
            pass
        assert followed.told == [(1, 0, (0.5,))]
        losses.append(0.25)
    assert followed.told[1:] == [(1, 1, (0.25,))]
    assert followed.said[1].seconds >= followed.said[0].seconds > 0


def test_a_cell_that_goes_on_with_the_list_says_only_what_it_added(followed: Followed) -> None:
    with followed.cell():
        followed.names["losses"] = [3.0, 2.0]
    with followed.cell():
        pass
    with followed.cell():
        followed.names["losses"].append(1.0)  # type: ignore[attr-defined]
    assert followed.told == [(1, 0, (3.0, 2.0)), (3, 2, (1.0,))]


def test_a_list_that_begins_anew_is_said_from_its_beginning(followed: Followed) -> None:
    with followed.cell():
        followed.names["losses"] = [3.0, 2.0]
    with followed.cell():
        followed.names["losses"] = [7.0, 6.0, 5.0]
    with followed.cell():
        del followed.names["losses"][1:]  # type: ignore[attr-defined]
    assert followed.told == [(1, 0, (3.0, 2.0)), (2, 0, (7.0, 6.0, 5.0)), (3, 0, (7.0,))]


def test_tensors_of_one_element_count_as_their_number(followed: Followed) -> None:
    weight = torch.tensor([2.0], requires_grad=True)
    with followed.cell():
        followed.names["losses"] = [
            (weight * weight).sum(),
            0.5,
            torch.tensor([[3]]),
            torch.tensor(0.25, dtype=torch.float64),
        ]
    assert followed.values == [4.0, 0.5, 3.0, 0.25]


def test_numbers_of_numpy_and_whole_numbers_count(followed: Followed) -> None:
    numpy = pytest.importorskip("numpy")
    with followed.cell():
        followed.names["losses"] = [numpy.float32(0.5), numpy.float64(1.5), 2, 10**400]
    assert followed.values == [0.5, 1.5, 2.0, float("inf")]


class Hostile:
    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)

    def __float__(self) -> float:
        raise AssertionError


@pytest.mark.parametrize(
    "other",
    ["text", None, Hostile(), torch.ones(2), torch.tensor(1j)],
    ids=["a word", "nothing", "hostile", "two", "complex"],
)
def test_nothing_is_said_from_the_first_thing_that_is_no_number(
    followed: Followed, other: object
) -> None:
    with followed.cell():
        followed.names["losses"] = [1.0, other, 2.0]
    assert followed.values == [1.0]


@pytest.mark.parametrize("other", [(1.0, 2.0), "1", Hostile(), {0: 1.0}], ids=range(4))
def test_only_a_list_is_followed(followed: Followed, other: object) -> None:
    with followed.cell():
        followed.names["losses"] = other
    assert followed.said == []


def test_of_a_million_losses_at_once_the_newest_are_said(followed: Followed) -> None:
    with followed.cell():
        followed.names["losses"] = [float(each) for each in range(1_000_000)]
    newest = followed.said[-1]
    assert newest.losses[-1] == 999_999.0
    assert newest.first == newest.losses[0]
    assert sum(len(each.losses) for each in followed.said) < 100_000


def test_the_list_is_not_kept_once_its_name_is_gone(followed: Followed) -> None:
    loss = torch.ones(1)
    gone = weakref.ref(loss)
    with followed.cell():
        followed.names["losses"] = [loss]
        del loss
    del followed.names["losses"]
    assert gone() is None


def test_a_loss_whose_card_fails_is_left_to_the_cell_to_report(followed: Followed) -> None:
    with followed.cell():
        followed.names["losses"] = [torch.ones(1, device="meta")]
    assert followed.said == []


def test_following_losses_copies_nothing_that_the_cell_would_be_charged_for(
    virtual: Bench,
) -> None:
    followed = Followed(virtual.things)
    try:
        with followed.cell():
            virtual.run("losses = [torch.ones((), device='cuda:1') * 0.5, torch.tensor(0.25)]")
        assert followed.values == [0.5, 0.25]
        assert virtual.engine.transfers(1) == []
    finally:
        followed.losses.stop()
