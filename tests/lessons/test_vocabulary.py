"""A name or a field that nobody gives is told at once: such a check could never hold."""

from pathlib import Path

import pytest

from gpuexplorer.lessons.reading import problems
from tests.lessons.lesson_texts import with_step


def told_of(folder: Path, expression: str, cell: str = "X = 1") -> list[tuple[int, str]]:
    file = folder / "lesson.md"
    cells = f"```python\n{cell}\n```\n"
    file.write_text(with_step(f"```check\n{expression}\nelse: So.\n```\n\n{cells}"), "utf-8")
    return [(each.line, f"{each.sentence} {each.cure}") for each in problems(file)]


@pytest.mark.parametrize(
    ("expression", "word", "close"),
    [
        ("copys[-1].bytes > 1", "copys", "copies"),
        ("Xs == 1", "Xs", "X"),
        ("cards[0].memory_usd > 1", "memory_usd", "memory_used"),
        ("before.cards[0].power > 1", "power", "power_draw"),
        ("copies[-2:][0].byts > 1", "byts", "bytes"),
        ("cells[0].second > 1", "second", "seconds"),
        ("host.memory_usedd > 1", "memory_usedd", "memory_used"),
        ("memory['cuda:0'].tensor > 1", "tensor", "tensors"),
    ],
)
def test_what_is_mistyped_is_told_with_what_is_close(
    tmp_path: Path, expression: str, word: str, close: str
) -> None:
    [(line, told)] = told_of(tmp_path, expression)
    assert line == 10
    assert told.startswith(f"Nothing is called {word} here. Names that are close to it: ")
    assert close in told.split("close to it: ")[1]


def test_where_nothing_is_close_it_says_so(tmp_path: Path) -> None:
    [(_, told)] = told_of(tmp_path, "before.copies")
    assert told == (
        "Nothing is called copies here. No name is close to it. docs/lessons.md has all"
        " values of the lab."
    )


@pytest.mark.parametrize(
    ("expression", "cell"),
    [
        ("X == 1 and torch.is_tensor(nn) or F", "X = 1"),
        ("all(each.bytes > MiB for each in copies)", "X = 1"),
        ("(lambda y: y)(X)", "X = 1"),
        ("(y := X) and y", "X = 1"),
        ("net(X) and time.time() and Thing", "import time\ndef net(): ...\nclass Thing: ..."),
        ("np.pi > 3 and path", "import numpy as np\nfrom os import path\nX = 1\nnet = 1"),
        ("anything", "from os import *"),
        ("anything", "exec('anything = 1')"),
        ("anything", "%time anything = 1"),
        ("simulated or devices or host.cpu_utilization < 1", "X = 1"),
    ],
)
def test_what_may_be_there_is_let_pass(tmp_path: Path, expression: str, cell: str) -> None:
    assert told_of(tmp_path, expression, f"{cell}\nX = net = 1") == []
