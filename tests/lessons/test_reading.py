"""What a lesson's file says once it is read; and whatever else is handed over as a lesson gets
sentences with line and cure, soon, and nothing is fetched or run for it.
"""

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gpuexplorer.lessons.lesson import (
    Check,
    Code,
    LessonError,
    Point,
    Predict,
    Problem,
    Text,
    Why,
)
from gpuexplorer.lessons.reading import read

TWO_STEPS = Path(__file__).parent / "two-steps" / "lesson.md"
HEAD = "# A title\n\n```lesson\nminutes: 10\nneeds: none\n```\n"
CHECK = ("copies[-1].bytes > 0", "else: Nothing was copied.")
NUMBER = ("question: Hm?", "number: len(copies)")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
SVG = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'


def with_step(text: str) -> str:
    """The step's text begins in line 9."""
    return f"{HEAD}\n## A step\n{text}\n"


def block(word: str, *lines: str) -> str:
    """In a lesson's step, its fence is line 9."""
    return with_step("\n".join([f"```{word}", *lines, "```"]))


def written(folder: Path, text: str) -> Path:
    file = folder / "lesson.md"
    file.write_text(text, "utf-8")
    return file


def problems(file: Path) -> Sequence[Problem]:
    """All of them; empty: it can be played."""
    try:
        read(file)
    except LessonError as error:
        return error.problems
    return []


def found(file: Path) -> list[tuple[int, str]]:
    each_has_a_cure = problems(file)
    assert all(each.cure for each in each_has_a_cure)
    return [(each.line, str(each.sentence)) for each in each_has_a_cure]


def test_a_lesson_is_read_with_its_steps_and_their_parts_in_order() -> None:
    lesson = read(TWO_STEPS)
    assert (lesson.name, lesson.title, lesson.minutes) == ("two-steps", "Two steps", 5)
    assert lesson.needs == ["pytorch"]
    assert lesson.about == "How much memory a first tensor costs."
    first, second = lesson.steps
    assert (first.title, second.title) == ("Where does it live?", "What does a copy cost?")
    assert [type(each) for each in first.parts] == [Text, Predict, Code, Check, Why]
    assert [type(each) for each in second.parts] == [Point, Predict, Code, Check, Code]
    assert [each.fails for each in second.cells] == [False, True]
    assert second.needs[0].otherwise == "There is no card to copy to."
    assert not problems(TWO_STEPS)


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (block("quiz", "1 + 1"), 9, "'quiz' is no block that can stand here."),
        (block("", "1 + 1"), 9, "This block has no word that says what it is."),
        (block("python slow", "x = 1"), 9, "`python` is followed by 'slow'."),
        (block("python", "x = 1", "x = = 2"), 11, "This is no Python: invalid syntax."),
        (with_step("```python\nx = 1"), 9, "This block has no end."),
        (with_step("- ```python\n  x = 1\n  ```"), 9, "This `python` block stands inside"),
        (block("lesson", "minutes: 1", "needs: none"), 9, "This block stands in the wrong"),
        (block("check", *CHECK, "x > 1"), 12, "Nothing is told where this is not true."),
        (block("check", "else: So."), 10, "This `else:` has nothing to say"),
        (block("check", "x ==", "else: So."), 10, "This is no Python expression: invalid"),
        (block("check", "1 == 2", "else: So."), 10, "1 == 2 is the same whatever happens."),
        (block("check", "copies and not 1", "else: So."), 10, "not 1 is the same whatever"),
        (block("point", "lab.runs"), 10, "The window has no control 'lab.runs'."),
        (block("why", "Because."), 10, "A `why` block begins with its question."),
        (block("predict", "number: len(copies)"), 9, "This `predict` block has no 'question'."),
        (block("predict", "question: Hm?"), 9, "This `predict` block has no 'number'."),
        (block("predict", "question: Hm?", "number: 5"), 11, "5 is the same whatever happens."),
        (block("predict", *NUMBER, "unti: s"), 12, "A `predict` block has no 'unti'."),
        (block("predict", *NUMBER, "number: 5 * MiB"), 12, "'number' is said twice."),
        (block("predict", *NUMBER, "within: much"), 12, "'much' is nothing that 'within'"),
        (block("predict", *NUMBER, "limit: 5"), 9, "This `predict` block has no 'limit is'."),
        (block("predict", *NUMBER, "real: no"), 12, "'no' is nothing that 'real'"),
        (block("predict", "question: Hm?", "- [x] A"), 9, "A choice is one right answer"),
        (block("predict", "question: Hm?", "- [ ] A", "- [ ] B"), 9, "A choice is one right"),
        (block("predict", "question: Hm?", "- [ ] A", "- [y] B"), 12, "'- [y] B' is no"),
        (block("predict", "question: Hm?", "unit: s", "- [ ] A", "- [x] B"), 11, "no 'unit'"),
        (with_step("One\n<br>two"), 10, "<br> is HTML"),
        (with_step("a </p><img src='http://a.org/b.png'>"), 9, "<img src='http://a.org/b.png'>"),
        (HEAD, 7, "This lesson has no step."),
        (with_step("Text").replace("# A title", "A title"), 1, "The lesson does not begin"),
        (with_step("Text").replace("10", "ten"), 4, "'ten' is nothing that 'minutes' can"),
        (with_step("Text").replace("none", "a car"), 5, "'a car' is nothing that 'needs' can"),
        (with_step("Text").replace("needs: none", ""), 3, "This `lesson` block has no"),
        (with_step("Text").replace("```lesson", "```text"), 2, "There is no `lesson` block"),
        (with_step("# A\n\x1b[8mhidden"), 10, "This line has a letter that is not seen"),
        (with_step("See\n[this](javascript:alert(1))"), 10, "'javascript:alert(1)' is no link"),
        (with_step("See [this](../no/lesson.md)"), 9, "'../no/lesson.md' is no link"),
        (with_step(f"See [this](../{'a' * 5000}/lesson.md)"), 9, "aaa' is no link"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, text: str, line: int, sentence: str
) -> None:
    [(at, told)] = found(written(tmp_path, text))
    assert at == line
    assert sentence in told


def test_an_indented_line_goes_on_with_the_one_above(tmp_path: Path) -> None:
    lines = ("question: How", "  long?", "- [ ] Not", "  long", "- [x] Long")
    [part] = read(written(tmp_path, block("predict", *lines))).steps[0].parts
    assert isinstance(part, Predict)
    assert (part.question, part.choices) == ("How long?", ["Not long", "Long"])


def test_a_link_is_known_to_each_piece_but_what_a_why_defines_only_to_itself(
    tmp_path: Path,
) -> None:
    defined = "[a]: https://a.org"
    file = written(tmp_path, with_step(f"See [it][a].\n\n```python\nx = 1\n```\n\n{defined}"))
    first = read(file).steps[0].parts[0]
    why = f"```why\nquestion: Why?\nSee [it][a].\n\n{defined}\n```"
    outside = read(written(tmp_path, with_step(f"{why}\n\nSee [it][a]."))).steps[0].parts[1]
    assert isinstance(first, Text)
    assert "[A]: <https://a.org>" in first.markdown
    assert isinstance(outside, Text)
    assert outside.markdown == "See [it][a]."


@pytest.mark.parametrize(
    ("expression", "word", "close"),
    [
        ("copys[-1].bytes > 1", "copys", "copies"),
        ("cards[0].memory_usd > 1", "memory_usd", "memory_used"),
        ("before.cards[0].power > 1", "power", "power_draw"),
        ("copies[-2:][0].byts > 1", "byts", "bytes"),
        ("before.copies", "copies", "none"),
    ],
)
def test_a_name_that_nobody_gives_is_told_with_what_is_close(
    tmp_path: Path, expression: str, word: str, close: str
) -> None:
    check = f"```check\n{expression}\nelse: So.\n```\n\n```python\nX = 1\n```"
    [told] = problems(written(tmp_path, with_step(check)))
    assert (told.line, told.sentence) == (10, f"Nothing is called {word} here.")
    assert close in told.cure.split("close to it: ")[1]


@pytest.mark.parametrize(
    ("expression", "cell"),
    [
        ("X == 1 and torch.is_tensor(nn) or F", "X = 1"),
        ("all(each.bytes > MiB for each in copies)", "X = 1"),
        ("(y := X) and y", "X = 1"),
        ("net(X) and time.time() and Thing", "import time\ndef net(): ...\nclass Thing: ..."),
        ("np.pi > 3 and path", "import numpy as np\nfrom os import path\nX = 1\nnet = 1"),
        ("anything", "from os import *"),
        ("anything", "exec('anything = 1')"),
        ("anything", "%time anything = 1"),
        ("simulated or devices or host.cpu_utilization < 1", "X = 1"),
    ],
)
def test_a_name_that_may_be_there_is_let_pass(
    tmp_path: Path, expression: str, cell: str
) -> None:
    check = f"```check\n{expression}\nelse: So.\n```\n\n```python\n{cell}\nX = net = 1\n```"
    assert not problems(written(tmp_path, with_step(check)))


def test_what_cannot_be_opened_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lesson.md"
    assert found(file) == [(0, "The file cannot be read: No such file or directory.")]
    assert found(tmp_path) == [(0, "This is no ordinary file.")]
    assert "cannot be read: its name is none" in found(Path("a\0b"))[0][1]
    assert "cannot be read: File name too long" in found(Path("a" * 5000))[0][1]
    if sys.platform != "win32":
        os.mkfifo(file)  # which would keep one waiting
        assert found(file) == [(0, "This is no ordinary file.")]
        file.unlink()
    file.write_bytes(b"# A\n" * 2_500_000)
    assert found(file) == [(0, "The file has 9765 KiB, and a lesson has at most 64.")]
    file.write_bytes("# A\n\nüber".encode("latin-1"))
    assert found(file) == [(3, "This line is not written in UTF-8.")]
    file.write_bytes(("\ufeff" + with_step("Text").replace("\n", "\r")).encode())
    assert read(file).title == "A title"

    def refused(*_: object, **__: object) -> None:  # root would be let in
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refused)
    assert found(file) == [(0, "The file cannot be read: Permission denied.")]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A folder with pictures that can be shown, and with others."""
    folder = tmp_path / "lesson"
    (folder / "in").mkdir(parents=True)
    (tmp_path / "outside.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    (folder / "ring.png").symlink_to(folder / "ring.png")
    (folder / "folder.png").mkdir()
    for name, content in {
        "a.png": PNG,
        "a b.PNG": PNG,
        "text.png": b"no picture",
        "fine.exe": PNG,
        "large.png": PNG + bytes(4 << 20),
    }.items():
        (folder / name).write_bytes(content)
    for name, inside in {
        "in/a": '<rect fill="url(#a)"/><use href="#b"/>',
        "script": "<script>1</script>",
        "click": '<g onclick="1"/>',
        "elsewhere": '<image href="https://a.org/b.png"/>',
        "style": "<style>@import 'https://a.org';</style>",
        "broken": "<g>",
    }.items():
        (folder / f"{name}.svg").write_text(SVG.format(inside))
    (folder / "grows.svg").write_text('<!DOCTYPE s [<!ENTITY a "b">]>' + SVG.format("&a;"))
    return folder


NO_PICTURE = [
    *("missing.png", "../outside.png", "..%2foutside.png", "http://a.org/b.png", "/etc/hosts"),
    *(
        "//a.org/b.png",
        "file:///etc/passwd",
        "data:image/png;base64,AA",
        "link.png",
        "ring.png",
    ),
]
NOT_SHOWN = [
    *("text.png", "fine.exe", "folder.png", "large.png", "broken.svg", "script.svg"),
    *("click.svg", "elsewhere.svg", "style.svg", "grows.svg"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize(
    ("target", "told"),
    [
        *((each, "There is no picture {} beside the lesson.") for each in NO_PICTURE),
        *((each, "{} is no picture that can be shown.") for each in NOT_SHOWN),
        *((each, "") for each in ("a.png", "a b.PNG", "in/a.svg")),
    ],
)
def test_a_picture_lies_beside_the_lesson_and_loads_nothing(
    pictures: Path, target: str, told: str
) -> None:
    text = with_step(f"Look:\n![A picture](<{target}>)")
    assert found(written(pictures, text)) == ([(10, told.format(target))] if told else [])


PIECES = "``` ```python ```check ```predict ```why ```needs ~~~ else:_b #_a ##_a >_ ![a]("
pieces = st.one_of(
    st.text(),
    st.sampled_from(["\n", *(each.replace("_", " ") for each in PIECES.split())]),
    st.sampled_from([HEAD, with_step("T"), block("check", "a", "else: b"), block("why")]),
)
contents = st.lists(pieces).map(lambda each: "".join(each).encode("utf-8", "replace"))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.binary(), contents))
@example(b"# A\n```\n")
@example(b"````lesson\n```")
@example(b"> ```python\n> a")
def test_any_content_gives_a_lesson_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.md"
    file.write_bytes(content)
    told = problems(file)
    lines = content.count(b"\n") + content.count(b"\r") + 2
    assert all(0 <= each.line <= lines and each.cure for each in told)
    assert told or read(file).steps
