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


@pytest.mark.parametrize(("source", "target"), WAYS)
@pytest.mark.parametrize("mode", ["copy", "latency", "strided", "converted"])
def test_what_arrives_is_what_was_sent(source: str, target: str, mode: str) -> None:
    size = 64 if mode == "latency" else SIZE
    assert measured_on(cards_at_rest(), source, target, mode=mode, bytes=size).intact


@pytest.mark.parametrize("mode", ["copy", "raw", "fresh", "latency", "strided", "converted"])
def test_within_the_host_too(mode: str) -> None:
    measured = measured_on(cards_at_rest(), "cpu", "cpu", mode=mode, bytes=4096)
    assert measured.intact
    assert measured.gated is None
    assert measured.wrong == ()


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


def test_a_copy_that_no_longer_comes_is_not_taken_for_the_one_before() -> None:
    cards = cards_at_rest()
    wiped: list[Any] = []

    def only_the_first_come(arrived: Any, to: str, come_from: str) -> None:
        if (come_from, to) == ("cpu", "cuda:1"):
            wiped.append(arrived.clone())
        elif (come_from, to) == ("cuda:0", "cuda:1") and len(wiped) > 1:
            arrived.copy_(wiped[-1])

    cards.spoil = only_the_first_come
    [wrong] = measured_on(cards, "cuda:0", "cuda:1").wrong
    assert (wrong.rounds, wrong.checked) == (COMPARED - 1, COMPARED)


def test_only_some_rounds_may_be_wrong() -> None:
    cards = cards_at_rest()
    looks: list[int] = []

    def in_the_second_round(arrived: Any, to: str, come_from: str) -> None:
        if (come_from, to) == ("cuda:1", "cpu"):
            looks.append(1)
        elif (come_from, to) == ("cuda:0", "cuda:1") and len(looks) == 1:
            arrived[5:8] ^= 255

    cards.spoil = in_the_second_round
    [wrong] = measured_on(cards, "cuda:0", "cuda:1").wrong
    assert (wrong.rounds, wrong.checked, wrong.bytes, wrong.first) == (1, COMPARED, 3, 5)


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("mode", ["copy", "blocking"])
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


def test_of_large_copies_some_in_a_row_are_compared_and_it_is_said_how_many() -> None:
    cards = FakeCards()
    cards.rate = 1e8
    measured = measured_on(cards, "cuda:0", "cuda:1", bytes=2 << 20)
    assert (measured.loops, measured.compared_copies) == (2, 2)
    small = measured_on(cards_at_rest(), "cuda:0", "cuda:1", mode="latency", bytes=16)
    assert (small.compared_samples, small.compared_copies) == (3, 100)


def test_a_source_that_forgets_is_to_blame_and_not_the_way() -> None:
    cards = cards_at_rest()

    def badly_loaded(arrived: Any, to: str, come_from: str) -> None:
        if (come_from, to) == ("cpu", "cuda:0") and len(arrived) == SIZE:
            arrived[9] ^= 1

    cards.spoil = badly_loaded
    measured = measured_on(cards, "cuda:0", "cuda:1")
    assert measured.intact is False
    assert "cuda:0 itself does not hold what it was given" in measured.notes[0]


def test_another_copy_at_the_same_time_is_looked_at_too() -> None:
    cards = flipping("cuda:1", "cuda:0")
    measured = measured_on(cards, "cuda:0", "cuda:1", both_ways=True)
    assert measured.intact is False
    assert measured.notes[0].startswith("cuda:1 to cuda:0: wrong bytes")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"mode": "staged", "source": "cuda:0", "target": "cuda:1"},
        {"mode": "overlap"},
        {"mode": "blocking"},
        {"mode": "fresh", "pinned": False},
        {"mode": "converted"},
        {"both_ways": True, "beside": (("cuda:1", "cuda:0"),)},
    ],
)
def test_all_memory_is_back_when_it_is_done(changes: dict[str, Any]) -> None:
    cards = cards_at_rest()
    measured_on(cards, **changes)
    assert cards.taken
    assert cards.held_when_given_back == [0]


@pytest.mark.parametrize("after", [0, 1, 5, 40, 2000])
def test_given_up_at_any_time_it_keeps_no_memory(after: int) -> None:
    cards = cards_at_rest()
    asked = iter(range(after + 1))

    def give_up() -> None:
        if next(asked, after) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        said_by(cards, asked_for("cuda:0", "cuda:1", samples=1000), give_up)
    assert cards.held_when_given_back == [0]


@pytest.mark.parametrize("mode", ["copy", "staged", "overlap", "blocking", "latency"])
@pytest.mark.parametrize("at", [0.0, 0.1, 0.21])
def test_given_up_in_the_middle_of_a_copy_it_keeps_no_memory(mode: str, at: float) -> None:
    cards = cards_at_rest()

    def give_up(*_: Any) -> None:
        if cards.clock >= at:
            raise KeyboardInterrupt

    cards.spoil = give_up
    size = 64 if mode == "latency" else SIZE
    with pytest.raises(KeyboardInterrupt):
        said_by(cards, asked_for("cuda:0", "cuda:1", mode=mode, bytes=size))
    assert cards.held_when_given_back == [0]


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


def test_a_host_without_room_is_told() -> None:
    cards = cards_at_rest()

    def full(device: str, _: int, __: bool) -> None:
        if device == "cpu":
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    cards.refuse = full
    assert _failure(cards, "cpu", "cpu").cause == "out of memory"


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
    ("said", "why", "hint"),
    [
        (
            "operation not supported",
            ": the driver does not support a call that this needs.",
            "Virtual cards, MIG instances and WSL lack some calls. Measure in another way.",
        ),
        (
            "invalid argument",
            ": the driver refused a call as invalid.",
            "Take a smaller size, or measure in another way.",
        ),
        (
            "cudaErrorInvalidValue from the driver's own call",
            ": the driver refused a call as invalid.",
            "Take a smaller size, or measure in another way.",
        ),
        (
            "initialization error\nCompile with `TORCH_USE_CUDA_DSA`.",
            ". PyTorch says: CUDA error: initialization error",
            "The card still answers. Try again, or measure in another way.",
        ),
    ],
)
def test_an_error_after_which_the_cards_still_answer_costs_no_worker(
    said: str, why: str, hint: str
) -> None:
    failure = _failure(_refusing_to_copy(said), "cuda:0", "cuda:1")
    assert failure.sentence == f"cuda:0 to cuda:1 could not be measured{why}"
    assert failure.hint == hint
    assert failure.cause == "bad request"


def test_the_ninth_card_that_one_is_to_reach_directly_is_told_and_gets_a_new_worker() -> None:
    failure = _failure(
        _refusing_to_copy("peer mapping resources exhausted"), "cuda:0", "cuda:1"
    )
    assert failure.sentence == (
        "cuda:0 to cuda:1 could not be measured: a card can be connected directly to at most 8 "
        "others, and all connections of one of these are in use."
    )
    assert failure.hint.startswith("Measure it again: a new worker begins")
    assert failure.cause == "device broken"  # PyTorch never closes a connection


@pytest.mark.parametrize("said", ["invalid argument", "peer mapping resources exhausted"])
def test_whatever_is_said_a_card_that_answers_no_more_broke_off(said: str) -> None:
    cards = _refusing_to_copy(said)
    cards.broken = True
    failure = _failure(cards, "cuda:0", "cuda:1")
    assert failure.cause == "device broken"
    assert failure.sentence == "A card broke off while cuda:0 to cuda:1 was measured."


def test_a_card_that_breaks_while_memory_is_pinned_is_not_called_memory() -> None:
    cards = cards_at_rest()

    def broken(_: str, __: int, pinned: bool) -> None:
        if pinned:
            cards.broken = True
            raise RuntimeError("CUDA error: an illegal memory access was encountered")

    cards.refuse = broken
    failure = _failure(cards, "cpu", "cuda:0")
    assert failure.cause == "device broken"
    assert failure.sentence == "A card broke off while cpu to cuda:0 was measured."


def test_a_card_that_another_process_has_for_itself_is_told() -> None:
    cards = cards_at_rest()

    def held(_: str, __: int, ___: bool) -> None:
        raise RuntimeError("CUDA error: CUDA-capable device(s) is/are busy or unavailable")

    cards.refuse = held
    failure = _failure(cards, "cuda:0", "cuda:1")
    assert failure.cause == "device broken"  # the next one needs a new worker
    assert failure.sentence == (
        "cuda:0 to cuda:1 could not be measured: the card lets in one process at a time, and "
        "another has it."
    )
    assert failure.hint.startswith("Release the cards in the lab")


def test_a_card_without_kernels_cannot_convert_and_says_so() -> None:
    cards = cards_at_rest()

    def no_kernel(arrived: Any, to: str, come_from: str) -> None:
        if arrived.dtype == torch.float16 and "cpu" not in (to, come_from):
            raise RuntimeError("CUDA error: no kernel image is available for execution")

    cards.spoil = no_kernel
    with pytest.raises(Trouble, match="has no kernels for the card"):
        measured_on(cards, "cuda:0", "cuda:1", mode="converted")


def test_a_size_beyond_the_share_takes_no_memory() -> None:
    cards = cards_at_rest()
    cards.free = 4 << 20
    with pytest.raises(Trouble, match=r"takes .* more than 12\.5 % of the 4 MiB"):
        measured_on(cards)
    assert cards.taken == []


def test_fewer_bytes_are_copied_where_so_many_do_not_fit_and_it_is_said() -> None:
    cards = cards_at_rest()
    cards.free = 24 << 20
    measured = measured_on(cards, "cuda:0", "cuda:0", bytes=2 * SIZE, fit=True)
    result = CopyResult(CopyJob("cuda:0", "cuda:0", 2 * SIZE, fit=True), measured, None)
    assert result.bytes == SIZE
    assert result.rate == pytest.approx(SIZE / (1e-6 + SIZE / cards.rate))
    assert measured.notes[0].startswith("Only 1 MiB were copied. Measuring 2 MiB takes 4 MiB")
    assert measured.intact


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
