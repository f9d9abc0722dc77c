"""What is said of the names of a namespace, and a look inside one of them."""

import math
import types
from textwrap import dedent
from typing import Any

import pytest

pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Freed, Opened, Peeked, Placed
from gpuexplorer.lab.wire import Peek
from gpuexplorer.worker.shelf import Shelf, look
from tests.worker.benches import Bench


class Session:
    """Cells in one namespace, and what the shelf says after each."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = vars(types.ModuleType("__main__"))
        self.shelf = Shelf(self.names)
        self._cell = 0
        self.run("import torch\nfrom torch import nn")

    def run(self, code: str) -> dict[str, Placed]:
        """The names that it made stand for something else."""
        return {each.name: each for each in self.changes(code) if isinstance(each, Placed)}

    def changes(self, code: str) -> list[object]:
        self._cell += 1
        exec(dedent(code), self.names)
        return list(self.shelf.changes(self._cell))


@pytest.fixture
def session() -> Session:
    return Session()


def test_modules_functions_and_classes_are_not_on_the_shelf(session: Session) -> None:
    code = """
        import math
        from torch.nn import functional as F
        from typing import Any, List
        class Net(nn.Module): pass
        relu, method = torch.relu, [].append
        _private = torch.ones(2)
        X = 1
        """
    assert set(session.run(code)) == {"X"}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("3", "3"),
        ("'a word'", "'a word'"),
        ("[1, 2.5, 'a']", "[1, 2.5, 'a']"),
        ("{'lr': 0.1, 'betas': (0.9, 0.99)}", "{'lr': 0.1, 'betas': (0.9, 0.99)}"),
        ("{1}", "{1}"),
        ("nn.LazyLinear(3).weight", "nothing can be told of it"),
        ("__import__('unittest.mock').mock.MagicMock()", "<MagicMock object>"),
        ("object()", "<object object>"),
        ("__import__('numpy').ones((2, 3))", "ndarray(2×3, float64)"),
        ("__import__('numpy').float64(0.5)", "np.float64(0.5)"),
        ("[[[[torch.ones(1)]]]]", "[[[list(…)]]]"),  # three steps deep
    ],
)
def test_a_value_is_shown_as_python_prints_it(session: Session, code: str, text: str) -> None:
    assert session.run(f"X = {code}")["X"].text == text


def test_only_what_is_different_is_said(session: Session) -> None:
    assert list(session.run("X = torch.ones(2); Y = X")) == ["X", "Y"]
    assert set(session.run("X.requires_grad_(); Z = X + 1")) == {"X", "Y", "Z"}
    assert session.changes("X + 1") == []
    assert session.changes("del X")[0] == Freed(5, "X")


def test_a_second_name_for_a_thing_names_the_first(session: Session) -> None:
    said = session.run("X = torch.ones(2); Y = X; n = 7; m = n")
    assert [said[each].same_as for each in ("X", "Y", "m")] == ["", "X", ""]


@pytest.mark.parametrize(
    ("made", "change"),
    [
        ("X = torch.ones(2, 3)", "X.requires_grad_()"),
        ("X = torch.ones(2, 3)", "X.grad = torch.ones(2, 3)"),
        ("X = torch.ones(2, 3)", "X.t_()"),
        ("X = nn.Linear(3, 2)", "X(torch.ones(1, 3)).sum().backward()"),
        ("X = nn.Sequential(nn.Dropout(0.5))", "X[0].p = 0.25"),
    ],
)
def test_what_changes_in_place_is_said_anew(session: Session, made: str, change: str) -> None:
    session.run(made)
    assert session.changes("torch.ones(1)") == []
    assert set(session.run(change)) == {"X"}


def test_gradients_and_the_state_of_an_optimiser_count(session: Session) -> None:
    session.run("net = nn.Linear(3, 2)\nopt = torch.optim.Adam(net.parameters(), lr=0.5)")
    said = session.run("net(torch.ones(1, 3)).sum().backward(); opt.step()")
    assert [each.what for each in said["net"].holds].count("gradients") == 2
    assert {each.what for each in said["opt"].holds} == {"state"}
    assert said["opt"].bytes == 2 * (24 + 8) + 2 * 4
    assert said["opt"].text.startswith("Adam(lr=0.5, betas=(0.9, 0.999), ")
    held = [*said["net"].holds, *said["opt"].holds]
    assert len({each.storage for each in held}) == 4 + 6


CONTAINERS = """
    import dataclasses

    @dataclasses.dataclass
    class Batch:
        inputs: object
        targets: object = None

    net, X = nn.Linear(2, 1), torch.ones(3)
    """


@pytest.mark.parametrize(
    ("code", "paths"),
    [
        ("[X, 1, net]", ["thing[0]", "thing[2]"]),
        ("Batch(X, net)", ["thing.inputs", "thing.targets"]),
        ("Batch({'a': [X]})", ["thing.inputs['a'][0]"]),
        (
            "torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X))",
            ["thing.dataset.tensors[0]"],
        ),
    ],
)
def test_containers_and_objects_say_what_they_hold(
    session: Session, code: str, paths: list[str]
) -> None:
    session.run(CONTAINERS)
    placed = session.run(f"thing = {code}")["thing"]
    assert placed.kind == "container"
    assert [each.path for each in placed.elements] == paths
    assert placed.more == 0


def test_a_long_container_names_its_first_elements(session: Session) -> None:
    placed = session.run("log = [torch.ones(()) for i in range(1000)]")["log"]
    assert (len(placed.elements), placed.more) == (64, 936)
    assert len(placed.holds) == 1000
    assert placed.bytes == 4000


def test_no_code_of_the_persons_own_runs_for_the_shelf(session: Session) -> None:
    code = """
        ran = []
        class Hostile:
            def __init__(self): object.__setattr__(self, "inside", torch.ones(2))
            def __getattribute__(self, name): ran.append(name)
            def __repr__(self): ran.append("repr")
            def __len__(self): ran.append("len")
            def __iter__(self): ran.append("iter")
        class Mine(torch.Tensor):
            @classmethod
            def __torch_function__(cls, *args, **kwargs): ran.append("function")
        one, both = Hostile(), [Hostile(), {1: Hostile()}]
        mine = torch.Tensor._make_subclass(Mine, torch.ones(3))
        ran.clear()
        """
    said = session.run(code)
    assert session.names["ran"] == []
    assert [each.path for each in said["one"].elements] == ["one.inside"]
    assert (said["mine"].kind, said["mine"].shape) == ("tensor", (3,))
    assert said["both"].text == "[<Hostile object>, {1: <Hostile object>}]"


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


def test_what_cannot_be_seen_says_why(bench: Bench) -> None:
    bench.run("X = 3", "M = torch.ones(2, device='meta')")
    for what, why in (
        ("X", "X is neither a tensor nor a model"),
        ("M", "a shape and no values"),
        ("Q", "no Q on the shelf"),
    ):
        with pytest.raises(Trouble, match=why):
            peek(bench, what)
