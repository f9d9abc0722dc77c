"""What stands on the bench, in words, and the code behind each thing done there."""

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.bench.bench_question import question_of
from gpuexplorer.gui.lab.bench.blocks import Block, BlockKind, blocks_by_device, one_line
from gpuexplorer.gui.lab.bench.memory_levels import Level, amount, levels, ticks
from gpuexplorer.gui.lab.bench.peeks import values_of
from gpuexplorer.gui.lab.bench.words import (
    facts_of,
    foot_of,
    hint_of,
    remark_of,
    spoken_block,
    spoken_device,
    title_of_block,
)
from gpuexplorer.gui.state.lab.bench_lines import copy_line, delete_line, name_of_copy
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.events import Began, Failed, Finished, Frame, Held, Peeked, Placed
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
    named = {each.name: each for each in things}
    found = blocks_by_device(named, {"cuda:0": (unnamed, None)})
    return {device: list(each) for device, each in found.items()}


def said(block: Block) -> str:
    """To a screen reader."""
    return spoken_block(block, CUDA_0, USUAL)


def model(*holds: Held, size: int = 64) -> Placed:
    return Placed(1, "net", "model", "cuda:0", SEQUENTIAL, bytes=size, holds=holds)


def ledger_of(*lines: tuple[str, str]) -> Ledger:
    """Each line with how it ended: "done", or the cause of its failing."""
    ledger = Ledger()
    for number, (code, end) in enumerate(lines, 1):
        ledger.sent(Run(number, code, number))
        ledger.apply(Began(number))
        done = end == "done"
        failed = Failed(number, end, "", "", frames=(Frame(number, 1),))
        ledger.apply(Finished(number, 0.0) if done else failed)
    return ledger


def test_the_newest_block_stands_first_on_the_device_where_it_lies() -> None:
    found = blocks(tensor("X"), tensor("Y", "cuda:1"), tensor("A"))
    assert [title_of_block(each) for each in found["cuda:0"]] == ["A", "X"]
    assert [title_of_block(each) for each in found["cuda:1"]] == ["Y"]


def test_two_names_for_the_same_object_are_one_block() -> None:
    (block,) = blocks(tensor("X"), tensor("Z", same_as="X"))["cuda:0"]
    assert title_of_block(block) == "X, Z"
    assert "nothing was copied" in hint_of(block, USUAL, None)


def test_a_number_lies_on_no_device() -> None:
    assert blocks(Placed(1, "step", "value", "", "59")) == {}


def test_a_view_says_whose_memory_it_shares() -> None:
    whole = tensor("X", holds=(Held("cuda:0", "values", 512, 7),))
    view = tensor("V", holds=(Held("cuda:0", "values", 512, 7),))
    newest, first = blocks(whole, view)["cuda:0"]
    assert (remark_of(newest, USUAL), remark_of(first, USUAL)) == ("same memory as X", "")


def test_a_model_on_two_devices_stands_on_both_with_what_it_has_there() -> None:
    found = blocks(
        model(
            Held("cuda:0", "values", 1024, 1),
            Held("cuda:1", "values", 2048, 2),
            Held("cuda:1", "gradients", 512, 3),
        )
    )
    (here,), (there,) = found["cuda:0"], found["cuda:1"]
    assert said(here) == "net, model, Linear(3, 4), ReLU(), 1.00 KiB, rest on cuda:1"
    assert said(there).endswith("2.00 KiB, rest on cuda:0; gradients 512 B")


def test_a_model_on_one_device_tells_its_exact_bytes_and_its_layers_in_one_line() -> None:
    (block,) = blocks(model(Held("cuda:0", "values", 512, 1)))["cuda:0"]
    assert said(block) == "net, model, Linear(3, 4), ReLU(), 64 B"


def test_an_optimiser_stands_where_its_state_is() -> None:
    adam = Placed(
        1, "opt", "optimiser", "", "Adam (\n)", holds=(Held("cuda:0", "state", 1024, 1),)
    )
    (block,) = blocks(adam)["cuda:0"]
    assert said(block) == "opt, optimiser, Adam, 1.00 KiB, its state"


def test_what_nobody_named_is_a_block_of_its_own() -> None:
    newest, _ = blocks(tensor("X"), unnamed=8 * MIB)["cuda:0"]
    assert newest.kind is BlockKind.UNNAMED
    assert said(newest) == "unnamed, 8.00 MiB, nobody named it"


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
    ("target", "line"),
    [
        (CUDA_1, "X_1 = X.cuda(1)"),
        (HOST, "X_cpu = X.cpu()"),
        (BenchDevice("mps", "", ""), 'X_mps = X.to("mps")'),
    ],
)
def test_a_tensor_is_copied_under_a_name_of_where_it_goes(
    target: BenchDevice, line: str
) -> None:
    assert copy_line(tensor("X"), target, {"X"}) == line


def test_the_name_of_a_copy_is_free_and_does_not_grow() -> None:
    assert name_of_copy("X", "cuda:0", "cuda:1", {"X_1"}) == "X_1_2"
    assert name_of_copy("X_1", "cuda:1", "cuda:0", {"X", "X_1"}) == "X_0"


@pytest.mark.parametrize(
    ("target", "line"), [(CUDA_1, 'net = net.to("cuda:1")'), (HOST, "net = net.cpu()")]
)
def test_a_model_moves_under_its_own_name(target: BenchDevice, line: str) -> None:
    assert copy_line(model(Held("cuda:0", "values", 64, 1)), target, ()) == line


def test_what_lies_in_a_container_gets_a_name_of_its_own() -> None:
    assert copy_line(tensor("nets[0].weight"), CUDA_1, ()) == (
        "nets_0__weight_1 = nets[0].weight.cuda(1)"
    )


def test_the_way_through_the_host_can_be_ordered() -> None:
    assert copy_line(tensor("X"), CUDA_1, {"X"}, by_host=True) == "X_1 = X.cpu().cuda(1)"
    net = model(Held("cuda:0", "values", 64, 1))
    assert copy_line(net, CUDA_1, (), by_host=True) == 'net = net.cpu().to("cuda:1")'


def test_what_is_already_there_is_not_copied() -> None:
    with pytest.raises(Trouble, match=r"nothing is copied\. Z\.cuda\(1\) is Z\."):
        copy_line(tensor("Z", "cuda:1"), CUDA_1, ())


def test_a_card_that_cannot_be_used_takes_no_copy_and_says_why() -> None:
    why = Message("It is too old.")
    broken = BenchDevice("cuda:1", "", "1", usable=False, reason=why)
    with pytest.raises(Trouble, match=r"too old"):
        copy_line(tensor("X"), broken, ())


def test_an_optimiser_a_value_a_container_and_the_nameless_are_not_copied() -> None:
    for kind in ("optimiser", "value", "container"):
        with pytest.raises(Trouble):
            copy_line(Placed(1, "a", kind, "", "3"), CUDA_1, ())
    with pytest.raises(Trouble, match="Nobody named this memory"):
        copy_line(None, CUDA_1, ())


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


def test_in_a_longer_cell_the_failing_expression_is_what_is_asked_about() -> None:
    code = "A = X * 2\nfor x in range(2):\n    B = A @ (Y + X)"
    ledger = ledger_of((code, "done"))
    failed = Failed(1, "devices differ", "", "", frames=(Frame(1, 3, "", 13, 18),))
    ledger.apply(failed)
    ledger.things = {"X": tensor("X"), "Y": tensor("Y", "cuda:1"), "A": tensor("A")}
    assert asked_of(ledger) == ("Y", "+", "X")


def test_the_question_goes_when_it_is_cured_or_another_line_ran() -> None:
    ledger = ledger_of(("X @ Y", "devices differ"), ("X + X", "done"))
    ledger.things = {"X": tensor("X"), "Y": tensor("Y", "cuda:1")}
    assert asked_of(ledger) is None
    assert asked_of(ledger, selected=1) == ("X", "@", "Y")
    ledger.cells[0].cured_by = 2
    assert asked_of(ledger, selected=1) is None


def test_nothing_is_asked_where_the_things_are_gone() -> None:
    assert asked_of(ledger_of(("X + Y", "devices differ"))) is None


@pytest.mark.parametrize(
    ("total", "texts", "end"),
    [
        (24 * GIB, ["0", "6", "12", "18", "24"], 1.0),  # where one ends where the memory does
        (round(62.7 * GIB), ["0", "20", "40", "60"], 60 / 62.7),
        (80 * GIB, ["0", "20", "40", "60", "80"], 1.0),
        (11 * GIB, ["0", "4", "8"], 8 / 11),
        (GIB, ["0", "0.5", "1"], 1.0),
    ],
)
def test_the_scale_of_a_gauge_has_even_steps(total: int, texts: list[str], end: float) -> None:
    scale = ticks(total, USUAL)
    assert [text for _, text in scale] == texts
    assert scale[-1][0] == pytest.approx(end, abs=0.001)


def test_the_levels_of_a_gauge_are_true_and_the_tensors_are_within_the_cache() -> None:
    device = BenchDevice(
        "cuda:0", "", "0",
        total_bytes=100, tensor_bytes=10, cache_bytes=30, context_bytes=20, others_bytes=5,
    )  # fmt: skip
    assert levels(device) == [
        (Level.OTHERS, 5),
        (Level.CONTEXT, 20),
        (Level.CACHE, 20),
        (Level.TENSORS, 10),
    ]


def test_what_cannot_be_told_is_not_said_to_be_nothing() -> None:
    said = facts_of(BenchDevice("mps", "Apple", ""), USUAL)
    assert "free memory is not known" in said
    assert "Driver, others not known" in said


def test_the_figures_of_a_device_are_in_one_unit_unless_too_little_would_be_left() -> None:
    device = BenchDevice(
        "cuda:0", "", "0",
        total_bytes=24 * GIB, free_bytes=1021 * MIB, tensor_bytes=24_000_000, cache_bytes=GIB,
        context_bytes=0, others_bytes=16 * GIB,
    )  # fmt: skip
    assert "1.00 GiB free" in facts_of(device, USUAL)
    sizes = [each.size for each in foot_of(device)]
    assert [str(amount(size or 0, device)) for size in sizes] == [
        "1.00 GiB", "22.9 MiB", "0 GiB", "16.0 GiB",
    ]  # fmt: skip


def test_a_block_says_its_size_as_the_foot_of_its_device_does() -> None:
    device = BenchDevice("cuda:0", "", "0", total_bytes=24 * GIB)
    large, small = blocks(tensor("B", bytes=900 * MIB), tensor("S"))["cuda:0"][::-1]
    assert "0.88 GiB" in spoken_block(large, device, USUAL)
    assert "24 B" in spoken_block(small, device, USUAL)


def test_a_card_left_out_tells_the_way_out() -> None:
    why, way_out = Message("It is too old."), Message("Choose another Python.")
    device = BenchDevice("", "GTX", "1", usable=False, reason=why, way_out=way_out)
    assert "It is too old. Choose another Python" in spoken_device(device, USUAL)


def test_cells_are_tinted_from_the_least_to_the_most() -> None:
    peeked = Peeked(
        1, "X", "cuda:0", "float32", (1, 3), (0, 0), ((0.0, 2.0, 4.0),),
        0.0, 4.0, 2.0, 1.0, 0, (), 3, 12,
    )  # fmt: skip
    assert values_of(peeked).rows == ((("0.00", 0.0), ("2.00", 0.5), ("4.00", 1.0)),)


def test_a_model_of_many_layers_stays_one_line() -> None:
    assert "\n" not in one_line(SEQUENTIAL * 20)
    assert len(one_line(SEQUENTIAL * 20)) <= 201
