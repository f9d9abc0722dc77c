"""Magics: `%name` and `%%name`, and `name?`: the lab's own, and IPython's where that is."""

import contextlib
import importlib
import inspect
import re
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.worker.cells import Cells
from gpuexplorer.worker.engine import Engine
from gpuexplorer.worker.system import System

_LONG_ENOUGH = 0.1  # seconds of one sample
_REPEATS = 7
_OPTION = re.compile(r"-([nr])\s*(\d+)\s*")
_UNITS = (("s", 1.0), ("ms", 1e-3), ("μs", 1e-6), ("ns", 1e-9))
_SHELLS = ("bash", "sh", "!")


class Magics:
    """What translated cells call, as `__lab__`."""

    def __init__(
        self,
        cells: Cells,
        system: System,
        engine: Engine,
        note: "Callable[[Message], None]",
    ) -> None:
        self._cells = cells
        self._system = system
        self._engine = engine
        self._note = note
        self._ipython: Any = None  # Any: an InteractiveShell, where there is one
        self.system = system.system
        self.lines = system.lines

    # Any: what it gives is the person's.
    def line_magic(self, name: str, arguments: str) -> Any:
        where = _caller()
        if name == "time":
            return self._time(lambda: self._cells.value(arguments, *where))
        if name == "timeit":
            return self._timeit(arguments, "", *where)
        if name == "pip":
            return self._system.pip(self._system.filled(arguments))
        if name == "cd":
            return self._system.change_folder(self._system.filled(arguments))
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
            program = "sh" if name == "!" else name
            return self._system.program([program, "-c", body])
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
