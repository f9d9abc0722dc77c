"""Whatever is handed over as a lesson gets a sentence, soon; nothing is fetched or run."""

import errno
import os
import socket
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gpuexplorer.lessons.problem import LessonError
from gpuexplorer.lessons.reading import problems, read
from tests.lessons.lesson_texts import HEAD, block, with_step

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
SVG = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has none of these")


def the_one_problem(file: Path) -> tuple[int, str]:
    [found] = problems(file)
    assert found.cure
    return found.line, str(found.sentence)


def told_of(folder: Path, text: str) -> tuple[int, str]:
    file = folder / "lesson.md"
    file.write_text(text, "utf-8")
    return the_one_problem(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert the_one_problem(tmp_path / "lesson.md") == (0, "There is no such file.")


def test_a_folder(tmp_path: Path) -> None:
    assert the_one_problem(tmp_path) == (0, "This is a folder.")


def test_a_name_that_no_file_can_have() -> None:
    assert "cannot be read: its name is none" in the_one_problem(Path("a\0b"))[1]
    assert "cannot be read: File name too long" in the_one_problem(Path("a" * 5000))[1]


@on_posix
def test_a_pipe_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lesson.md")
    assert the_one_problem(tmp_path / "lesson.md") == (0, "This is no ordinary file.")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "lesson.md"
    file.write_text(with_step("Text"))

    def refused(*_: object) -> None:  # root would be let in
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refused)
    assert the_one_problem(file) == (0, "The file cannot be read: Permission denied.")


def test_ten_megabytes_are_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "lesson.md"
    file.write_bytes(b"# A\n" * 2_500_000)
    began = time.perf_counter()
    assert the_one_problem(file) == (0, "The file has 9765 KiB, and a lesson has at most 64.")
    assert time.perf_counter() - began < 0.1


@pytest.mark.parametrize(
    "letters", ["[", "![[](", "*a ", ">", "<", "a|", "`", "_a*", "- ", "\\"]
)
def test_the_most_tangled_markdown_is_read_in_a_few_seconds(
    tmp_path: Path, letters: str
) -> None:
    file = tmp_path / "lesson.md"
    file.write_text(with_step(letters * max(1, 60_000 // len(letters))))
    began = time.perf_counter()
    problems(file)
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("cell", ["!a\n" * 2500, "(" * 7900, "-" * 7900 + "1", "x" * 8001])
def test_the_most_tangled_cell_is_read_in_a_few_seconds(tmp_path: Path, cell: str) -> None:
    file = tmp_path / "lesson.md"
    file.write_text(block("python", cell))
    began = time.perf_counter()
    problems(file)
    assert time.perf_counter() - began < 10


@pytest.mark.parametrize(
    ("content", "line", "sentence"),
    [
        (b"", 0, "The file is empty."),
        (b" \n\n", 0, "The file is empty."),
        (b"\x7fELF\0\0", 0, "This is no text."),
        ("# A".encode("utf-16"), 0, "This is no text."),
        (
            b"# A\n\x1b[8mhidden",
            2,
            "This line has a letter that is not seen, and may hide others:",
        ),
        ("# A\n\n\u202ea".encode(), 3, "This line has a letter that is not seen, and may hide"),
        ("# A\n\nüber".encode("latin-1"), 3, "This line is not written in UTF-8."),
    ],
)
def test_what_is_no_text(tmp_path: Path, content: bytes, line: int, sentence: str) -> None:
    file = tmp_path / "lesson.md"
    file.write_bytes(content)
    at, told = the_one_problem(file)
    assert at == line
    assert told.startswith(sentence)


def test_line_ends_of_any_system_and_a_mark_at_the_beginning_will_do(tmp_path: Path) -> None:
    file = tmp_path / "lesson.md"
    file.write_bytes(("\ufeff" + block("quiz", "1").replace("\n", "\r\n")).encode())
    assert the_one_problem(file)[0] == 9
    file.write_bytes(with_step("Text").replace("\n", "\r").encode())
    assert read(file).title == "A title"


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("missing.png", "There is no picture missing.png."),
        ("../outside.png", "../outside.png leads out of the lesson's folder."),
        ("..%2foutside.png", "..%2foutside.png leads out of the lesson's folder."),
        ("http://a.org/b.png", "http://a.org/b.png would have to be loaded from elsewhere"),
        ("//a.org/b.png", "//a.org/b.png would have to be loaded from elsewhere"),
        ("/etc/passwd", "/etc/passwd would have to be loaded from elsewhere"),
        ("file:///etc/passwd", "file:///etc/passwd would have to be loaded from elsewhere"),
        ("data:image/png;base64,AA", "data:image/png;base64,AA would have to be loaded"),
        ("text.png", "text.png is no picture that can be shown."),
        ("fine.exe", "fine.exe is no picture that can be shown."),
        ("folder.png", "folder.png is no picture that can be shown."),
        ("broken.svg", "broken.svg is no picture that can be shown."),
        ("script.svg", "script.svg is no picture that can be shown."),
        ("click.svg", "click.svg is no picture that can be shown."),
        ("elsewhere.svg", "elsewhere.svg is no picture that can be shown."),
        ("style.svg", "style.svg is no picture that can be shown."),
        ("grows.svg", "grows.svg is no picture that can be shown."),
        ("large.png", "The picture large.png has 5 MiB, and 4 is the most."),
    ],
)
def test_pictures_that_cannot_be_shown(tmp_path: Path, target: str, sentence: str) -> None:
    folder = tmp_path / "lesson"
    folder.mkdir()
    (tmp_path / "outside.png").write_bytes(PNG)
    (folder / "text.png").write_text("no picture")
    (folder / "fine.exe").write_bytes(PNG)
    (folder / "folder.png").mkdir()
    (folder / "broken.svg").write_text("<svg>")
    (folder / "script.svg").write_text(SVG.format("<script>1</script>"))
    (folder / "click.svg").write_text(SVG.format('<g onclick="1"/>'))
    (folder / "elsewhere.svg").write_text(SVG.format('<image href="https://a.org/b.png"/>'))
    (folder / "style.svg").write_text(SVG.format("<style>@import 'https://a.org';</style>"))
    (folder / "grows.svg").write_text('<!DOCTYPE s [<!ENTITY a "b">]>' + SVG.format("&a;"))
    (folder / "large.png").write_bytes(PNG + bytes(4 << 20))
    line, told = told_of(folder, with_step(f"Look:\n![A picture]({target})"))
    assert line == 10
    assert told.startswith(sentence)


@pytest.mark.parametrize("name", ["a.png", "a b.PNG", "in/a.svg"])
def test_pictures_that_can(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    file = tmp_path / name
    fill = SVG.format('<rect fill="url(#a)"/><use href="#b"/>').encode()
    file.write_bytes(fill if name.endswith("svg") else PNG)
    lesson = tmp_path / "lesson.md"
    lesson.write_text(with_step(f"![A picture](<{name}>)"))
    assert not problems(lesson)


@on_posix
def test_a_picture_that_is_a_link_out_of_the_folder_or_to_itself(tmp_path: Path) -> None:
    folder = tmp_path / "lesson"
    folder.mkdir()
    (tmp_path / "outside.png").write_bytes(PNG)
    (folder / "a.png").symlink_to(tmp_path / "outside.png")
    (folder / "b.png").symlink_to(folder / "b.png")
    assert "leads out of" in told_of(folder, with_step("![A](a.png)"))[1]
    assert "There is no picture" in told_of(folder, with_step("![A](b.png)"))[1]


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "data:text/html,a",
        "file:///etc/passwd",
        "/etc",
        "a.sh",
        "#step",
        "",
    ],
)
def test_links_that_a_lesson_cannot_have(tmp_path: Path, target: str) -> None:
    line, told = told_of(tmp_path, with_step(f"See\n[this]({target})"))
    assert (line, told) == (10, f"{target!r} is no link that a lesson can have.")


@pytest.mark.parametrize("target", ["../no/lesson.md", "../../../../etc/lesson.md"])
def test_links_to_lessons_that_are_not_there(tmp_path: Path, target: str) -> None:
    line, told = told_of(tmp_path, with_step(f"See [this]({target})"))
    assert (line, told) == (9, f"There is no lesson {target}.")


def test_a_link_with_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    line, told = told_of(tmp_path, with_step(f"See [this](../{'a' * 5000}/lesson.md)"))
    assert line == 9
    assert told.startswith("There is no lesson ../aaa")


def test_lessons_that_link_to_each_other_in_a_ring_are_fine(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / name).mkdir()
        text = with_step(f"Next: [it](../{other}/lesson.md), [web](https://a.org)")
        (tmp_path / name / "lesson.md").write_text(text)
    assert not problems(tmp_path / "a" / "lesson.md")
    assert not problems(tmp_path / "b" / "lesson.md")


def test_nothing_is_fetched_or_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no(*_: object, **__: object) -> None:
        pytest.fail("reading a lesson did something")

    monkeypatch.setattr(socket, "socket", no)
    monkeypatch.setattr(os, "system", no)
    cell = "import os\nos.system('true')"
    file = tmp_path / "lesson.md"
    file.write_text(
        f"{block('python', cell)}\n"
        "![a](http://a.org/b.png) <img src='http://a.org/b.png'> [a](https://a.org)\n"
    )
    assert len(problems(file)) == 2


PIECES = """
``` ```python ```check ```predict ```why ```needs ```lesson ```point ```text ~~~
question:_a number:_a else:_b minutes:_1 -_[x]_a -_[_]_b #_a ##_a -_ >_ ____ ![a]( [a]( )
"""  # each is a piece, `_` a space
pieces = st.one_of(
    st.text(),
    st.sampled_from(["\n", "\n\n", *(each.replace("_", " ") for each in PIECES)]),
    st.sampled_from([HEAD, with_step("T"), block("check", "a", "else: b"), block("why")]),
)
contents = st.lists(pieces).map(lambda each: "".join(each).encode("utf-8", "replace"))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(
        st.binary(), st.lists(pieces).map(lambda each: "".join(each).encode("utf-8", "replace"))
    )
)
@example(b"# A\n```\n")
@example(b"````lesson\n```")
@example(b"> ```python\n> a")
def test_any_content_gives_a_lesson_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.md"
    file.write_bytes(content)
    found = problems(file)
    lines = content.count(b"\n") + content.count(b"\r") + 2
    assert all(0 <= each.line <= lines and each.cure for each in found)
    if found:
        with pytest.raises(LessonError):
            read(file)
    else:
        assert read(file).steps
