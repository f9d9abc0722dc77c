"""Cells, their cost and that of their cures in words."""

from dataclasses import replace

import pytest

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.code.cell_words import cost_rows
from gpuexplorer.gui.lab.code.error_panel import price_words
from gpuexplorer.lab.cures import Copying, Cure
from gpuexplorer.lab.events import Finished, Held, Memory, Placed, Span, Transferred
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.wire import Run
from tests.gui.lab.conftest import GIB, MIB, tensor

CONTEXT = 334 * MIB


def card(tensors: int, reserved: int, context: int = CONTEXT) -> Memory:
    return Memory("cuda:0", tensors, reserved, 20 * GIB, 24 * GIB, context)


def cell(code: str, before: Memory | None = None, after: Memory | None = None) -> Cell:
    made = Cell(Run(1, code, 5), state="done", finished=Finished(1, 1e-3))
    made.memory_before = {} if before is None else {"cuda:0": before}
    made.memory_after = {} if after is None else {"cuda:0": after}
    return made


def costs(one: Cell, *placed: Placed, size: int = 512, units: Units = USUAL) -> list[str]:
    """Where it placed these. `size`: what the allocator gave for each of them."""
    for each in placed:
        holds = (Held(each.device, "values", size, 7),)
        one.placed[each.name] = each if each.holds else replace(each, holds=holds)
    return cost_rows(one, units)


def copied(source: str, target: str, size: int, **more: object) -> Transferred:
    made = Transferred(1, source, target, size, 8e-6, modelled=True, cell=5, line=1)
    return replace(made, **more)  # type: ignore[arg-type]  # by name


EMPTY, ONE, TWO = card(0, 2 * MIB), card(512, 2 * MIB), card(1024, 2 * MIB)
LARGE = card(1024 + 8 * MIB, 22 * MIB)


@pytest.mark.parametrize(
    ("one", "placed", "said"),
    [
        (cell("X", None, ONE), tensor("X"), "24 B allocated · context 334 MiB · cache +2 MiB"),
        (cell("Y", ONE, TWO), tensor("Y"), "24 B allocated · out of the cache"),
        (cell("Z", ONE, LARGE), tensor("Z"), "24 B allocated · 8 MiB unnamed · cache +20 MiB"),
        (cell("W = X"), tensor("W", same_as="X"), "W is the very same object as X"),
        (cell("H"), tensor("H", "cpu", (1000, 1000)), "4 MB on the host"),
        (cell("del X", card(12 * MIB, 14 * MIB), card(0, 14 * MIB)), None,
         "12 MiB back to PyTorch's cache"),
        (cell("empty_cache()", card(0, 14 * MIB), card(0, 0)), None,
         "14 MiB of cache back to the card"),
    ],
)  # fmt: skip
def test_memory_is_told_as_the_courses_count_it(
    one: Cell, placed: Placed | None, said: str
) -> None:
    units = Units(decimal_memory="MB" in said)
    assert costs(one, *([placed] if placed else []), units=units) == [said]


HIDDEN = copied(
    "cuda:0", "cpu", 40, copies=10, what="print(x)", asked=False, line=2,
    host_seconds=0.02, blocking=True,
)  # fmt: skip
INSIDE = copied("cuda:0", "cpu", 4, what="net(x)", cell=4, asked=False, within="torch.nn")
WAITED = "Python waited 20.0 ms for cuda:0 and gave no card new work meanwhile"
SLOW = copied("cuda:0", "cpu", MIB, host_seconds=0.02, blocking=True)


@pytest.mark.parametrize(
    ("code", "transfers", "said"),
    [
        ("net", [copied("cpu", "cuda:0", MIB)] * 14, ["14 copies, 14 MiB, cpu → cuda:0"]),
        (
            "for x in X:\n    print(x)",
            [HIDDEN, INSIDE],
            [
                f"10 copies, 40 B, cuda:0 → cpu · line 2 · by print(x) · {WAITED}",
                "Copied 4 B, cuda:0 → cpu · cell 4, line 1 · by net(x) · in torch.nn",
            ],
        ),
        ("log", [SLOW], ["Copied 1 MiB, cuda:0 → cpu · host waited 20.0 ms"]),
        (
            "Z = X.cuda(1)",
            [copied("cuda:0", "cuda:1", MIB, intact=False)],
            ["Arrived WRONG on cuda:1, see Copies", "Copied 1 MiB, cuda:0 → cuda:1"],
        ),
        ("Z is Z", [copied("cuda:1", "cuda:1", 24)], ["Already there, nothing copied"]),
        ("1 + 1", [], []),
    ],
)
def test_copies_are_counted_with_their_bytes_and_their_line(
    code: str, transfers: list[Transferred], said: list[str]
) -> None:
    one = cell(code)
    one.transfers = transfers
    assert costs(one) == said


def worked(card: int, begin: float, end: float, busy: float = 1.0) -> Span:
    """In milliseconds."""
    device = f"cuda:{card}"
    return Span(device, begin * 1e-3, end * 1e-3, (end - begin) * busy * 1e-3)


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        (
            [worked(0, 0, 10), worked(1, 0.4, 2), worked(1, 12, 18)],
            ["cuda:0 and cuda:1 worked at the same time for 1.60 of 16.0 ms"],
        ),
        ([worked(0, 0, 8), worked(1, 8, 16)], ["cuda:0 and cuda:1 worked one after the other"]),
        (
            [worked(card, card, card + 2) for card in range(4)],
            ["4 cards worked, two or more at the same time for 3.00 of 5.00 ms"],
        ),
        ([worked(0, 0, 8), worked(0, 9, 12)], []),  # one card
        ([worked(0, 0, 8), worked(1, 0, 0.05)], []),  # the other hardly worked
        ([worked(0, 0, 8, 0.5), worked(1, 0, 8, 0.5)], []),  # joined over many pauses
        ([worked(0, 0, 8), Span("cpu", 0, 8e-3, 8e-3, waits_for="cuda:0")], []),
    ],
)
def test_whether_cards_worked_at_the_same_time_is_told_where_it_can_be(
    spans: list[Span], said: list[str]
) -> None:
    both = cell("run(0)\nrun(1)")
    both.spans = spans
    assert costs(both) == said


X_TO_1 = (Copying("X", "cuda:0", "cuda:1", 24),)
TO_HOST = (Copying("X", "cuda:0", "cpu", 24), Copying("Y", "cuda:1", "cpu", 24))
NET_TO_1 = (Copying("net", "cuda:0", "cuda:1", 16, stays=True),)


@pytest.mark.parametrize(
    ("cure", "way", "price"),
    [
        (Cure((), (), copies=X_TO_1), (8.4e-6, "NVLink"),
         "24 B over NVLink, about 8.4 µs; then it runs on cuda:1"),
        (Cure((), (), copies=X_TO_1), None, "24 B; then it runs on cuda:1"),
        (Cure((), (), copies=TO_HOST), None, "2 × 24 B; then it runs on the processor"),
        (Cure((), (), copies=NET_TO_1), None,
         "16 B; then it runs on cuda:1. net is on cuda:1 from then on"),
        (Cure((), (), copies=X_TO_1, again=True), None,
         "24 B; then it runs on cuda:1. Each time that line runs, it copies again"),
        (Cure((), (), frees_bytes=2 << 20), None, "Gives back 2 MiB; then the cell again"),
        (Cure((), (), Message("The same without its history")), None,
         "The same without its history"),
    ],
)  # fmt: skip
def test_what_a_cure_costs_is_said_before_it_is_pressed(
    cure: Cure, way: tuple[float, str] | None, price: str
) -> None:
    assert price_words(cure, lambda _: way) == price
