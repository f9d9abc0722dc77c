"""`gpuexplorer lesson`: the lessons that there are, and those that somebody writes."""

import argparse
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from gpuexplorer.commands.arguments import OK, SOURCE, TROUBLE, Option, add_options, number
from gpuexplorer.commands.terminal import Column, printed, write_json
from gpuexplorer.core.resources import resource
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, all_of, mark, tr, trn
from gpuexplorer.lessons.lesson import LESSON_FILE, Lesson, LessonError
from gpuexplorer.lessons.reading import built_in, read

_COLUMNS = (
    Column(Message("Name"), 100),
    Column(Message("Minutes"), 80, right=True),
    Column(Message("Needs"), 70),
    Column(Message("Title"), 95, elastic=True),
)


_JSON = {"--json": Option("", "print it for programs to read")}
# What each action understands, and its line in the help.
_ACTIONS: Mapping[str, tuple[str, Mapping[str, Option]]] = {
    "list": (
        mark("the lessons that came with the program; with --json for programs"),
        _JSON,
    ),
    "check": (
        mark("say what is wrong with a lesson, in which line, and what to do"),
        {
            "files": Option(
                "FILE", "a lesson.md, or the folder that it lies in", Path, nargs="+"
            )
        },
    ),
    "new": (
        mark("write the beginning of a lesson of your own"),
        {"folder": Option("NAME", "the folder that is made for it", Path)},
    ),
    "run": (
        mark("play a lesson to its end, without a window"),
        {
            "name": Option("NAME", "a lesson's name or number, or the path of one"),
            **_JSON,
            "--yes": Option(
                "", "run the cells of a lesson that did not come with the program, unasked"
            ),
            "--save": Option("FILE", "also write what came of it, as a page (.html)", Path),
            "--python": Option("FILE", "the Python that runs the cells", Path),
            "--patience": Option(
                "SECONDS",
                "a cell that takes longer is stopped, and its step has failed; by default 600",
                number,
                600.0,
            ),
            **SOURCE,
        },
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Lessons that lead through the lab, step by step. In the window they stand on the"
        " screen “Lessons”; docs/lessons.md says how one is written."
    )
    parser.epilog = tr(
        "Each action has its own --help. The exit status is 0 when all was fine; 1 where a"
        " lesson has a problem or one of its checks failed; 2 when the command was not"
        " understood."
    )
    actions = parser.add_subparsers(
        dest="action", metavar=tr("ACTION"), required=True, title=tr("actions")
    )
    for name, (line, options) in _ACTIONS.items():
        add_options(actions.add_parser(name, help=tr(line)), options)


def run(arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "list":
            return _list(as_data=arguments.json)
        case "check":
            # Every file is looked at, also behind one with problems.
            return max([_check(each) for each in arguments.files])
        case "new":
            return _new(arguments.folder)
    # What plays a lesson takes a while to be imported.
    from gpuexplorer.commands import lesson_run  # noqa: PLC0415 - as just said

    return lesson_run.run(arguments)


def _list(*, as_data: bool) -> int:
    found = list(built_in())
    lessons = [each for each in found if isinstance(each, Lesson)]
    for each in found:
        if isinstance(each, LessonError):
            sys.stderr.write(f"{each.told}\n")
    if as_data:
        keys = ("name", "title", "minutes", "needs")
        write_json([{key: getattr(each, key) for key in keys} for each in lessons])
    else:
        nothing = Message("nothing")
        rows = [
            (e.name, str(e.minutes), all_of(e.needs) if e.needs else nothing, e.title)
            for e in lessons
        ]
        with printed() as page:
            page.table(_COLUMNS, rows)
            page.gap().say(tr("Play one in the window, or with: gpuexplorer lesson run NAME"))
    return OK if len(lessons) == len(found) else TROUBLE


def _check(path: Path) -> int:
    try:
        lesson = read(path)
    except LessonError as error:
        for each in error.problems:
            one = LessonError(error.file, [each])
            sys.stdout.write(f"{tr(one.sentence)}\n    {tr(one.hint)}\n")
        return TROUBLE
    fine = trn(
        "{file}: nothing is wrong with its {count} step.",
        "{file}: nothing is wrong with its {count} steps.",
        len(lesson.steps),
        file=lesson.file,
    )
    sys.stdout.write(f"{fine}\n")
    return OK


def _new(folder: Path) -> int:
    file = folder / LESSON_FILE
    template = resource("lessons", "template.md").read_bytes()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as made:
            made.write(template)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise Trouble(
            "{file} cannot be written: {reason}.",
            "Choose another place.",
            file=file,
            reason=reason or error,
        ) from None
    sys.stdout.write(
        tr(
            "{file} is written. Change it, then look at it with: gpuexplorer lesson check"
            " {folder}",
            file=file,
            folder=shlex.quote(str(folder)),
        )
        + "\n"
    )
    return OK
