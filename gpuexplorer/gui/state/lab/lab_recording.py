"""LabRecording puts what becomes of the lab, its copies and its program into a recording;
LabReplay shows it again, up to the playhead.
"""

import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

from gpuexplorer.core.records import UNREADABLE, UnreadableError
from gpuexplorer.core.words import Message, told
from gpuexplorer.gui.bridge import Inbox
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import RECORDED
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
    noted_of,
    past_of,
)
from gpuexplorer.recording.recorded_session import Playhead
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.recording import Recording

_SLICE, _PAUSE = 0.005, 10  # seconds of work, milliseconds between


class LabRecording(QObject):
    """From when it is made until `stop`; what was there before comes first. In the window's
    thread, a little at a time, so that nobody waits.
    """

    def __init__(self, lab: Lab, recorder: Recorder) -> None:
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


_EVERY, _AT_ONCE = 50, 5  # milliseconds between two looks, and while there is more to do
_SLICE = 0.010  # seconds of work
_BATCH, _REST = 50, 0.003  # lines, and seconds in which others have their turn
_MOST = 200_000  # lines; the first of them


class LabReplay(QObject):
    """Lines are read in a thread, and taken in the window's, a little at a time. Forward they
    are added to what is shown; where the playhead went back, all begins anew, and is shown when
    it has come as far. Of what cannot be read nothing is taken but its number.
    """

    def __init__(self, lab: Lab, recording: Recording, playhead: Playhead) -> None:
        super().__init__(lab)
        self._lab, self._playhead = lab, playhead
        self._times: list[float] = []
        self._said: list[Noted] = []
        self.left_out = 0
        self.read = False  # all of it
        self._course, self._taken = lab.course, 0
        self._of_program = False  # something of what was taken since it was last shown
        self._stopping = threading.Event()
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_came)
        self._timer = QTimer(self, interval=_EVERY)
        self._timer.timeout.connect(self._on_due)
        self._timer.start()
        lab.ended.connect(self.stop)
        # Neither of Qt: the thread may outlive the window's end of it.
        put, stopping = self._inbox.letterbox.put, self._stopping
        self._reader = threading.Thread(
            target=_read, args=(recording, put, stopping), name="recorded lab", daemon=True
        )

    @property
    def up_to_date(self) -> bool:
        """All is shown that the playhead has passed."""
        return self.read and self._taken == self._due

    def stop(self) -> None:
        """Harmless when called twice."""
        self._stopping.set()
        self._timer.stop()

    @property
    def _due(self) -> int:
        return bisect_right(self._times, self._playhead.now())

    def _take(self, due: int) -> None:
        """As many as may be done at once."""
        shown = self._course is self._lab.course  # then others work after it, about as long
        until = perf_counter() + (_SLICE / 2 if shown else _SLICE)
        while self._taken < due and perf_counter() < until:
            what, at = self._said[self._taken], self._times[self._taken]
            self._taken += 1
            self._of_program |= isinstance(what, OfProgram)
            # What each for itself could be, but not one after the other.
            with suppress(*UNREADABLE):
                self._course.take(what, at)

    def _on_due(self) -> None:
        if self._reader.ident is None:  # the window stands now, and has time
            self._reader.start()
        due, before = self._due, self._taken
        if due < self._taken:
            self._course, self._taken = self._lab.new_course(), 0
        self._take(due)
        another = self._course is not self._lab.course
        # What is shown grows before one's eyes: to write much at once takes long.
        if (self._taken == due or not another) and (another or self._taken != before):
            self._lab.show(self._course)
            if another or self._of_program:
                self._lab.program.show(self._course.program)
            self._of_program = False
        self._timer.setInterval(_EVERY if self._taken == due else _AT_ONCE)

    def _on_came(self, came: tuple[list[float], list[Noted], int] | None) -> None:
        if came is None:
            self.read = True
        else:
            self._times += came[0]
            self._said += came[1]
            self.left_out += came[2]
        if self.left_out:
            lines = Message.counted(
                "{count} line about the lab in this file cannot be read and is left out.",
                "{count} lines about the lab in this file cannot be read and are left out.",
                self.left_out,
            )
            self._lab.said_of_recording = told(RECORDED, lines)


def _read(
    recording: Recording,
    put: Callable[[tuple[list[float], list[Noted], int] | None], None],
    stopping: threading.Event,
) -> None:
    times: list[float] = []
    found: list[Noted] = []
    left_out, last = 0, float("-inf")
    for said in islice(recording.said(), _MOST):
        try:
            found.append(noted_of(said.what, said.text))
            last = max(last, said.at)
            times.append(last)
        except UnreadableError:
            left_out += 1
        if len(found) + left_out >= _BATCH:
            put((times, found, left_out))
            times, found, left_out = [], [], 0
            if stopping.wait(_REST):
                return
    put((times, found, left_out))
    put(None)
