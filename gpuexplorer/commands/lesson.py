"""`gpuexplorer lesson`: the lessons that there are, and those that somebody writes."""

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from gpuexplorer.commands.arguments import OK, TROUBLE, add_source_arguments, number
from gpuexplorer.commands.page import Column, Page, shown
from gpuexplorer.commands.terminal import Terminal
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
    listing = actions.add_parser(
        "list", help=tr("the lessons that came with the program; with --json for programs")
    )
    listing.add_argument(
        "--json", action="store_true", help=tr("print it for programs to read")
    )
    checking = actions.add_parser(
        "check", help=tr("say what is wrong with a lesson, in which line, and what to do")
    )
    checking.add_argument(
        "files",
        metavar=tr("FILE"),
        nargs="+",
        type=Path,
        help=tr("a lesson.md, or the folder that it lies in"),
    )
    making = actions.add_parser("new", help=tr("write the beginning of a lesson of your own"))
    making.add_argument(
        "folder", metavar=tr("NAME"), type=Path, help=tr("the folder that is made for it")
    )
    _add_run(actions.add_parser("run", help=tr("play a lesson to its end, without a window")))


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
    play: Callable[[argparse.Namespace], int] = import_module(
        "gpuexplorer.commands.lesson_run"
    ).run
    return play(arguments)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", metavar=tr("NAME"), help=tr("a lesson's name or number, or the path of one")
    )
    parser.add_argument("--json", action="store_true", help=tr("print it for programs to read"))
    parser.add_argument(
        "--yes",
        action="store_true",
        help=tr("run the cells of a lesson that did not come with the program, unasked"),
    )
    parser.add_argument(
        "--save",
        metavar=tr("FILE"),
        type=Path,
        help=tr("also write what came of it, as a page (.html)"),
    )
    parser.add_argument(
        "--python", metavar=tr("FILE"), type=Path, help=tr("the Python that runs the cells")
    )
    parser.add_argument(
        "--patience",
        metavar=tr("SECONDS"),
        type=number,
        default=600.0,
        help=tr("a cell that takes longer is stopped, and its step has failed; by default 600"),
    )
    add_source_arguments(parser)


def _list(*, as_data: bool) -> int:
    found = list(built_in())
    lessons = [each for each in found if isinstance(each, Lesson)]
    for each in found:
        if isinstance(each, LessonError):
            sys.stderr.write(f"{each.told}\n")
    if as_data:
        keys = ("name", "title", "minutes", "needs")
        told = [{key: getattr(each, key) for key in keys} for each in lessons]
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    else:
        terminal = Terminal()
        page = Page(terminal.width())
        page.table(_COLUMNS, [_row(each) for each in lessons])
        page.gap()
        page.say(tr("Play one in the window, or with: gpuexplorer lesson run NAME"))
        terminal.show(str(page))
    return OK if len(lessons) == len(found) else TROUBLE


def _row(lesson: Lesson) -> tuple[str, ...]:
    needs = all_of(lesson.needs) if lesson.needs else Message("nothing")
    return lesson.name, str(lesson.minutes), shown(needs), lesson.title


def _check(path: Path) -> int:
    try:
        lesson = read(path)
    except LessonError as error:
        for each in error.problems:
            place = mark("{file}, line {line}:") if each.line else mark("{file}:")
            said = tr(place, file=error.file, line=each.line)
            sys.stdout.write(f"{said} {tr(each.sentence)}\n    {tr(each.cure)}\n")
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
    except FileExistsError:
        raise Trouble(
            "{file} is there already, and is left as it is.", "Choose another name.", file=file
        ) from None
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
