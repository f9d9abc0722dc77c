"""A look inside: what is shown, what it is part of, and what the look itself moved."""

import math

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from gpuexplorer.lab.events import Opened, Peeked  # noqa: E402
from gpuexplorer.lab.wire import Peek  # noqa: E402
from gpuexplorer.worker.looking import look  # noqa: E402
from tests.worker.benches import Bench  # noqa: E402


def peek(bench: Bench, what: str, *at: int, rows: int = 16, columns: int = 16) -> Peeked:
    with bench.engine.running(watched=False):
        seen = look(Peek(1, what, at, rows, columns), bench.things)
    assert isinstance(seen, Peeked)
    return seen


def opened_by(bench: Bench, what: str) -> Opened:
    with bench.engine.running(watched=False):
        seen = look(Peek(1, what), bench.things)
    assert isinstance(seen, Opened)
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


@pytest.mark.parametrize("dtype", ["float16", "int64", "bool"])
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


def test_a_model_opens_into_its_layers(bench: Bench) -> None:
    bench.run("net = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))")
    bench.run("net[0].to('{0}')", "net[2].to('{1}')")
    opened = opened_by(bench, "net")
    assert [layer.path for layer in opened.layers] == ["", "0", "1", "2"]
    assert [layer.kind for layer in opened.layers] == ["Sequential", "Linear", "ReLU", "Linear"]
    weight, bias = opened.layers[1].parts
    assert (weight.name, weight.shape, weight.bytes) == ("weight", (2, 3), 24)
    assert (weight.device, bias.trained) == (bench.devices[0], True)
    assert opened.layers[3].parts[0].device == bench.devices[1]
    assert opened.layers[1].text.startswith("Linear(in_features=3, out_features=2")


@pytest.mark.parametrize(
    "what",
    ["nets[0].weight", "nets[-1]['a']", "d['a']", "trainer.model[0].weight.data", "d[1, 2][0]"],
)
def test_what_a_container_holds_can_be_seen(bench: Bench, what: str) -> None:
    bench.run(
        """
class Trainer: pass
X = torch.ones(2, 3, device='{0}')
nets = [nn.Linear(3, 2).to('{0}'), {'a': X}]
d = {'a': X, (1, 2): [X]}
trainer = Trainer()
trainer.model = nn.Sequential(nn.Linear(3, 2)).to('{0}')
"""
    )
    assert peek(bench, what).shape == (2, 3)


def test_a_layer_of_the_persons_own_is_opened_without_running_it(bench: Bench) -> None:
    bench.run(
        """
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.kept = nn.Linear(2, 1), torch.ones(5)
    def named_modules(self): raise SystemError
    def __repr__(self): raise SystemError
own = Own()
"""
    )
    own, inner = opened_by(bench, "own").layers
    assert (own.kind, own.text) == ("Own", "Own")
    assert [part.name for part in own.parts] == ["kept"]
    assert inner.path == "inner"


@pytest.mark.parametrize("what", ["X.sum()", "(lambda: X)()", "[X for X in (1,)]", "(X := 2)"])
def test_a_look_runs_no_code(virtual: Bench, what: str) -> None:
    virtual.run("X = torch.ones(2)")
    with pytest.raises(Trouble, match="A look runs no code") as refused:
        peek(virtual, what)
    assert "net[0].weight" in refused.value.hint


def test_what_cannot_be_seen_says_why(bench: Bench) -> None:
    bench.run("X = 3", "M = torch.ones(2, device='meta')")
    for what, why in (
        ("X", "X is neither a tensor nor a model"),
        ("M", "a shape and no values"),
        ("Q", "no Q on the shelf"),
        ("open", "no open on the shelf"),
        ("X = 1", "Only a value"),
        ("X{0}", "Only a value"),
    ):
        with pytest.raises(Trouble, match=why):
            peek(bench, what)
