"""From what Python runs just now to the very expression that a person wrote."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuexplorer.lab.events import Frame
from gpuexplorer.worker import places
from gpuexplorer.worker.places import Place, frames_of, place
from tests.worker.written import raised, run_cell


class Thing:
    """Notes the place at which anything is done to it, as a tensor's copies are noted."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def to(self, where: object) -> "Thing":
        self.places.append(place())
        return self

    __add__ = to


def _library(name: str, text: str) -> dict[str, Any]:
    module = {"__name__": name}
    exec(compile(text, f"{name}.py", "exec"), module)
    return module


@pytest.fixture(autouse=True)
def ours(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`Thing` stands for what the program puts in PyTorch's place."""
    monkeypatch.setattr(places, "OURS", (*places.OURS, "tests."))
    places.take_files(taken=False)
    yield
    places.take_files(taken=False)


def seen(text: str, number: int = 3, **names: Any) -> tuple[Place, ...]:
    thing = Thing()
    run_cell(text, {"x": thing, **names}, number)
    return tuple(thing.places)


@pytest.mark.parametrize(
    ("text", "what", "how"),
    [
        ("y = [x, x][0].to(1)", "[x, x][0].to(1)", "to"),
        ("print('é', 3, x.to(1))", "x.to(1)", "to"),
        ("y = 1 + 2; y = x + 1", "x + 1", ""),
        ("(lambda a: a.to(2))(x)", "a.to(2)", "to"),
        ("y = (x\n  .to(1))", "to(1)", "to"),
        ("x.to(\n    1)", "x.to(", "to"),
    ],
)
def test_the_very_expression_is_known(text: str, what: str, how: str) -> None:
    (found,) = seen(text)
    assert found.how() == how
    assert what in found.spot.what
    frame = found.spot.frame
    assert frame.cell == 3
    assert text.split("\n")[frame.line - 1][frame.begin : frame.end] == found.spot.what


def test_of_the_libraries_that_were_called_the_last_is_named_with_how_deep_it_went() -> None:
    inner = _library("deep.inner", "def go(a): return a.to(1)")
    outer = _library("deep", "def run(a, go): return go(a)")
    (found,) = seen("run(x, go)", run=outer["run"], go=inner["go"])
    assert (found.within, found.deep) == ("deep.inner", 2)


def test_a_thread_without_code_of_the_person_is_where_the_cell_waits_for_it() -> None:
    thing = Thing()

    def wait_for() -> None:
        thread = threading.Thread(target=thing.to, args=(1,), name="helper")
        thread.start()
        thread.join()

    run_cell("y = 1\nwait_for()", {"wait_for": wait_for}, 6)
    (found,) = thing.places
    assert (found.spot.frame.cell, found.spot.frame.line, found.thread) == (6, 2, "helper")


def test_where_python_knows_lines_only_the_line_stands_for_the_expression(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(places, "position_of", lambda code, at: None)
    (found,) = seen("    \nfor i in range(1):\n    y = x.to(1)")
    assert (found.spot.what, found.how(), found.how("item")) == ("y = x.to(1)", "to", "item")
    assert (found.spot.frame.line, found.spot.frame.begin, found.spot.frame.end) == (3, 0, 0)


def program(path: Path, text: str, **names: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    exec(compile(text, str(path), "exec"), names)


def test_in_a_program_files_are_the_persons_code(tmp_path: Path) -> None:
    thing, file = Thing(), tmp_path / "train.py"
    program(file, "y = 1\nx.to(1)", x=thing)
    places.take_files(taken=True)
    program(file, "y = 1\nx.to(1)", x=thing)
    unseen, found = thing.places
    assert unseen.spot.frame.file == ""
    assert found.spot.frame == Frame(0, 2, "", 0, 7, str(file))
    assert (found.spot.what, found.how(), found.deep) == ("x.to(1)", "to", 0)


def test_what_is_installed_is_no_code_of_the_persons(tmp_path: Path) -> None:
    places.take_files(taken=True)
    library = tmp_path / "venv" / "lib" / "python3" / "site-packages" / "deep.py"
    not_theirs = str(library), threading.__file__, pytest.__file__, places.__file__
    for each in (*not_theirs, "<frozen runpy>", "<string>"):
        assert not places.is_own(each)
    assert places.is_own(str(tmp_path / "train.py"))


def test_an_error_has_the_frames_of_the_person_alone() -> None:
    run = _library("deep", "def run(go): return go(0)")["run"]
    error = raised("def mine(a):\n    b = a + 1\n    return b / a\nrun(mine)", run=run)
    assert frames_of(error) == (Frame(2, 4, "", 0, 9), Frame(2, 3, "mine", 11, 16))


def test_endless_recursion_is_told_in_short() -> None:
    frames = frames_of(raised("def f(): f()\nf()"))
    assert len(frames) == 40
    assert frames[0].line == 2
    assert {each.line for each in frames[1:]} == {1}


def test_a_cell_that_is_no_python_says_where() -> None:
    (frame,) = frames_of(raised("x = 1\ny = (2 +* 3)"))
    assert (frame.cell, frame.line) == (2, 2)
    assert frame.begin > 0
