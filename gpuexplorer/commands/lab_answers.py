"""What a program or a notebook asks while it runs, answered at the terminal."""

import contextlib
import getpass
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.lab.events import Asked
from gpuexplorer.remote.far.backend import made_up
from gpuexplorer.telemetry.backend import MADE_UP, Backend
from gpuexplorer.telemetry.nvidia_smi import nvidia_smi

_CHUNK = 4096
_YES = frozenset({"y", "yes"})


@dataclass(frozen=True)
class Typed:
    """The answer to what that command asked. None: there is none."""

    command: int
    text: str | None


class Answers:
    """Lines are read in a thread of their own, so that Ctrl+C is heard meanwhile."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._unread = b""
        self._restore: Callable[[], object] = tuple

    def ask(self, asked: Asked, answer: Callable[[Typed], object]) -> None:
        match asked.what:
            case "nvidia-smi":
                answer(Typed(asked.id, self._machine(asked.text)))
            case "install" if not sys.stdin.isatty():
                _say(tr("Nobody can be asked whether to run {command}.", command=asked.text))
                answer(Typed(asked.id, None))
            case _:
                threading.Thread(
                    target=self._read, args=(asked, answer), name="answers", daemon=True
                ).start()

    def close(self) -> None:
        """The terminal shows again what is typed."""
        self._restore()

    def _read(self, asked: Asked, answer: Callable[[Typed], object]) -> None:
        if asked.what == "password" and sys.stdin.isatty():
            self._remember_terminal()
            text: str | None = None
            with contextlib.suppress(EOFError):
                text = getpass.getpass(asked.text)
        else:
            question = tr("Run {command} in the lab's Python? [y/N] ", command=asked.text)
            sys.stderr.write(question if asked.what == "install" else asked.text)
            sys.stderr.flush()
            text = self._line()
        if asked.what == "install" and (text or "").strip().lower() not in _YES:
            text = None
        answer(Typed(asked.id, text))

    def _line(self) -> str | None:
        """Not by `sys.stdin`, which could not be given up while it waits."""
        while b"\n" not in self._unread:
            more = b""
            with contextlib.suppress(OSError, ValueError):
                more = os.read(sys.stdin.fileno(), _CHUNK)
            if not more:
                break
            self._unread += more
        if not self._unread:
            return None
        line, _, self._unread = self._unread.partition(b"\n")
        return line.removesuffix(b"\r").decode(sys.stdin.encoding or "utf-8", "replace")

    def _machine(self, arguments: str) -> str | None:
        model = made_up(self._backend)
        if model is None:
            return None
        try:
            said = nvidia_smi(arguments, model, datetime.now().astimezone())
        except Trouble as trouble:
            return tr(trouble.told)
        return f"{said}\n{tr(MADE_UP)}\n"

    def _remember_terminal(self) -> None:
        with contextlib.suppress(ImportError):
            import termios  # noqa: PLC0415 - not on Windows

            descriptor = sys.stdin.fileno()
            before = termios.tcgetattr(descriptor)
            self._restore = lambda: termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
