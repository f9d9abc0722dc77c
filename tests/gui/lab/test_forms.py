"""The forms: the cells that they write, what is said before these run, and their fields."""

import ast
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QListView, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.forms.compute import A_NUMBER, COMPUTE, OF_MODELS, OF_TENSORS
from gpuexplorer.gui.lab.forms.create import DTYPES, FILLS, MODEL, MODELS, TENSOR
from gpuexplorer.gui.lab.forms.form import Around, LabForm, Plan
from gpuexplorer.gui.lab.forms.form_panel import FormPanel
from gpuexplorer.gui.lab.forms.train import TRAIN
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.lab.events import Placed
from tests.gui.lab.conftest import GIB, MIB, ScriptedWorker, run, tensor

HOST = BenchDevice("cpu", "Ryzen", "H", total_bytes=64 * GIB, free_bytes=50 * GIB)

CARD = BenchDevice(
    "cuda:0",
    "TITAN RTX",
    "0",
    0,
    CardId("a"),
    total_bytes=24 * GIB,
    free_bytes=22 * GIB,
    context_bytes=334 * MIB,
    cache_bytes=2 * MIB,
    tensor_bytes=MIB,
)
OTHER = BenchDevice("cuda:1", "TITAN RTX", "1", 1, CardId("b"), free_bytes=22 * GIB)
NET = Placed(3, "net", "model", "cuda:0", "Linear(3, 1)", None, "float32", 16)

THINGS = {
    "X": tensor("X"),
    "Y": tensor("Y", "cuda:1"),
    "W": tensor("W", shape=(3, 4), requires_grad=True),
    "s": tensor("s", "cpu", ()),
    "loss": tensor("loss", shape=(), requires_grad=True),
    "labels": tensor("labels", shape=(2,), dtype="int64"),
    "net": NET,
}
EMPTY = Around(devices=(HOST, CARD, OTHER, BenchDevice("meta", "", "")))
AROUND = Around(THINGS, devices=EMPTY.devices)


def plan(form: LabForm, around: Around = AROUND, /, **fields: str) -> Plan:
    made = form.plan(form.settled(fields, around), around)
    ast.parse(made.code)  # whatever it says can be run
    return made


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "X = torch.ones(2, 3)"),
        *(
            ({"shape": typed}, f"X = torch.ones({shape})")
            for typed, shape in (
                ("", "()"), ("()", "()"), ("2,3,", "2, 3"), ("(2, 3)", "2, 3"), ("7", "7"),
                ("[2, 3]", "2, 3"), ("2 x 3", "2, 3"), ("2×3", "2, 3"), ("0, 4", "0, 4"),
            )
        ),
        ({"fill": "rand", "device": "cuda:1"}, 'X = torch.rand(2, 3, device="cuda:1")'),
        (
            {"fill": "zeros", "shape": "4", "dtype": "float16", "grad": "on"},
            "X = torch.zeros(4, dtype=torch.float16, requires_grad=True)",
        ),
        ({"fill": "full", "shape": "4", "full": "7"}, "X = torch.full((4,), 7)"),
        (
            {"fill": "full", "full": "7", "dtype": "float32"},
            "X = torch.full((2, 3), 7, dtype=torch.float32)",
        ),
        ({"fill": "randint"}, "X = torch.randint(0, 10, (2, 3))"),
        ({"fill": "arange"}, "X = torch.arange(0, 12, 1)"),
        ({"fill": "tensor", "tensor": "[[1], [2]]"}, "X = torch.tensor([[1], [2]])"),
        ({"shape": "2", "pinned": "on"}, "X = torch.ones(2, pin_memory=True)"),
        ({"fill": "rand", "seed": "42"}, "torch.manual_seed(42)\nX = torch.rand(2, 3)"),
        ({"seed": "42"}, "X = torch.ones(2, 3)"),  # nothing is drawn
    ],
)  # fmt: skip
def test_a_tensor_is_written_as_a_person_would(fields: dict[str, str], code: str) -> None:
    given = {"name": "X", "device": "cpu", **fields}
    assert plan(TENSOR, EMPTY, **given).code == code


def test_every_fill_and_type_that_is_offered_can_be_made() -> None:
    for fill, made_of in FILLS.items():
        for dtype, each in DTYPES.items():
            if each.kind in made_of.kinds:
                made = plan(TENSOR, EMPTY, fill=fill, dtype=dtype, device="meta")
                assert made.ready, (fill, dtype, made.problems)


@pytest.mark.parametrize(
    ("fill", "field", "typed", "sentence"),
    [
        ("ones", "name", "", "Enter a name."),
        ("ones", "name", "2x", "'2x' is not a name."),
        ("ones", "name", "class", "a word of Python or PyTorch"),
        ("ones", "name", "torch", "a word of Python or PyTorch"),
        ("ones", "shape", "-1", "cannot be -1"),
        ("ones", "shape", "2,,3", "missing between two commas"),
        ("ones", "shape", "1e9 x 1e9", "'1e9' is not a whole number."),
        ("ones", "shape", "(2, 3", "'(2' is not a whole number."),
        ("arange", "arange", "0, 12, 0", "never end"),
        ("arange", "arange", "0, 12, -1", "Steps of -1 do not lead from 0 to 12."),
        ("arange", "arange", "0, 1e300, 1e-320", "can count"),
        ("arange", "arange", f"0, {'9' * 400}, 1", "not numbers"),
        ("arange", "arange", "0, 1j, 1", "not numbers"),
        ("randint", "randint", "0, 0", "0 is not above 0."),
        ("full", "full", "", "cannot be read as numbers"),
        ("rand", "seed", "a", "whole number"),
        ("rand", "seed", str(2**64), "64 bits"),
        ("tensor", "tensor", "[[1, 2], [3]]", "not equally long"),
        ("tensor", "tensor", "['a']", "not numbers"),
        ("tensor", "tensor", "[" * 300, "cannot be read as numbers"),
        ("tensor", "tensor", "open('x')", "cannot be read as numbers"),
    ],
)
def test_a_bad_field_keeps_the_cell_from_running_and_says_why(
    fill: str, field: str, typed: str, sentence: str
) -> None:
    made = plan(TENSOR, EMPTY, **{"fill": fill, field: typed})
    assert sentence in made.problems[field]
    assert not made.ready
    assert made.code == ""


UNUSED = replace(CARD, context_bytes=0, cache_bytes=0, tensor_bytes=0, free_bytes=GIB)
KEPT = replace(CARD, free_bytes=MIB, cache_bytes=GIB, tensor_bytes=0)
WHY = Message("PyTorch's cuda:0 is card 1 of nvidia-smi and of this window.")
CONTEXT = Around(devices=(UNUSED,), contexts={"cuda:0": 334 * MIB})
MODELLED = Around(devices=(replace(HOST, free_bytes=GIB), replace(CARD, modelled=True)))


@pytest.mark.parametrize(
    ("around", "fields", "said"),
    [
        (CONTEXT, {}, "First use adds the context, 0.33 GiB"),
        (
            CONTEXT,
            {"shape": "200, 1024, 1024"},
            "Does not fit with the context: 0.78 GiB of 1.00 GiB free",
        ),
        (Around(devices=(KEPT,)), {"shape": "99, 1024, 1024"}, "it fits"),  # in the cache
        (replace(EMPTY, memory_share=0.1), {"shape": "1024, 1024, 1024"}, "under the cap"),
        (MODELLED, {"shape": "1024, 1024, 1024"}, "its values need the computer's memory"),
        (EMPTY, {"device": "meta"}, "24 B with values; meta keeps only the shape"),
        (Around(devices=(replace(HOST, free_bytes=None),)), {}, "is not known"),
        (Around(devices=(replace(CARD, reason=WHY),)), {}, WHY),
    ],
)  # fmt: skip
def test_what_it_takes_is_said_where_it_is_chosen(
    around: Around, fields: dict[str, str], said: str
) -> None:
    made = plan(TENSOR, around, **fields)
    assert any(said in each for each in (*made.facts, *made.warnings))


# What PyTorch itself counts for the models as they stand in their forms, in parameters.
KNOWN = {
    "linear": 4,
    "mlp": 203_530,
    "lenet": 61_706,
    "transformer": 12_704,
    "tiny_gpt": 29_275,
}


@pytest.mark.parametrize("key", list(MODELS))
def test_models_are_written_out_and_know_their_parameters(key: str) -> None:
    assert MODELS[key].parameters(*MODELS[key].sizes.values()) == KNOWN[key]
    made = plan(MODEL, EMPTY, model=key, device="cuda:1", seed="1")
    assert made.code.startswith("torch.manual_seed(1)\n")
    assert made.code.endswith('.to("cuda:1")')
    assigned = [each for each in ast.parse(made.code).body if isinstance(each, ast.Assign)]
    assert [ast.unparse(each.targets[0]) for each in assigned] == ["net"]


@pytest.mark.parametrize(
    ("operation", "fields", "code"),
    [
        ("+", {"right": "Y"}, "X + Y"),
        ("+", {"right": "X", "result": "Z"}, "Z = X + X"),
        ("×", {"right": A_NUMBER}, "X * 2"),
        ("−", {"right": A_NUMBER, "number": "-2.5"}, "X - (-2.5)"),
        ("@", {"right": "W"}, "X @ W"),
        ("sum", {}, "X.sum()"),
        ("sum", {"dimension": "1"}, "X.sum(dim=1)"),
        ("max", {"dimension": "-1"}, "X.amax(dim=-1)"),
        ("view", {"shape": "3, -1"}, "A = X.view(3, -1)"),
        ("view", {"shape": "(6,)", "result": ""}, "X.view(6)"),
        ("to", {"result": "Z"}, 'Z = X.to("cuda:1")'),
        ("T", {}, "A = X.T"),
        ("backward", {"left": "loss", "result": "Z"}, "loss.backward()"),
        ("forward", {"left": "net"}, "out = net(X)"),
        ("to", {"left": "net", "device": "cpu"}, 'net = net.to("cpu")'),
        ("eval", {"left": "net"}, "net.eval()"),
    ],
)
def test_an_operation_is_written_as_a_person_would(
    operation: str, fields: dict[str, str], code: str
) -> None:
    key = "model operation" if fields.get("left") == "net" else "operation"
    made = plan(COMPUTE, **{"left": "X", key: operation, **fields})
    assert made.code == code, made.problems


def test_every_operation_writes_python() -> None:
    for face in OF_TENSORS:
        assert plan(COMPUTE, left="X", operation=face, shape="3, 2").ready, face
    for face in OF_MODELS:
        assert plan(COMPUTE, left="net", **{"model operation": face}).ready, face


@pytest.mark.parametrize(
    ("operation", "fields", "warning"),
    [
        ("+", {"right": "Y"}, "Tensors are on different devices: cuda:0, cuda:1"),
        ("+", {"right": "W"}, "2×3 and 3×4 do not go together"),
        ("@", {"left": "W", "right": "X"}, "3×4 @ 2×3: the inner sizes differ, 4 and 2"),
        ("@", {"right": "s"}, "A matrix product takes no single values"),
        ("+", {"right": "X", "result": "W"}, "W already exists"),
        ("", {"left": "net", "right": "Y"}, "Tensors are on different devices"),
    ],
)
def test_what_pytorch_will_refuse_is_said_and_can_be_run_all_the_same(
    operation: str, fields: dict[str, str], warning: str
) -> None:
    made = plan(COMPUTE, **{"left": "X", "operation": operation, **fields})
    assert warning in made.warnings[0]
    assert made.ready


@pytest.mark.parametrize(
    ("operation", "field", "typed"),
    [("+", "number", "two"), ("sum", "dimension", "first"), ("view", "shape", "-1, -1"),
     ("view", "shape", "2,,3"), ("view", "shape", ""), ("+", "result", "1")],
)  # fmt: skip
def test_a_bad_field_is_told_beside_it(operation: str, field: str, typed: str) -> None:
    made = plan(COMPUTE, left="X", right=A_NUMBER, **{"operation": operation, field: typed})
    assert made.problems[field]
    assert not made.ready


def test_on_an_empty_shelf_each_form_says_what_to_create_first() -> None:
    assert plan(COMPUTE, EMPTY).problems["left"] == "No tensors yet: create one first."
    assert set(plan(TRAIN, EMPTY).problems) == {"model", "inputs", "targets"}


MAKE = 'X = torch.ones(2, 3, device="cuda:0")'
Keys = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(qtbot: QtBot, lab: Lab) -> Iterator[QWidget]:
    window = QWidget()
    window.resize(300, 720)
    qtbot.addWidget(window)
    FormPanel(lab, window).setFixedSize(240, 700)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    yield window
    window.close()


def named(within: QWidget, name: str) -> QWidget:
    """What is seen under this name; what holds may stand behind a colon."""
    starts = (f"{name}: ", f"{name}, ")
    found = [
        each
        for each in within.findChildren(QWidget)
        if each.isVisible()
        and (each.accessibleName() == name or each.accessibleName().startswith(starts))
    ]
    assert found, f"nothing called {name!r}"
    return found[-1]


def write(within: QWidget, name: str, text: str) -> QWidget:
    field = named(within, name)
    field.setFocus()
    QTest.keyClick(field, Keys.Key_A, CONTROL)
    QTest.keyClick(field, Keys.Key_Backspace)
    QTest.keyClicks(field, text)
    return field


def click(within: QWidget, name: str) -> None:
    QTest.mouseClick(named(within, name), Qt.MouseButton.LeftButton)


def unfold(within: QWidget) -> None:
    [more] = [e for e in within.findChildren(QAbstractButton) if e.text() == "More options"]
    more.click()


def opened(within: QWidget, name: str) -> QListView:
    click(within, name)
    (choices,) = [each for each in within.findChildren(QListView) if each.isVisible()]
    return choices


def pick(within: QWidget, name: str, letters: str) -> None:
    """From an open list, by its first letters."""
    choices = opened(within, name)
    choices.keyboardSearch("")  # what was typed before is forgotten only after a moment
    QTest.keyClicks(choices, letters)
    QTest.keyClick(choices, Keys.Key_Return)


def ctrl_enter(within: QWidget) -> None:
    QTest.keyClick(QApplication.focusWidget() or within, Keys.Key_Return, CONTROL)


def shelf(lab: Lab, worker: ScriptedWorker, qtbot: QtBot, *placed: Placed) -> None:
    run(lab, worker, MAKE, *placed)
    qtbot.waitUntil(lambda: set(lab.ledger.things) >= {each.name for each in placed})
    with qtbot.waitSignal(lab.changed):
        run(lab, worker, "print(1)")


def test_what_it_is_filled_with_brings_its_field_along(
    window: QWidget, worker: ScriptedWorker
) -> None:
    unfold(window)
    pick(window, "Fill", "randi")
    write(window, "From, below", "0, 7")
    write(window, "Seed", "42")
    ctrl_enter(window)
    code = 'torch.manual_seed(42)\nA = torch.randint(0, 7, (2, 3), device="cuda:0")'
    assert worker.cells == [code]
    pick(window, "Type", "float6")
    ctrl_enter(window)
    assert "dtype=torch.float64" in worker.cells[-1]


def test_an_operation_is_chosen_by_arrow_keys(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    shelf(lab, worker, qtbot, tensor("X"), tensor("Y"))
    click(window, "Compute")
    named(window, "+").setFocus()
    QTest.keyClick(named(window, "+"), Keys.Key_Right)
    assert named(window, "−").hasFocus()
    ctrl_enter(window)
    assert worker.cells[-1] == "X - Y"
