"""What the window can be told at its start, and sentences for what it cannot be told."""

import argparse
import math
import os
import re
from pathlib import Path

from gpuexplorer.commands.arguments import (
    OneOf,
    WrongArgumentsError,
    add_host_arguments,
    check_host_python,
    in_the_words,
    number,
)
from gpuexplorer.commands.fleet_arguments import add_fleet_arguments, check_fleet_arguments
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, tr

# What view_list.py offers, which this may not ask: a wrong word is told before Qt is loaded.
SCREENS = (
    *("overview", "card", "processes", "topology", "events", "lab", "copies", "lessons"),
    "machines",
)
ALL_SCREENS = "all"
BOTH_THEMES = "both"
_SMALLEST, _LARGEST = (560, 420), (7680, 4320)
_LONGEST_PAST = 86_400.0
SUFFIX = ".gpurec"


def names_file(word: str) -> bool:
    """Whether who types this means a file, and no command."""
    return word.lower().endswith(SUFFIX) or Path(word).name != word or Path(word).is_file()


def add_window_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "recording",
        nargs="?",
        metavar=tr("FILE.gpurec"),
        help=tr("open this recording, as --open does"),
    )
    add_host_arguments(parser, several=True)
    add_fleet_arguments(parser)
    parser.add_argument("--open", metavar=tr("FILE"), help=tr("open this recording"))
    parser.add_argument(
        "--or-simulate",
        action="store_true",
        help=tr("where no card answers, open on two simulated ones"),
    )
    parser.add_argument(
        "--read-only",
        action="store_true",
        help=tr("no process can be ended from this window"),
    )
    parser.add_argument(
        "--view",
        type=OneOf((*SCREENS, ALL_SCREENS)),
        metavar=tr("NAME"),
        help=tr(
            "open on this screen: {screens}; for pictures also: all", screens=", ".join(SCREENS)
        ),
    )
    parser.add_argument(
        "--theme",
        type=OneOf(("dark", "light", BOTH_THEMES)),
        metavar=tr("THEME"),
        help=tr("dark or light, whatever the settings say; for pictures also: both"),
    )
    parser.add_argument(
        "--size", type=size, metavar=tr("WxH"), help=tr("size of the window, such as 1600x1000")
    )
    parser.add_argument(
        "--screenshot",
        metavar=tr("DIR"),
        help=tr("write a PNG per screen and theme into this folder, and end"),
    )
    parser.add_argument(
        "--after",
        type=after,
        metavar=tr("SECONDS"),
        help=tr(
            "pictures only after so many seconds of readings; simulated cards have lived "
            "through them already"
        ),
    )
    parser.add_argument(
        "--quit-after",
        type=seconds,
        metavar=tr("SECONDS"),
        help=tr("end after so many seconds"),
    )
    parser.add_argument(
        "--diagnostics",
        metavar=tr("FILE"),
        help=tr("at the end, write what the program cost, as JSON; - is the terminal"),
    )


def check_window_arguments(arguments: argparse.Namespace) -> None:
    """Raises WrongArgumentsError for words that do not go together, and Trouble for places that
    cannot be written to and files that cannot be read: at once, and not after a minute of
    measuring.
    """
    if arguments.open and arguments.recording:
        raise WrongArgumentsError(
            "Two recordings cannot be opened in one window.", "Name one of them."
        )
    arguments.open = arguments.open or arguments.recording
    check_host_python(arguments)
    if arguments.host:
        from gpuexplorer.remote.host_name import host_name  # noqa: PLC0415

        with in_the_words():
            arguments.host = [host_name(each).text for each in arguments.host]
    check_fleet_arguments(arguments)
    if arguments.open is not None:
        from gpuexplorer.recording.recording import open_recording  # noqa: PLC0415

        open_recording(Path(arguments.open)).close()
    if arguments.screenshot is None:
        if arguments.view == ALL_SCREENS:
            raise WrongArgumentsError(
                "A window opens on one screen.",
                "Say which: {screens}.",
                screens=", ".join(SCREENS),
            )
        if arguments.theme == BOTH_THEMES:
            raise WrongArgumentsError("A window has one theme.", "Say dark or light.")
        if arguments.after is not None:
            raise WrongArgumentsError(
                "--after says when pictures are taken, and none were asked for.",
                "Say where to with --screenshot DIR, or when to end with --quit-after.",
            )
    else:
        if arguments.quit_after is not None:
            raise WrongArgumentsError(
                "With --screenshot the program ends when the pictures are written.",
                "Leave --quit-after out; --after says when the pictures are taken.",
            )
        _check_folder(Path(arguments.screenshot))
    if arguments.diagnostics not in (None, "-"):
        _check_file(Path(arguments.diagnostics))


def size(text: str) -> tuple[int, int]:
    parts = re.fullmatch(r"(\d{1,6})[x×](\d{1,6})", text.strip().lower())
    if parts is None:
        raise argparse.ArgumentTypeError(
            tr("{text!r} is not a size; write it like 1600x1000", text=text)
        )
    wide, high = int(parts.group(1)), int(parts.group(2))
    if not (_SMALLEST[0] <= wide <= _LARGEST[0] and _SMALLEST[1] <= high <= _LARGEST[1]):
        raise argparse.ArgumentTypeError(
            tr(
                "{text!r} is not possible; from {smallest} to {largest} is",
                text=text,
                smallest=_words(_SMALLEST),
                largest=_words(_LARGEST),
            )
        )
    return wide, high


def seconds(text: str) -> float:
    value = number(text)
    if not math.isfinite(value) or value < 0:
        raise argparse.ArgumentTypeError(
            tr("{text!r} is no length of time; write 10 or 0.5", text=text)
        )
    return value


def after(text: str) -> float:
    value = seconds(text)
    if value > _LONGEST_PAST:
        raise argparse.ArgumentTypeError(
            tr("{text!r} is more than a day, and no more is kept", text=text)
        )
    return value


def _check_folder(folder: Path) -> None:
    """Makes the folder where there is none."""
    reason: str = ""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        reason = Message("it is a file")
    except OSError as error:
        reason = str(error) if error.errno is None else os.strerror(error.errno)
    if not reason and not os.access(folder, os.W_OK | os.X_OK):
        reason = Message("you may not write there")
    if reason:
        raise Trouble(
            "No picture can be written into {folder}: {reason}.",
            "Name a folder of your own with --screenshot.",
            folder=folder,
            reason=reason,
        )


def _check_file(path: Path) -> None:
    if path.is_dir():
        reason = Message("it is a folder")
    elif not path.parent.is_dir():
        reason = Message("there is no folder {folder}", folder=path.parent)
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        reason = Message("you may not write there")
    else:
        return
    raise Trouble(
        "What the program costs cannot be written to {file}: {reason}.",
        "Name another file with --diagnostics, or - for the terminal.",
        file=path,
        reason=reason,
    )


def _words(wide_and_high: tuple[int, int]) -> str:
    return "x".join(map(str, wide_and_high))
