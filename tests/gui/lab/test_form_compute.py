"""The lines that compute and train, and what is to be expected of them."""

from dataclasses import replace

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.forms.compute_plan import (
    ComputeWish,
    compute_plan,
    proposed_result,
)
from gpuexplorer.gui.wording.lab.forms.operations import OF_MODELS, OF_TENSORS, Needs
from gpuexplorer.gui.wording.lab.forms.plan import Surroundings, Training
from gpuexplorer.gui.wording.lab.forms.train_plan import Task, TrainWish, train_plan
from gpuexplorer.gui.wording.lab.forms.wrapping import wrapped
from gpuexplorer.lab.events import Placed
from gpuexplorer.lab.grammar import read_line
from tests.gui.lab.conftest import tensor

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
DEVICES = (
    BenchDevice("cpu", "Ryzen", "H"),
    BenchDevice("cuda:0", "TITAN RTX", "0", 0, CardId("a")),
    BenchDevice("cuda:1", "TITAN RTX", "1", 1, CardId("b")),
)
AROUND = Surroundings(things=THINGS, devices=DEVICES, fall_back=False)


@pytest.mark.parametrize(
    ("wish", "line"),
    [
        (ComputeWish("add", "X", "Y"), "X + Y"),
        (ComputeWish("add", "X", "X", result="Z"), "Z = X + X"),
        (ComputeWish("multiply", "X", None, "2"), "X * 2"),
        (ComputeWish("subtract", "X", None, "-2.5"), "X - (-2.5)"),
        (ComputeWish("matmul", "X", "W"), "X @ W"),
        (ComputeWish("is", "X", "Y"), "X is Y"),
        (ComputeWish("sum", "X"), "X.sum()"),
        (ComputeWish("sum", "X", told="1"), "X.sum(dim=1)"),
        (ComputeWish("max", "X"), "X.max()"),
        (ComputeWish("max", "X", told="-1"), "X.amax(dim=-1)"),
        (ComputeWish("softmax", "X"), "torch.softmax(X, dim=-1)"),
        (ComputeWish("view", "X", told="3, -1"), "X.view(3, -1)"),
        (ComputeWish("reshape", "X", told="(6,)"), "X.reshape(6)"),
        (ComputeWish("slice", "X", told=":, 1:3"), "X[:, 1:3]"),
        (ComputeWish("slice", "X", told="[0]"), "X[0]"),
        (ComputeWish("to", "X", device="cuda:1"), 'X.to("cuda:1")'),
        (ComputeWish("cuda", "X", device="cuda:1", result="Z"), "Z = X.cuda(1)"),
        (ComputeWish("backward", "loss", result="Z"), "loss.backward()"),
        (ComputeWish("forward", "net", "X"), "net(X)"),
        (ComputeWish("model_to", "net", device="cpu", result="net"), 'net = net.to("cpu")'),
    ],
)
def test_an_operation_is_written_as_pytorch_wants_it(wish: ComputeWish, line: str) -> None:
    plan = compute_plan(wish, AROUND)
    assert plan.lines == (line,), plan.problems


def test_every_operation_is_understood_by_the_lab() -> None:
    told = {Needs.SHAPE: "3, 2", Needs.SLICE: "0, ..., ::2", Needs.DIMENSION: "0"}
    for each in (*OF_TENSORS.values(), *OF_MODELS.values()):
        left = "net" if each.key in OF_MODELS else "X"
        for fall_back in (True, False):
            wish = ComputeWish(each.key, left, "X", "", told.get(each.needs, ""), "cuda:1", "R")
            around = replace(AROUND, fall_back=fall_back)
            (line,) = compute_plan(wish, around).lines
            read_line(line)


@pytest.mark.parametrize(
    ("wish", "warning"),
    [
        (ComputeWish("add", "X", "Y"), "Operands on two devices: cuda:0 and cuda:1"),
        (ComputeWish("add", "X", "W"), "2×3 and 3×4 do not go together"),
        (ComputeWish("matmul", "W", "X"), "3×4 @ 2×3: the inner sizes differ, 4 and 2"),
        (ComputeWish("item", "X"), "item gives one value; X has 6"),
        (ComputeWish("backward", "X"), "X needs no gradient: PyTorch will refuse"),
        (ComputeWish("backward", "W"), "backward begins at one value; W has 12"),
        (ComputeWish("view", "X", told="4, -1"), "X has 6 elements, which do not fill"),
        (ComputeWish("mean", "labels"), "PyTorch takes no mean of int64"),
        (ComputeWish("to", "X", device="cuda:0"), "X is on cuda:0 already"),
        (ComputeWish("add", "X", "X", result="W"), "W is there already"),
        (ComputeWish("forward", "net", "Y"), "Operands on two devices"),
    ],
)
def test_what_pytorch_will_refuse_is_said_and_can_be_run_all_the_same(
    wish: ComputeWish, warning: str
) -> None:
    plan = compute_plan(wish, AROUND)
    assert warning in plan.warnings[0]
    assert plan.ready


def test_what_goes_together_gets_no_warning() -> None:
    for wish in (
        ComputeWish("add", "X", "X"),
        ComputeWish("add", "X", "s"),
        ComputeWish("matmul", "X", "W"),
        ComputeWish("is", "X", "Y"),
        ComputeWish("item", "s"),
        ComputeWish("backward", "loss"),
        ComputeWish("view", "X", told="-1"),
        ComputeWish("model_to", "net", device="cuda:1", result="net"),
    ):
        assert compute_plan(wish, AROUND).warnings == [], wish


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        (ComputeWish("add", ""), "left"),
        (ComputeWish("add", "X", ""), "right"),
        (ComputeWish("add", "X", None, "two"), "number"),
        (ComputeWish("sum", "X", told="first"), "told"),
        (ComputeWish("view", "X", told="-1, -1"), "told"),
        (ComputeWish("view", "X", told="2,,3"), "told"),
        (ComputeWish("view", "X", told=""), "told"),
        (ComputeWish("slice", "X", told=""), "told"),
        (ComputeWish("slice", "X", told="0]; import os"), "told"),
        (ComputeWish("slice", "X", told="0] + Y[0"), "told"),
        (ComputeWish("cuda", "X", device="cpu"), "device"),
        (ComputeWish("add", "X", "Y", result="1"), "result"),
    ],
)
def test_a_bad_field_is_told_beside_it(wish: ComputeWish, field: str) -> None:
    plan = compute_plan(wish, AROUND)
    assert plan.problems[field]
    assert not plan.ready


def test_what_is_made_to_be_kept_is_given_a_name() -> None:
    assert proposed_result(OF_TENSORS["add"], "X", {"X"}) == ""
    assert proposed_result(OF_TENSORS["cuda"], "X", {"A", "X"}) == "B"
    assert proposed_result(OF_MODELS["forward"], "net", ()) == "out"
    assert proposed_result(OF_MODELS["model_to"], "net", {"net"}) == "net"


LEARN = TrainWish(Task.RUN, "net", "X", "labels")


def test_a_training_run_makes_its_optimiser_first() -> None:
    plan = train_plan(replace(LEARN, loss="cross_entropy", steps="5", batch="2"), AROUND)
    assert plan.lines == ("opt = torch.optim.SGD(net.parameters(), lr=0.1)",)
    assert plan.training == Training("net", "X", "labels", "opt", "cross_entropy", 5, 2)
    assert plan.code.splitlines()[1] == "for step in range(5):"
    assert plan.warnings == []


def test_an_optimiser_that_is_there_is_used() -> None:
    opt = Placed(9, "opt", "optimiser", "", "SGD")
    around = replace(AROUND, things={**THINGS, "opt": opt})
    plan = train_plan(replace(LEARN, optimiser="opt"), around)
    assert plan.lines == ()
    assert plan.ready
    assert train_plan(LEARN, around).lines[0].startswith("opt2 = ")


def test_one_step_is_written_out_line_by_line() -> None:
    lines = train_plan(replace(LEARN, task=Task.STEP), AROUND).lines
    assert list(lines[1:]) == [
        "opt.zero_grad()",
        "loss = F.mse_loss(net(X), labels)",
        "loss.backward()",
        "opt.step()",
    ]
    for line in lines:
        read_line(line)


def test_parameters_go_to_a_file_and_back_onto_a_device() -> None:
    save = train_plan(TrainWish(Task.SAVE, "net"), AROUND)
    assert save.lines == ('torch.save(net.state_dict(), "net.pt")',)
    load = train_plan(TrainWish(Task.LOAD, "net", device="cuda:0"), AROUND)
    assert load.lines == (
        'net.load_state_dict(torch.load("net.pt", map_location="cuda:0", weights_only=True))',
    )
    odd = train_plan(TrainWish(Task.SAVE, "net", file='a"b\\c.pt'), AROUND)
    read_line(odd.lines[0])
    assert "file" in train_plan(TrainWish(Task.SAVE, "net", file=" "), AROUND).problems


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        (TrainWish(), "model"),
        (replace(LEARN, inputs=""), "inputs"),
        (replace(LEARN, targets=""), "targets"),
        (replace(LEARN, rate="fast"), "rate"),
        (replace(LEARN, rate="-1"), "rate"),
        (replace(LEARN, steps="0"), "steps"),
        (replace(LEARN, batch="1.5"), "batch"),
        (TrainWish(Task.FORWARD, "net", "X", result="2"), "result"),
        (TrainWish(Task.BACKWARD), "of"),
        (TrainWish(Task.LOAD, "net", device="cuda:9"), "device"),
    ],
)
def test_what_training_lacks_is_told_beside_its_field(wish: TrainWish, field: str) -> None:
    plan = train_plan(wish, AROUND)
    assert plan.problems[field]
    assert not plan.ready


def test_what_does_not_suit_each_other_is_said_before_the_run() -> None:
    apart = train_plan(replace(LEARN, targets="Y"), AROUND)
    assert apart.warnings == ["On different devices: cuda:0, cuda:1"]
    uneven = train_plan(replace(LEARN, targets="W"), AROUND)
    assert "2 inputs and 3 targets" in uneven.warnings[0]
    fractions = train_plan(replace(LEARN, targets="s", loss="nll_loss"), AROUND)
    assert any("int64" in each for each in fractions.warnings)


def test_a_long_line_is_broken_and_nothing_of_it_is_lost() -> None:
    lines = (
        "A = torch.rand(2, 3, device=try_gpu(0), requires_grad=True)",
        "net = nn.Linear(3, 1).to(try_gpu(0))",
        "    loss = F.mse_loss(net(X[at : at + 32]), Y[at : at + 32])",
        "a_very_long_name_of_forty_letters_exactly + another_one_of_the_same_kind",
        "X",
    )
    for line in lines:
        for columns in range(8, 80):
            broken = wrapped(line, columns)
            assert all(len(each) <= columns for each in broken)
            assert "".join("".join(broken).split()) == "".join(line.split())
    assert wrapped(lines[1], 28) == ["net = nn.Linear(3, 1)", "    .to(try_gpu(0))"]
