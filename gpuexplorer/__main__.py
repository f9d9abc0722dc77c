"""The way in: `gpuexplorer` opens the window, `gpuexplorer VERB` answers in the terminal."""

import argparse
import atexit
import errno
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

import gpuexplorer
from gpuexplorer.commands.arguments import (
    INTERRUPTED,
    OK,
    TROUBLE,
    WRONG_ARGUMENTS,
    SentenceParser,
    WrongArgumentsError,
)
from gpuexplorer.commands.terminal import nobody_reads, say_in_a_box
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark, tr

# Each verb and its line in the help. Its module is imported when it is used, so that a snapshot
# pays for nothing but a snapshot.
VERBS = {
    "snapshot": mark("how every card is now, as text, JSON or CSV"),
    "topology": mark("which card is wired to which, and how fast"),
    "doctor": mark("driver, PyTorch, display: what works and what to do"),
    "copies": mark("how fast bytes move, and whether they arrive"),
    "lab": mark("run a program, and say which of its lines keep the cards waiting"),
    "lesson": mark("lessons that lead through the lab: list, check, write and play them"),
    "record": mark("keep what the cards do in a file"),
    "export": mark("a recording as CSV, JSON Lines or a trace for Perfetto"),
    "report": mark("a recording as a page to hand on: plots, and what stood out"),
    "serve": mark("show the readings to Prometheus"),
}

# So many objects more before Python looks for garbage; it counts to 700 by itself.
_SELDOM = 100_000

# The other process of the packaged program, which has no Python to start. No person types it.
_WORKER = "worker"


def main(words: Sequence[str] | None = None) -> int:
    """Exit status 0: done; 1: trouble, said in a sentence; 2: wrong arguments; 130: Ctrl-C."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # started with it closed
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        # A terminal that cannot show a letter gets a question mark instead of a failure.
        with suppress(AttributeError):
            getattr(sys, name).reconfigure(errors="replace")
    try:
        return _run(sys.argv[1:] if words is None else [*words], alone=words is None)
    except Trouble as trouble:
        wrong = isinstance(trouble, WrongArgumentsError)
        return _say(trouble, WRONG_ARGUMENTS if wrong else TROUBLE)
    except OSError as error:
        # What else the system refuses is said where it happens.
        if error.filename is not None or error.errno is None:
            raise
        # What waits to be written would fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # Whoever read us may have seen enough, which is no failure; Windows says EINVAL then.
        if error.errno in (errno.EPIPE, *([errno.EINVAL] if sys.platform == "win32" else [])):
            return OK
        full = Trouble(
            "The output could not be written: {reason}.",
            "Look at the disk, or send it elsewhere.",
            reason=error.strerror,
        )
        return _say(full, TROUBLE)
    except KeyboardInterrupt:
        # A second Ctrl-C must not interrupt the leaving.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return INTERRUPTED


def _run(words: list[str], *, alone: bool) -> int:
    """`alone`: the process is for nothing else."""
    if words[:1] == ["--or-simulate"] and words[1:2] and words[1] in VERBS:
        words = words[1:]  # `make run` always says so; a command has its own way
    if words == [_WORKER]:
        be_the_worker: Callable[[], int] = import_module("gpuexplorer.worker.__main__").main
        return be_the_worker()
    if not words or words[0] not in VERBS:
        return _open_window(words)
    if alone:
        # What a verb imports and reads it keeps to its end. Looking through that for garbage
        # again and again, and once more at the exit, takes a fifth of a snapshot.
        gc.set_threshold(_SELDOM)
        atexit.register(gc.freeze)
    command = import_module(f"gpuexplorer.commands.{words[0]}")
    parser = SentenceParser(prog=f"gpuexplorer {words[0]}")
    command.add_arguments(parser)
    run: Callable[[argparse.Namespace], int] = command.run
    status = run(parser.understood(words[1:]))
    sys.stdout.flush()
    return status


def _open_window(words: Sequence[str]) -> int:
    from gpuexplorer.commands import window_arguments as window  # noqa: PLC0415 - no verb's

    lines = [f"  {name:10} {tr(line)}" for name, line in VERBS.items()]
    said = tr("See what every graphics card of this computer is doing.")
    parser = SentenceParser(
        prog="gpuexplorer",
        description=f"{said}\n\n{tr('Without a command the window opens.')}",
        epilog="\n".join([tr("commands:"), *lines, "", tr("Each has its own --help.")]),
    )
    version, told = gpuexplorer.__version__, tr("show the version and exit")
    parser.add_argument("--version", action="version", version=version, help=told)
    window.add_window_arguments(parser)
    arguments, unknown = parser.parse_known_args(words)
    word = arguments.recording
    if word is not None and (word in VERBS or not window.names_file(word)):
        raise WrongArgumentsError(
            "{word!r} is no recording, and a command has to come first.",
            "The commands are: {verbs}.",
            word=word,
            verbs=", ".join(VERBS),
        )
    parser.refuse(unknown)
    if arguments.simulate is not None or arguments.fault:
        # While there is no window yet that would be in the way of what is wrong with it.
        import_module("gpuexplorer.commands.source").open_source(arguments)[0].close()
    window.check_window_arguments(arguments)
    pictures = arguments.screenshot is not None
    for_a_person = not pictures and not arguments.diagnostics and arguments.quit_after is None
    if not for_a_person:
        window.do_without_display(pictures=pictures)
    why = window.why_no_window()
    if why is None:
        # What the window brings along stays to the end. Looking through all of it for garbage,
        # again and again while it grows, takes a sixth of the start.
        gc.disable()
        try:
            open_window: Callable[[argparse.Namespace], int] = import_module(
                "gpuexplorer.app"
            ).run
        except ImportError as error:
            if (error.name or "").startswith("gpuexplorer"):
                raise  # not the system's fault
            why = Message(
                "What draws the window cannot be loaded here: {reason}.", reason=error
            )
        finally:
            gc.freeze()
            gc.enable()
    if why is None:
        return open_window(arguments)
    if not for_a_person or nobody_reads():
        raise Trouble(why, "`gpuexplorer doctor` says more.")
    return window.show_table(arguments, why)


def _say(trouble: Trouble, status: int) -> int:
    text = "".join(f"{tr(line)}\n" for line in (trouble.sentence, trouble.hint) if line)
    sys.stderr.write(text)
    if nobody_reads():
        say_in_a_box("GPU Explorer", text)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
