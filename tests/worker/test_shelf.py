"""What is said of the names of a namespace: the worker outlives whatever they stand for."""

import types
from textwrap import dedent
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.lab.events import Freed, Placed  # noqa: E402 - only where there is torch
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


def test_a_model_is_printed_without_running_code_of_its_own(session: Session) -> None:
    code = """
        class Scale(nn.Module):
            def __repr__(self): raise SystemError
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(3, 2), Scale())
                self.memory = torch.zeros(10)
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
