"""Cures: each is the cell as it stands, with what failed changed, and has its price."""

import ast
from dataclasses import replace

import pytest

from gpuexplorer.lab.cures import Cure, cures
from gpuexplorer.lab.events import (
    Began,
    Device,
    Element,
    Failed,
    Finished,
    Frame,
    Held,
    Hello,
    Memory,
    Placed,
)
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.wire import Run

MIB, GIB = 1 << 20, 1 << 30
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


class Lab:
    """A ledger that was told of things and cells; nothing computes."""

    def __init__(self, cards: int = 2) -> None:
        self.ledger = Ledger()
        devices = [Device("cpu", "the processor", total_bytes=64 * GIB)]
        devices += [
            Device(f"cuda:{number}", "a card", total_bytes=24 * GIB) for number in range(cards)
        ]
        self.ledger.apply(
            Hello(3, "3.11", "2.13", "CPU", simulated=True, devices=tuple(devices))
        )
        self._command = 0

    @classmethod
    def with_cell(cls) -> "Lab":
        lab = cls()
        lab.cell("import torch")
        return lab

    def tensor(
        self, name: str, device: str, size: int = 24, grad: bool = False, storage: int = 0
    ) -> None:
        held = (Held(device, "values", size, storage),)
        placed = Placed(1, name, "tensor", device, "", (2, 3), "float32", size, grad)
        self.ledger.apply(Placed(**{**vars(placed), "holds": held}))

    def model(self, name: str, device: str) -> None:
        self.ledger.apply(Placed(1, name, "model", device, "Linear(3, 1)", bytes=16))

    def models(self, name: str, *devices: str) -> None:
        elements = tuple(
            Element(f"{name}[{at}]", "model", device, "Linear(3, 1)", 16)
            for at, device in enumerate(devices)
        )
        self.ledger.apply(Placed(1, name, "container", "", "a list", elements=elements))

    def cell(self, code: str) -> Cell:
        self._command += 1
        self.ledger.sent(Run(self._command, code, self._command))
        self.ledger.apply(Began(self._command))
        self.ledger.apply(Finished(self._command, 0.1))
        return self.ledger.cells[-1]

    def offered(
        self,
        code: str,
        message: str,
        *at: tuple[int, str],
        cause: str = "refused by PyTorch",
        memory: tuple[Memory, ...] = (),
        lost: tuple[str, ...] = (),
        free: dict[str, int] | None = None,
    ) -> list[Cure]:
        """`at`: the expressions on the way to the error, with the numbers of their cells."""
        self._command += 1
        self.ledger.sent(Run(self._command, code, self._command))
        self.ledger.apply(Began(self._command))
        cell = self.ledger.cells[-1]
        frames = tuple(self._frame(number or self._command, text) for number, text in at)
        failed = Failed(cell.id, cause, "E", message, memory=memory, lost=lost, frames=frames)
        self.ledger.apply(failed)
        found = cures(failed, cell, self.ledger, free)
        for each in found:
            for text in each.cells:
                ast.parse(text)
        return found

    def apart(self, code: str, devices: str, *at: tuple[int, str]) -> list[Cure]:
        return self.offered(code, APART.format(devices), *at, cause="devices differ")

    def _frame(self, number: int, text: str) -> Frame:
        """Where the text stands; in a function's body, the function's name."""
        cell = self.ledger.by_number(number)
        assert cell is not None
        for at, line in enumerate(cell.code.split("\n"), 1):
            if text in line:
                name = "f" if line.startswith(" ") and "def f" in cell.code else ""
                begin = line.index(text)
                return Frame(number, at, name, begin, begin + len(text))
        raise AssertionError(text)


@pytest.fixture
def lab() -> Lab:
    return Lab()


def texts(found: list[Cure]) -> list[tuple[str, ...]]:
    return [each.cells for each in found]


def test_two_tensors_on_two_cards_can_meet_in_three_places(lab: Lab) -> None:
    lab.tensor("X", "cuda:0")
    lab.tensor("Y", "cuda:1", 2400)
    found = lab.apart("Z = X + Y[:2]", "cuda:0 and cuda:1", (0, "X + Y[:2]"))
    assert texts(found) == [
        ("Z = X.cuda(1) + Y[:2]",),
        ("Z = X + Y.cuda(0)[:2]",),
        ("Z = X.cpu() + Y.cpu()[:2]",),
    ]
    assert [each.copied_bytes for each in found] == [24, 2400, 2424]
    (copy,) = found[0].copies
    assert (copy.name, copy.source, copy.target) == ("X", "cuda:0", "cuda:1")
    assert not any(each.again for each in found)


def test_all_else_in_the_cell_stays_as_it_is_remarks_too(lab: Lab) -> None:
    lab.tensor("X", "cuda:0")
    lab.tensor("Y", "cuda:1", 2400)
    code = "# größer, first\nk = 'é'; Z = (X  +   Y)  # here\n\nprint( Z )"
    first = lab.apart(code, "cuda:0 and cuda:1", (0, "X  +   Y"))[0]
    assert first.cells == (code.replace("X  +", "X.cuda(1)  +"),)
    assert first.shown == ("k = 'é'; Z = (X.cuda(1)  +   Y)  # here",)


def test_an_input_that_was_not_moved_to_the_models_card_is_moved(lab: Lab) -> None:
    lab.model("net", "cuda:1")
    lab.tensor("X", "cpu")
    code = "for X, y in data:\n    loss = F.mse_loss(net(X), y)"
    found = lab.apart(code, "cuda:1 and cpu", (0, "net(X)"))
    assert [each.shown for each in found] == [
        ("loss = F.mse_loss(net(X.cuda(1)), y)",),
        ("loss = F.mse_loss(net.cpu()(X), y)",),
    ]
    moves_the_input, moves_the_model = found
    assert moves_the_model.copies[0].stays
    assert not moves_the_input.copies[0].stays
    assert moves_the_input.again


def test_what_was_copied_in_the_cell_is_where_it_was_copied_to(lab: Lab) -> None:
    lab.model("net", "cpu")
    lab.tensor("X", "cpu")
    found = lab.apart("net(X.cuda(1))", "cuda:1 and cpu", (0, "net(X.cuda(1))"))
    assert texts(found) == [("net(X.cuda(1).cpu())",), ("net.cuda(1)(X.cuda(1))",)]


def test_what_lies_in_a_list_is_known_by_its_place_there(lab: Lab) -> None:
    lab.models("nets", "cuda:0", "cuda:1")
    lab.tensor("X", "cuda:0")
    found = lab.apart("nets[1](X)", "cuda:0 and cuda:1", (0, "nets[1](X)"))
    assert ("nets[1](X.cuda(1))",) in texts(found)
    assert ("nets[1].cuda(0)(X)",) in texts(found)


def test_inside_a_function_what_it_was_given_is_moved_where_it_is_called(lab: Lab) -> None:
    lab.cell("def f(a, b):\n    return a + b")
    lab.tensor("X", "cuda:0")
    lab.tensor("Y", "cuda:1", 2400)
    lab.tensor("a", "cuda:1")  # another one than the function's
    found = lab.apart("f(X, Y)", "cuda:0 and cuda:1", (0, "f(X, Y)"), (1, "a + b"))
    assert found[0].cells == ("f(X.cuda(1), Y)",)


def test_where_nothing_is_known_one_follows_the_other(lab: Lab) -> None:
    lab.cell("def f(a, b):\n    return a + b")
    found = lab.apart("f(*pair)", "cuda:0 and cuda:1", (0, "f(*pair)"), (1, "a + b"))
    assert texts(found) == [("def f(a, b):\n    return a + b.to(a.device)", "f(*pair)")]
    assert found[0].label == "b is copied to where a is."


def test_what_is_made_in_passing_can_be_made_on_the_card_at_once(lab: Lab) -> None:
    lab.tensor("X", "cuda:1")
    found = lab.apart("X + torch.ones(3)", "cuda:1 and cpu", (0, "X + torch.ones(3)"))
    assert texts(found) == [
        ("X + torch.ones(3, device='cuda:1')",),
        ("X.cpu() + torch.ones(3)",),
    ]
    assert found[0].copies == ()


def test_what_would_stay_apart_is_not_offered(lab: Lab) -> None:
    lab.tensor("X", "cuda:1")
    found = lab.apart("X + made()", "cuda:1 and cuda:0", (0, "X + made()"))
    assert texts(found) == [("X.cuda(0) + made()",)]


def test_what_is_changed_in_place_stays_where_it_is(lab: Lab) -> None:
    lab.tensor("X", "cuda:0")
    lab.tensor("Y", "cuda:1")
    found = lab.apart("X += Y", "cuda:0 and cuda:1", (0, "X += Y"))
    assert texts(found) == [("X += Y.cuda(0)",)]


def test_only_asking_where_something_is_moves_nothing(lab: Lab) -> None:
    lab.tensor("X", "cuda:0")
    lab.tensor("Y", "cuda:1")
    code = "torch.ones(3, device=X.device) + Y"
    found = lab.apart(code, "cuda:0 and cuda:1", (0, code))
    assert texts(found) == [("torch.ones(3, device=X.device) + Y.cuda(0)",)]


def test_where_there_is_no_room_nothing_is_moved(lab: Lab) -> None:
    lab.tensor("X", "cuda:0", 6 * GIB)
    lab.tensor("Y", "cuda:1", 20 * GIB)
    code, said = "X + Y", APART.format("cuda:0 and cuda:1")
    free = {"cpu": 21 * GIB, "cuda:0": 3 * GIB, "cuda:1": 20 * GIB}
    found = lab.offered(code, said, (0, "X + Y"), cause="devices differ", free=free)
    assert texts(found) == [("X.cuda(1) + Y",)]


def full(lab: Lab, code: str, wanted: str, at: str, free: int = GIB) -> list[Cure]:
    held = sum(each.bytes for each in lab.ledger.things.values() if each.device == "cuda:0")
    memory = Memory("cuda:0", held, held, free, 24 * GIB)
    said = FULL.format(wanted, f"{free / GIB:.2f} GiB")
    room = {"cpu": 21 * GIB, "cuda:1": 20 * GIB}
    return lab.offered(code, said, (0, at), cause="out of memory", memory=(memory,), free=room)


def test_out_of_memory_offers_room_less_and_elsewhere(lab: Lab) -> None:
    lab.tensor("A", "cuda:0", 10 * GIB, storage=1)
    lab.tensor("s", "cuda:0", 24, storage=2)
    made = "torch.ones(60, 1024, device='cuda:0')"
    found = full(lab, f"B = {made}  # big", "2.00 GiB", made, free=int(1.5 * GIB))
    assert texts(found) == [
        ("del A", f"B = {made}  # big"),
        ("B = torch.ones(60, 1024, device='cuda:0', dtype=torch.float16)  # big",),
        ("B = torch.ones(60, 1024, device='cpu')  # big",),
        ("B = torch.ones(60, 1024, device='cuda:1')  # big",),
    ]
    assert (found[0].frees_bytes, found[0].shown) == (10 * GIB, ("del A",))
    assert found[1].halves


def test_a_deletion_that_is_not_enough_is_not_offered(lab: Lab) -> None:
    lab.tensor("A", "cuda:0", 24, storage=1)
    made = "torch.ones(9, device='cuda:0')"
    assert not any(each.frees_bytes for each in full(lab, made, "5.00 GiB", made))


def test_several_are_deleted_where_only_together_they_make_room(lab: Lab) -> None:
    for at, name in enumerate("ABC", 1):
        lab.tensor(name, "cuda:0", 2 * GIB + at, storage=at)
    made = "torch.ones(9, device='cuda:0')"
    (delete,) = (each for each in full(lab, made, "5.00 GiB", made) if each.frees_bytes)
    assert delete.cells == ("del C, B", made)


def test_twins_and_views_are_deleted_together(lab: Lab) -> None:
    for name in ("A", "view", "twin"):
        lab.tensor(name, "cuda:0", 8 * GIB, storage=5)
    made = "torch.ones(9, device='cuda:0')"
    (delete,) = (each for each in full(lab, made, "5.00 GiB", made) if each.frees_bytes)
    assert delete.cells[0] == "del A, twin, view"
    assert delete.frees_bytes == 8 * GIB


def test_what_the_cell_uses_is_not_deleted(lab: Lab) -> None:
    lab.tensor("A", "cuda:0", 8 * GIB, storage=5)
    made = "torch.ones(9, device='cuda:0')"
    found = full(lab, f"B = {made}\nA + B", "5.00 GiB", made)
    assert not any(each.frees_bytes for each in found)


def test_what_would_not_fit_elsewhere_either_is_not_offered(lab: Lab) -> None:
    made = "torch.ones(100000, 100000, device='cuda:0')"
    assert full(lab, made, "37.25 GiB", made) == []
    (on_cpu,) = full(lab, made, "20.50 GiB", made)
    assert on_cpu.label == "The same on cpu"


def test_simulated_cards_hold_no_more_than_the_computer(lab: Lab) -> None:
    made = "torch.ones(100000, 60000, device='cuda:0')"
    held = Memory("cuda:0", 0, 0, 12 * GIB, 24 * GIB)
    found = lab.offered(
        made,
        FULL.format("22.35 GiB", "12.00 GiB"),
        (0, made),
        cause="out of memory",
        memory=(held,),
        free={"cpu": 8 * GIB, "cuda:1": 23 * GIB},
    )
    assert found == []


CARD_5 = "torch.device('cuda:5' if torch.cuda.device_count() > 5 else 'cpu')"


@pytest.mark.parametrize(
    ("code", "at", "changed"),
    [
        (
            "Y = X.cuda(5)",
            "X.cuda(5)",
            [f"Y = X.to({CARD_5})", "Y = X.cuda(0)", "Y = X.cuda(1)"],
        ),
        (
            "Y = X.to('cuda:5') + 1",
            "X.to('cuda:5')",
            [f"Y = X.to({CARD_5}) + 1", "Y = X.to('cuda:0') + 1", "Y = X.to('cuda:1') + 1"],
        ),
        (
            "Y = torch.ones(2, device=gpu(5))",
            "torch.ones(2, device=gpu(5))",
            [
                f"Y = torch.ones(2, device={CARD_5})",
                "Y = torch.ones(2, device='cuda:0')",
                "Y = torch.ones(2, device='cuda:1')",
            ],
        ),
        (
            "Y = torch.ones(2, device=5)",
            "torch.ones(2, device=5)",
            [
                f"Y = torch.ones(2, device={CARD_5})",
                "Y = torch.ones(2, device='cuda:0')",
                "Y = torch.ones(2, device='cuda:1')",
            ],
        ),
        (
            "Y = X.to(torch.device('cuda', 5))",
            "X.to(torch.device('cuda', 5))",
            [
                f"Y = X.to({CARD_5})",
                "Y = X.to(torch.device('cuda:0'))",
                "Y = X.to(torch.device('cuda:1'))",
            ],
        ),
        (
            "torch.cuda.get_device_name(5)",
            "torch.cuda.get_device_name(5)",
            ["torch.cuda.get_device_name(0)", "torch.cuda.get_device_name(1)"],
        ),
        (
            "net = nn.Linear(3, 1).cuda(5)",
            "nn.Linear(3, 1).cuda(5)",
            [
                f"net = nn.Linear(3, 1).to({CARD_5})",
                "net = nn.Linear(3, 1).cuda(0)",
                "net = nn.Linear(3, 1).cuda(1)",
            ],
        ),
        (
            "place = 'cuda:5'\nY = X.to(place)",
            "X.to(place)",
            [
                f"place = {CARD_5}\nY = X.to(place)",
                "place = 'cuda:0'\nY = X.to(place)",
                "place = 'cuda:1'\nY = X.to(place)",
            ],
        ),
    ],
)
def test_a_card_that_is_not_there_may_be_another_or_the_processor(
    lab: Lab, code: str, at: str, changed: list[str]
) -> None:
    lab.tensor("X", "cpu")
    found = lab.offered(code, NO_SUCH_CARD, (0, at))
    assert texts(found) == [(each,) for each in changed]


def test_the_sessions_own_try_gpu_is_used_where_there_is_one(lab: Lab) -> None:
    lab.tensor("X", "cpu")
    lab.cell("def try_gpu(i=0):\n    return torch.device('cpu')")
    assert lab.offered("X.cuda(5)", NO_SUCH_CARD, (0, "X.cuda(5)"))[0].cells == (
        "X.to(try_gpu(5))",
    )


def test_what_moves_to_another_card_has_its_price(lab: Lab) -> None:
    lab.tensor("X", "cuda:1")
    falls_back, first, second = lab.offered("Y = X.cuda(5)", NO_SUCH_CARD, (0, "X.cuda(5)"))
    assert [each.copied_bytes for each in (falls_back, first, second)] == [24, 24, 0]
    (copy,) = falls_back.copies
    assert (copy.name, copy.source, copy.target) == ("X", "cuda:1", "cpu")
    assert falls_back.label == "The same on the processor, and on cuda:5 where there is one"


@pytest.mark.parametrize(
    ("code", "message", "least"),
    [
        ("X.cuda()", "Torch not compiled with CUDA enabled", 0),
        ("X.cuda(1)", "Cannot access accelerator device when none is available.", 1),
    ],
)
def test_without_any_card_the_processor_is_left(code: str, message: str, least: int) -> None:
    lab = Lab(cards=0)
    lab.tensor("X", "cpu")
    (found,) = lab.offered(code, message, (0, code))
    card = f"'cuda:{least}' if torch.cuda.device_count() > {least} else 'cpu'"
    assert found.cells == (f"X.to(torch.device({card}))",)


def test_numpy_is_cured_by_a_copy_to_the_host_and_that_has_its_price(lab: Lab) -> None:
    lab.tensor("X", "cuda:1")
    (named,) = lab.offered("A = X.numpy()", TO_NUMPY, (0, "X.numpy()"), cause="raised")
    assert named.cells == ("A = X.cpu().numpy()",)
    (copy,) = named.copies
    assert (copy.name, copy.source, copy.target, copy.bytes) == ("X", "cuda:1", "cpu", 24)
    code = "A = (X + 1).numpy()"
    (unnamed,) = lab.offered(code, TO_NUMPY, (0, "(X + 1).numpy()"), cause="raised")
    assert unnamed.cells == ("A = (X + 1).cpu().numpy()",)
    code = "plt.plot(X, label='x')"
    (drawn,) = lab.offered(code, TO_NUMPY, (0, code), cause="raised")
    assert drawn.cells == ("plt.plot(X.cpu(), label='x')",)


def test_numpy_wants_values_without_their_history(lab: Lab) -> None:
    lab.tensor("W", "cpu", grad=True)
    lab.tensor("V", "cuda:1", grad=True)
    (on_host,) = lab.offered("A = W.numpy()", OF_GRADIENTS, (0, "W.numpy()"))
    (on_card,) = lab.offered("A = V.numpy()", TO_NUMPY, (0, "V.numpy()"))
    assert on_host.cells == ("A = W.detach().numpy()",)
    assert on_card.cells == ("A = V.detach().cpu().numpy()",)


def test_in_place_of_a_lost_card_the_others_are_offered(lab: Lab) -> None:
    made = lab.cell("X = torch.ones(2, 3, device='cuda:0')")
    lab.tensor("X", "cuda:0")
    made.placed["X"] = lab.ledger.things["X"]
    code, lost = "Y = X.cuda(1)", ("cuda:1",)
    said = "CUDA error: unknown error"
    found = lab.offered(code, said, (0, "X.cuda(1)"), cause="device lost", lost=lost)
    assert texts(found) == [("Y = X.cuda(0)",), ("Y = X.cpu()",)]
    assert [each.copied_bytes for each in found] == [0, 24]
    broken = lab.offered(code, said, (0, "X.cuda(1)"), cause="device broken", lost=lost)
    assert broken == []  # X went with the worker, and was not made again yet


def test_python_that_knows_lines_only_takes_the_statement(lab: Lab) -> None:
    lab.tensor("X", "cuda:0")
    lab.tensor("Y", "cuda:1", 2400)
    lab.ledger.sent(Run(9, "k = 1\nZ = X + Y", 9))
    cell = lab.ledger.cells[-1]
    said = APART.format("cuda:0 and cuda:1")
    failed = Failed(9, "devices differ", "E", said, frames=(Frame(9, 2),))
    assert cures(failed, cell, lab.ledger)[0].cells == ("k = 1\nZ = X.cuda(1) + Y",)


@pytest.mark.parametrize(
    ("module", "package"), [("d2l", "d2l"), ("PIL", "pillow"), ("sklearn", "scikit-learn")]
)
def test_a_missing_module_is_installed_by_pips_name_and_the_cell_runs_again(
    lab: Lab, module: str, package: str
) -> None:
    cell = lab.cell(f"!ls\nimport {module}")
    failed = Failed(cell.id, "raised", "ModuleNotFoundError", "No module", missing=module)
    (cure,) = cures(failed, cell, lab.ledger)
    assert cure.cells == (f"!pip install {package}", cell.code)
    assert cure.shown == (f"!pip install {package}",)
    assert cure.label == (
        f"Install {package} into the lab's Python, which asks first; then the same cell"
    )


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
    lab.cell("import torch")
    waits, on_host = asserted(lab, "torch.ones(3, device='cuda:0')[index]")
    assert (waits.cells, waits.shown) == (
        ("torch.ones(3, device='cuda:0')[index]",),
        ("CUDA_LAUNCH_BLOCKING=1",),
    )
    assert (waits.waits, waits.anew, on_host.waits, on_host.anew) == (True, True, False, True)
    assert asserted(Lab.with_cell(), "X.cuda()[9]", waited=True) == [
        Cure(("X.cpu()[9]",), ("X.cpu()[9]",), on_host.label, anew=True)
    ]


@pytest.mark.parametrize(
    ("kind", "device", "text", "line"),
    [
        ("tensor", "cuda:0", "3, float32", "X = X.cpu()"),
        ("model", "cuda:1", "Embedding(3, 2)", "X.cpu()"),
        ("optimiser", "cpu, cuda:0", "Adam()", "X.load_state_dict(X.state_dict())"),
        ("container", "cuda:0", "[tensor(3)]", "X = [each.cpu() for each in X]"),
        ("value", "", "device(type='cuda', index=0)", "X = torch.device('cpu')"),
        ("value", "", "'cuda:1'", "X = 'cpu'"),
        ("value", "", "3", None),
        ("container", "cuda:0", "{'a': tensor(3)}", None),
    ],
)
def test_what_a_cell_uses_is_brought_to_the_host_before_it(
    lab: Lab, kind: str, device: str, text: str, line: str | None
) -> None:
    lab.cell("import torch")
    lab.ledger.apply(Placed(1, "X", kind, device, text, bytes=24 if device else 0))
    lab.ledger.apply(Placed(1, "unused", "tensor", "cuda:0", "", bytes=24))
    _, *on_host = asserted(lab, "f(X)")
    assert texts(on_host) == ([(line, "f(X)")] if line else [])
    for each in on_host:
        assert each.copied_bytes == (24 if device else 0)


def test_what_a_function_of_the_session_uses_is_brought_too(lab: Lab) -> None:
    lab.cell("def f():\n    return X.to('cuda:0')")
    lab.tensor("X", "cuda:0", grad=True)
    _, on_host = asserted(lab, "f()")
    assert on_host.cells == ("X = X.detach().cpu().requires_grad_()", "f()")
    code, said = "f()", ASSERTED
    _, at_home = lab.offered(
        code, said, (0, "f()"), (1, "X.to('cuda:0')"), cause="device assert"
    )
    assert at_home.cells == ("def f():\n    return X.to('cpu')", "f()")
