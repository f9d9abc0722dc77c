"""What is told of the things by name: whatever a person makes, the worker outlives it."""

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.lab.events import Freed, Placed  # noqa: E402 - only where there is torch
from gpuexplorer.worker.shelf import Shelf  # noqa: E402
from tests.worker.benches import Bench  # noqa: E402


def told(bench: Bench, *lines: str) -> dict[str, Placed]:
    shelf = Shelf()
    shelf.things = bench.things
    bench.run(*lines)
    return {each.name: each for each in shelf.changes(1) if isinstance(each, Placed)}


@pytest.mark.parametrize(
    "lines",
    [
        ("X = [1]", "for i in range(3000): X = [X]"),
        ("X = nn.Linear(1, 1)", "for i in range(600): X = nn.Sequential(X)"),
        ("X = nn.LazyLinear(3).weight",),
        ("X = nn.Linear",),
        ("X = torch.optim.SGD",),
        ("X = [1]", "X[0] = X"),
        ("X = int('1' * 4000)", "X = X + X"),
        ("X = nn.Linear(1, 1).parameters()",),
    ],
)
def test_whatever_is_made_something_is_told_of_it(bench: Bench, lines: tuple[str, ...]) -> None:
    placed = told(bench, *lines)["X"]
    assert placed.kind == "value"
    assert placed.text


def test_a_long_list_is_told_by_its_beginning(virtual: Bench) -> None:
    placed = told(virtual, "X = list(range(1000000))")["X"]
    assert placed.text.startswith("[0, 1, 2, ")
    assert len(placed.text) == 400


def test_only_what_is_different_is_told(virtual: Bench) -> None:
    shelf = Shelf()
    shelf.things = virtual.things
    virtual.run("X = torch.ones(2).cuda()", "Y = X")
    assert [(e.id, e.name) for e in shelf.changes(1) if isinstance(e, Placed)] == [
        (1, "X"),
        (1, "Y"),
    ]
    virtual.run("X.requires_grad_()", "Z = X + 1")
    assert {e.name for e in shelf.changes(2) if isinstance(e, Placed)} == {"X", "Y", "Z"}
    virtual.run("X + 1")
    assert list(shelf.changes(3)) == []
    virtual.run("del X")
    assert next(iter(shelf.changes(4))) == Freed(4, "X")
