"""Cells and their cost in words."""

from dataclasses import replace

import pytest

from gpuexplorer.core.units import USUAL, Units, bytes_words, seconds_words
from gpuexplorer.gui.lab.cells.cell_face import CellFace, cell_face
from gpuexplorer.gui.lab.cells.words import cost_rows
from gpuexplorer.gui.lab.code.error_panel import expected_copy
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lab.cures import Copying
from gpuexplorer.lab.events import (
    Failed,
    Finished,
    Frame,
    Held,
    Memory,
    Placed,
    Printed,
    Span,
    Transferred,
)
from gpuexplorer.lab.ledger import Cell, Ledger, time_words
from gpuexplorer.lab.wire import Run
from gpuexplorer.simulation.specs import parse_machine
from tests.gui.lab.conftest import GIB, MIB, tensor

CONTEXT = 334 * MIB


def card(tensors: int, reserved: int, context: int = CONTEXT) -> Memory:
    return Memory("cuda:0", tensors, reserved, 20 * GIB, 24 * GIB, context)


def cell(code: str, before: Memory | None = None, after: Memory | None = None) -> Cell:
    made = Cell(Run(1, code, 5), state="done", finished=Finished(1, 1e-3))
    made.memory_before = {} if before is None else {"cuda:0": before}
    made.memory_after = {} if after is None else {"cuda:0": after}
    return made


def costs(one: Cell, *placed: Placed, size: int = 0, units: Units = USUAL) -> list[str]:
    """Where it placed these. `size`: what the allocator gave for each of them."""
    held = [
        replace(each, holds=(Held(each.device, "values", size, 7),)) if size else each
        for each in placed
    ]
    one.placed = {each.name: each for each in held}
    return cost_rows(one, units)


def copied(source: str, target: str, size: int, **more: object) -> Transferred:
    made = Transferred(1, source, target, size, 8e-6, modelled=True, cell=5, line=1)
    return replace(made, **more)  # type: ignore[arg-type]  # by name


def face_of(one: Cell) -> CellFace:
    ledger = Ledger()
    ledger.sent(Run(8, "def f(a):\n    return a / 0", 4))
    ledger.sent(Run(9, "X + Y.cuda(0)", 6))
    return cell_face(one, ledger)


def test_the_first_tensor_on_a_card_brings_context_and_cache() -> None:
    first = cell("X = torch.ones(2, 3, device='cuda:0')", None, card(512, 2 * MIB))
    said = costs(first, tensor("X"), size=512)
    assert said == ["24 B allocated · context 334 MiB · cache +2 MiB"]


def test_the_second_comes_out_of_the_cache() -> None:
    second = cell("Y = X + 1", card(512, 2 * MIB), card(1024, 2 * MIB))
    said = costs(second, tensor("Y"), size=512)
    assert said == ["24 B allocated · out of the cache"]


def test_what_no_name_stands_for_is_told() -> None:
    product = cell("Z = X @ X", card(512, 2 * MIB), card(1024 + 8 * MIB, 22 * MIB))
    said = costs(product, tensor("Z"), size=512)
    assert said == ["24 B allocated · 8 MiB under no name · cache +20 MiB"]
    backward = cell("loss.backward()", card(512, 2 * MIB), card(1024, 2 * MIB))
    grown = replace(tensor("X"), holds=(Held("cuda:0", "gradients", 512, 8),))
    backward.names_before = frozenset({"X"})
    said = costs(backward, grown)
    assert said == ["512 B of gradients · out of the cache"]


def test_copies_are_counted_with_their_bytes_and_their_line() -> None:
    moved = cell("net = net.to('cuda:0')", card(0, 2 * MIB), card(1024, 2 * MIB))
    moved.transfers = [copied("cpu", "cuda:0", MIB)] * 14
    assert costs(moved) == ["14 copies, 14 MiB, cpu → cuda:0"]
    loop = cell("for x in X:\n    print(x)\n    log(x)")
    hidden = copied(
        "cuda:0", "cpu", 40, copies=10, what="print(x)", asked=False, line=2,
        host_seconds=0.02, blocking=True,
    )  # fmt: skip
    inside = copied(
        "cuda:0", "cpu", 4, what="net(x)", cell=4, asked=False, within="torch.nn.parallel"
    )
    loop.transfers = [hidden, inside]
    assert costs(loop) == [
        (
            "10 copies, 40 B, cuda:0 → cpu · line 2 · by print(x) · "
            "Python waited 20.0 ms for cuda:0 and gave no card new work meanwhile"
        ),
        "Copied 4 B, cuda:0 → cpu · cell 4, line 1 · by net(x) · in torch.nn.parallel",
    ]


def test_one_copy_that_kept_the_host_holds_up_no_loop() -> None:
    asked = cell("log = Z.cpu().numpy()")
    asked.transfers = [copied("cuda:0", "cpu", MIB, host_seconds=0.02, blocking=True)]
    said = costs(asked)
    assert said == ["Copied 1 MiB, cuda:0 → cpu · host waited 20.0 ms"]


def worked(card: int, begin: float, end: float, busy: float = 1.0) -> Span:
    """In milliseconds."""
    device = f"cuda:{card}"
    return Span(device, begin * 1e-3, end * 1e-3, (end - begin) * busy * 1e-3)


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        (
            [worked(0, 0, 10), worked(1, 0.4, 2), worked(1, 12, 18)],
            "cuda:0 and cuda:1 worked at the same time for 1.60 of 16.0 ms",
        ),
        (
            [worked(1, 0.5, 10), worked(0, 0, 1)],
            "cuda:0 and cuda:1 worked at the same time for 500 µs of 10.0 ms",
        ),
        ([worked(0, 0, 8), worked(1, 8, 16)], "cuda:0 and cuda:1 worked one after the other"),
        (
            [worked(card, card, card + 2) for card in range(4)],
            "4 cards worked, two or more at the same time for 3.00 of 5.00 ms",
        ),
    ],
)
def test_whether_cards_worked_at_the_same_time_is_told(spans: list[Span], said: str) -> None:
    both = cell("run(0)\nrun(1)")
    both.spans = spans
    assert costs(both) == [said]


@pytest.mark.parametrize(
    "spans",
    [
        [worked(0, 0, 8), worked(0, 9, 12)],  # one card
        [worked(0, 0, 8), worked(1, 0, 0.05)],  # the other hardly worked
        [worked(0, 0, 8, 0.5), worked(1, 0, 8, 0.5)],  # stretches joined over many pauses
        [worked(0, 0, 8), Span("cpu", 0, 8e-3, 8e-3, waits_for="cuda:0")],
    ],
)
def test_nothing_is_said_of_it_where_that_cannot_be_told(spans: list[Span]) -> None:
    one = cell("run(0)")
    one.spans = spans
    assert costs(one) == []


def test_copies_of_many_lines_are_summed_after_the_first() -> None:
    many = cell("a\nb\nc\nd\ne\nf")
    many.transfers = [copied("cpu", "cuda:0", 4, line=at) for at in range(1, 7)]
    assert costs(many)[3:] == [
        "Copied 4 B, cpu → cuda:0 · line 4",
        "2 more copies, 8 B",
    ]


def test_what_arrived_wrong_is_said_first() -> None:
    moved = cell("Z = X.cuda(1)")
    moved.transfers = [copied("cuda:0", "cuda:1", MIB, intact=False)]
    said = costs(moved)
    assert said == ["Arrived WRONG on cuda:1, see Copies", "Copied 1 MiB, cuda:0 → cuda:1"]
    assert face_of(moved).tone is Tone.BAD


def test_moving_to_where_it_is_copies_nothing() -> None:
    there = cell("Z.cuda(1) is Z")
    there.transfers = [copied("cuda:1", "cuda:1", 24)]
    assert costs(there) == ["Already there, nothing copied"]
    assert costs(cell("1 + 1")) == []


def test_deleting_gives_back_to_the_cache_and_emptying_it_to_the_card() -> None:
    gone = cell("del X", card(12 * MIB, 14 * MIB), card(0, 14 * MIB))
    assert costs(gone) == ["12 MiB back to PyTorch's cache"]
    emptied = cell("torch.cuda.empty_cache()", card(0, 14 * MIB), card(0, 0))
    assert costs(emptied) == ["14 MiB of cache back to the card"]


def test_a_view_has_no_memory_of_its_own_and_a_second_name_is_the_same_object() -> None:
    view = cell("V = X.T", card(512, 2 * MIB), card(512, 2 * MIB))
    view.shares = {"V": "X"}
    said = costs(view, tensor("V"), size=512)
    assert said == ["No new memory, V shares that of X"]
    said = costs(cell("W = X"), tensor("W", same_as="X"))
    assert said == ["W is the very same object as X"]


def test_host_memory_and_decimal_units() -> None:
    code, decimal = "H = torch.ones(1000, 1000)", Units(decimal_memory=True)
    said = costs(cell(code), tensor("H", "cpu", (1000, 1000)), units=decimal)
    assert said == ["4 MB on the host"]


def test_times_say_what_they_are_times_of() -> None:
    done = cell("X + Y")
    done.finished = Finished(1, 31e-6, 7e-6, modelled=True, busy=(("cuda:1", 7e-6),))
    assert time_words(done) == ["cuda:1 7.00 µs", "host 31.0 µs", "modelled"]
    done.finished = Finished(1, 0.5, watch_seconds=0.1234)
    assert time_words(done) == ["host 500 ms", "of which watching about 120 ms"]
    done.finished = Finished(1, 0.5, watched=False)
    assert time_words(done) == ["host 500 ms", "not watched"]
    busy = tuple((f"cuda:{at}", 1e-3 * (at + 1)) for at in range(2))
    done.finished = Finished(1, 0.5, busy=busy)
    assert time_words(done) == ["cuda:1 2.00 ms", "cuda:0 1.00 ms", "host 500 ms"]


def test_the_time_of_a_cell_that_failed_is_said_to_be_modelled_too() -> None:
    broke = Cell(Run(1, "1 / 0", 5), state="failed")
    broke.failed = Failed(1, "raised", "E", "", host_seconds=15.6e-3, modelled=True)
    assert time_words(broke) == ["host 15.6 ms", "modelled"]
    broke.failed = replace(broke.failed, modelled=False)
    assert time_words(broke) == ["host 15.6 ms"]


def test_a_failed_cell_says_what_cured_it_and_that_it_is_in_no_script() -> None:
    failed = Cell(Run(3, "X + Y", 5), state="failed")
    failed.failed = Failed(3, "devices differ", "RuntimeError", "…")
    face = face_of(failed)
    assert (face.cost, face.tone) == ("Two devices. Not in the script.", Tone.BAD)
    failed.cured_by = 9
    assert face_of(failed).cost == "Two devices. Cured by cell 6. Not in the script."
    failed.failed = Failed(3, "something new", "NewError", "…")
    assert face_of(failed).cost.startswith("Failed.")


def test_a_cancelled_cell_is_no_failure() -> None:
    stopped = Cell(Run(3, "train()", 5), state="cancelled")
    stopped.failed = Failed(3, "cancelled", "Cancelled", "")
    face = face_of(stopped)
    assert (face.cost, face.tone, face.failed) == (
        "Cancelled. Not in the script.",
        Tone.QUIET,
        False,
    )


def test_an_error_in_a_function_of_another_cell_names_it() -> None:
    failed = Cell(Run(3, "x = 1\nf(x)", 5), state="failed")
    frames = (Frame(5, 2, "", 0, 4), Frame(4, 2, "f", 11, 16))
    failed.failed = Failed(3, "error", "ZeroDivisionError", "by zero", frames=frames)
    face = face_of(failed)
    assert face.at_fault == (2, 0, 4)
    assert face.calls == ("in f, cell 4, line 2: return a / 0",)


def test_a_cell_of_a_form_and_one_that_cures_say_so() -> None:
    made = cell("A = torch.ones(2)")
    made.by_form = True
    assert face_of(made).times[0] == "from a form"
    made.cures = 9
    assert face_of(made).cost == "Cures cell 6."


def test_a_cell_is_told_to_screen_readers() -> None:
    done = cell("X + Y")
    done.finished = Finished(1, 31e-6, 7e-6, busy=(("cuda:0", 1e-6), ("cuda:1", 7e-6)))
    done.outputs = [Printed(1, "tensor(3.)\nTrue\n")]
    words = "Cell 5: X + Y. done. cuda:1 7.00 µs, cuda:0 1.00 µs, host 31.0 µs"
    assert face_of(done).words == f"{words}. tensor(3.). True"


def test_a_copy_between_simulated_cards_is_expected_to_take_what_its_link_says() -> None:
    spec = parse_machine("2xTitanRTX")
    near = expected_copy(spec, None, Copying("X", "cuda:0", "cuda:1", 24))
    host = expected_copy(spec, None, Copying("X", "cpu", "cuda:1", 6 * GIB))
    assert near is not None
    assert host is not None
    assert (near[1], host[1]) == ("NVLink", "PCIe")
    assert 7e-6 < near[0] < 10e-6
    assert host[0] > 1.0
    assert expected_copy(spec, None, Copying("X", "cuda:0", "cuda:0", 24)) is None
    assert expected_copy(spec, None, Copying("X", "cuda:0", "meta", 24)) is None
    assert expected_copy(spec, (1,), Copying("X", "cuda:0", "cuda:1", 24)) is None


def test_amounts_read_well_in_a_sentence() -> None:
    sizes = [bytes_words(each) for each in (24, 2 * MIB, 7.5 * GIB)]
    assert sizes == ["24 B", "2 MiB", "7.5 GiB"]
    assert seconds_words(8.36e-6) == "8.4 µs"
