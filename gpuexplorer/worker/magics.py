"""What stands in a cell beside Python: `!command` in the system's shell, `%magic` and `name?`;
and what a cell asks of a person, and waits for.
"""

import builtins
import contextlib
import getpass
import importlib
import inspect
import io
import os
import queue
import re
import shlex
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab import packaged
from gpuexplorer.lab.events import Asked, Memory
from gpuexplorer.lab.offspring import descendants
from gpuexplorer.lab.wire import Answer
from gpuexplorer.worker.cells import Cells
from gpuexplorer.worker.engine import Engine
from gpuexplorer.worker.streams import Streams

_LONG_ENOUGH = 0.1  # seconds of one sample
_REPEATS = 7
_OPTION = re.compile(r"-([nr])\s*(\d+)\s*")
_UNITS = (("s", 1.0), ("ms", 1e-3), ("μs", 1e-6), ("ns", 1e-9))
_PIP = re.compile(r"(?:(?:\S*/)?python[\d.]*\s+-m\s+)?pip[\d.]*\s+(.*)", re.DOTALL)
_SMI = re.compile(r"nvidia-smi\b([^|;&<>]*)(?:\|(.*))?", re.DOTALL)
_CD = re.compile(r"cd(?:\s+([^;&|]*))?")
_NAMED = re.compile(r"\{([^{}]+)\}|\$(\w+)")
_CHANGING = frozenset({"install", "uninstall", "download", "wheel"})
_PATIENCE = 0.5  # of what is asked to end
_SHELLS = ("bash", "sh", "!")


class Magics:
    """What translated cells call, as `__lab__`."""

    def __init__(
        self,
        cells: Cells,
        asking: "Asking",
        engine: Engine,
        note: "Callable[[Message], None]",
        *,
        simulated: bool,
    ) -> None:
        """`note` is for the lab's own sentences."""
        self._cells = cells
        self._asking = asking
        self._engine = engine
        self._note = note
        self._simulated = simulated
        self._ipython: Any = None  # Any: an InteractiveShell, where there is one

    def system(self, command: str) -> None:
        """Its output is the cell's. What does not succeed says so, and the cell goes on."""
        command = self._filled(command)
        folder = _CD.fullmatch(command)
        pip = _PIP.fullmatch(command)
        if folder:
            self._change_folder(folder[1] or "")
        elif pip:
            self._pip(pip[1])
        else:
            self._tell_status(self._run(*self._to_run(command))[0])

    def lines(self, command: str) -> "list[str]":
        """What it prints, as `x = !command` has it."""
        status, text = self._run(*self._to_run(self._filled(command)), out=subprocess.PIPE)
        self._tell_status(status)
        return text.decode(errors="replace").splitlines()

    # Any: what it gives is the person's.
    def line_magic(self, name: str, arguments: str) -> Any:
        where = _caller()
        if name == "time":
            return self._time(lambda: self._cells.value(arguments, *where))
        if name == "timeit":
            return self._timeit(arguments, "", *where)
        if name == "pip":
            return self._pip(self._filled(arguments))
        if name == "cd":
            return self._change_folder(self._filled(arguments))
        if name == "matplotlib":  # what is drawn is shown in any case
            return None
        ipython = self._shell(f"%{name}")
        return ipython.run_line_magic(name, arguments, _stack_depth=2)

    def cell_magic(self, name: str, arguments: str, body: str) -> Any:
        cell, line = _caller()
        if name == "time":
            return self._time(lambda: self._cells.carry_out(body, cell, line + 1))
        if name == "timeit":
            return self._timeit(arguments, body, cell, line)
        if name in _SHELLS:
            program = ["sh" if name == "!" else name, "-c", body]
            return self._tell_status(self._run(program, None)[0])
        return self._shell(f"%%{name}").run_cell_magic(name, arguments, body)

    def explain(self, what: str, source: bool) -> None:
        """`name?` and `name??`."""
        thing = self._cells.value(what, *_caller())
        parts = []
        with contextlib.suppress(TypeError, ValueError):
            parts.append(what + str(inspect.signature(thing)))
        if source:
            with contextlib.suppress(TypeError, OSError):
                parts.append(inspect.getsource(thing))
        parts.append(inspect.getdoc(thing) or repr(type(thing)))
        print("\n\n".join(parts))  # noqa: T201 - what the person asked for

    def _time(self, run: "Callable[[], Any]") -> Any:
        begin = self._now()
        try:
            return run()
        finally:
            took = self._now() - begin
            self._tell(Message("{time}, until all cards were done.", time=_written(took)))

    def _timeit(self, arguments: str, body: str, cell: str, line: int) -> None:
        options = dict(_OPTION.findall(arguments))
        statement = _OPTION.sub("", arguments).strip()
        if body:
            prepare, statement, line = statement, body, line + 1
        else:
            prepare = ""
        run = self._cells.repeated(statement, prepare, cell, line)

        def seconds(loops: int) -> float:
            begin = self._now()
            run(loops)
            return self._now() - begin

        loops = int(options.get("n", 0))
        if not loops:
            loops, began = 1, time.process_time()
            # This computer may work long for what simulated cards do in a moment.
            while seconds(loops) < _LONG_ENOUGH > time.process_time() - began:
                loops *= 10
                began = time.process_time()
        repeats = max(1, int(options.get("r", _REPEATS)))
        samples = [seconds(loops) / loops for _ in range(repeats)]
        self._tell(
            Message(
                "{mean} ± {spread} a loop, until all cards were done ({samples} samples of "
                "{loops} loops, the fastest {least}).",
                mean=_written(statistics.fmean(samples)),
                spread=_written(statistics.pstdev(samples)),
                samples=repeats,
                loops=f"{loops:,}",
                least=_written(min(samples)),
            )
        )

    def _tell(self, said: Message) -> None:
        self._note(said)
        if self._engine.times().modelled:
            self._note(Message("These times are modelled: the cards are simulated."))

    def _now(self) -> float:
        """When all cards have done what they were asked. Simulated ones set this clock."""
        for used in self._engine.memory():
            torch.cuda.synchronize(used.device)
        return time.perf_counter()

    def _shell(self, name: str) -> Any:
        if self._ipython is None:
            try:
                shells = importlib.import_module("IPython.core.interactiveshell")
                config = importlib.import_module("traitlets.config").Config()
            except ImportError:
                raise Trouble(
                    "{name} is one of IPython's magics, and this Python has no IPython.",
                    "Install it with `%pip install ipython`.",
                    name=name,
                ) from None
            config.HistoryManager.enabled = False
            hook = sys.displayhook
            self._ipython = shells.InteractiveShell.instance(
                config=config, user_module=self._cells.module, user_ns=self._cells.names
            )
            sys.displayhook = hook
        return self._ipython

    def _pip(self, arguments: str) -> None:
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
        status, _ = self._run([sys.executable, "-m", "pip", *words], None)
        self._tell_status(status)
        importlib.invalidate_caches()
        if changing and not status:
            again = Message("What was loaded already stays as it is until the lab restarts.")
            self._note(again)

    def _change_folder(self, folder: str) -> None:
        words = shlex.split(folder) or ["~"]
        os.chdir(os.path.expanduser(words[0]))  # noqa: PTH111 - as a shell does it
        print(os.getcwd())  # noqa: T201, PTH109 - what the person asked for

    def _filled(self, command: str) -> str:
        """`{name}` and `$name` are the cell's; what these do not know is left to the shell."""

        def value(found: "re.Match[str]") -> str:
            try:
                return str(eval(found[1] or found[2], dict(self._cells.names)))
            except Exception:
                return found[0]

        return _NAMED.sub(value, command)

    def _to_run(self, command: str) -> "tuple[str | Sequence[str], bytes | None]":
        """What is to be run, and what it is given to read."""
        smi = _SMI.fullmatch(command) if self._simulated else None
        if smi is None:
            return command, None
        answer = self._asking.ask("nvidia-smi", smi[1].strip())
        if answer is None:
            raise Trouble("Nobody answered for the simulated machine.")
        return (smi[2] or "cat").strip(), answer.encode()

    def _run(
        self, program: "str | Sequence[str]", given: "bytes | None", out: "int | None" = None
    ) -> "tuple[int, bytes]":
        """Its status, and what it printed where `out` is a pipe."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        source = subprocess.DEVNULL if given is None else subprocess.PIPE
        shell = isinstance(program, str)
        with _Started(program, shell=shell, stdin=source, stdout=out) as process:
            text, _ = process.communicate(given)
        return process.returncode, text or b""

    def _tell_status(self, status: int) -> None:
        self._cells.names["_exit_code"] = status  # as IPython calls it
        if status > 0:
            self._note(Message("The command ended with status {status}.", status=status))
        elif status < 0:
            said = Message("The command was ended by signal {number}.", number=-status)
            self._note(said)


def is_timing(code: str) -> bool:
    """A cell that only times something is not watched: that would be in the times."""
    return bool(
        re.fullmatch(r"\s*(%%(time|timeit)\b.*|%(time|timeit)\b[^\n]*)", code, re.DOTALL)
    )


def _caller() -> "tuple[str, int]":
    """The cell and its line that called the lab."""
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


def _written(seconds: float) -> str:
    unit, size = next((each for each in _UNITS if seconds >= each[1]), _UNITS[-1])
    return f"{seconds / size:.3g} {unit}"


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
        builtins.input = lambda prompt="", /: self._typed("input", prompt)
        getpass.getpass = lambda prompt="Password: ", stream=None: self._typed(
            "password", prompt
        )
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
