"""What stands on the bench, in words, and the line behind each thing done there."""

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import Message
from gpuexplorer.gui.views.lab.bench.bench_field import GAP, column_widths, in_columns
from gpuexplorer.gui.views.lab.bench.block_stack import BlockStack, measured
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, BlockBook, BlockKind, one_line
from gpuexplorer.gui.wording.lab.bench.bench_column import Level, column_face
from gpuexplorer.gui.wording.lab.bench.bench_lines import copy_line, delete_line, name_of_copy
from gpuexplorer.gui.wording.lab.bench.bench_question import (
    Versions,
    question_of,
    value_text,
    values_of,
)
from gpuexplorer.gui.wording.lab.bench.bench_unnamed import Causes
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.events import (
    Began,
    Failed,
    Finished,
    Held,
    Peeked,
    Placed,
)
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run
from tests.gui.lab.conftest import GIB, MIB, tensor

CUDA_0 = BenchDevice("cuda:0", "TITAN RTX", "0")
CUDA_1 = BenchDevice("cuda:1", "TITAN RTX", "1")
HOST = BenchDevice("cpu", "host", "H")
SEQUENTIAL = (
    "Sequential(\n  (0): Linear(in_features=3, out_features=4, bias=True)\n  (1): ReLU()\n)"
)


def blocks(*things: Placed, unnamed: int = 0) -> dict[str, list[Block]]:
    book = BlockBook(USUAL)
    found = book.by_device({each.name: each for each in things}, {"cuda:0": (unnamed, None)})
    return {device: list(each) for device, each in found.items()}


def model(*holds: Held, size: int = 64) -> Placed:
    return Placed(1, "net", "model", "cuda:0", SEQUENTIAL, bytes=size, holds=holds)


def ledger_of(*lines: tuple[str, str]) -> Ledger:
    """Each line with how it ended: "done", or the cause of its failing."""
    ledger = Ledger()
    for number, (code, end) in enumerate(lines, 1):
        ledger.sent(Run(number, code))
        ledger.apply(Began(number))
        done = end == "done"
        ledger.apply(Finished(number, 0.0) if done else Failed(number, end, "", ""))
    return ledger


def test_the_newest_block_stands_first_on_the_device_where_it_lies() -> None:
    found = blocks(tensor("X"), tensor("Y", "cuda:1"), tensor("A"))
    assert [each.title for each in found["cuda:0"]] == ["A", "X"]
    assert [each.title for each in found["cuda:1"]] == ["Y"]


def test_two_names_for_the_same_object_are_one_block() -> None:
    (block,) = blocks(tensor("X"), tensor("Z", same_as="X"))["cuda:0"]
    assert block.title == "X, Z"
    assert "nothing was copied" in block.hint


def test_equal_numbers_are_not_said_to_be_one_thing() -> None:
    found = blocks(
        Placed(1, "a", "value", "", "3"), Placed(2, "b", "value", "", "3", same_as="a")
    )
    assert [each.title for each in found["cpu"]] == ["b", "a"]


def test_a_view_says_whose_memory_it_shares() -> None:
    whole = tensor("X", holds=(Held("cuda:0", "values", 512, 7),))
    view = tensor("V", holds=(Held("cuda:0", "values", 512, 7),))
    newest, first = blocks(whole, view)["cuda:0"]
    assert (newest.remark, first.remark) == ("same memory as X", "")


def test_a_model_on_two_devices_stands_on_both_with_what_it_has_there() -> None:
    found = blocks(
        model(
            Held("cuda:0", "values", 1024, 1),
            Held("cuda:1", "values", 2048, 2),
            Held("cuda:1", "gradients", 512, 3),
        )
    )
    (here,), (there,) = found["cuda:0"], found["cuda:1"]
    assert (str(here.amount), here.remark) == ("1.00 KiB", "rest on cuda:1")
    assert str(there.amount) == "2.00 KiB"
    assert there.remark == "rest on cuda:0; gradients 512 B"


def test_a_model_on_one_device_tells_its_exact_bytes_and_its_layers_in_one_line() -> None:
    (block,) = blocks(model(Held("cuda:0", "values", 512, 1)))["cuda:0"]
    assert str(block.amount) == "64 B"
    assert block.shape == "Linear(3, 4), ReLU()"


def test_an_optimiser_stands_where_its_state_is() -> None:
    adam = Placed(
        1, "opt", "optimiser", "", "Adam (\n)", holds=(Held("cuda:0", "state", 1024, 1),)
    )
    (block,) = blocks(adam)["cuda:0"]
    assert (block.shape, str(block.amount), block.remark) == ("Adam", "1.00 KiB", "its state")


def test_what_nobody_named_is_a_block_of_its_own() -> None:
    newest, _ = blocks(tensor("X"), unnamed=8 * MIB)["cuda:0"]
    assert (newest.kind, str(newest.amount)) == (BlockKind.UNNAMED, "8.00 MiB")


def test_the_line_after_which_memory_had_no_name_is_its_cause() -> None:
    causes = Causes()
    causes.note(11, 1, {"cuda:0": 0})
    causes.note(12, 2, {"cuda:0": 8 * MIB})
    causes.note(13, 3, {"cuda:0": 8 * MIB})
    cause = causes.of("cuda:0")
    assert cause is not None
    assert (cause.command, cause.remark) == (12, "since line 2")
    causes.note(14, 4, {"cuda:0": 0})
    assert causes.of("cuda:0") is None


def test_a_block_that_is_as_it_was_is_the_same_object_again() -> None:
    book = BlockBook(USUAL)
    things = {"X": tensor("X")}
    before = book.by_device(things, {})["cuda:0"]
    things["Y"] = tensor("Y")
    assert book.by_device(things, {})["cuda:0"][1] is before[0]


@pytest.mark.parametrize(
    ("shape", "grid"), [((2, 3), (2, 3)), ((6,), (1, 6)), ((), (1, 1)), ((5, 3), None)]
)
def test_values_are_shown_where_they_are_few(
    shape: tuple[int, ...], grid: tuple[int, int] | None
) -> None:
    assert blocks(tensor("X", shape=shape))["cuda:0"][0].grid == grid


def test_a_tensor_on_meta_has_no_values_to_show() -> None:
    assert blocks(tensor("M", "meta"))["meta"][0].grid is None


@pytest.mark.parametrize(
    ("target", "fall_back", "line"),
    [
        (CUDA_1, False, "X_1 = X.cuda(1)"),
        (CUDA_1, True, "X_1 = X.to(try_gpu(1))"),
        (HOST, True, "X_cpu = X.cpu()"),
        (BenchDevice("mps", "", ""), True, 'X_mps = X.to("mps")'),
    ],
)
def test_a_tensor_is_copied_under_a_name_of_where_it_goes(
    target: BenchDevice, fall_back: bool, line: str
) -> None:
    (block,) = blocks(tensor("X"))["cuda:0"]
    assert copy_line(block, target, {"X"}, fall_back=fall_back) == line


def test_the_name_of_a_copy_is_free_and_does_not_grow() -> None:
    assert name_of_copy("X", "cuda:0", "cuda:1", {"X_1"}) == "X_1_2"
    assert name_of_copy("X_1", "cuda:1", "cuda:0", {"X", "X_1"}) == "X_0"


@pytest.mark.parametrize(
    ("target", "fall_back", "line"),
    [
        (CUDA_1, False, 'net = net.to("cuda:1")'),
        (CUDA_1, True, "net = net.to(try_gpu(1))"),
        (HOST, False, "net = net.cpu()"),
    ],
)
def test_a_model_moves_under_its_own_name(
    target: BenchDevice, fall_back: bool, line: str
) -> None:
    (block,) = blocks(model(Held("cuda:0", "values", 64, 1)))["cuda:0"]
    assert copy_line(block, target, (), fall_back=fall_back) == line


def test_the_way_through_the_host_can_be_ordered() -> None:
    (tensor_block,) = blocks(tensor("X"))["cuda:0"]
    line = copy_line(tensor_block, CUDA_1, {"X"}, fall_back=True, by_host=True)
    assert line == "X_1 = X.cpu().to(try_gpu(1))"
    (model_block,) = blocks(model(Held("cuda:0", "values", 64, 1)))["cuda:0"]
    line = copy_line(model_block, CUDA_1, (), fall_back=False, by_host=True)
    assert line == 'net = net.cpu().to("cuda:1")'


def test_what_is_already_there_is_not_copied() -> None:
    (block,) = blocks(tensor("Z", "cuda:1"))["cuda:1"]
    with pytest.raises(Trouble, match=r"nothing is copied\. Z\.cuda\(1\) is Z\."):
        copy_line(block, CUDA_1, (), fall_back=False)


def test_a_card_that_cannot_be_used_takes_no_copy_and_says_why() -> None:
    (block,) = blocks(tensor("X"))["cuda:0"]
    why = Message("It is too old.")
    broken = BenchDevice("cuda:1", "", "1", usable=False, reason=why)
    with pytest.raises(Trouble, match=r"too old"):
        copy_line(block, broken, (), fall_back=False)


def test_an_optimiser_a_value_and_the_nameless_are_not_copied() -> None:
    found = blocks(Placed(1, "a", "value", "", "3"), unnamed=512)
    for block in (*found["cpu"], *found["cuda:0"]):
        with pytest.raises(Trouble):
            copy_line(block, CUDA_1, (), fall_back=False)


def test_deleting_takes_all_names_since_memory_goes_with_the_last() -> None:
    assert delete_line(("X", "Z")) == "del X, Z"
    with pytest.raises(Trouble, match="empty_cache"):
        delete_line(())


def asked_of(ledger: Ledger, selected: int | None = None) -> tuple[str, str, str] | None:
    question = question_of(ledger, selected)
    if question is None:
        return None
    return question.left.name, question.sign, question.right.name


def test_a_line_between_two_cards_asks_on_which() -> None:
    ledger = ledger_of(("Y + X", "devices differ"))
    ledger.things = {"X": tensor("X"), "Y": tensor("Y", "cuda:1")}
    assert asked_of(ledger) == ("Y", "+", "X")


def test_the_question_goes_when_it_is_cured_or_another_line_ran() -> None:
    ledger = ledger_of(("X @ Y", "devices differ"), ("X + X", "done"))
    ledger.things = {"X": tensor("X"), "Y": tensor("Y", "cuda:1")}
    assert asked_of(ledger) is None
    assert asked_of(ledger, selected=1) == ("X", "@", "Y")
    ledger.entries[0].cured_by = 2
    assert asked_of(ledger, selected=1) is None


def test_nothing_is_asked_where_the_things_are_gone() -> None:
    assert asked_of(ledger_of(("X + Y", "devices differ"))) is None


def test_the_scale_of_a_gauge_ends_where_the_memory_does() -> None:
    face = column_face(BenchDevice("cuda:0", "", "0", total_bytes=24 * GIB), USUAL)
    assert [text for _, text in face.ticks] == ["0", "6", "12", "18", "24"]
    assert face.ticks[-1][0] == pytest.approx(1.0)


def test_an_odd_size_gets_even_steps_below_its_end() -> None:
    total = round(62.7 * GIB)
    face = column_face(BenchDevice("cpu", "", "H", total_bytes=total), USUAL)
    assert [text for _, text in face.ticks] == ["0", "20", "40", "60"]
    assert face.ticks[-1][0] == pytest.approx(60 / 62.7, abs=0.001)


def test_the_stretches_of_a_gauge_are_true_and_the_tensors_are_within_the_cache() -> None:
    device = BenchDevice(
        "cuda:0", "", "0",
        total_bytes=100, tensor_bytes=10, cache_bytes=30, context_bytes=20, others_bytes=5,
    )  # fmt: skip
    face = column_face(device, USUAL)
    assert [(each.level, each.share) for each in face.stretches] == [
        (Level.OTHERS, 0.05),
        (Level.CONTEXT, 0.2),
        (Level.CACHE, 0.2),
        (Level.TENSORS, 0.1),
    ]


def test_what_cannot_be_told_is_not_said_to_be_nothing() -> None:
    face = column_face(BenchDevice("mps", "Apple", ""), USUAL)
    assert face.free is None
    assert "free memory is not known" in face.spoken
    assert "Others not known" in face.spoken


def test_a_card_left_out_tells_the_way_out() -> None:
    why, way_out = Message("It is too old."), Message("Choose another Python.")
    device = BenchDevice("", "GTX", "1", usable=False, reason=why, way_out=way_out)
    assert column_face(device, USUAL).way_out == "Choose another Python."
    assert "It is too old. Choose another Python" in column_face(device, USUAL).spoken


@pytest.mark.parametrize(
    ("value", "whole", "text"),
    [
        (1.0, False, "1.00"),
        (0.000123, False, "1e-4"),
        (12345.0, False, "1e4"),
        (-3.0, True, "-3"),
        (None, False, "nan"),
        (float("inf"), False, "inf"),
    ],
)
def test_a_value_is_as_short_as_its_cell(value: float | None, whole: bool, text: str) -> None:
    assert value_text(value, whole=whole) == text


def test_cells_are_tinted_from_the_least_to_the_most() -> None:
    peeked = Peeked(
        1, "X", "cuda:0", "float32", (1, 3), (0, 0), ((0.0, 2.0, 4.0),),
        0.0, 4.0, 2.0, 1.0, 0, (), 3, 12,
    )  # fmt: skip
    assert values_of(peeked).rows == ((("0.00", 0.0), ("2.00", 0.5), ("4.00", 1.0)),)


def test_values_are_old_when_a_line_made_the_name_again_or_changed_something_in_place() -> None:
    versions = Versions()
    thing = tensor("X")
    ledger = ledger_of(("X = torch.rand(2)", "done"))
    versions.note(ledger.entries)
    first = versions.of(thing)
    ledger = ledger_of(("X = torch.rand(2)", "done"), ("Y + 1", "done"))
    versions.note(ledger.entries)
    assert versions.of(thing) == first
    ledger = ledger_of(*[("X", "done")] * 2, ("V.add_(1)", "done"))
    versions.note(ledger.entries)
    assert versions.of(thing) != first


def test_values_give_way_where_not_all_blocks_fit_but_for_the_one_that_is_chosen() -> None:
    many = [measured(each, fits=True) for each in blocks(*_named(40))["cuda:0"]]
    roomy = BlockStack(many[:2], 400.0)
    crowded = BlockStack(many, 400.0, {many[3].block.key})
    assert all(roomy.slab(number).cells for number in range(2))
    assert [number for number in range(40) if crowded.slab(number).cells] == [3]


def test_only_what_is_seen_is_handed_out() -> None:
    many = [measured(each, fits=True) for each in blocks(*_named(1000))["cuda:0"]]
    stack = BlockStack(many, 400.0)
    seen = stack.between(18000.0, 18400.0)
    assert len(seen) < 15
    assert seen[0].top <= 18000.0
    found = stack.at(seen[3].top + 1)
    assert found is not None
    assert found.block is seen[3].block


def test_columns_are_alike_where_there_is_room_and_else_the_empty_ones_give_way() -> None:
    assert column_widths([False, True, True], 616) == [200, 200, 200]
    empty, full, _ = column_widths([False, True, True], 364)
    assert empty < full
    assert sum(column_widths([True] * 9, 600)) + 8 * GAP > 600


def test_of_64_cards_only_those_with_something_get_a_column() -> None:
    holding = [False] * 65
    holding[6] = True
    shown = in_columns(holding, [True] + [False] * 64)
    assert [number for number, each in enumerate(shown) if each] == [0, 6]


def test_a_model_of_many_layers_stays_one_line() -> None:
    assert "\n" not in one_line(SEQUENTIAL * 20)
    assert len(one_line(SEQUENTIAL * 20)) <= 201


def _named(count: int) -> list[Placed]:
    return [tensor(f"T{number}") for number in range(count)]
