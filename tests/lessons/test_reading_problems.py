"""What is wrong with a lesson is said as a sentence with its line and its cure, all at once."""

from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lessons.lesson import Predict, Text
from gpuexplorer.lessons.problem import LessonError
from gpuexplorer.lessons.reading import problems, read
from tests.lessons.lesson_texts import HEAD, block, with_step

CHECK = ("copies[-1].bytes > 0", "else: Nothing was copied.")


def found(folder: Path, text: str) -> list[tuple[int, str]]:
    file = folder / "lesson.md"
    file.write_text(text, "utf-8")
    each_has_a_cure = problems(file)
    assert all(each.cure for each in each_has_a_cure)
    return [(each.line, str(each.sentence)) for each in each_has_a_cure]


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (block("quiz", "1 + 1"), 9, "'quiz' is no block that can stand here."),
        (block("", "1 + 1"), 9, "This block has no word that says what it is."),
        (block("python slow", "x = 1"), 9, "`python` is followed by 'slow'."),
        (block("python", ""), 10, "There is no code in this cell."),
        (block("python", "x = 1", "x = = 2"), 11, "This is no Python: invalid syntax."),
        (block("python", "return 1"), 10, "This is no Python: 'return' outside function."),
        (with_step("```python\nx = 1"), 9, "This block has no end."),
        (with_step("- ```python\n  x = 1\n  ```"), 9, "This `python` block stands inside"),
        (block("lesson", "minutes: 1", "needs: none"), 9, "The `lesson` block stands"),
        (block("check", *CHECK, "x > 1"), 12, "Nothing is told where this is not true."),
        (block("check"), 9, "Nothing is told where this is not true."),
        (block("check", "else: So."), 10, "This `else:` has nothing to say"),
        (block("check", "x ==", "else: So."), 10, "This is no Python expression: invalid"),
        (block("check", "x = 1", "else: So."), 10, "This is no Python expression: invalid"),
        (block("check", "False", "else: So."), 10, "False is the same whatever happens."),
        (block("check", "1 == 2", "else: So."), 10, "1 == 2 is the same whatever happens."),
        (block("check", "copies and not 1", "else: So."), 10, "not 1 is the same whatever"),
        (block("needs", "True", "else: So."), 10, "True is the same whatever happens."),
        (block("point", "Run it!"), 10, "The window has no control 'Run it!'."),
        (block("point", "lab.run", "lab.cells"), 11, "This `point` block names 2 controls."),
        (block("check", "# So:", *CHECK), 10, "A `check` block has no comments."),
        (block("why", "Because."), 10, "A `why` block begins with its question."),
        (block("why", "question: Why?"), 9, "This `why` gives no answer."),
        (block("why", "question: Why?", "<b>So</b>"), 11, "<b> is HTML"),
        (block("why", "question: Why?", "# So"), 11, "A heading of the first or second level"),
        (block("predict", "number: len(copies)"), 9, "This `predict` block has no 'question'."),
        (block("predict", "question: Hm?"), 9, "This `predict` block has no 'number'."),
        (block("predict", "question: Hm?", "number: 5"), 11, "5 is the same whatever happens."),
        (
            block("predict", "question: Hm?", "number: len(copies)", "unti: s"),
            12,
            "A `predict` block has no 'unti'.",
        ),
        (
            block("predict", "question: Hm?", "number: len(copies)", "number: 5 * MiB"),
            12,
            "'number' is said twice.",
        ),
        (
            block("predict", "question: Hm?", "number: len(copies)", "within: much"),
            12,
            "'much' does not say how far",
        ),
        (
            block("predict", "question: Hm?", "number: len(copies)", "within: -3 %"),
            12,
            "'-3 %' does not say how far",
        ),
        (
            block("predict", "question: Hm?", "number: len(copies)", "limit: 5"),
            12,
            "A limit has two lines",
        ),
        (
            block("predict", "question: Hm?", "number: len(copies)", "real: no"),
            12,
            "`real` is followed",
        ),
        (block("predict", "question: Hm?", "- [x] A"), 9, "A choice is one right answer"),
        (
            block("predict", "question: Hm?", "- [x] A", "- [x] B"),
            12,
            "This is a second right answer.",
        ),
        (
            block("predict", "question: Hm?", "- [ ] A", "- [ ] B"),
            9,
            "No answer is marked as the right one.",
        ),
        (block("predict", "question: Hm?", "- [ ] A", "- [y] B"), 12, "'- [y] B' is no"),
        (
            block("predict", "question: Hm?", "unit: s", "- [ ] A", "- [x] B"),
            11,
            "'unit' belongs to a number",
        ),
        (with_step(""), 8, "Nothing stands in this step."),
        (with_step("Text\n\n##\nMore"), 11, "This heading is empty."),
        (with_step("One\n<br>two"), 10, "<br> is HTML"),
        (with_step("</p>\n<img src='http://a.org/b.png'>"), 9, "</p> is HTML"),
        (with_step("a </p><img src='http://a.org/b.png'>"), 9, "<img src='http://a.org/b.png'>"),
        (with_step("<script>\nalert()\n</script>"), 9, "<script> is HTML"),
        (with_step("Text\n\n# Another title"), 11, "This is a second title."),
        (HEAD, 7, "This lesson has no step."),
        (with_step("Text").replace("# A title", "A title"), 1, "The lesson does not begin"),
        (with_step("Text").replace("10", "ten"), 4, "'ten' is no number of minutes."),
        (with_step("Text").replace("10", "0"), 4, "'0' is no number of minutes."),
        (with_step("Text").replace("10", "9" * 5000), 4, "is no number of minutes."),
        (with_step("Text").replace("none", "a car"), 5, "'a car' is nothing that a lesson"),
        (with_step("Text").replace("needs: none", ""), 3, "This `lesson` block has no"),
        (with_step("Text").replace("needs: none", "needs:"), 5, "'needs' has no value."),
        (with_step("Text").replace("```lesson", "```text"), 2, "There is no `lesson` block"),
        (HEAD + "```point\nlab.run\n```\n## A\nT", 7, "This block stands above"),
    ],
)  # fmt: skip
def test_it_is_said_with_its_line(tmp_path: Path, text: str, line: int, sentence: str) -> None:
    told = found(tmp_path, text)
    assert any(at == line and sentence in words for at, words in told), told
    assert len(told) == 1


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        (block("check", "copies = True", "else: So."), "Use == to compare."),
        (
            block("predict", "question: How", "long?", "- [ ] A", "- [x] B"),
            "A line that goes on with the one above is indented.",
        ),
        (
            block("why", "question: Why?", "```text", "So", "```"),
            "Begin and end the block around it with four backticks: ````",
        ),
    ],
)
def test_the_cure_fits_what_is_often_done(tmp_path: Path, text: str, cure: str) -> None:
    file = tmp_path / "lesson.md"
    file.write_text(text, "utf-8")
    assert problems(file)[0].cure.endswith(cure)


def test_all_problems_are_told_by_their_lines(tmp_path: Path) -> None:
    text = block("quiz", "1") + block("check", "False", "else: So.")
    assert [line for line, _ in found(tmp_path, text)] == [9, 12, 14, 21]


def test_an_error_names_file_line_and_cure(tmp_path: Path) -> None:
    found(tmp_path, block("quiz", "1"))
    with pytest.raises(LessonError) as raised:
        read(tmp_path / "lesson.md")
    assert isinstance(raised.value, Trouble)
    assert str(raised.value) == (
        f"{tmp_path / 'lesson.md'}, line 9: 'quiz' is no block that can stand here."
        " These can: lesson, needs, predict, python, check, point, why, text."
        " What is only shown is ```text."
    )


@pytest.mark.parametrize(
    "cell", ["!nvidia-smi", "%time x = 1", "files = !ls", "x = 1\n!ls\ny = 2", "await x", "x?"]
)
def test_a_cell_may_have_what_a_notebook_understands(tmp_path: Path, cell: str) -> None:
    assert not found(tmp_path, block("python", *cell.split("\n")))


@pytest.mark.parametrize(
    ("said", "within", "factor"),
    [("30 %", 0.3, 0), ("2.5%", 0.025, 0), ("a factor of 1.5", 0, 1.5)],
)
def test_within_is_a_share_or_a_factor(
    tmp_path: Path, said: str, within: float, factor: float
) -> None:
    file = tmp_path / "lesson.md"
    file.write_text(block("predict", "question: Hm?", "number: len(copies)", f"within: {said}"))
    [part] = read(file).steps[0].parts
    assert isinstance(part, Predict)
    assert [part.within, part.factor] == pytest.approx([within, factor])


def test_an_indented_line_goes_on_with_the_one_above(tmp_path: Path) -> None:
    lines = ("question: How", "  long?", "- [ ] Not", "  long", "- [x] Long")
    file = tmp_path / "lesson.md"
    file.write_text(block("predict", *lines), "utf-8")
    [part] = read(file).steps[0].parts
    assert isinstance(part, Predict)
    assert (part.question, part.choices) == ("How long?", ["Not long", "Long"])


def test_a_link_defined_in_a_why_is_not_known_outside(tmp_path: Path) -> None:
    file = tmp_path / "lesson.md"
    why = "```why\nquestion: Why?\nSee [it][a].\n\n[a]: https://a.org\n```"
    file.write_text(with_step(f"{why}\n\nSee [it][a]."))
    text = read(file).steps[0].parts[1]
    assert isinstance(text, Text)
    assert text.markdown == "See [it][a]."


def test_a_link_defined_at_the_end_is_known_to_each_piece(tmp_path: Path) -> None:
    file = tmp_path / "lesson.md"
    file.write_text(with_step("See [it][a].\n\n```python\nx = 1\n```\n\n[a]: https://a.org"))
    text = read(file).steps[0].parts[0]
    assert isinstance(text, Text)
    assert "[A]: <https://a.org>" in text.markdown
