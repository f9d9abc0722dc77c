"""A look inside: what is shown, what it is part of, and what the look itself moved."""

import math

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from gpuexplorer.lab.events import Opened, Peeked  # noqa: E402
from gpuexplorer.lab.wire import Peek  # noqa: E402
from gpuexplorer.worker.shelf import look  # noqa: E402
from tests.worker.benches import Bench  # noqa: E402


def peek(bench: Bench, what: str, *at: int, rows: int = 16, columns: int = 16) -> Peeked:
    with bench.engine.running(watched=False):
        seen = look(Peek(1, what, at, rows, columns), bench.things)
    assert isinstance(seen, Peeked)
    return seen


def test_a_small_tensor_is_seen_whole(bench: Bench) -> None:
    bench.run("X = torch.arange(6.0, device='{0}').reshape(2, 3)")
    seen = peek(bench, "X")
    assert list(seen.rows) == [(0, 1, 2), (3, 4, 5)]
    assert [seen.device, seen.dtype] == [bench.devices[0], "float32"]
    assert list(seen.shape) == [2, 3]
    assert [seen.least, seen.most, seen.mean] == [0, 5, 2.5]
    assert seen.deviation == pytest.approx(1.8708, abs=1e-4)
    assert sum(seen.histogram) == 6
    assert (seen.moved_bytes == 0) is (bench.devices[0] == "cpu")


def test_a_window_shows_a_part_of_a_plane(bench: Bench) -> None:
    bench.run("X = torch.arange(2 * 3 * 40 * 50.0, device='{0}').reshape(2, 3, 40, 50)")
    seen = peek(bench, "X", 1, 2, 30, 45, rows=2, columns=4)
    first = ((1 * 3 + 2) * 40 + 30) * 50 + 45
    assert list(seen.at) == [1, 2, 30, 45]
    assert seen.rows[0] == tuple(range(first, first + 4))
    assert peek(bench, "X", 99, -5, 99, 99).at == (1, 0, 39, 49)


def test_a_large_tensor_is_not_moved_to_be_seen(bench: Bench) -> None:
    bench.run("X = torch.ones(3000, 2000, device='{0}')", "X[2999, 1999] = 7")
    seen = peek(bench, "X", rows=8, columns=8)
    assert seen.most == 7
    assert seen.looked_at < 3000 * 2000
    assert seen.moved_bytes < 1000
    copied = sum(each.bytes for each in bench.engine.transfers(1) if each.target == "cpu")
    assert copied <= 1000


@pytest.mark.parametrize(
    ("values", "dtype", "row", "ends"),
    [
        ("0, 1, 1", "float16", (0, 1, 1), (0, 1)),
        ("0, 1, 1", "int64", (0, 1, 1), (0, 1)),
        ("0, 1, 1", "bool", (0, 1, 1), (0, 1)),
        ("3 + 4j, 0", "complex64", (5, 0), (0, 5)),  # by their size
        ("math.nan, -math.inf, 0", "float32", (None, -math.inf, 0), (0, 0)),
        ("", "float32", None, (None, None)),
    ],
)
def test_every_dtype_can_be_seen(
    bench: Bench, values: str, dtype: str, row: object, ends: object
) -> None:
    bench.run("import math")
    bench.run(f"X = torch.tensor([{values}], dtype=torch.{dtype}).to('{{0}}')")
    seen = peek(bench, "X")
    assert seen.rows == (() if row is None else (row,))
    assert (seen.least, seen.most) == ends
    assert seen.not_finite == (2 if "math" in values else 0)


def test_a_model_opens_into_its_layers(bench: Bench) -> None:
    bench.run("net = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))")
    bench.run("net[0].to('{0}')", "net[2].to('{1}')")
    with bench.engine.running(watched=False):
        opened = look(Peek(1, "net"), bench.things)
    assert isinstance(opened, Opened)
    assert [layer.path for layer in opened.layers] == ["", "0", "1", "2"]
    assert [layer.kind for layer in opened.layers] == ["Sequential", "Linear", "ReLU", "Linear"]
    weight, bias = opened.layers[1].parts
    assert (weight.name, weight.shape, weight.bytes) == ("weight", (2, 3), 24)
    assert (weight.device, bias.trained) == (bench.devices[0], True)
    assert opened.layers[3].parts[0].device == bench.devices[1]
    assert opened.layers[1].text.startswith("Linear(in_features=3, out_features=2")


@pytest.mark.parametrize(
    "what", ["nets[0].weight", "d['a', 1][-1]", "trainer.model.weight.data"]
)
def test_what_a_container_holds_can_be_seen(bench: Bench, what: str) -> None:
    bench.run(
        """
class Trainer: pass
nets = [nn.Linear(3, 2).to('{0}')]
d = {('a', 1): [torch.ones(2, 3, device='{0}')]}
trainer = Trainer()
trainer.model = nets[0]
"""
    )
    assert peek(bench, what).shape == (2, 3)


def test_what_cannot_be_seen_says_why(bench: Bench) -> None:
    bench.run("X = 3", "M = torch.ones(2, device='meta')")
    for what, why in (
        ("X", "X is neither a tensor nor a model"),
        ("M", "a shape and no values"),
        ("Q", "no Q on the shelf"),
    ):
        with pytest.raises(Trouble, match=why):
            peek(bench, what)
