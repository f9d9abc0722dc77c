"""A look inside: what is shown, what it is part of, and what the look itself moved."""

import math

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from gpuexplorer.lab.events import Opened, Peeked  # noqa: E402
from gpuexplorer.lab.wire import Peek  # noqa: E402
from gpuexplorer.worker.interpreter import Interpreter  # noqa: E402
from gpuexplorer.worker.looking import look  # noqa: E402
from tests.worker.benches import Bench  # noqa: E402


def peek(bench: Bench, what: str, *at: int, rows: int = 16, columns: int = 16) -> Peeked:
    with bench.engine.running():
        seen = look(
            Peek(1, what, at, rows, columns),
            Interpreter(bench.engine, bench.things, {}),
            bench.engine,
        )
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


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int8", "int64", "bool"])
def test_every_dtype_can_be_seen(bench: Bench, dtype: str) -> None:
    bench.run(f"X = torch.tensor([[0, 1], [1, 1]], device='{{0}}').to(torch.{dtype})")
    seen = peek(bench, "X")
    assert list(seen.rows) == [(0, 1), (1, 1)]
    assert [seen.least, seen.most, seen.mean] == [0, 1, 0.75]


def test_complex_numbers_are_seen_by_their_size(bench: Bench) -> None:
    bench.run("X = torch.tensor([3 + 4 * 1.0], device='{0}').to(torch.complex64)")
    assert peek(bench, "X").rows == ((7,),)


def test_what_is_no_number_is_counted(bench: Bench) -> None:
    bench.run("X = torch.tensor([1.0, -1.0, 0.0], device='{0}').log()")
    seen = peek(bench, "X")
    assert list(seen.rows) == [(0, None, -math.inf)]
    assert [seen.least, seen.most, seen.not_finite] == [0, 0, 2]


@pytest.mark.parametrize("shape", ["0", "0, 3", "2, 0, 4"])
def test_an_empty_tensor_has_nothing_to_see(bench: Bench, shape: str) -> None:
    bench.run(f"X = torch.empty({shape}, device='{{0}}')")
    seen = peek(bench, "X")
    assert [seen.rows, seen.least, seen.mean, seen.histogram] == [(), None, None, ()]


def test_one_number_is_seen(bench: Bench) -> None:
    bench.run("X = torch.tensor(4.0, device='{0}')")
    seen = peek(bench, "X")
    assert [seen.shape, seen.rows, seen.deviation] == [(), ((4,),), None]


def test_a_part_of_a_model_can_be_seen(bench: Bench) -> None:
    bench.run("net = nn.Sequential(nn.Linear(3, 2)).to('{0}')")
    assert peek(bench, "net[0].weight").shape == (2, 3)
    assert peek(bench, "net[0].weight.T").shape == (3, 2)


def test_a_model_opens_into_its_layers(bench: Bench) -> None:
    bench.run("net = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))")
    bench.run("net[0].to('{0}')", "net[2].to('{1}')")
    with bench.engine.running():
        interpreter = Interpreter(bench.engine, bench.things, {})
        opened = look(Peek(1, "net"), interpreter, bench.engine)
    assert isinstance(opened, Opened)
    assert [layer.path for layer in opened.layers] == ["", "0", "1", "2"]
    assert [layer.kind for layer in opened.layers] == ["Sequential", "Linear", "ReLU", "Linear"]
    weight, bias = opened.layers[1].parts
    assert (weight.name, weight.shape, weight.bytes) == ("weight", (2, 3), 24)
    assert (weight.device, bias.trained) == (bench.devices[0], True)
    assert opened.layers[3].parts[0].device == bench.devices[1]
    assert opened.layers[1].text.startswith("Linear(in_features=3, out_features=2")


def test_what_cannot_be_seen_says_why(bench: Bench) -> None:
    bench.run("X = 3", "M = torch.ones(2, device='meta')")
    for what, why in (
        ("X", "neither a tensor nor a model"),
        ("M", "a shape and no values"),
        ("Q", "no Q on the shelf"),
        ("X = 1", "Only a value"),
    ):
        with pytest.raises(Trouble, match=why):
            peek(bench, what)
    bench.run("X = torch.ones(3)")
    with pytest.raises(Trouble, match="At most 4096 values"):
        peek(bench, "X", rows=1000, columns=1000)
