"""What a lesson's file says, whatever is in it; and the page that explains the format."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gpuexplorer.lessons.lesson import (
    CONTROLS,
    NEEDS,
    Check,
    Code,
    LessonError,
    Point,
    Predict,
    Problem,
    Text,
    Why,
)
from gpuexplorer.lessons.reading import WORDS, read

TWO_STEPS = Path(__file__).parent / "two-steps" / "lesson.md"
HEAD = "# A title\n\n```lesson\nminutes: 10\nneeds: none\n```\n"
CHECK = ("copies[-1].bytes > 0", "else: Nothing was copied.")
NUMBER = ("question: Hm?", "number: len(copies)")


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
    assert second.needs[0].words == "There is no card to copy to."


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (block("quiz", "1 + 1"), 9, "'quiz' is no block that can stand here."),
        (block("python slow", "x = 1"), 9, "'python slow' is no block that can stand here."),
        (block("python", "x = 1", "x = = 2"), 11, "This is no Python: invalid syntax."),
        (with_step("```python\nx = 1"), 9, "This block has no end."),
        (with_step("- ```python\n  x = 1\n  ```"), 9, "'python' is no block that can stand"),
        (block("lesson", "minutes: 1", "needs: none"), 9, "'lesson' is no block that can"),
        (block("check", *CHECK, "x > 1"), 12, "A condition stands here without its `else:`"),
        (block("check", "else: So."), 10, "or an `else:` without its condition"),
        (block("point", "lab.runs"), 10, "The window has no control 'lab.runs'."),
        (block("why", "Because."), 10, "'Because.' is nothing that a `why` block can have"),
        (block("predict", "number: len(copies)"), 9, "This `predict` block has no 'question'."),
        (block("predict", *NUMBER, "unti: s"), 12, "'unti: s' is nothing that a `predict`"),
        (block("predict", *NUMBER, "limit: 5"), 9, "This `predict` block has no 'limit is'."),
        (block("predict", "question: Hm?", "- [x] A"), 9, "A choice is one right answer"),
        (block("predict", "question: Hm?", "- [ ] A", "- [y] B"), 9, "A choice is one right"),
        (HEAD, 2, "This lesson lacks a step."),
        (with_step("Text").replace("# A title", "A title"), 1, "This lesson lacks its title."),
        (with_step("Text").replace("none", "a car"), 5, "'needs: a car' is nothing that"),
        (with_step("Text").replace("needs: none", ""), 3, "This `lesson` block has no"),
        (with_step("Text").replace("```lesson", "```text"), 2, "This lesson lacks a `lesson`"),
        (with_step("# A\n\x1b[8mhidden"), 10, "This line has a letter that is not seen"),
        (with_step("See [this](../no/lesson.md)"), 9, "../no/lesson.md is nothing that"),
        (with_step("Look:\n![A](http://a.org/b.png)"), 10, "http://a.org/b.png is nothing"),
        (with_step("![A](../outside.png)"), 9, "../outside.png is nothing that"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, text: str, line: int, sentence: str
) -> None:
    (tmp_path / "outside.png").touch()
    (tmp_path / "a").mkdir()
    [found] = problems(written(tmp_path / "a", text))
    assert found.line == line
    assert sentence in found.sentence
    assert found.cure


def test_an_indented_line_goes_on_and_pictures_and_lessons_lie_beside(tmp_path: Path) -> None:
    lines = ("question: How", "  long?", "- [ ] Not", "  long", "- [x] Long")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "a b.PNG").touch()
    shown = "![A](<a b.PNG>) [it](../b/lesson.md) [net](https://a.org)"
    file = written(tmp_path / "b", f"{block('predict', *lines)}\n{shown}\n")
    part, text = read(file).steps[0].parts
    assert isinstance(part, Predict)
    assert (part.question, part.choices) == ("How long?", ["Not long", "Long"])
    assert text == Text(17, shown)


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


PAGE = (Path(__file__).parents[2] / "docs" / "lessons.md").read_text("utf-8")
EXAMPLES = [
    each[1]
    for each in re.findall(r"^(`{4,5})markdown\n(.*?)^\1$", PAGE, re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.split("\n")[1])
def test_every_example_can_be_read(tmp_path: Path, example: str) -> None:
    file = tmp_path / "lesson.md"
    made = "```python\nX = torch.ones(2, 3)\n```\n\n"
    file.write_text(example if example.startswith("# ") else with_step(made + example), "utf-8")
    assert problems(file) == []


def test_every_block_need_and_control_is_shown_and_explained() -> None:
    for word in WORDS:
        assert any(f"```{word}\n" in example for example in EXAMPLES), word
        assert word == "lesson" or f"### `{word}`: " in PAGE
    assert all(f"\n| `{word}` | " in PAGE for word in NEEDS)
    for name, words in CONTROLS.items():
        assert f"`{name}` ({words})" in PAGE
