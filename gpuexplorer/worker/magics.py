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
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import Message
from gpuexplorer.lab import packaged
from gpuexplorer.lab.events import Asked
from gpuexplorer.lab.offspring import descendants
from gpuexplorer.lab.wire import Answer
from gpuexplorer.worker.cells import Cells
from gpuexplorer.worker.streams import Stop, Streams

if TYPE_CHECKING:
    from gpuexplorer.worker.engine import Engine

_LONG_ENOUGH = 0.1  # seconds of one sample
_REPEATS = 7
_OPTION = re.compile(r"-([nr])\s*(\d+)\s*")
_PIP = re.compile(r"(?:(?:\S*/)?python[\d.]*\s+-m\s+)?pip[\d.]*\s+(.*)", re.DOTALL)
_SMI = re.compile(r"nvidia-smi\b([^|;&<>]*)(?:\|(.*))?", re.DOTALL)
_NAMED = re.compile(r"\{([^{}]+)\}|\$(\w+)")
_CHANGING = ("install", "uninstall", "download", "wheel")
_NOTHING = ("matplotlib", "config", "load_ext")  # what is drawn is shown in any case


class Magics:
    """What translated cells call, as `__lab__`."""

    def __init__(
        self, cells: Cells, engine: "Engine", streams: Streams, stop: Stop, *, simulated: bool
    ) -> None:
        self._cells, self._engine, self._streams, self._stop = cells, engine, streams, stop
        self._note = streams.note
        self._simulated = simulated
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        builtins.input = lambda prompt="", /: self._typed("input", prompt)
        getpass.getpass = lambda prompt="Password: ", stream=None: self._typed(
            "password", prompt
        )

    def answer(self, answer: Answer) -> None:
        """From the thread that listens."""
        self._answers.put(answer.text)

    def _ask(self, what: str, text: str) -> "str | None":
        """Waits; a stop ends that. None: there is no answer, as for a debugger that takes every
        interrupt and asks on.
        """
        if self._streams.forked or self._stop.asked:
            return None
        self._answers = queue.SimpleQueue()  # what nobody waits for any more is forgotten
        memory = tuple(self._engine.memory()) if what == "nvidia-smi" else ()
        self._streams.event(Asked(self._streams.command, what, text, memory))
        while True:  # not every system interrupts a wait that has no end
            with contextlib.suppress(queue.Empty):
                return self._answers.get(timeout=0.2)

    def _typed(self, what: str, prompt: object) -> str:
        answer = self._ask(what, str(prompt))
        if answer is None:
            raise EOFError("There was no answer.")
        return answer

    def system(self, command: str) -> None:
        """Its output is the cell's. What does not succeed says so, and the cell goes on."""
        command = self._filled(command)
        if pip := _PIP.fullmatch(command):
            self._pip(pip[1])
        else:
            self._run(command)

    def lines(self, command: str) -> "list[str]":
        """What it prints, as `x = !command` has it."""
        out, _ = self._run(self._filled(command), subprocess.PIPE)
        return out.decode(errors="replace").splitlines()

    # Any: what it gives is the person's.
    def magic(self, name: str, arguments: str, body: "str | None" = None) -> Any:
        """Of a cell, which has a body, or of a line."""
        cell, line = _caller()
        match name, body:
            case "time", str(code):
                self._time(lambda: self._cells.carry_out(code, cell, line + 1))
            case "time", _:
                return self._time(lambda: self._cells.evaluated(arguments, cell, line)[0])
            case "timeit", _:
                self._timeit(arguments, body or "")
            case "pip", None:
                self._pip(self._filled(arguments))
            case "cd", None:
                folder = self._filled(arguments) or "~"
                os.chdir(Path(folder.strip("\"'")).expanduser())
                print(Path.cwd())  # noqa: T201 - what the person asked for
            case "capture", str(code):
                kept = io.StringIO()
                with contextlib.redirect_stdout(kept), contextlib.redirect_stderr(kept):
                    self._cells.evaluated(code, cell, line + 1)
            case "writefile", str(text):
                Path(arguments.strip()).write_text(text + "\n", "utf-8")
            case (("bash" | "sh"), str(script)):
                self._run([name, "-c", script])
            case _, str():
                raise Trouble(
                    "%%{name} is not offered here.",
                    "There are %%time, %%timeit, %%capture, %%writefile, %%bash and %%sh.",
                    name=name,
                )
            case _ if name not in _NOTHING:
                passed = Message("%{name} is not offered here, and was passed over.", name=name)
                self._note(passed)
        return None

    def explain(self, what: str, source: bool) -> None:
        """`name?` and `name??`."""
        thing = self._cells.evaluated(what, *_caller())[0]
        said = inspect.getsource(thing) if source else inspect.getdoc(thing)
        with contextlib.suppress(TypeError, ValueError):
            print(what + str(inspect.signature(thing)) + "\n")  # noqa: T201 - asked for
        print(said or repr(type(thing)))  # noqa: T201 - what the person asked for

    def _time(self, run: "Callable[[], Any]") -> Any:
        begin = self._now()
        try:
            return run()
        finally:
            took = duration(self._now() - begin)
            self._tell(Message("{time}, until all cards were done.", time=str(took)))

    def _timeit(self, arguments: str, body: str) -> None:
        options = dict(_OPTION.findall(arguments))
        line = _OPTION.sub("", arguments).strip()
        code, before = (body, line or "pass") if body else (line, "pass")
        timer = timeit.Timer(code, before, self._now, self._cells.names)
        loops = int(options.get("n", 0))
        if not loops:
            loops, began = 1, time.process_time()
            # This computer may work long for what simulated cards do in a moment.
            while timer.timeit(loops) < _LONG_ENOUGH > time.process_time() - began:
                loops *= 10
                began = time.process_time()
        repeats = max(1, int(options.get("r", _REPEATS)))
        samples = [each / loops for each in timer.repeat(repeats, loops)]
        self._tell(
            Message(
                "{mean} a loop, until all cards were done ({samples} samples of {loops} loops, "
                "the fastest {least}).",
                mean=str(duration(sum(samples) / repeats)),
                samples=repeats,
                loops=f"{loops:,}",
                least=str(duration(min(samples))),
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

    def _pip(self, arguments: str) -> None:
        """Into the Python that runs the cells, once the person has allowed it."""
        if packaged.folder() is not None:
            raise Trouble(
                "This program brings its own Python, into which nothing can be installed.",
                "Choose a Python of your own for the lab, and install it there.",
            )
        changing = arguments.startswith(_CHANGING)
        if changing and self._ask("install", f"pip {arguments}") is None:
            raise Trouble("It was not allowed, so nothing was installed.")
        _, status = self._run([sys.executable, "-m", "pip", *shlex.split(arguments)])
        importlib.invalidate_caches()
        if changing and not status:
            again = Message("What was loaded already stays as it is until the lab restarts.")
            self._note(again)

    def _filled(self, command: str) -> str:
        """`{name}` and `$name` are the cell's; what these do not know is left to the shell."""

        def value(found: "re.Match[str]") -> str:
            try:
                return str(eval(found[1] or found[2], dict(self._cells.names)))
            except Exception:
                return found[0]

        return _NAMED.sub(value, command)

    def _run(
        self, program: "str | Sequence[str]", out: "int | None" = None
    ) -> "tuple[bytes, int]":
        """What it printed, where `out` is a pipe, and its status. What a stop interrupts ends
        with all that it started.
        """
        shell, given = isinstance(program, str), b""
        smi = _SMI.fullmatch(program) if self._simulated and isinstance(program, str) else None
        if smi is not None:
            answer = self._ask("nvidia-smi", smi[1].strip())
            if answer is None:
                raise Trouble("Nobody answered for the simulated machine.")
            program, given = (smi[2] or "cat").strip(), answer.encode()
        process = subprocess.Popen(program, shell=shell, stdin=subprocess.PIPE, stdout=out)
        try:
            text, _ = process.communicate(given)
        except BaseException:
            for pid in descendants(process.pid)[::-1]:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGTERM)
            raise
        if status := process.returncode:
            self._note(Message("The command ended with status {status}.", status=status))
        return text or b"", status


def _caller() -> "tuple[str, int]":
    """The nearest line of a cell."""
    frame = sys._getframe(1)
    while frame.f_back is not None and not frame.f_code.co_filename.startswith("<cell "):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
