"""What an error means in plain words, and its cures: what failed is changed, at its price."""

import ast
from dataclasses import replace
from typing import Any

import pytest

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.cures import Copying, Cure, cures
from gpuexplorer.lab.events import Began, Element, Failed, Frame, Held, Memory, Placed
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.meaning import meaning
from gpuexplorer.lab.wire import Run
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session, Told

MIB, GIB = 1 << 20, 1 << 30
REFUSED = "refused by PyTorch"
APART = "Expected all tensors to be on the same device, but found at least two devices, {}!"
NO_SUCH_CARD = "CUDA error: invalid device ordinal"
TO_NUMPY = (
    "can't convert cuda:1 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
    "host memory first."
)
OF_GRADIENTS = "Can't call numpy() on Tensor that requires grad."
FULL = (
    "CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of 24.00 GiB of "
    "which {} is free."
)


class Lab(Told):
    """It was told of things, too."""

    def shelf(self, text: str) -> None:
        """Such as "X cuda:0 24, net=model cuda:1": tensors of 24 bytes if nothing is said."""
        for storage, each in enumerate(filter(None, text.split(", ")), 1):
            name, device, *size = each.split()
            name, _, kind = name.partition("=")
            self.thing(name, device, int(size[0]) if size else 24, kind or "tensor", storage)

    def thing(
        self,
        name: str,
        device: str,
        size: int = 24,
        kind: str = "tensor",
        storage: int = 0,
        text: str = "",
        **more: Any,
    ) -> None:
        held = (Held(device, "values", size, storage),)
        if kind == "tensor":
            more = {"shape": (2, 3), "dtype": "float32", **more}
        self.ledger.apply(Placed(1, name, kind, device, text, bytes=size, holds=held, **more))

    def failing(
        self,
        code: str,
        message: str,
        *at: tuple[int, str],
        cause: str = REFUSED,
        error: str = "E",
        **more: Any,
    ) -> Cell:
        """`at`: the expressions on the way to the error, with the numbers of their cells."""
        number = len(self.ledger.cells)
        self.ledger.sent(Run(number, code, number))
        frames = tuple(self._frame(where or number, text) for where, text in at)
        self.ledger.apply(Began(number))
        self.ledger.apply(Failed(number, cause, error, message, frames=frames, **more))
        return self.ledger.cells[-1]

    def offered(
        self,
        code: str,
        message: str,
        *at: tuple[int, str],
        free: dict[str, int] | None = None,
        **more: Any,
    ) -> list[Cure]:
        cell = self.failing(code, message, *at, **more)
        assert cell.failed is not None
        found = cures(cell.failed, cell, self.ledger, free)
        for text in (text for each in found for text in each.cells):
            ast.parse(text)
        return found

    def apart(self, code: str, devices: str, *at: tuple[int, str]) -> list[Cure]:
        return self.offered(code, APART.format(devices), *at, cause="devices differ")

    def words(self, code: str, message: str, *at: tuple[int, str], **more: Any) -> str:
        """What it means; in all of the first line, where nothing else is said."""
        cell = self.failing(
            code, message, *(at or [(0, code.split("\n", maxsplit=1)[0])]), **more
        )
        assert cell.failed is not None
        return meaning(cell.failed, cell, self.ledger)

    def _frame(self, number: int, text: str) -> Frame:
        """Where the text stands; in a function's body, the function's name."""
        cell = self.ledger.by_number(number)
        assert cell is not None
        lines = cell.code.split("\n")
        at, line = next((at, line) for at, line in enumerate(lines, 1) if text in line)
        name = "f" if line.startswith(" ") and "def f" in cell.code else ""
        return Frame(number, at, name, line.index(text), line.index(text) + len(text))


@pytest.fixture
def lab() -> Lab:
    return Lab(simulated=True)


@pytest.fixture
def full_shelf(lab: Lab) -> Lab:
    lab.shelf("X cuda:0, Y cuda:1, H cpu, net=model cpu 16")
    elements = (Element("nets[1]", "model", "cuda:1", "Linear(3, 1)"),)
    lab.ledger.apply(Placed(1, "nets", "container", "", "a list", elements=elements))
    return lab


@pytest.mark.parametrize(
    ("code", "at", "begins", "ends"),
    [
        (
            "X + Y",
            "X + Y",
            "X lies on cuda:0. Y lies on cuda:1. X + Y runs on one device",
            "Nothing was computed or changed.",
        ),
        (
            "k = 1\nnets[1](X)",
            "nets[1](X)",
            "nets[1] lies on cuda:1. X lies on cuda:0. nets[1] computes where",
            "What the cell did before it stays done.",
        ),
    ],
)
def test_operands_apart_are_named_with_their_devices(
    full_shelf: Lab, code: str, at: str, begins: str, ends: str
) -> None:
    message = APART.format("cuda:0 and cuda:1")
    said = full_shelf.words(code, message, (0, at), cause="devices differ")
    assert said.startswith(begins)
    assert said.endswith(ends)


def test_out_of_memory_says_what_was_wanted_what_is_free_and_who_holds_it(lab: Lab) -> None:
    code, said = "A = torch.ones(60000, device=0)", FULL.format("22.35 GiB", "8.06 GiB")
    memory = (Memory("cuda:0", 2 * MIB, 22 * MIB, 8 * GIB, 24 * GIB, 334 * MIB),)
    told = lab.words(code, said, cause="out of memory", memory=memory)
    for words in (
        "wanted 22.3 GiB on cuda:0. Only 8.06 GiB of its 24 GiB are free.",
        "Other programs and the driver hold 15.7 GiB. Your tensors hold 2 MiB.",
        "PyTorch's cache holds 20 MiB. The context holds 334 MiB.",
    ):
        assert words in told
    assert told.endswith("Nothing was computed or changed.")
    capped = f"{said} Of the allocated memory 2.40 GiB allowed; 512 bytes is used."
    words = "are free, but the cap that was set allows this program 2.4 GiB."
    assert words in lab.words(code, capped, cause="out of memory")
    host = "DefaultCPUAllocator: you tried to allocate 36000000000000 bytes."
    assert lab.words(code, host).startswith("The cell wanted 32.7 TiB of the host's memory")


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
        ("X.numpy()", TO_NUMPY, "X lies on a card, and NumPy only knows the host's memory."),
        (
            "X.to(torch.cuda.device('cuda'))",
            "to() received an invalid combination of arguments - got (device), but expected",
            "The place where something is to be is a torch.device.",
        ),
        ("X.cuda()", "Torch not compiled with CUDA enabled", "a build for the processor only"),
        ("torch.load('a')", "[Errno 2] No such file or directory: 'a'", "There is no file of"),
        ("X.cuda(7)", NO_SUCH_CARD, "no cuda:7. PyTorch has cuda:0 and cuda:1 here."),
        ("torch.ones(2, device=7)", NO_SUCH_CARD, "There is no cuda:7. PyTorch has"),
    ],
)
def test_pytorchs_words_in_plain_ones(
    full_shelf: Lab, line: str, message: str, said: str
) -> None:
    assert said in full_shelf.words(line, message, error="RuntimeError")


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (REFUSED, ""),  # nobody knows
        ("device lost", "cuda:1 is lost. Use another."),
        ("cancelled", "You stopped this cell. What it did until then stays done."),
    ],
)
def test_of_some_causes_all_was_said_already(lab: Lab, cause: str, said: str) -> None:
    told = Message("cuda:1 is lost."), Message("Use another.")
    sentence, hint = told if cause != REFUSED else (NOTHING, NOTHING)
    message = "something that nobody has heard of"
    assert lab.words("X.cuda(1)", message, cause=cause, sentence=sentence, hint=hint) == said


def texts(found: list[Cure]) -> list[tuple[str, ...]]:
    return [each.cells for each in found]


HOW_MANY = "# größer, first\nk = 'é'; Z = (X  +   Y)  # here\n\nprint( Z )"
LOOP = "for X, y in data:\n    loss = F.mse_loss(net(X), y)"
CARD_5 = "torch.device('cuda:5' if torch.cuda.device_count() > 5 else 'cpu')"
BOTH, ONE = "cuda:0 and cuda:1", "cuda:1 and cpu"


@pytest.mark.parametrize(
    ("shelf", "code", "at", "said", "cured"),
    [
        (
            "X cuda:0, Y cuda:1 2400",
            "Z = X + Y[:2]",
            "X + Y[:2]",
            BOTH,
            ["Z = X.cuda(1) + Y[:2]", "Z = X + Y.cuda(0)[:2]", "Z = X.cpu() + Y.cpu()[:2]"],
        ),
        # All else stays as it is, remarks too.
        ("X cuda:1", HOW_MANY, "X  +   Y", ONE, [HOW_MANY.replace("X  +", "X.cpu()  +")]),
        (
            "net=model cuda:1 16, X cpu",
            LOOP,
            "net(X)",
            ONE,
            [LOOP.replace("net(X)", each) for each in ("net(X.cuda(1))", "net.cpu()(X)")],
        ),
        (  # what was copied in the cell is where it was copied to
            "net=model cpu 16, X cpu",
            "net(X.cuda(1))",
            "net(X.cuda(1))",
            ONE,
            ["net(X.cuda(1).cpu())", "net.cuda(1)(X.cuda(1))"],
        ),
        # What would stay apart is not offered; what is changed in place stays where it is.
        ("X cuda:1", "X + f()", "X + f()", BOTH, ["X.cuda(0) + f()"]),
        ("X cuda:0, Y cuda:1", "X += Y", "X += Y", BOTH, ["X += Y.cuda(0)"]),
        # A card that is not there may be another, or the processor.
        (
            "X cpu",
            "Y = X.cuda(5)",
            "X.cuda(5)",
            NO_SUCH_CARD,
            [f"Y = X.to({CARD_5})", "Y = X.cuda(0)", "Y = X.cuda(1)"],
        ),
        (
            "",
            "torch.cuda.get_device_name(5)",
            "torch.cuda.get_device_name(5)",
            NO_SUCH_CARD,
            ["torch.cuda.get_device_name(0)", "torch.cuda.get_device_name(1)"],
        ),
        # NumPy wants values on the host and without their history.
        ("X cuda:1", "A = X.numpy()", "X.numpy()", TO_NUMPY, ["A = X.cpu().numpy()"]),
        ("", "W.numpy()", "W.numpy()", OF_GRADIENTS, ["W.detach().numpy()"]),
        ("", "V.numpy()", "V.numpy()", TO_NUMPY, ["V.detach().cpu().numpy()"]),
    ],
)
def test_what_failed_is_changed_and_all_else_stays(
    lab: Lab, shelf: str, code: str, at: str, said: str, cured: list[str]
) -> None:
    lab.shelf(shelf)
    for name, device in (("W", "cpu"), ("V", "cuda:1")):
        lab.thing(name, device, requires_grad=True)
    apart = " and " in said
    found = lab.apart(code, said, (0, at)) if apart else lab.offered(code, said, (0, at))
    assert texts(found) == [(each,) for each in cured]


def test_a_cure_has_its_price_before_it_is_pressed(lab: Lab) -> None:
    lab.shelf("net=model cuda:1 16, X cpu, Y cuda:0 2400")
    found = lab.apart("Z = Y + X", "cuda:0 and cpu", (0, "Y + X"))
    assert [each.copied_bytes for each in found] == [24, 2400]
    assert found[0].copies == (Copying("X", "cpu", "cuda:0", 24),)
    moves_the_input, moves_the_model = lab.apart(LOOP, "cuda:1 and cpu", (0, "net(X)"))
    assert moves_the_input.shown == ("loss = F.mse_loss(net(X.cuda(1)), y)",)
    assert (moves_the_model.copies[0].stays, moves_the_input.copies[0].stays) == (True, False)
    assert moves_the_input.again
    assert not found[0].again


def test_inside_a_function_what_it_was_given_is_moved_where_it_is_called(lab: Lab) -> None:
    lab.run("def f(a, b):\n    return a + b")
    lab.shelf("X cuda:0, Y cuda:1 2400, a cuda:1")  # another one than the function's
    found = lab.apart("f(X, Y)", "cuda:0 and cuda:1", (0, "f(X, Y)"), (1, "a + b"))
    assert found[0].cells == ("f(X.cuda(1), Y)",)
    cell = lab.ledger.cells[-1]
    assert cell.failed is not None
    said = "X lies on cuda:0. Y lies on cuda:1. a + b runs on one device"
    assert said in meaning(cell.failed, cell, lab.ledger)


def test_where_there_is_no_room_nothing_is_moved(lab: Lab) -> None:
    lab.shelf(f"X cuda:0 {6 * GIB}, Y cuda:1 {20 * GIB}")
    said = APART.format("cuda:0 and cuda:1")
    free = {"cpu": GIB, "cuda:0": 20 * GIB, "cuda:1": 20 * GIB}
    found = lab.offered("X + Y", said, (0, "X + Y"), cause="devices differ", free=free)
    assert not found  # simulated cards hold no more than the computer


def full(lab: Lab, code: str, wanted: str, at: str, free: int = GIB) -> list[Cure]:
    held = sum(each.bytes for each in lab.ledger.things.values() if each.device == "cuda:0")
    memory = Memory("cuda:0", held, held, free, 24 * GIB)
    said = FULL.format(wanted, f"{free / GIB:.2f} GiB")
    room = {"cpu": 21 * GIB, "cuda:1": 20 * GIB}
    return lab.offered(code, said, (0, at), cause="out of memory", memory=(memory,), free=room)


MADE = "torch.ones(9, device='cuda:0')"


def test_out_of_memory_offers_room_less_and_elsewhere(lab: Lab) -> None:
    lab.shelf(f"A cuda:0 {10 * GIB}, s cuda:0")
    found = full(lab, f"B = {MADE}  # big", "2.00 GiB", MADE, free=int(1.5 * GIB))
    assert texts(found) == [
        ("del A", f"B = {MADE}  # big"),
        ("B = torch.ones(9, device='cuda:0', dtype=torch.float16)  # big",),
        ("B = torch.ones(9, device='cpu')  # big",),
        ("B = torch.ones(9, device='cuda:1')  # big",),
    ]
    assert (found[0].frees_bytes, found[0].shown) == (10 * GIB, ("del A",))
    assert found[1].label == "Half the bytes, and about three digits in place of seven"


def test_what_would_not_fit_elsewhere_either_is_not_offered(lab: Lab) -> None:
    lab.shelf(f"A cuda:0 {GIB}")  # to end it would not do
    assert full(lab, MADE, "37.25 GiB", MADE) == []
    (on_cpu,) = full(lab, MADE, "20.50 GiB", MADE)
    assert on_cpu.label == "The same on cpu"


def test_in_place_of_a_lost_card_the_others_are_offered(lab: Lab) -> None:
    made = lab.run("X = torch.ones(2, 3, device='cuda:0')")
    lab.shelf("X cuda:0")
    made.placed["X"] = lab.ledger.things["X"]
    code, lost = "Y = X.cuda(1)", ("cuda:1",)
    said = "CUDA error: unknown error"
    found = lab.offered(code, said, (0, "X.cuda(1)"), cause="device lost", lost=lost)
    assert texts(found) == [("Y = X.cuda(0)",), ("Y = X.cpu()",)]
    assert [each.copied_bytes for each in found] == [0, 24]
    broken = lab.offered(code, said, (0, "X.cuda(1)"), cause="device broken", lost=lost)
    assert broken == []  # X went with the worker, and was not made again yet


def test_a_missing_module_is_installed_by_pips_name_and_the_cell_runs_again(lab: Lab) -> None:
    cell = lab.run("!ls\nimport PIL")
    failed = Failed(cell.id, "raised", "ModuleNotFoundError", "No module", missing="PIL")
    (cure,) = cures(failed, cell, lab.ledger)
    assert cure.cells == ("!pip install pillow", cell.code)
    assert cure.shown == ("!pip install pillow",)


ASSERTED = "CUDA error: device-side assert triggered"


def asserted(lab: Lab, code: str, *, waited: bool = False) -> list[Cure]:
    """The cells before made what is on the shelf, which is gone with the card."""
    cell = lab.ledger.by_number(1)
    assert cell is not None
    cell.placed.update(lab.ledger.things)
    made = lab.offered(code, ASSERTED, (0, code), cause="device assert")
    failed = lab.ledger.cells[-1].failed
    assert failed is not None
    assert not lab.ledger.things
    if waited:
        return cures(replace(failed, waited=True), lab.ledger.cells[-1], lab.ledger)
    return made


def test_a_check_that_failed_on_the_card_is_looked_for_with_each_kernel_waited_for(
    lab: Lab,
) -> None:
    lab.run("import torch")
    waits, on_host = asserted(lab, "torch.ones(3, device='cuda:0')[index]")
    assert (waits.cells, waits.shown) == (
        ("torch.ones(3, device='cuda:0')[index]",),
        ("CUDA_LAUNCH_BLOCKING=1",),
    )
    assert (waits.waits, waits.anew, on_host.waits, on_host.anew) == (True, True, False, True)
    assert asserted(lab, "X.cuda()[9]", waited=True) == [
        Cure(("X.cpu()[9]",), ("X.cpu()[9]",), on_host.label, anew=True)
    ]


@pytest.mark.parametrize(
    ("kind", "device", "text", "line"),
    [
        ("tensor", "cuda:0", "3, float32", "X = X.cpu()"),
        ("model", "cuda:1", "Embedding(3, 2)", "X.cpu()"),
        ("value", "", "device(type='cuda', index=0)", "X = torch.device('cpu')"),
        ("value", "", "3", None),
        ("container", "cuda:0", "{'a': tensor(3)}", None),
    ],
)
def test_what_a_cell_uses_is_brought_to_the_host_before_it(
    lab: Lab, kind: str, device: str, text: str, line: str | None
) -> None:
    lab.run("import torch")
    lab.thing("X", device, 24 if device else 0, kind, text=text)
    lab.shelf("unused cuda:0")
    _, *on_host = asserted(lab, "f(X)")
    assert texts(on_host) == ([(line, "f(X)")] if line else [])
    for each in on_host:
        assert each.copied_bytes == (24 if device else 0)


def test_what_a_function_of_the_session_uses_is_brought_too(lab: Lab) -> None:
    lab.run("def f():\n    return X + 1")
    lab.thing("X", "cuda:0", requires_grad=True)
    _, on_host = asserted(lab, "f()")
    assert on_host.cells == ("X = X.detach().cpu().requires_grad_()", "f()")


MAKE_BOTH = "X = torch.ones(2, 3, device='cuda:0')\nY = torch.rand(2, 3, device='cuda:1')"
NET = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 1)

    def forward(self, x):
        return self.out(x)  # where its parameters are


net = Net().cuda()
"""


def failing(session: Session, *cells: str) -> tuple[Cell, list[Cure]]:
    *before, last = cells
    for code in before:
        assert session.run(code).state == "done"
    cell = session.run(last)
    assert cell.failed is not None
    return cell, cures(cell.failed, cell, session.ledger)


@needs_torch
@pytest.mark.parametrize(
    ("cells", "first"),
    [
        ((MAKE_BOTH, "# both\nZ = X + Y"), "Z = X + Y.cuda(0)"),
        ((MAKE_BOTH, NET, "print(net(Y).shape)"), "print(net(Y.cuda(0)).shape)"),
        ((MAKE_BOTH, "X + torch.ones(3)"), "X + torch.ones(3, device='cuda:0')"),
        ((MAKE_BOTH, "nets = [nn.Linear(3, 1).cuda()]", "nets[0](Y)"), "nets[0](Y.cuda(0))"),
        ((MAKE_BOTH, "X.to('cuda:1')\nZ = X + Y"), "X = X.to('cuda:1')"),
        (
            ("place = torch.device('cuda:7')", "Q = torch.ones(2, device=place)"),
            "place = torch.device('cuda:7' if torch.cuda.device_count() > 7 else 'cpu')",
        ),
        (
            (
                "torch.cuda.set_per_process_memory_fraction(0.01)",
                "A = torch.ones(30, 1024, 1024, device='cuda:0')\nview = A[0]",
                "B = torch.ones(50, 1024, 1024, device='cuda:0')",
            ),
            "del A, view",
        ),
    ],
)
def test_the_first_way_on_helps(session: Session, cells: tuple[str, ...], first: str) -> None:
    cell, found = failing(session, *cells)
    assert found[0].shown == (first,)
    for code in found[0].cells:
        cured = session.run(code, cures=cell.id)
        assert cured.state == "done", cured.failed
    session.run("torch.cuda.set_per_process_memory_fraction(1.0)")


@needs_torch
@pytest.mark.parametrize(
    "code", ["X = torch.onse(3)", "1 / 0", "if", "torch.ones(2) @ missing"]
)
def test_what_is_wrong_itself_has_no_cure(session: Session, code: str) -> None:
    assert failing(session, code)[1] == []
