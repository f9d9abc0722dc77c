"""The lab of a session: with the worker that suits its cards, real or simulated, here or on
another machine; or out of its recording. LabRecording puts what becomes of a lab into one.
"""

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

from gpuexplorer.core.records import UNREADABLE, UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told, tr
from gpuexplorer.gui.event_loop import Inbox
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import RECORDED, ProgramState
from gpuexplorer.gui.state.lab.pythons import LabPythons, Nowhere
from gpuexplorer.gui.state.lab.worker_slot import StartWorker, Switches
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Event
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.worker_process import WorkerProcess
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
from gpuexplorer.recording.recorded_session import Playhead, RecordedSession, RecordedStream
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.recording import Recording
from gpuexplorer.remote.machine import There
from gpuexplorer.remote.stream import FarStream, load_of, made_up
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.nvidia_smi import nvidia_smi
from gpuexplorer.telemetry.session import Session

_GROWING = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}
_WAITING = {"CUDA_LAUNCH_BLOCKING": "1"}


def lab_of(machine: MachineState, pythons: LabPythons) -> Lab:
    """For the session that is shown. Starts nothing yet. `pythons`: of this computer; another
    one has its own.
    """
    session = machine.session
    if isinstance(session.backend, FarStream):
        pythons = LabPythons(machine.settings, machine, There(session.backend.machine))
    elif why := session.source.figures_alone:
        pythons = LabPythons(machine.settings, machine, Nowhere(machine.name, why))
    lab = Lab(
        machine,
        pythons,
        starter_of(session),
        load_of(session.backend),
        smi_of(session),
        machine,
        partial(starter_of, session),
        load_of(session.backend, live=True),
        recorded=isinstance(session, RecordedSession),
    )
    if isinstance(session, RecordedSession):
        LabReplay(lab, session.recording, session.playhead)
    return lab


def starter_of(session: Session, program: Program | None = None) -> StartWorker:
    backend = session.backend

    def start(
        switches: Switches,
        python: Path,
        on_event: Callable[[Event], None],
        on_end: Callable[[Message], None],
    ) -> WorkerProcess:
        if isinstance(backend, RecordedStream):
            raise Trouble(RECORDED)
        growing = _GROWING if switches.growing else {}
        begun = Start(
            python,
            environment={**growing, **(_WAITING if switches.waits else {})},
            # A program is started where its file is: that is what it was written for, mostly.
            folder=None if program is None else program.path.parent,
            program=program,
            sampled=program is not None,
        )
        if isinstance(backend, FarStream):
            begun = backend.machine.lab_start(begun)
        if (model := made_up(backend)) is not None:
            cards, links = simulated_cards(
                model.machine, model.faults, model.elapsed, switches.visible
            )
            begun = replace(begun, cards=cards, links=links)
        elif switches.visible is not None:
            ids = {card.index: str(card.id) for card in session.cards()}
            visible = [ids[index] for index in switches.visible if index in ids]
            begun = replace(begun, visible=visible)
        return WorkerProcess(begun, on_event, on_end)

    return start


def smi_of(session: Session) -> Callable[[str], str | None]:
    """What `!nvidia-smi` prints, by its arguments. Real cards have one of their own."""

    def smi(arguments: str) -> str | None:
        if (model := made_up(session.backend)) is None:
            return None
        try:
            said = nvidia_smi(arguments, model, datetime.now().astimezone())
        except Trouble as trouble:
            return trouble.told
        return f"{said}\n{tr(MADE_UP)}"

    return smi


class LabRecording(QObject):
    """From when it is made until `stop`; what was there before comes first. A thread of its own
    writes the lines.
    """

    def __init__(self, lab: Lab, recorder: Recorder) -> None:
        super().__init__()
        self._lab, self._recorder = lab, recorder
        self._bounds, self._bounds_of_program = LabBounds(), LabBounds()
        self._writer = ThreadPoolExecutor(1, "lab recording")
        for noted in _past(lab):
            self._on_noted(noted)
        self._followed: Sequence[Lab | ProgramState] = (lab, lab.program)
        for each in self._followed:
            each.noted.connect(self._on_noted)

    def stop(self) -> None:
        """With all that waits. Harmless when called twice."""
        for each in self._followed:
            each.noted.disconnect(self._on_noted)
            self._put(*self._bounds.rest(), *map(OfProgram, self._bounds_of_program.rest()))
        self._followed = ()
        self._writer.shutdown()

    def _put(self, *kept: Noted) -> None:
        self._writer.submit(_write, self._recorder, kept)

    def _on_noted(self, noted: Noted) -> None:
        now = self._lab.machine.session.clock.now()
        match noted:
            case OfProgram(what=Event() as event):
                self._put(*map(OfProgram, self._bounds_of_program.take(event, now)))
            case Event():
                self._put(*self._bounds.take(noted, now))
            case _:
                self._put(noted)


def _write(recorder: Recorder, kept: Sequence[Noted]) -> None:
    for line in filter(None, map(line_of, kept)):
        recorder.put_said(*line)


def _past(lab: Lab) -> Iterator[Noted]:
    yield LabBegan()
    yield from past_of(lab.ledger)
    if lab.sentence:
        yield Gone(lab.sentence)
    yield from lab.course.copies.values()
    program = lab.program.course
    if (chosen := program.chosen) is not None:
        yield OfProgram(ProgramChosen(str(chosen.path), chosen.text, chosen.arguments))
        events = (each for each in past_of(program.ledger) if isinstance(each, Event))
        yield from map(OfProgram, events)
        yield OfProgram(ProgramStands(program.phase, program.status, program.sentence))


_SLICE = 0.005  # seconds of work at once, so that nobody waits
_EVERY, _AT_ONCE = 50, 5  # milliseconds between two looks, and while there is more to do
_MOST, _BATCH = 200_000, 50  # lines, the first of them; and at once
_REST = 0.003  # seconds in which others have their turn


class LabReplay(QObject):
    """Lines are read in a thread, since a disk may hang, and taken in the window's, a little at
    a time. Forward they are added to what is shown; where the playhead went back, all begins
    anew, and is shown when it has come as far. Of what cannot be read only the number is taken.
    """

    def __init__(self, lab: Lab, recording: Recording, playhead: Playhead) -> None:
        super().__init__(lab)
        self._lab, self._playhead = lab, playhead
        self._said: list[tuple[float, Noted]] = []
        self.left_out, self._read = 0, False
        self._course, self._taken = lab.course, 0
        self._inbox, stopping = Inbox(self), threading.Event()
        self._inbox.came.connect(self._on_came)
        self.destroyed.connect(stopping.set)
        # It holds nothing of Qt: the thread may outlive the window's end of it.
        needs = (recording, self._inbox.letterbox.put, stopping)
        self._reader = threading.Thread(target=_read, args=needs, daemon=True)
        self._timer = QTimer(self, interval=_EVERY)
        self._timer.timeout.connect(self._on_due)
        self._timer.start()

    @property
    def up_to_date(self) -> bool:
        """All is shown that the playhead has passed."""
        return self._read and self._taken == self._due()

    def _due(self) -> int:
        return bisect_right(self._said, self._playhead.now(), key=itemgetter(0))

    def _on_due(self) -> None:
        if self._reader.ident is None:  # the window stands now, and has time
            self._reader.start()
        due, before = self._due(), self._taken
        if due < before:
            self._course, self._taken = self._lab.new_course(), 0
        another = self._course is not self._lab.course
        until = perf_counter() + _SLICE
        while self._taken < due and perf_counter() < until:
            at, what = self._said[self._taken]
            self._taken += 1
            # What each for itself could be, but not one after the other.
            with suppress(*UNREADABLE):
                self._course.take(what, at)
        ready = self._taken == due if another else self._taken != before
        if ready:
            self._lab.show(self._course)
        self._timer.setInterval(_EVERY if self._taken == due else _AT_ONCE)

    def _on_came(self, came: tuple[list[tuple[float, Noted]], int] | None) -> None:
        """None when all was read."""
        if came is None:
            self._read = True
            return
        self._said += came[0]
        self.left_out += came[1]
        if self.left_out:
            lines = Message.counted(
                "{count} line about the lab in this file cannot be read and is left out.",
                "{count} lines about the lab in this file cannot be read and are left out.",
                self.left_out,
            )
            self._lab.said_of_recording = told(RECORDED, lines)


def _read(
    recording: Recording,
    put: Callable[[tuple[list[tuple[float, Noted]], int] | None], None],
    stopping: threading.Event,
) -> None:
    lines, last = islice(recording.said(), _MOST), float("-inf")
    while batch := [*islice(lines, _BATCH)]:
        found: list[tuple[float, Noted]] = []
        for said in batch:
            last = max(last, said.at)
            with suppress(UnreadableError):
                found.append((last, noted_of(said.what, said.text)))
        put((found, len(batch) - len(found)))
        if stopping.wait(_REST):
            return
    put(None)
