"""System: what a cell wants to know of the person or the machine, and waits for; and
`!command` in the system's shell, with what a simulated machine answers.
"""

import builtins
import contextlib
import getpass
import importlib
import io
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab import packaged
from gpuexplorer.lab.events import Asked, Memory
from gpuexplorer.lab.offspring import descendants
from gpuexplorer.lab.wire import Answer
from gpuexplorer.worker.streams import Streams


class Asking:
    """One question at a time, from whichever thread."""

    def __init__(
        self,
        streams: Streams,
        memory: "Callable[[], tuple[Memory, ...]]" = tuple,
        stopping: "Callable[[], bool]" = bool,
    ) -> None:
        """`stopping`: nothing more is asked, as by a debugger that takes every interrupt."""
        self._streams = streams
        self._memory = memory
        self._stopping = stopping
        self._lock = threading.Lock()
        self._open = 0
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        builtins.input = self._input
        getpass.getpass = self._password
        self.renew()

    def renew(self) -> None:
        if getattr(sys.stdin, "closed", True) or sys.stdin is sys.__stdin__:
            sys.stdin = _Typed(self)

    def ask(self, what: str, text: str) -> "str | None":
        """Waits; a stop ends that. None: there is no answer."""
        if self._streams.forked or self._stopping():
            return None
        with self._lock:
            self._answers = queue.SimpleQueue()
            self._open = self._streams.command
            try:
                memory = self._memory() if what == "nvidia-smi" else ()
                self._streams.event(Asked(self._open, what, text, memory))
                while True:  # not every system interrupts a wait that has no end
                    with contextlib.suppress(queue.Empty):
                        return self._answers.get(timeout=0.2)
            finally:
                self._open = 0

    def answer(self, answer: Answer) -> None:
        """From the thread that listens. What nobody waits for is forgotten."""
        if answer.id == self._open:
            self._answers.put(answer.text)

    def _input(self, prompt: object = "", /) -> str:
        return self._typed("input", prompt)

    # Any: a stream to which the prompt might be written.
    def _password(self, prompt: str = "Password: ", stream: Any = None) -> str:
        return self._typed("password", prompt)

    def _typed(self, what: str, prompt: object) -> str:
        answer = self.ask(what, str(prompt))
        if answer is None:
            raise EOFError("There was no answer.")
        return answer


class _Typed(io.TextIOBase):
    """Standard input, for those who read it themselves."""

    def __init__(self, asking: Asking) -> None:
        super().__init__()
        self._asking = asking

    def readable(self) -> bool:
        return True

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # as the base has it
        answer = self._asking.ask("input", "")
        return "" if answer is None else answer + "\n"

    def read(self, size: "int | None" = -1, /) -> str:
        return "".join(iter(self.readline, ""))


_PIP = re.compile(r"(?:(?:\S*/)?python[\d.]*\s+-m\s+)?pip[\d.]*\s+(.*)", re.DOTALL)
_SMI = re.compile(r"nvidia-smi\b([^|;&<>]*)(?:\|(.*))?", re.DOTALL)
_CD = re.compile(r"cd(?:\s+([^;&|]*))?")
_NAMED = re.compile(r"\{([^{}]+)\}|\$(\w+)")
_CHANGING = frozenset({"install", "uninstall", "download", "wheel"})
_PATIENCE = 0.5  # of what is asked to end


class System:
    """`say` prints; `note` is for the lab's own sentences; `names` is what cells work on."""

    def __init__(
        self,
        asking: Asking,
        note: "Callable[[Message], None]",
        names: "Mapping[str, Any]",
        *,
        simulated: bool,
    ) -> None:
        self._asking = asking
        self._note = note
        self._names = names
        self._simulated = simulated

    def system(self, command: str) -> None:
        """Its output is the cell's. What does not succeed says so, and the cell goes on."""
        command = self.filled(command)
        folder = _CD.fullmatch(command)
        pip = _PIP.fullmatch(command)
        if folder:
            self.change_folder(folder[1] or "")
        elif pip:
            self.pip(pip[1])
        else:
            self._tell(self._run(*self._shown(command)))

    def lines(self, command: str) -> "list[str]":
        """What it prints, as `x = !command` has it."""
        program, given = self._shown(self.filled(command))
        out = subprocess.PIPE
        with self._started(program, given, stdout=out) as process:
            text, _ = process.communicate(given)
        self._tell(process.returncode)
        return text.decode(errors="replace").splitlines()

    def program(self, arguments: "Sequence[str]") -> None:
        self._tell(self._run(arguments, None))

    def pip(self, arguments: str) -> None:
        """Into the Python that runs the cells, once the person has allowed it."""
        if packaged.folder() is not None:
            raise Trouble(
                "This program brings its own Python, into which nothing can be installed.",
                "Choose a Python of your own for the lab, and install it there.",
            )
        words = shlex.split(arguments)
        changing = not _CHANGING.isdisjoint(words[:1])
        if changing and self._asking.ask("install", f"pip {arguments}") is None:
            raise Trouble("It was not allowed, so nothing was installed.")
        status = self._run([sys.executable, "-m", "pip", *words], None)
        self._tell(status)
        importlib.invalidate_caches()
        if changing and not status:
            again = Message("What was loaded already stays as it is until the lab restarts.")
            self._note(again)

    def change_folder(self, folder: str) -> None:
        words = shlex.split(folder) or ["~"]
        os.chdir(os.path.expanduser(words[0]))  # noqa: PTH111 - as a shell does it
        print(os.getcwd())  # noqa: T201, PTH109 - what the person asked for

    def filled(self, command: str) -> str:
        """`{name}` and `$name` are the cell's; what these do not know is left to the shell."""

        def value(found: "re.Match[str]") -> str:
            try:
                return str(eval(found[1] or found[2], dict(self._names)))
            except Exception:
                return found[0]

        return _NAMED.sub(value, command)

    def _shown(self, command: str) -> "tuple[str | Sequence[str], bytes | None]":
        """What is to be run, and what it is given to read."""
        smi = _SMI.fullmatch(command) if self._simulated else None
        if smi is None:
            return command, None
        answer = self._asking.ask("nvidia-smi", smi[1].strip())
        if answer is None:
            raise Trouble("Nobody answered for the simulated machine.")
        return (smi[2] or "cat").strip(), answer.encode()

    # Any: what Popen takes.
    def _started(
        self, program: "str | Sequence[str]", given: "bytes | None", **more: Any
    ) -> "_Started":
        return _Started(
            program,
            shell=isinstance(program, str),
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            **more,
        )

    def _run(self, program: "str | Sequence[str]", given: "bytes | None") -> int:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        with self._started(program, given) as process:
            process.communicate(given)
        return process.returncode

    def _tell(self, status: int) -> None:
        self._names["_exit_code"] = status  # type: ignore[index]  # as IPython calls it
        if status > 0:
            self._note(Message("The command ended with status {status}.", status=status))
        elif status < 0:
            said = Message("The command was ended by signal {number}.", number=-status)
            self._note(said)


class _Started(subprocess.Popen[bytes]):
    """Ends with all that it started where the wait for it is interrupted."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None and self.poll() is None:
            for pid in reversed(descendants(self.pid)):
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.wait(_PATIENCE)
            for pid in reversed(descendants(self.pid)):
                with contextlib.suppress(OSError):
                    os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        super().__exit__(kind, error, trace)
