"""FarLab: workers of the lab on another machine, each by an ssh that shares the login."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from gpuexplorer.core.doctor import surroundings
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark, on, told
from gpuexplorer.lab.pythons import LabPython, PythonPlace
from gpuexplorer.lab.start import Begun, Start
from gpuexplorer.remote.link import LinkState
from gpuexplorer.remote.parcel import Kind, Parcel, parcel
from gpuexplorer.remote.refusals import SSHS_LINES, Course, ending_of, endless, plain
from gpuexplorer.remote.ssh import AskedQuestions, HostName
from gpuexplorer.remote.wire import AskPythons

if TYPE_CHECKING:
    from gpuexplorer.remote.machine import FarMachine

# A figure or a large table comes as one line.
_LONGEST_LINE = 64 << 20
_AT_ONCE = 1 << 16
_SSHS = 255
# Of a shell, by its status.
_NOT_STARTED = {
    126: mark("The chosen Python may not be started by this login on {host}."),
    127: mark("The chosen Python is not there any more on {host}."),
}
_NO_PROGRAMS = Message("A program is watched on the computer that it lies on.")
_RUN_CELLS = mark("Open it and run its cells: they run on {host}.")


def no_programs(host: HostName) -> Trouble:
    return Trouble(_NO_PROGRAMS, Message(_RUN_CELLS, host=host.text))


class FarLab:
    """For any thread; holds nothing but the way there."""

    def __init__(
        self, far: "FarMachine", questions: Callable[[], AskedQuestions | None] = lambda: None
    ) -> None:
        self._far, self._questions = far, questions

    @property
    def asked_as(self) -> str:
        return self._far.asked_as

    def begin(self, start: Start) -> Begun:
        far = self._far
        if start.program is not None:
            raise no_programs(far.host)
        if far.now.state is not LinkState.UP:
            none = Message("There is no connection to {host}.", host=far.host.text)
            raise Trouble(
                told(none, far.now.why),
                "It is tried again by itself; run this once more when it is there.",
            )
        variables = {**start.variables_in({}), **surroundings(far.asked_as)}
        sent = parcel(Kind.WORKER, variables, any_python=False)
        command = [*far.launch(far.host, sent.command(start.python.as_posix()))]
        return _FarWorker(far.host, command, sent, self._questions())


class _FarWorker(Begun):
    """Its two readers' threads share it with the one that ends it."""

    is_far = True

    def __init__(
        self, host: HostName, command: list[str], sent: Parcel, questions: AskedQuestions | None
    ) -> None:
        asked = {} if questions is None else questions.variables
        super().__init__(command, {**os.environ, **asked})
        self.preamble, self._mark = sent.preamble, sent.mark
        self._questions, self._course = questions, Course(host.text)
        self._endless = False

    def lines(self, said: IO[bytes]) -> Iterator[str]:
        """A login shell may print without an end; what is after our mark is the worker's."""
        while not self._course.ready:
            piece = said.readline(_AT_ONCE)
            if not piece:
                return
            self._course.hear(piece)
            self._course.ready = self._mark in piece
        while line := said.readline(_LONGEST_LINE):
            if not line.endswith(b"\n"):
                self._endless = len(line) >= _LONGEST_LINE
                return
            yield line.decode("utf-8", "replace")

    def complaints(self, said: IO[bytes]) -> Iterator[str]:
        while line := said.readline(_AT_ONCE):
            self._course.complain(line)
            if text := SSHS_LINES.sub("", plain(line)).strip():
                yield text

    def why(self, status: int) -> Message:
        """What ssh or a shell says, as a sentence; the worker's own end the lab words."""
        course = self._course
        if self._endless:
            return endless(course.host).why
        if course.ready and status != _SSHS and status >= 0:
            return NOTHING
        if not course.ready and status in _NOT_STARTED:
            return Message(_NOT_STARTED[status], host=course.host)
        course.status = status if status >= 0 else None
        ending = ending_of(course)
        return told(ending.why, ending.hint)

    def close(self) -> None:
        if self._questions is not None:
            self._questions.stop()


# Each is started once over there, and some lie on a slow disk.
_PATIENCE = 40.0


class There(PythonPlace):
    def __init__(self, far: "FarMachine") -> None:
        self._far = far
        self.computer = far.host.text

    def every(
        self, earlier: Path | None = None, _: threading.Event | None = None
    ) -> Iterator[LabPython]:
        if earlier is not None:
            yield from self._found(earlier.as_posix())
        yield from (each for each in self._found() if each.path != earlier)

    def picked(self, path: Path, _: threading.Event | None = None) -> LabPython:
        python = next(iter(self._found(path.as_posix())), LabPython(path))
        if not python.usable:
            hint = "Choose another, or install PyTorch into it there."
            raise Trouble(on(self.computer, python.trouble), hint)
        return python

    def _found(self, named: str = "") -> Sequence[LabPython]:
        found: Sequence[LabPython] = self._far.ask(
            Sequence[LabPython], AskPythons(named), _PATIENCE
        )
        return found
