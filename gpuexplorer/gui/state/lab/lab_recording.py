"""LabRecording: puts what becomes of the lab, its copies and its program into a recording."""

from collections import deque
from collections.abc import Iterator
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.lab.events import Event
from gpuexplorer.recording.lab_said import (
    Gone,
    LabBegan,
    LabBounds,
    Noted,
    OfProgram,
    ProgramChosen,
    ProgramStands,
    line_of,
    past_of,
)
from gpuexplorer.recording.recorder import Recorder

_SLICE, _PAUSE = 0.005, 10  # seconds of work, milliseconds between


class LabRecording(QObject):
    """From when it is made until `stop`; what was there before comes first. In the window's
    thread, a little at a time, so that nobody waits.
    """

    def __init__(self, lab: LabState, recorder: Recorder) -> None:
        super().__init__()
        self._lab, self._recorder = lab, recorder
        self._bounds, self._bounds_of_program = LabBounds(), LabBounds()
        self._waiting: deque[Noted] = deque()
        self._stopped = False
        self._timer = QTimer(self, interval=_PAUSE)  # while something waits
        self._timer.timeout.connect(self._on_due)
        for each in self._past():
            self._on_noted(each)
        for state in (lab, lab.program):
            state.noted.connect(self._on_noted)

    def stop(self) -> None:
        """With all that waits. Harmless when called twice."""
        if not self._stopped:
            self._stopped = True
            self._timer.stop()
            for state in (self._lab, self._lab.program):
                state.noted.disconnect(self._on_noted)
            self._waiting.extend(self._bounds.rest())
            self._waiting.extend(map(OfProgram, self._bounds_of_program.rest()))
            self._write(float("inf"))

    def _past(self) -> Iterator[Noted]:
        lab, program = self._lab, self._lab.program
        yield LabBegan()
        yield from past_of(lab.ledger)
        if lab.sentence:
            yield Gone(lab.sentence)
        yield from lab.course.copies.values()
        if program.chosen is not None:
            chosen = program.chosen
            yield OfProgram(ProgramChosen(str(chosen.path), chosen.text, chosen.arguments))
            events = (each for each in past_of(program.ledger) if isinstance(each, Event))
            yield from map(OfProgram, events)
            yield OfProgram(ProgramStands(program.phase, program.status, program.sentence))

    def _write(self, until: float) -> None:
        while self._waiting and perf_counter() < until:
            line = line_of(self._waiting.popleft())
            if line is not None:
                self._recorder.put_said(*line)

    def _on_noted(self, noted: Noted) -> None:
        now = self._lab.machine.session.clock.now()
        if isinstance(noted, Event):
            self._waiting.extend(self._bounds.take(noted, now))
        elif isinstance(noted, OfProgram) and isinstance(noted.what, Event):
            events = self._bounds_of_program.take(noted.what, now)
            self._waiting.extend(map(OfProgram, events))
        else:
            self._waiting.append(noted)
        if not self._timer.isActive():
            self._timer.start()

    def _on_due(self) -> None:
        self._write(perf_counter() + _SLICE)
        if not self._waiting:
            self._timer.stop()
