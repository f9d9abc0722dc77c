"""The cells that compute and train, and what is to be expected of them."""

from dataclasses import replace

import pytest

from gpuexplorer.gui.lab.forms.compute import A_NUMBER, COMPUTE, OF_MODELS, OF_TENSORS
from gpuexplorer.gui.lab.forms.train import TRAIN
from gpuexplorer.lab.events import Placed
from tests.gui.lab.form_plans import AROUND, EMPTY, THINGS, plan


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
    ("left", "operation", "right"),
    [("X", "+", "X"), ("X", "+", "s"), ("X", "@", "W"), ("s", "item", ""), ("X", "view", ""),
     ("loss", "backward", ""), ("net", "", "X")],
)  # fmt: skip
def test_what_goes_together_gets_no_warning(left: str, operation: str, right: str) -> None:
    assert plan(COMPUTE, left=left, operation=operation, right=right).warnings == []


@pytest.mark.parametrize(
    ("operation", "field", "typed"),
    [("+", "number", "two"), ("sum", "dimension", "first"), ("view", "shape", "-1, -1"),
     ("view", "shape", "2,,3"), ("view", "shape", ""), ("+", "result", "1")],
)  # fmt: skip
def test_a_bad_field_is_told_beside_it(operation: str, field: str, typed: str) -> None:
    made = plan(COMPUTE, left="X", right=A_NUMBER, **{"operation": operation, field: typed})
    assert made.problems[field]
    assert not made.ready


LEARN = {"model": "net", "inputs": "X", "targets": "labels"}


def test_training_is_a_plain_loop_whose_losses_are_a_list() -> None:
    made = plan(TRAIN, **LEARN, loss="cross_entropy", steps="5", batch="2")
    assert made.code == (
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "losses = []\n"
        "for step in range(5):\n"
        "    at = step * 2 % len(X)\n"
        "    loss = F.cross_entropy(net(X[at:at + 2]), labels[at:at + 2])\n"
        "    opt.zero_grad()\n"
        "    loss.backward()\n"
        "    opt.step()\n"
        "    losses.append(loss.detach())"
    )
    assert made.warnings == []


def test_an_optimiser_that_is_there_is_used() -> None:
    opt = Placed(9, "opt", "optimiser", "", "SGD")
    around = replace(AROUND, things={**THINGS, "opt": opt})
    assert plan(TRAIN, around, **LEARN).code.startswith("losses = []")
    begun = plan(TRAIN, around, **LEARN, optimiser="Adam").code.splitlines()[0]
    assert begun == "opt2 = torch.optim.Adam(net.parameters(), lr=0.1)"


def test_one_step_is_written_out_and_shows_its_loss() -> None:
    lines = plan(TRAIN, task="step", **LEARN).code.splitlines()[1:]
    steps = ["opt.zero_grad()", "loss.backward()", "opt.step()", "loss"]
    assert lines == ["loss = F.mse_loss(net(X), labels)", *steps]


def test_parameters_go_to_a_file_and_back_onto_a_device() -> None:
    assert plan(TRAIN, task="save").code == 'torch.save(net.state_dict(), "net.pt")'
    assert plan(TRAIN, task="load").code == (
        'net.load_state_dict(torch.load("net.pt", map_location="cuda:0", weights_only=True))'
    )
    assert plan(TRAIN, task="save", file='a"b\\c.pt').ready
    assert "file" in plan(TRAIN, task="save", file=" ").problems


@pytest.mark.parametrize(
    ("field", "typed"), [("rate", "fast"), ("rate", "-1"), ("steps", "0"), ("batch", "1.5")]
)
def test_what_training_lacks_is_told_beside_its_field(field: str, typed: str) -> None:
    assert plan(TRAIN, **{**LEARN, field: typed}).problems[field]


def test_on_an_empty_shelf_each_form_says_what_to_create_first() -> None:
    assert plan(COMPUTE, EMPTY).problems["left"] == "No tensors yet: create one first."
    assert set(plan(TRAIN, EMPTY).problems) == {"model", "inputs", "targets"}


@pytest.mark.parametrize(
    ("fields", "warning"),
    [
        ({"targets": "Y"}, "Tensors are on different devices: cuda:0, cuda:1"),
    ],
)
def test_what_does_not_suit_each_other_is_said_before_the_loop(
    fields: dict[str, str], warning: str
) -> None:
    assert plan(TRAIN, **{**LEARN, **fields}).warnings == [warning]
