"""The text of a lesson's file, as long as it is one: an ordinary file, of a size to be read."""

import os
import re
import stat
from pathlib import Path

from gpuexplorer.lessons.lesson import LESSON_FILE
from gpuexplorer.lessons.problem import LessonError

MOST_BYTES = 64 << 10  # several times the longest lesson; any Markdown of it is read soon
_MOST_BRACKETS = 2000  # each may begin a link, and looking for its end takes a while
# Letters that hide what stands there: a person reads the cells before the first of them runs.
_HIDING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def file_of(path: Path) -> Path:
    """A lesson is named by its file, or by the folder with a lesson.md in it."""
    # Says no where Path raises: whoever reads it is told why not.
    return path / LESSON_FILE if os.path.isdir(path) else path  # noqa: PTH112


def text_of(file: Path) -> str:
    """With plain line ends. Raises LessonError."""
    try:
        found = file.stat()
        if stat.S_ISDIR(found.st_mode):
            raise LessonError.wrong("This is a folder.", "Name the lesson.md in it.", file)
        if not stat.S_ISREG(found.st_mode):  # it may have no end
            raise LessonError.wrong(
                "This is no ordinary file.", "Save the lesson as one first.", file
            )
        if found.st_size > MOST_BYTES:
            raise LessonError.wrong(
                "The file has {size} KiB, and a lesson has at most {most}.",
                "Make several lessons of it; pictures are files beside it.",
                file,
                size=found.st_size >> 10,
                most=MOST_BYTES >> 10,
            )
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES)
    except FileNotFoundError:
        raise LessonError.wrong(
            "There is no such file.", "`gpuexplorer lesson new NAME` makes one.", file
        ) from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise LessonError.wrong(
            "The file cannot be read: {why}.",
            "Choose another, or ask its owner for the right to read it.",
            file,
            why=why or "its name is none that a file can have",
        ) from None
    return _decoded(content, file)


def _decoded(content: bytes, file: Path) -> str:
    if b"\0" in content:
        raise LessonError.wrong(
            "This is no text.", "A lesson is a text file with Markdown.", file
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise LessonError.wrong(
            "This line is not written in UTF-8.", "Save the file as UTF-8.", file, line
        ) from None
    if not text.strip():
        raise LessonError.wrong(
            "The file is empty.", "`gpuexplorer lesson new NAME` writes a beginning.", file
        )
    if hiding := _HIDING.search(text):
        raise LessonError.wrong(
            "This line has a letter that is not seen, and may hide others: {code}.",
            "Delete it; in Python it can be written as an escape, such as \\x1b.",
            file,
            text.count("\n", 0, hiding.start()) + 1,
            code=ascii(hiding[0]),
        )
    if text.count("[") > _MOST_BRACKETS:
        raise LessonError.wrong(
            "The file has {count} brackets “[”, and a lesson at most {most}.",
            "Is it a lesson? Long lists of figures are files beside it, which a cell can read.",
            file,
            count=text.count("["),
            most=_MOST_BRACKETS,
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")
