"""The way in: `gpuexplorer` opens the window, `gpuexplorer VERB` answers in the terminal."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

import gpuexplorer
from gpuexplorer.commands.arguments import (
    INTERRUPTED,
    OK,
    TROUBLE,
    WRONG_ARGUMENTS,
    SentenceParser,
    WrongArgumentsError,
    add_source_arguments,
)
from gpuexplorer.core.trouble import Trouble

# Each verb, the module that holds it, and its line in the help. The module is imported when its
# verb is used, so that a snapshot pays for nothing but a snapshot.
VERBS = (
    (
        "snapshot",
        "gpuexplorer.commands.snapshot",
        "every reading of every card, as text, JSON or CSV",
    ),
    ("topology", "gpuexplorer.commands.topology", "which card is wired to which, and how fast"),
    (
        "doctor",
        "gpuexplorer.commands.doctor",
        "driver, PyTorch, display: what works and what to do",
    ),
)


def main(words: Sequence[str] | None = None) -> int:
    """Exit status 0: done; 1: trouble, said in a sentence; 2: wrong arguments; 130: Ctrl-C."""
    _soften_output()
    try:
        return _run(list(sys.argv[1:] if words is None else words))
    except WrongArgumentsError as wrong:
        return _say(wrong, WRONG_ARGUMENTS)
    except Trouble as trouble:
        return _say(trouble, TROUBLE)
    except BrokenPipeError:
        # Whoever read us has seen enough, which is no failure. Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        # A second Ctrl-C must not interrupt the leaving.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return INTERRUPTED


def _run(words: list[str]) -> int:
    verbs = {name: module for name, module, _ in VERBS}
    verb = next((word for word in words if not word.startswith("-")), None)
    if words and words[0] in verbs:
        return _run_verb(words[0], verbs[words[0]], words[1:])
    parser = SentenceParser(prog="gpuexplorer", description=_DESCRIPTION, epilog=_epilog())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--version", action="version", version=gpuexplorer.__version__)
    parser.add_argument(
        "--or-simulate",
        action="store_true",
        help="where no card answers, open on two simulated ones",
    )
    add_source_arguments(parser)
    if verb is not None and words[0] == verb:
        raise WrongArgumentsError(
            f"{verb!r} is not a command.", f"The commands are: {', '.join(verbs)}."
        )
    arguments = parser.parse_args(words)
    run_window: Callable[[argparse.Namespace], int] = import_module("gpuexplorer.app").run
    return run_window(arguments)


def _run_verb(name: str, module: str, words: list[str]) -> int:
    command = import_module(module)
    parser = SentenceParser(prog=f"gpuexplorer {name}", description=command.__doc__)
    command.add_arguments(parser)
    run: Callable[[argparse.Namespace], int] = command.run
    status = run(parser.parse_args(words))
    sys.stdout.flush()
    return status


_DESCRIPTION = """See what every graphics card of this computer is doing.

Without a command the window opens."""


def _epilog() -> str:
    lines = [f"  {name:10} {line}" for name, _, line in VERBS]
    return "commands:\n" + "\n".join(lines) + "\n\nEach has its own --help."


def _soften_output() -> None:
    """A terminal that cannot show a letter gets a question mark instead of a failure."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _say(trouble: Trouble, status: int) -> int:
    sys.stderr.write(f"{trouble.sentence}\n")
    if trouble.hint:
        sys.stderr.write(f"{trouble.hint}\n")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
