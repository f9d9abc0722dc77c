"""What an error means here, in plain words with the names of the very line."""

from dataclasses import replace

import pytest

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.events import Element, Failed, Frame, Memory, Placed
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.meaning import meaning
from gpuexplorer.lab.wire import Run
from tests.gui.lab.conftest import GIB, MIB, hello, tensor

REFUSED = "refused by PyTorch"


def ledger_with(*placed: Placed) -> Ledger:
    ledger = Ledger()
    ledger.apply(hello())
    for each in placed:
        ledger.apply(each)
    return ledger


def model(name: str, device: str) -> Placed:
    return Placed(1, name, "model", device, "Linear(3, 1)", bytes=16, requires_grad=True)


CELL = Cell(Run(1, "X.cuda(1)", 1))
SHELF = ledger_with(
    tensor("X", "cuda:0"),
    tensor("Y", "cuda:1"),
    tensor("H", "cpu"),
    tensor("W", "cuda:0", requires_grad=True),
    model("net", "cpu"),
    Placed(
        *(1, "nets", "container", "", "a list"),
        elements=(Element("nets[1]", "model", "cuda:1", "Linear(3, 1)"),),
    ),
)


def failed_at(
    code: str, error: str, message: str, cause: str = REFUSED, at: str = ""
) -> tuple[Failed, Cell]:
    """In the expression `at`; in all of the first line, where it is not said."""
    lines = code.split("\n")
    line = next(number for number, text in enumerate(lines, 1) if at in text)
    begin = lines[line - 1].index(at)
    frame = Frame(1, line, "", begin, begin + len(at or lines[0]))
    return Failed(1, cause, error, message, frames=(frame,)), Cell(Run(1, code, 1))


def words(code: str, error: str, message: str, cause: str = REFUSED, at: str = "") -> str:
    return meaning(*failed_at(code, error, message, cause, at), SHELF)


@pytest.mark.parametrize(
    ("code", "apart", "at", "begins", "ends"),
    [
        (
            "X + Y",
            "cuda:0 and cuda:1",
            "",
            "X lies on cuda:0. Y lies on cuda:1. X + Y runs on one device",
            "Nothing was computed or changed.",
        ),
        (
            "k = 1\nnets[1](X)",
            "cuda:0 and cuda:1",
            "nets[1](X)",
            "nets[1] lies on cuda:1. X lies on cuda:0. nets[1] computes where",
            "What the cell did before it stays done.",
        ),
    ],
)
def test_operands_apart_are_named_with_their_devices(
    code: str, apart: str, at: str, begins: str, ends: str
) -> None:
    message = f"found at least two devices, {apart}!"
    said = words(code, "RuntimeError", message, "devices differ", at)
    assert said.startswith(begins)
    assert said.endswith(ends)


def test_inside_a_function_what_it_was_called_with_is_named() -> None:
    ledger = ledger_with(*SHELF.things.values())
    for number, code in enumerate(("def add(a, b):\n    return a + b", "add(X, Y)"), 1):
        ledger.sent(Run(number, code, number))
    frames = Frame(2, 1, "", 0, len("add(X, Y)")), Frame(1, 2, "add", 11, 16)
    failed = Failed(2, "devices differ", "RuntimeError", "cuda:0 and cuda:1", frames=frames)
    said = "X lies on cuda:0. Y lies on cuda:1. a + b runs on one device"
    assert said in meaning(failed, ledger.cells[1], ledger)


OUT_OF_MEMORY = (
    "CUDA out of memory. Tried to allocate 22.35 GiB. GPU 0 has a total capacity of 24.00 GiB "
    "of which 8.06 GiB is free. Process 4137 has 15.62 GiB memory in use."
)


def test_out_of_memory_says_what_was_wanted_what_is_free_and_who_holds_it() -> None:
    memory = Memory("cuda:0", 2 * MIB, 22 * MIB, 8 * GIB, 24 * GIB, 334 * MIB)
    code = "A = torch.ones(60000, 100000, device='cuda:0')"
    failed, cell = failed_at(code, "OutOfMemoryError", OUT_OF_MEMORY, "out of memory")
    said = meaning(replace(failed, memory=(memory,)), cell, SHELF)
    assert "wanted 22.3 GiB on cuda:0. Only 8.06 GiB of its 24 GiB are free." in said
    assert "Other programs and the driver hold 15.7 GiB. Your tensors hold 2 MiB." in said
    assert "PyTorch's cache holds 20 MiB. The context holds 334 MiB." in said
    assert said.endswith("Nothing was computed or changed.")


def test_a_cap_on_memory_is_told() -> None:
    message = f"{OUT_OF_MEMORY} Of the allocated memory 2.40 GiB allowed; 512 bytes is used."
    said = words("torch.ones(9, device='cuda:0')", "E", message, "out of memory")
    assert (
        "8.06 GiB of its 24 GiB are free, but the cap that was set allows this program 2.4 GiB."
        in said
    )
    assert "only" not in said


def test_the_hosts_own_memory_may_be_too_small() -> None:
    message = (
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate "
        "memory: you tried to allocate 36000000000000 bytes."
    )
    said = words("torch.ones(3000000, 3000000)", "RuntimeError", message)
    assert said.startswith("The cell wanted 32.7 TiB of the host's memory")


@pytest.mark.parametrize(
    ("line", "message", "said"),
    [
        (
            "X @ X",
            "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
            "X is 2×3. Each of the 2 rows of the left, such as a layer's input, has 3 values",
        ),
        ("X.view(7)", "shape '[7]' is invalid for input of size 6", "X has 6 values, which do"),
        (
            "X[5]",
            "index 5 is out of bounds for dimension 0 with size 2",
            "Dimension 0 has 2 places, counted from 0, and 5 was asked for.",
        ),
        (
            "net(H)",
            "mat1 and mat2 must have the same dtype, but got Double and Float",
            "H is float32. PyTorch wants both in the same type, and a model its input in that",
        ),
        ("X.item()", "a Tensor with 6 elements cannot be converted to Scalar", "X holds 6"),
        (
            "X.numpy()",
            "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy",
            "X lies on a card, and NumPy only knows the host's memory.",
        ),
        (
            "X.to(torch.cuda.device('cuda'))",
            "to() received an invalid combination of arguments - got (device), but expected",
            "The place where something is to be is a torch.device.",
        ),
        ("X.cuda()", "Torch not compiled with CUDA enabled", "a build for the processor only"),
        ("torch.load('a')", "[Errno 2] No such file or directory: 'a'", "There is no file of"),
    ],
)
def test_pytorchs_words_in_plain_ones(line: str, message: str, said: str) -> None:
    assert said in words(line, "RuntimeError", message)


@pytest.mark.parametrize("line", ["X.cuda(7)", "torch.ones(2, device=7)"])
def test_a_card_that_is_not_there_is_named_with_those_that_are(line: str) -> None:
    said = words(line, "AcceleratorError", "CUDA error: invalid device ordinal")
    assert said.startswith("There is no cuda:7. PyTorch has cuda:0 and cuda:1 here.")


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (REFUSED, ""),  # nobody knows
        ("device lost", "cuda:1 is lost. Use another."),
        ("cancelled", "You stopped this cell. What it did until then stays done."),
    ],
)
def test_of_some_causes_all_was_said_already(cause: str, said: str) -> None:
    told = Message("cuda:1 is lost."), Message("Use another.")
    failed = Failed(1, cause, "E", "something that nobody has heard of", *told)
    failed = replace(failed, sentence=NOTHING, hint=NOTHING) if cause == REFUSED else failed
    assert meaning(failed, CELL, SHELF) == said
