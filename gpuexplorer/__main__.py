"""The way in: `gpuexplorer` opens the window, `gpuexplorer VERB` answers in the terminal."""

import argparse
import atexit
import errno
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import gpuexplorer
from gpuexplorer.commands.arguments import (
    INTERRUPTED,
    OK,
    TROUBLE,
    WRONG_ARGUMENTS,
    LaidOutHelp,
    SentenceParser,
    WrongArgumentsError,
    add_source_arguments,
)
from gpuexplorer.commands.windows_console import nobody_reads, say_in_a_box
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark, tr

# Each verb, the module that holds it, and its line in the help. The module is imported when its
# verb is used, so that a snapshot pays for nothing but a snapshot.
VERBS = (
    (
        "snapshot",
        "gpuexplorer.commands.snapshot",
        mark("how every card is now, as text, JSON or CSV"),
    ),
    (
        "topology",
        "gpuexplorer.commands.topology",
        mark("which card is wired to which, and how fast"),
    ),
    (
        "doctor",
        "gpuexplorer.commands.doctor",
        mark("driver, PyTorch, display: what works and what to do"),
    ),
    (
        "copies",
        "gpuexplorer.commands.copies",
        mark("how fast bytes move, and whether they arrive"),
    ),
    (
        "lab",
        "gpuexplorer.commands.lab",
        mark("run a program, and say which of its lines keep the cards waiting"),
    ),
    (
        "lesson",
        "gpuexplorer.commands.lesson",
        mark("lessons that lead through the lab: list, check, write and play them"),
    ),
    (
        "record",
        "gpuexplorer.commands.record",
        mark("keep what the cards do in a file"),
    ),
    (
        "export",
        "gpuexplorer.commands.export",
        mark("a recording as CSV, JSON Lines or a trace for Perfetto"),
    ),
    (
        "report",
        "gpuexplorer.commands.report",
        mark("a recording as a page to hand on: plots, and what stood out"),
    ),
    (
        "serve",
        "gpuexplorer.commands.serve",
        mark("show the readings to Prometheus"),
    ),
)

# So many objects more before Python looks for garbage; it counts to 700 by itself.
_SELDOM = 100_000

# The other process of the packaged program, which has no Python to start. No person types it.
_WORKER = "worker"


def main(words: Sequence[str] | None = None) -> int:
    """Exit status 0: done; 1: trouble, said in a sentence; 2: wrong arguments; 130: Ctrl-C."""
    _soften_output()
    if words is None:
        words = sys.argv[1:]
        if any(words[:1] == [name] for name, *_ in VERBS):
            _collect_seldom()
    try:
        return _run(list(words))
    except WrongArgumentsError as wrong:
        return _say(wrong, WRONG_ARGUMENTS)
    except Trouble as trouble:
        return _say(trouble, TROUBLE)
    except OSError as error:
        if not _reader_has_left(error):
            return _say(_unwritable(error), TROUBLE)
        # Whoever read us has seen enough, which is no failure. Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        # A second Ctrl-C must not interrupt the leaving.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return INTERRUPTED


def _collect_seldom() -> None:
    """What a verb imports and reads it keeps to its end. Looking through that for garbage again
    and again, and once more at the exit, takes a fifth of the time of a snapshot.
    """
    gc.set_threshold(_SELDOM)
    atexit.register(gc.freeze)


def _run(words: list[str]) -> int:
    verbs = {name: module for name, module, _ in VERBS}
    verb = next((word for word in words if not word.startswith("-")), None)
    if words[:1] == ["--or-simulate"] and words[1:2] and words[1] in verbs:
        words = words[1:]  # `make run` always says so; a command has its own way
    if words == [_WORKER]:
        be_the_worker: Callable[[], int] = import_module("gpuexplorer.worker.__main__").main
        return be_the_worker()
    if words and words[0] in verbs:
        return _run_verb(words[0], verbs[words[0]], words[1:])
    window = import_module("gpuexplorer.commands.window_arguments")
    parser = SentenceParser(prog="gpuexplorer", description=_description(), epilog=_epilog())
    parser.formatter_class = LaidOutHelp
    parser.add_argument(
        "--version",
        action="version",
        version=gpuexplorer.__version__,
        help=tr("show the version and exit"),
    )
    window.add_window_arguments(parser)
    add_source_arguments(parser)
    if verb is not None and words[0] == verb and not window.names_file(verb):
        raise WrongArgumentsError(
            "{verb!r} is not a command.",
            "The commands are: {verbs}.",
            verb=verb,
            verbs=", ".join(verbs),
        )
    late = next(
        (
            word
            for before, word in pairwise(words)
            if word in verbs and not (before == "--view" and word in window.SCREENS)
        ),
        None,
    )
    if late is not None:
        raise WrongArgumentsError(
            "The command {verb!r} has to come first.",
            "Such as: gpuexplorer {verb} …",
            verb=late,
        )
    arguments = parser.understood(words)
    if arguments.simulate is not None or arguments.fault:
        _check_simulation(arguments)
    window.check_window_arguments(arguments)
    return _open_window(arguments)


def _open_window(arguments: argparse.Namespace) -> int:
    without = import_module("gpuexplorer.commands.without_window")
    measured = (arguments.screenshot, arguments.diagnostics, arguments.quit_after)
    for_a_person = all(each is None for each in measured)
    if not for_a_person:
        without.do_without_display(pictures=arguments.screenshot is not None)
    why: Message | None = without.why_no_window()
    if why is None:
        try:
            pictures = arguments.screenshot is not None
            opened = _imported("gpuexplorer.screenshots" if pictures else "gpuexplorer.app")
        except ImportError as error:
            if (error.name or "").startswith("gpuexplorer"):
                raise  # not the system's fault
            why = Message(
                "What draws the window cannot be loaded here: {reason}.", reason=error
            )
        else:
            open_window: Callable[[argparse.Namespace], int] = opened.run
            return open_window(arguments)
    if not for_a_person or nobody_reads():
        raise Trouble(why, "`gpuexplorer doctor` says more.")
    show_table: Callable[[argparse.Namespace, Message], int] = without.show_table
    return show_table(arguments, why)


def _imported(module: str) -> ModuleType:
    """What a module brings along stays to the end. Looking through all of it for garbage, again
    and again while it grows, takes a sixth of the start.
    """
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.freeze()
        gc.enable()


def _check_simulation(arguments: argparse.Namespace) -> None:
    """Raises WrongArgumentsError while there is no window yet that would be in the way."""
    backend, _ = import_module("gpuexplorer.commands.source").open_source(arguments)
    backend.close()


def _run_verb(name: str, module: str, words: list[str]) -> int:
    command = import_module(module)
    parser = SentenceParser(prog=f"gpuexplorer {name}")
    command.add_arguments(parser)
    run: Callable[[argparse.Namespace], int] = command.run
    status = run(parser.understood(words))
    sys.stdout.flush()
    return status


def _description() -> str:
    what = tr("See what every graphics card of this computer is doing.")
    window = tr("Without a command the window opens.")
    return f"{what}\n\n{window}"


def _epilog() -> str:
    lines = [f"  {name:10} {tr(line)}" for name, _, line in VERBS]
    return "\n".join([tr("commands:"), *lines, "", tr("Each has its own --help.")])


def _reader_has_left(error: OSError) -> bool:
    """Windows has no word of its own for it."""
    on_windows = sys.platform == "win32" and error.errno == errno.EINVAL
    return isinstance(error, BrokenPipeError) or (on_windows and error.filename is None)


def _unwritable(error: OSError) -> Trouble:
    """A full disk, a closed terminal. What else the system refuses is said where it happens."""
    if error.filename is not None or error.errno is None:
        raise error
    # What waits to be written would fail again at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Trouble(
        "The output could not be written: {reason}.",
        "Look at the disk, or send it elsewhere.",
        reason=os.strerror(error.errno),
    )


def _soften_output() -> None:
    """A terminal that cannot show a letter gets a question mark instead of a failure."""
    if sys.stdout is None:  # started with its output closed
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _say(trouble: Trouble, status: int) -> int:
    text = "".join(f"{tr(line)}\n" for line in (trouble.sentence, trouble.hint) if line)
    sys.stderr.write(text)
    if nobody_reads():
        say_in_a_box("GPU Explorer", text)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
