"""The cells that compute and train, and what is to be expected of them."""

import pytest

from gpuexplorer.gui.lab.forms.compute import A_NUMBER, COMPUTE, OF_MODELS, OF_TENSORS
from gpuexplorer.gui.lab.forms.train import TRAIN
from tests.gui.lab.form_plans import EMPTY, plan


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
