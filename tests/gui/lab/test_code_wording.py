"""Lines, their cost and their cures in words; what is pasted and what is completed."""

from dataclasses import replace

import pytest

from gpuexplorer.core.units import Units
from gpuexplorer.core.words import Message
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.lab.amounts import beginning, bytes_words, seconds_words
from gpuexplorer.gui.wording.lab.code.completion import completion, pasted_lines
from gpuexplorer.gui.wording.lab.code.cure_face import cure_face
from gpuexplorer.gui.wording.lab.code.line_cost import cost_words
from gpuexplorer.gui.wording.lab.code.line_face import line_face
from gpuexplorer.gui.wording.lab.code.notice import Answer, LabNow, left_out_words, notice
from gpuexplorer.lab.cure import Copying, Cure
from gpuexplorer.lab.events import Failed, Finished, Held, Memory, Placed, Transferred
from gpuexplorer.lab.expected import Expected, expected_copy
from gpuexplorer.lab.ledger import Entry
from gpuexplorer.lab.wire import Run, Train
from gpuexplorer.simulation.specs import parse_machine
from tests.gui.lab.conftest import GIB, MIB, tensor

CONTEXT = 334 * MIB


def card(tensors: int, reserved: int, context: int = CONTEXT) -> Memory:
    return Memory("cuda:0", tensors, reserved, 20 * GIB, 24 * GIB, context)


def entry(line: str, before: Memory | None = None, after: Memory | None = None) -> Entry:
    made = Entry(Run(1, line), state="done", finished=Finished(1, 1e-3))
    made.memory_before = {} if before is None else {"cuda:0": before}
    made.memory_after = {} if after is None else {"cuda:0": after}
    return made


def held(placed: Placed, size: int, storage: int = 7) -> Placed:
    part = Held(placed.device, "values", size, storage)
    return Placed(**{**vars(placed), "holds": (part,)})


def copied(source: str, target: str, size: int) -> Transferred:
    return Transferred(1, source, target, size, 8e-6, modelled=True)


def test_the_first_tensor_on_a_card_brings_context_and_cache() -> None:
    first = entry("X = torch.ones(2, 3, device='cuda:0')", None, card(512, 2 * MIB))
    said = cost_words(first, [held(tensor("X"), 512)])
    assert said == ("24 B allocated. The context of 334 MiB and a cache of 2 MiB came with it.")


def test_the_second_comes_out_of_the_cache() -> None:
    second = entry("Y = X + 1", card(512, 2 * MIB), card(1024, 2 * MIB))
    assert (
        cost_words(second, [held(tensor("Y"), 512)])
        == "24 B allocated. It came out of the cache."
    )


def test_what_no_name_stands_for_is_told() -> None:
    product = entry("Z = X @ X", card(512, 2 * MIB), card(1024 + 8 * MIB, 22 * MIB))
    said = cost_words(product, [held(tensor("Z"), 512)])
    assert said == "24 B, and 8 MiB under no name. The cache grew by 20 MiB."


def test_copies_are_counted_with_their_bytes() -> None:
    moved = entry("net = net.to('cuda:0')", card(0, 2 * MIB), card(1024, 2 * MIB))
    moved.transfers = [copied("cpu", "cuda:0", 12), copied("cpu", "cuda:0", 4)]
    assert cost_words(moved) == "2 copies from the host to cuda:0: 12 B, 4 B."
    moved.transfers = [copied("cpu", "cuda:0", MIB)] * 14
    assert cost_words(moved) == "14 copies from the host to cuda:0, 14 MiB in all."


def test_what_arrived_wrong_is_said_first() -> None:
    moved = entry("Z = X.cuda(1)")
    moved.transfers = [replace(copied("cuda:0", "cuda:1", MIB), intact=False)]
    said = cost_words(moved)
    assert said == ("Arrived WRONG on cuda:1, see Copies. Copied 1 MiB from cuda:0 to cuda:1.")


def test_printing_is_a_copy_and_a_wait() -> None:
    shown = entry("Y + Z", card(512, 2 * MIB), card(512, 2 * MIB))
    shown.transfers, shown.printed = [copied("cuda:0", "cpu", 24)], ["tensor([[1.]])"]
    assert cost_words(shown) == "Printing copied 24 B to the host and waited."
    read = entry("x = X.item()", card(512, 2 * MIB), card(512, 2 * MIB))
    read.transfers = [copied("cuda:0", "cpu", 4)]
    assert cost_words(read) == "Reading it copied 4 B to the host and waited."


@pytest.mark.parametrize(
    "line", ["Z.cuda(1) is Z", "Y = X.to('cuda:0')", "Y = X.to(try_gpu(0))", "Y = X.cpu()"]
)
def test_moving_to_where_it_is_copies_nothing(line: str) -> None:
    assert cost_words(entry(line)) == "Already there: nothing was copied."


def test_another_type_on_the_same_device_is_no_move() -> None:
    assert cost_words(entry("X.to(torch.float16)")) == ""


def test_deleting_gives_back_to_the_cache_and_emptying_it_to_the_card() -> None:
    gone = entry("del X", card(12 * MIB, 14 * MIB), card(0, 14 * MIB))
    assert cost_words(gone) == "12 MiB went back to PyTorch's cache."
    emptied = entry("torch.cuda.empty_cache()", card(0, 14 * MIB), card(0, 0))
    assert cost_words(emptied) == "The cache gave 14 MiB back to the card."
    kept = entry("del X", card(512, 2 * MIB), card(512, 2 * MIB))
    assert cost_words(kept) == "Deleted: X. Nothing changed on the cards."


def test_a_view_has_no_memory_of_its_own() -> None:
    view = entry("V = X.T", card(512, 2 * MIB), card(512, 2 * MIB))
    said = cost_words(view, [held(tensor("V"), 512)], {"V": "X"})
    assert said == "No new memory: V shares that of X."


def test_host_memory_and_decimal_units() -> None:
    placed = [tensor("H", "cpu", (1000, 1000))]
    said = cost_words(
        entry("H = torch.ones(1000, 1000)"), placed, {}, Units(decimal_memory=True)
    )
    assert said == "4 MB on the host."


def test_a_training_run_tells_its_steps_and_losses() -> None:
    trained = Entry(Train(1, "net", "X", "T", "opt", "mse_loss", 3, 2), state="done")
    trained.losses = [0.95, 0.5, 0.25]
    assert cost_words(trained) == "3 steps; loss from 0.95 to 0.25."


def test_a_failed_line_says_what_cured_it_and_that_it_is_in_no_script() -> None:
    failed = Entry(Run(3, "X + Y"), state="failed")
    failed.failed = Failed(3, "devices differ", "RuntimeError", "…")
    face = line_face(failed, 3, {3: 3, 9: 4})
    assert (face.cost, face.tone) == ("Two devices. Not in the script.", Tone.BAD)
    failed.cured_by = 9
    face = line_face(failed, 3, {3: 3, 9: 4})
    assert face.cost == "Two devices. Cured by line 4. Not in the script."


def test_the_placement_log_stands_above_what_the_line_said() -> None:
    logged = entry("X * 2 + X")
    logged.printed = ["tensor(3.)"]
    logged.placement = ["mul: cuda:0", "add: cuda:0"]
    face = line_face(logged, 5, {1: 5})
    assert face.printed == ("mul: cuda:0; add: cuda:0", "tensor(3.)")


def test_a_line_is_told_to_screen_readers() -> None:
    done = entry("X + Y")
    done.finished = Finished(1, 31e-6, 7e-6, busy=(("cuda:0", 1e-6), ("cuda:1", 7e-6)))
    done.printed = ["tensor(3.)\nTrue"]
    face = line_face(done, 5, {1: 5})
    assert face.worked_on == "cuda:1"
    assert face.words == ("Line 5: X + Y. done. cuda:1 7.00 µs, host 31.0 µs. tensor(3.). True")


def test_a_cure_says_its_price() -> None:
    cure = Cure(("X.cuda(1) + Y",), copies=(Copying("X", "cuda:0", "cuda:1", 24),))
    face = cure_face(cure, lambda _: Expected(8.4e-6, "NVLink"))
    assert face.price == "24 B over NVLink, about 8.4 µs; then it runs on cuda:1"
    assert (face.sources, face.target) == (("cuda:0",), "cuda:1")
    unknown = cure_face(cure, lambda _: None)
    assert unknown.price == "24 B; then it runs on cuda:1"


def test_a_cure_by_two_copies_and_one_by_deleting() -> None:
    copies = (Copying("X", "cuda:0", "cpu", 24), Copying("Y", "cuda:1", "cpu", 24))
    both = cure_face(Cure(("X.cpu() + Y.cpu()",), copies=copies), lambda _: None)
    assert both.price == "2 × 24 B; then it runs on the processor"
    short = Cure(("del X", "A"), frees_bytes=2 * MIB, enough=False)
    said = cure_face(short, lambda _: None).price
    assert said == "Gives back 2 MiB, which alone is not enough; then the line again"


def test_a_cure_that_moves_nothing_with_a_name_says_what_becomes_of_it() -> None:
    label = Message("The same without its history")
    assert cure_face(Cure(("…",), label), lambda _: None).price == label
    half = cure_face(Cure(("…",), halves=True), lambda _: None).price
    assert half == "Half the bytes, and about three digits in place of seven"


def test_lines_that_need_a_lost_card_are_named() -> None:
    assert left_out_words([3], ["cuda:1"]) == (
        "Line 3 needs a card that is lost (cuda:1) and is left out."
    )
    said = left_out_words([2, 4, 5], ["cuda:0", "cuda:1"])
    assert said == ("Lines 2, 4, 5 need a card that is lost (cuda:0, cuda:1) and are left out.")
    assert left_out_words([], ["cuda:1"]) == ""
    line = Entry(Run(3, "X.cuda(1)"), state="failed")
    line.failed = Failed(3, "device lost", "", "", Message("…"))
    assert line_face(line, 3, {3: 3}).cost == "The card is lost. Not in the script."


def test_a_copy_between_simulated_cards_is_expected_to_take_what_its_link_says() -> None:
    spec = parse_machine("2xTitanRTX")
    near = expected_copy(spec, None, "cuda:0", "cuda:1", 24)
    host = expected_copy(spec, None, "cpu", "cuda:1", 6 * GIB)
    assert near is not None
    assert host is not None
    assert (near.way, host.way) == ("NVLink", "PCIe")
    assert 7e-6 < near.seconds < 10e-6
    assert host.seconds > 1.0
    assert expected_copy(spec, None, "cuda:0", "cuda:0", 24) is None
    assert expected_copy(spec, None, "cuda:0", "meta", 24) is None
    assert expected_copy(spec, (1,), "cuda:0", "cuda:1", 24) is None


def test_amounts_read_well_in_a_sentence() -> None:
    assert [bytes_words(each) for each in (24, 2 * MIB, 7.5 * GIB)] == [
        "24 B",
        "2 MiB",
        "7.5 GiB",
    ]
    assert seconds_words(8.36e-6) == "8.4 µs"
    assert beginning("One. Two. Three. Four.", 12) == "One. Two. …"


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("We", ("Weight",)),
        ("torch.cuda.mem_", ("mem_get_info",)),
        ("Y = nn.Lin", ("Linear",)),
        ("F.cross", ("cross_entropy",)),
        ("Weight.back", ("backward",)),
        ("(Weight + 1).back", ("backward",)),
        ("torch.ones(2, device='cu", ("cuda:0", "cuda:1")),
        ("X + ", ()),
    ],
)
def test_words_that_were_begun(before: str, words: tuple[str, ...]) -> None:
    assert completion(before, ["Weight"], ["cpu", "cuda:0", "cuda:1"]).words == words


def test_what_all_ways_on_have_in_common() -> None:
    found = completion("torch.cuda.memory_", [], [])
    assert set(found.words) == {
        "memory_allocated",
        "memory_reserved",
        "memory_stats",
        "memory_summary",
    }
    assert found.common == "memory_"
    assert found.start == len("torch.cuda.")


def test_pasted_lines_lose_prompts_comments_and_imports() -> None:
    text = ">>> import torch\n>>> X = torch.ones(2)  # two\n# a remark\n>>> print(X)\n"
    assert pasted_lines(text) == ["X = torch.ones(2)", "print(X)"]


def test_brackets_over_several_lines_are_one_pasted_line() -> None:
    assert pasted_lines("X = torch.ones(\n    2,\n    3)\nX + 1") == [
        "X = torch.ones(\n    2,\n    3)",
        "X + 1",
    ]


def test_what_is_no_python_is_pasted_line_by_line() -> None:
    assert pasted_lines("X = torch.ones(2)\nX + (\n") == ["X = torch.ones(2)", "X + ("]


def test_notices_say_what_can_be_done() -> None:
    lost = notice(LabNow(ended="The worker was killed.", lost_lines=4))
    assert lost.sentence == "The worker was killed. A new worker is ready."
    assert [words for _, words in lost.answers] == [
        "Rebuild the shelf (4 lines)",
        "Start with an empty shelf",
    ]
    assert notice(LabNow(hanging=True)).answers == ((Answer.RESTART, "Restart the worker"),)
    assert notice(LabNow(running=7, seconds=0.1)).sentence == ""
    running = notice(LabNow(running=7, seconds=3.4, waiting=2))
    assert running.sentence == "Line 7 runs, 3.40 s; 2 lines wait behind it"
    assert running.answers == ((Answer.STOP, "Stop"),)
