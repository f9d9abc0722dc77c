"""The cells that compute and train, and what is to be expected of them."""

from dataclasses import replace

import pytest

from gpuexplorer.gui.lab.forms.compute import A_NUMBER, COMPUTE
from gpuexplorer.gui.lab.forms.operations import OF_MODELS, OF_TENSORS, Needs
from gpuexplorer.gui.lab.forms.train import TRAIN
from gpuexplorer.lab.events import Placed
from tests.gui.lab.form_plans import AROUND, EMPTY, THINGS, plan


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"operation": "add", "right": "Y"}, "X + Y"),
        ({"operation": "add", "right": "X", "result": "Z"}, "Z = X + X"),
        ({"operation": "multiply", "right": A_NUMBER}, "X * 2"),
        ({"operation": "subtract", "right": A_NUMBER, "number": "-2.5"}, "X - (-2.5)"),
        ({"operation": "matmul", "right": "W"}, "X @ W"),
        ({"operation": "is", "right": "Y"}, "X is Y"),
        ({"operation": "sum"}, "X.sum()"),
        ({"operation": "sum", "dimension": "1"}, "X.sum(dim=1)"),
        ({"operation": "max"}, "X.max()"),
        ({"operation": "max", "dimension": "-1"}, "X.amax(dim=-1)"),
        ({"operation": "softmax"}, "torch.softmax(X, dim=-1)"),
        ({"operation": "view", "shape": "3, -1", "result": ""}, "X.view(3, -1)"),
        ({"operation": "reshape", "shape": "(6,)", "result": ""}, "X.reshape(6)"),
        ({"operation": "slice", "slice": ":, 1:3", "result": ""}, "X[:, 1:3]"),
        ({"operation": "slice", "slice": "[0]", "result": ""}, "X[0]"),
        ({"operation": "to", "result": "Z"}, 'Z = X.to("cuda:1")'),
        ({"operation": "cuda", "result": "Z"}, "Z = X.cuda(1)"),
        ({"left": "loss", "operation": "backward", "result": "Z"}, "loss.backward()"),
        ({"left": "net", "operation": "forward", "result": ""}, "net(X)"),
        ({"left": "net", "operation": "model_to", "device": "cpu"}, 'net = net.to("cpu")'),
    ],
)
def test_an_operation_is_written_as_a_person_would(fields: dict[str, str], code: str) -> None:
    made = plan(COMPUTE, **{"left": "X", **fields})
    assert made.code == code, made.problems


def test_every_operation_writes_python() -> None:
    for each in (*OF_TENSORS.values(), *OF_MODELS.values()):
        left = "net" if each.key in OF_MODELS else "X"
        assert plan(COMPUTE, left=left, operation=each.key, shape="3, 2").ready, each


@pytest.mark.parametrize(
    ("fields", "warning"),
    [
        ({"operation": "add", "right": "Y"}, "Operands on two devices: cuda:0 and cuda:1"),
        ({"operation": "add", "right": "W"}, "2×3 and 3×4 do not go together"),
        (
            {"left": "W", "operation": "matmul", "right": "X"},
            "3×4 @ 2×3: the inner sizes differ, 4 and 2",
        ),
        ({"operation": "item"}, "item gives one value; X has 6"),
        ({"operation": "backward"}, "X needs no gradient: PyTorch will refuse"),
        ({"left": "W", "operation": "backward"}, "backward begins at one value; W has 12"),
        ({"operation": "view", "shape": "4, -1"}, "X has 6 elements, which do not fill"),
        ({"left": "labels", "operation": "mean"}, "PyTorch takes no mean of int64"),
        ({"operation": "to", "device": "cuda:0"}, "X is on cuda:0 already"),
        ({"operation": "add", "right": "X", "result": "W"}, "W is there already"),
        ({"left": "net", "operation": "forward", "right": "Y"}, "Operands on two devices"),
    ],
)
def test_what_pytorch_will_refuse_is_said_and_can_be_run_all_the_same(
    fields: dict[str, str], warning: str
) -> None:
    made = plan(COMPUTE, **{"left": "X", **fields})
    assert warning in made.warnings[0]
    assert made.ready


def test_what_goes_together_gets_no_warning() -> None:
    for fields in (
        {"operation": "add", "right": "X"},
        {"operation": "add", "right": "s"},
        {"operation": "matmul", "right": "W"},
        {"operation": "is", "right": "Y"},
        {"left": "s", "operation": "item"},
        {"left": "loss", "operation": "backward"},
        {"operation": "view"},
        {"left": "net", "operation": "model_to"},
    ):
        assert plan(COMPUTE, **{"left": "X", **fields}).warnings == [], fields


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"operation": "add", "right": A_NUMBER, "number": "two"}, "number"),
        ({"operation": "sum", "dimension": "first"}, "dimension"),
        ({"operation": "view", "shape": "-1, -1"}, "shape"),
        ({"operation": "view", "shape": "2,,3"}, "shape"),
        ({"operation": "view", "shape": ""}, "shape"),
        ({"operation": "slice", "slice": ""}, "slice"),
        ({"operation": "slice", "slice": "0]; import os"}, "slice"),
        ({"operation": "slice", "slice": "0] + Y[0"}, "slice"),
        ({"operation": "add", "right": "Y", "result": "1"}, "result"),
    ],
)
def test_a_bad_field_is_told_beside_it(fields: dict[str, str], field: str) -> None:
    made = plan(COMPUTE, **{"left": "X", **fields})
    assert made.problems[field]
    assert not made.ready


def test_an_empty_shelf_and_a_machine_without_cards_say_what_is_missing() -> None:
    assert "create something first" in plan(COMPUTE, EMPTY).problems["left"]
    alone = replace(AROUND, devices=EMPTY.devices[:1])
    assert plan(COMPUTE, alone, left="X", operation="cuda").problems["device"] == (
        "It takes a card."
    )


def test_what_is_made_to_be_kept_is_given_a_name() -> None:
    assert plan(COMPUTE, left="X", operation="cuda").code == "A = X.cuda(1)"
    assert plan(COMPUTE, left="X", operation="add").code == "X + Y"
    assert plan(COMPUTE, left="net", operation="forward").code == "out = net(X)"
    assert {each.needs for each in OF_TENSORS.values()} >= {Needs.SHAPE, Needs.DEVICE}


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
    assert plan(TRAIN, around, **LEARN, optimiser="Adam").code.startswith(
        "opt2 = torch.optim.Adam(net.parameters(), lr=0.1)\n"
    )


def test_one_step_is_written_out_and_shows_its_loss() -> None:
    code = plan(TRAIN, task="step", **LEARN).code
    assert code.splitlines()[1:] == [
        "loss = F.mse_loss(net(X), labels)",
        "opt.zero_grad()",
        "loss.backward()",
        "opt.step()",
        "loss",
    ]


def test_parameters_go_to_a_file_and_back_onto_a_device() -> None:
    assert plan(TRAIN, task="save").code == 'torch.save(net.state_dict(), "net.pt")'
    assert plan(TRAIN, task="load").code == (
        'net.load_state_dict(torch.load("net.pt", map_location="cuda:0", weights_only=True))'
    )
    assert plan(TRAIN, task="save", file='a"b\\c.pt').ready
    assert "file" in plan(TRAIN, task="save", file=" ").problems


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"rate": "fast"}, "rate"),
        ({"rate": "-1"}, "rate"),
        ({"steps": "0"}, "steps"),
        ({"batch": "1.5"}, "batch"),
        ({"task": "forward", "result": "2"}, "result"),
    ],
)
def test_what_training_lacks_is_told_beside_its_field(
    fields: dict[str, str], field: str
) -> None:
    made = plan(TRAIN, **{**LEARN, **fields})
    assert made.problems[field]
    assert not made.ready


def test_without_a_model_or_tensors_there_is_nothing_to_train() -> None:
    assert set(plan(TRAIN, EMPTY).problems) == {"model", "inputs", "targets"}
    assert set(plan(TRAIN, EMPTY, task="backward").problems) == {"of"}


def test_what_does_not_suit_each_other_is_said_before_the_loop() -> None:
    apart = plan(TRAIN, **{**LEARN, "targets": "Y"})
    assert apart.warnings == ["On different devices: cuda:0, cuda:1"]
    uneven = plan(TRAIN, **{**LEARN, "targets": "W"})
    assert "2 inputs and 3 targets" in uneven.warnings[0]
    fractions = plan(TRAIN, **{**LEARN, "targets": "s"}, loss="nll_loss")
    assert any("int64" in each for each in fractions.warnings)
