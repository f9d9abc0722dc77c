"""Whether copies arrived, what failed, and that no memory is kept; on cards that are not."""

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.copies.result import CopyResult  # noqa: E402 - only where there is torch
from gpuexplorer.core.trouble import Trouble  # noqa: E402
from gpuexplorer.lab.events import Wrong  # noqa: E402
from gpuexplorer.lab.wire import CopyJob  # noqa: E402
from gpuexplorer.worker.engine import failed  # noqa: E402
from tests.worker.fake_cards import FakeCards  # noqa: E402
from tests.worker.measurements import SIZE, asked_for, measured_on, said_by  # noqa: E402

PLACE = 777_777
COMPARED = 3 + 100  # the last copy of each sample, and all copies of one more
WAYS = [("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:1"), ("cuda:1", "cuda:1")]


def cards_at_rest() -> FakeCards:
    """Asking for a copy takes long there: that a link is awake is known after a few."""
    return FakeCards(asking=1e-4)


def flipping(source: str, target: str) -> FakeCards:
    """One byte of every copy that is measured."""
    cards = cards_at_rest()

    # Any: tensors are PyTorch's.
    def flip(arrived: Any, to: str, come_from: str) -> None:
        if (come_from, to) == (source, target) and not cards.waits:
            there = arrived.view(torch.uint8).flatten()
            there[PLACE] ^= 2 if there[PLACE] == 1 else 1  # what comes of it is not 0

    cards.spoil = flip
    return cards


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_a_flipped_byte_is_found(source: str, target: str) -> None:
    measured = measured_on(flipping(source, target), source, target)
    assert measured.intact is False
    assert measured.wrong == (Wrong(COMPARED, COMPARED, 1, PLACE, zeros=False),)
    assert measured.notes == (
        f"{source} to {target}: wrong bytes, while {source} still holds the right ones.",
    )


def test_zeros_in_place_of_everything_are_told_as_such() -> None:
    cards = cards_at_rest()

    def nothing_comes(arrived: Any, to: str, come_from: str) -> None:
        if (come_from, to) == ("cuda:0", "cuda:1"):
            arrived.zero_()

    cards.spoil = nothing_comes
    [wrong] = measured_on(cards, "cuda:0", "cuda:1").wrong
    assert wrong.zeros
    assert wrong.rounds == COMPARED
    assert wrong.bytes > 0.99 * SIZE


@pytest.mark.parametrize(("first", "mode"), [(0, "copy"), (1, "blocking")])
def test_a_way_that_spoils_every_third_copy_is_found_whichever_it_begins_with(
    first: int, mode: str
) -> None:
    cards = cards_at_rest()
    cards.rate = SIZE / 3.2e-3
    made: list[Any] = []

    def every_third(arrived: Any, to: str, come_from: str) -> None:
        if (come_from, to) == ("cuda:0", "cuda:1"):
            made.append(arrived)
            if len(made) % 3 == first:
                arrived[PLACE] ^= 1

    cards.spoil = every_third
    measured = measured_on(cards, "cuda:0", "cuda:1", mode=mode)
    assert measured.loops == 15  # so that all samples' last copies are alike
    assert measured.intact is False
    [wrong] = measured.wrong
    assert wrong.bytes == 1
    assert wrong.rounds >= measured.compared_copies // 3
    assert wrong.checked == measured.compared_samples + measured.compared_copies


def test_a_source_that_forgets_is_to_blame_and_not_the_way() -> None:
    cards = cards_at_rest()

    def badly_loaded(arrived: Any, to: str, come_from: str) -> None:
        if (come_from, to) == ("cpu", "cuda:0") and len(arrived) == SIZE:
            arrived[9] ^= 1

    cards.spoil = badly_loaded
    measured = measured_on(cards, "cuda:0", "cuda:1")
    assert measured.intact is False
    assert "cuda:0 itself does not hold what it was given" in measured.notes[0]


@pytest.mark.parametrize("mode", ["copy", "staged", "overlap", "blocking"])
@pytest.mark.parametrize("at", [0.0, 0.21])
def test_done_or_given_up_in_the_middle_it_keeps_no_memory(mode: str, at: float) -> None:
    cards = cards_at_rest()
    measured_on(cards, "cuda:0", "cuda:1", mode=mode)
    at += cards.clock if at else 0.0

    def give_up(*_: Any) -> None:
        if cards.clock >= at:
            raise KeyboardInterrupt

    cards.spoil = give_up
    with pytest.raises(KeyboardInterrupt):
        said_by(cards, asked_for("cuda:0", "cuda:1", mode=mode))
    assert cards.held_when_given_back == [0, 0]


def test_a_card_without_room_is_told_and_keeps_nothing() -> None:
    cards = cards_at_rest()

    def full(device: str, _: int, __: bool) -> None:
        if device == "cuda:1":
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 1.00 MiB.")

    cards.refuse = full
    failure = _failure(cards, "cuda:0", "cuda:1")
    assert failure.cause == "out of memory"
    assert "does not fit into the memory that is free" in failure.sentence
    assert cards.held_when_given_back == [0]


def test_memory_that_cannot_be_pinned_costs_the_worker_and_is_told() -> None:
    cards = cards_at_rest()

    def small_ones_only(_: str, size: int, pinned: bool) -> None:
        if pinned and size > 4096:
            raise RuntimeError("CUDA error: out of memory")

    cards.refuse = small_ones_only
    failure = _failure(cards, "cuda:0", "cpu")
    assert failure.cause == "device broken"
    assert failure.sentence == "1 MiB of the host's memory could not be pinned."
    assert "new worker" in failure.hint
    assert failure.message == "CUDA error: out of memory"
    assert [size for _, size, pinned in cards.taken if pinned] == [4096, SIZE]
    assert cards.held_when_given_back == [0]


def test_a_card_that_vanishes_in_the_middle_is_told() -> None:
    cards = cards_at_rest()

    def gone(_: Any, to: str, __: str) -> None:
        if to == "cuda:0" and cards.clock > 0.1:
            cards.broken = True
            raise RuntimeError("CUDA error: unknown error")

    cards.spoil = gone
    failure = _failure(cards, "cpu", "cuda:0")
    assert failure.cause == "device broken"
    assert failure.sentence == "A card broke off while cpu to cuda:0 was measured."
    assert "new worker" in failure.hint
    assert cards.held_when_given_back == [0]


@pytest.mark.parametrize(
    ("said", "why", "hint", "cause"),
    [
        ("initialization error\nCompile", ". PyTorch says: CUDA", "The card", "bad request"),
        # The driver holds on to both, so that the next one needs a new worker.
        ("peer mapping resources exhausted", ": a card can be", "Measure", "device broken"),
        ("device(s) is/are busy or unavailable", ": the card lets", "Re", "device broken"),
    ],
)
def test_what_the_driver_says_is_told_as_what_it_means(
    said: str, why: str, hint: str, cause: str
) -> None:
    failure = _failure(_refusing_to_copy(said), "cuda:0", "cuda:1")
    assert failure.sentence.startswith(f"cuda:0 to cuda:1 could not be measured{why}")
    assert failure.hint.startswith(hint)
    assert failure.cause == cause


def test_fewer_bytes_are_copied_where_so_many_do_not_fit_and_it_is_said() -> None:
    cards = cards_at_rest()
    cards.free = 24 << 20
    measured = measured_on(cards, "cuda:0", "cuda:0", bytes=2 * SIZE, fit=True)
    result = CopyResult(CopyJob("cuda:0", "cuda:0", 2 * SIZE, fit=True), measured, None)
    assert result.bytes == SIZE
    assert result.rate == pytest.approx(SIZE / (1e-6 + SIZE / cards.rate))
    assert measured.notes[0].startswith("Only 1 MiB were copied. Measuring 2 MiB takes 4 MiB")
    assert measured.intact


def test_a_size_beyond_the_share_is_refused_with_all_its_figures() -> None:
    cards = cards_at_rest()
    cards.free = 4 << 20
    with pytest.raises(Trouble) as refused:
        measured_on(cards, "cuda:0", "cuda:1")
    assert refused.value.sentence == (
        "Measuring 1 MiB takes 1 MiB on cuda:0, more than 12.5 % of the 4 MiB that are free "
        "there."
    )
    assert cards.taken == []


def _refusing_to_copy(said: str) -> FakeCards:
    """Between cards."""
    cards = cards_at_rest()

    def refused(_: Any, to: str, come_from: str) -> None:
        if "cpu" not in (to, come_from):
            raise RuntimeError(f"CUDA error: {said}")

    cards.spoil = refused
    return cards


def _failure(cards: FakeCards, source: str, target: str) -> Any:
    try:
        said_by(cards, asked_for(source, target))
    except Exception as error:
        return failed(1, error)
    raise AssertionError("it did not fail")
