"""What is said of the names of a namespace: the worker outlives whatever they stand for."""

import types
from textwrap import dedent
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.lab.events import Freed, Placed, Printed  # noqa: E402 - only where there is torch
from gpuexplorer.worker.shelf import Shelf  # noqa: E402


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


def storages(*placed: Placed) -> int:
    """How many stretches of memory these hold together."""
    return len({(held.device, held.storage) for each in placed for held in each.holds})


@pytest.mark.parametrize(
    "code",
    [
        "X = [1]\nfor i in range(3000): X = [X]",
        "X = nn.LazyLinear(3).weight",
        "X = [1]; X.append(X)",
        "X = float('nan')",
        "class X(dict): pass\nX = X()",
        "import numpy; X = numpy.array([object()])",
        "import unittest.mock; X = unittest.mock.MagicMock()",
        "import collections; X = collections.defaultdict(list)",
    ],
)
def test_whatever_is_made_something_is_said_of_it(session: Session, code: str) -> None:
    placed = session.run(code)["X"]
    assert placed.kind == "value"
    assert 0 < len(placed.text) <= 400


def test_modules_functions_and_classes_are_not_on_the_shelf(session: Session) -> None:
    code = """
        import math, typing
        from torch.nn import functional as F
        from typing import Any, List
        from functools import cache
        def try_gpu(): pass
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
        ("torch.device('cuda')", "device(type='cuda')"),
        ("torch.float16", "torch.float16"),
        ("object()", "<object object>"),
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
    assert (said["X"].same_as, said["Y"].same_as) == ("", "X")
    assert said["m"].same_as == ""


@pytest.mark.parametrize(
    "change",
    [
        "X.requires_grad_()",
        "X.grad = torch.ones(2, 3)",
        "X.t_()",
    ],
)
def test_a_tensor_that_changes_in_place_is_said_anew(session: Session, change: str) -> None:
    session.run("X = torch.ones(2, 3)")
    assert set(session.run(change)) == {"X"}


@pytest.mark.parametrize(
    "change",
    [
        "net.requires_grad_(False)",
        "net(torch.ones(1, 3)).sum().backward()",
        "net[1].p = 0.25",
    ],
)
def test_a_model_that_changes_is_said_anew(session: Session, change: str) -> None:
    session.run("net = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5))")
    assert session.changes("torch.ones(1)") == []
    assert set(session.run(change)) == {"net"}


def test_gradients_and_the_state_of_an_optimiser_count(session: Session) -> None:
    session.run("net = nn.Linear(3, 2)\nopt = torch.optim.Adam(net.parameters(), lr=0.5)")
    said = session.run("net(torch.ones(1, 3)).sum().backward(); opt.step()")
    assert [each.what for each in said["net"].holds].count("gradients") == 2
    assert {each.what for each in said["opt"].holds} == {"state"}
    assert said["opt"].bytes == 2 * (24 + 8) + 2 * 4
    assert said["opt"].text.startswith("Adam(lr=0.5, betas=(0.9, 0.999), ")
    assert storages(said["net"], said["opt"]) == 4 + 6


def test_a_model_is_printed_without_running_code_of_its_own(session: Session) -> None:
    code = """
        class Scale(nn.Module):
            def extra_repr(self): raise SystemError
            def __repr__(self): raise SystemError
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(3, 2), Scale())
                self.memory = torch.zeros(10)
            def parameters(self): raise SystemError
            @property
            def device(self): raise SystemError
        net = Net()
        """
    placed = session.run(code)["net"]
    assert placed.text == dedent(
        """\
        Net(
          (body): Sequential(
            (0): Linear(in_features=3, out_features=2, bias=True)
            (1): Scale()
          )
        )"""
    )
    assert placed.bytes == 24 + 8 + 40


CONTAINERS = """
    import collections, dataclasses
    Point = collections.namedtuple("Point", "x y")

    @dataclasses.dataclass
    class Batch:
        inputs: object
        targets: object

    @dataclasses.dataclass(slots=True)
    class Slotted:
        inputs: object

    class Trainer:
        def __init__(self, model):
            self.model = model
            self.log = []

    net, X = nn.Linear(2, 1), torch.ones(3)
    """


@pytest.mark.parametrize(
    ("code", "paths"),
    [
        ("[X, 1, net]", ["thing[0]", "thing[2]"]),
        ("(X, [X])", ["thing[0]", "thing[1][0]"]),
        ("{'a': X, 2: X, (1, 2): X}", ["thing['a']", "thing[2]", "thing[(1, 2)]"]),
        ("Point(1, X)", ["thing.y"]),
        ("Batch(X, net)", ["thing.inputs", "thing.targets"]),
        ("Slotted(X)", ["thing.inputs"]),
        ("Trainer(net)", ["thing.model"]),
        ("collections.deque([X])", ["thing[0]"]),
        ("Trainer({'a': [X]})", ["thing.model['a'][0]"]),
        ("torch.utils.data.TensorDataset(X)", ["thing.tensors[0]"]),
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
            def __eq__(self, other): ran.append("eq")
            def __hash__(self): ran.append("hash"); return 1
            def __bool__(self): ran.append("bool")
            def __len__(self): ran.append("len")
            def __iter__(self): ran.append("iter")
            __class__ = property(lambda self: ran.append("class"))
        class Listed(list):
            def __iter__(self): ran.append("iter")
            def __len__(self): ran.append("len")
            def __repr__(self): ran.append("repr")
        class Mine(torch.Tensor):
            @classmethod
            def __torch_function__(cls, *args, **kwargs): ran.append("function")
        one, several, both = Hostile(), Listed([torch.ones(1)]), [Hostile(), {Hostile(): 1}]
        mine = torch.Tensor._make_subclass(Mine, torch.ones(3))
        ran.clear()
        """
    said = session.run(code)
    assert session.names["ran"] == []
    assert [each.path for each in said["one"].elements] == ["one.inside"]
    assert [each.path for each in said["several"].elements] == ["several[0]"]
    assert (said["mine"].kind, said["mine"].shape) == ("tensor", (3,))
    assert said["both"].text == "[<Hostile object>, {<Hostile object>: 1}]"


def test_the_shelf_has_room_for_so_many_names_and_says_so(session: Session) -> None:
    changes = session.changes("for i in range(3000): globals()[f'x{i}'] = i")
    assert len([each for each in changes if isinstance(each, Placed)]) == 2000
    [note] = [each for each in changes if isinstance(each, Printed)]
    assert note.text == "1001 names are not shown: the shelf has room for 2000."
    assert session.changes("x0 = 0") == []  # it is said once
    assert len(session.run("for i in range(2990): del globals()[f'x{i}']")) == 11


def test_numbers_and_arrays_of_numpy_are_values(session: Session) -> None:
    pytest.importorskip("numpy")
    said = session.run("import numpy as np\nA, b = np.ones((2, 3)), np.float64(0.5)")
    assert said["A"].text == "ndarray(2×3, float64)"
    assert said["b"].text == "np.float64(0.5)"


def test_an_optimiser_with_lists_in_its_state_counts_whole(session: Session) -> None:
    code = """
        W = torch.ones(100, requires_grad=True)
        opt = torch.optim.LBFGS([W], max_iter=4)
        def closure():
            opt.zero_grad()
            loss = (W ** 2).sum() + W.exp().sum()
            loss.backward()
            return loss
        opt.step(closure)
        """
    assert session.run(code)["opt"].bytes > 5 * 400


def test_what_lies_deeper_than_three_steps_is_not_said(session: Session) -> None:
    assert session.run("deep = [[[[torch.ones(1)]]]]")["deep"].kind == "value"


def test_a_class_that_refuses_every_question_harms_nothing(session: Session) -> None:
    refusing = """
        class Refusing(type):
            def __getattribute__(cls, name): raise BaseException(name)
        class X(metaclass=Refusing): pass
        X, Y, Z = X(), [X()], torch.ones(2)
    """
    assert session.run(refusing)["Z"].kind == "tensor"
    assert session.run("W = torch.ones(3)")["W"].kind == "tensor"


def test_only_what_code_can_name_is_shown(session: Session) -> None:
    names = "for name in ('a b', '', '\\ud800', 5, None, 'x' * 10**6, 'X'): globals()[name] = 1"
    assert set(session.run(names)) == {"name", "X"}
