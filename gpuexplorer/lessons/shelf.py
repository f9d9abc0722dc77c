"""Shelf: the lessons that came with the program, and those of one's own by name or path."""

import os
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from gpuexplorer.core.resources import resource
from gpuexplorer.core.trouble import did_you_mean
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lessons.lesson import LESSON_FILE, Lesson
from gpuexplorer.lessons.lesson_file import file_of
from gpuexplorer.lessons.problem import LessonError, Problem
from gpuexplorer.lessons.reading import read

_FORMS = mark("`gpuexplorer lesson list` names all; or give the path of a lesson.md.")


def built_in() -> Iterator[Lesson | LessonError]:
    """By their names, which begin with their numbers. One that is broken hides no other."""
    for each in _files().values():
        try:
            yield read(each)
        except LessonError as error:
            yield error


def open_lesson(path: Path) -> Lesson:
    """One of one's own: a file, or a folder with a lesson.md in it."""
    file = file_of(path)
    ours = file.absolute().is_relative_to(_folder().absolute())
    return read(file, outside=not ours)


def find(name: str) -> Lesson:
    """By its whole name, its number, its name without the number, or a path."""
    files = _files()
    for each, file in files.items():
        number, _, rest = each.partition("-")
        if name in (each, rest, number, number.lstrip("0")):
            return read(file)
    if os.path.exists(name):  # noqa: PTH110 - says no where Path raises
        return open_lesson(Path(name))
    words = [*files, *(each.partition("-")[2] for each in files)]
    close = did_you_mean(get_close_matches(name, words, 1), _FORMS)
    raise LessonError(name, [Problem(0, Message("There is no such lesson."), close)])


def _files() -> dict[str, Path]:
    found = sorted(_folder().glob(f"*/{LESSON_FILE}"))
    return {each.parent.name: each for each in found}


def _folder() -> Path:
    return resource("lessons")
