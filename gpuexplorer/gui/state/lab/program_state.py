"""ProgramState: a program of the person's own that runs whole in a worker, and is watched."""

import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.state.lab.devices import meant_cards
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.worker_slot import StartWorker, WorkerSlot
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Hello, Watched
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.simulated_cards import Load
from gpuexplorer.lab.start import Program
from gpuexplorer.lab.wire import Answer, Run
from gpuexplorer.programs.program_run import ProgramRun
from gpuexplorer.recording.lab_said import Noted, OfProgram, ProgramChosen, ProgramStands
from gpuexplorer.remote.machine import no_programs
from gpuexplorer.remote.stream import FarStream

if TYPE_CHECKING:
    from gpuexplorer.gui.state.copies.ways import Ways

_ID = 1  # a worker that runs a program has no other command
RECORDED = Message("This is a recording: nothing runs in it.")
_ENDED = Message("It was ended, since it did not come back.")

StartProgram = Callable[[Program], StartWorker]


class Phase(StrEnum):
    """Where it waits for input it is still `RUNNING`."""

    NONE = "none"  # nothing was started yet
    SEARCHING = "searching"  # for a Python with PyTorch
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"  # was sent Ctrl+C
    HANGING = "hanging"  # and does not come back
    ENDED = "ended"  # by itself, with a status
    STOPPED = "stopped"  # by the person
    FAILED = "failed"  # by an error that nothing caught
    KILLED = "killed"  # by a signal, or since it hung
    REFUSED = "refused"  # it cannot be started; a sentence says why

    @property
    def runs(self) -> bool:
        """Whether there is something to stop."""
        under_way = (Phase.SEARCHING, Phase.STARTING, Phase.RUNNING)
        return self in (*under_way, Phase.STOPPING, Phase.HANGING)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to run. `text` is what the file says, for the lines that are shown."""

    path: Path
    text: str
    arguments: tuple[str, ...] = ()


@dataclass
class ProgramCourse:
    """What became of it: the sum of all that was noted."""

    chosen: Chosen | None = None  # None where no program is watched
    phase: Phase = Phase.NONE
    ledger: Ledger = field(default_factory=Ledger)  # all that its worker said
    sentence: Message = NOTHING  # why it was killed, or cannot be started; else empty
    # With which its process ended; negative: the signal. None while it runs.
    status: int | None = None
    began_at: float | None = None
    ended_at: float | None = None

    def take(self, noted: Noted, at: float) -> None:
        match what := noted.what if isinstance(noted, OfProgram) else noted:
            case ProgramChosen(path=path, text=text, arguments=arguments):
                self._begin_anew(Chosen(Path(path), text, arguments))
                self.ledger.sent(Run(_ID, text, 1))
            case ProgramStands(phase=Phase.NONE):
                self._begin_anew(None)
            case ProgramStands(phase=phase, status=status, sentence=sentence):
                self.phase, self.status, self.sentence = Phase(phase), status, sentence
                if not self.phase.runs and self.began_at is not None:
                    self.ended_at = self.ended_at or at
            case Event():
                self.ledger.apply(what)
                if isinstance(what, Began):
                    self.began_at = at
                elif isinstance(what, Finished | Failed):
                    self.ended_at = at

    def _begin_anew(self, chosen: Chosen | None) -> None:
        vars(self).update(vars(ProgramCourse(chosen)))


class ProgramState(WorkerSlot):
    """One at a time. It runs beside the lab's session, in a worker of its own."""

    settled = 50
    course: ProgramCourse
    watched = Signal()  # more was seen of it, about each half second
    begun = Signal()  # another one, or the same again; in a recording also that there is none

    def __init__(
        self,
        machine: MachineState,
        pythons: LabPythons,
        start_program: StartProgram,
        load: Load | None = None,
        parent: QObject | None = None,
        *,
        recorded: bool = False,
    ) -> None:
        super().__init__(machine, pythons, parent, load, recorded=recorded)
        self.course = ProgramCourse()
        self._start_program = start_program
        self._ways: Ways | None = None
        self._seen: Chosen | None = None  # of a recording
        self._killed = False  # by the person
        self._allowed: set[Path] = set()

    @property
    def why_not(self) -> Message:
        """Why no program can be watched; else empty."""
        session = self.machine.session
        if self.recorded:
            return RECORDED
        if isinstance(session.backend, FarStream):
            trouble = no_programs(session.backend.machine.host)
            return told(trouble.sentence, trouble.hint)
        return session.source.figures_alone

    @property
    def chosen(self) -> Chosen | None:
        return self.course.chosen

    @property
    def phase(self) -> Phase:
        return self.course.phase

    @property
    def status(self) -> int | None:
        return self.course.status

    @property
    def cell(self) -> Cell | None:
        """What it printed, what it asks, why it failed; and all that was seen of it."""
        return self.ledger.cell(_ID)

    @property
    def seconds(self) -> float | None:
        """For how long it has run, or ran; None before it began."""
        course = self.course
        if course.began_at is None:
            return None
        now = self.machine.session.clock.now() if course.ended_at is None else course.ended_at
        return now - course.began_at

    def run(self) -> ProgramRun | None:
        """As it stands now, and stays: for lines and findings, in whatever thread."""
        if self.chosen is None:
            return None
        path, cells, hello = self.chosen.path, self.ledger.cells, self.ledger.hello
        route = None if self._ways is None else self._ways.route
        copied, units = tuple(map(copy, cells)), self.machine.settings.choices.units
        return ProgramRun(path, copied, hello, self.status, route, units, os.cpu_count())

    def may_run(self, path: Path) -> bool:
        """Whether a person has said already that this file may run."""
        return path in self._allowed

    def start(self, chosen: Chosen) -> None:
        """A person said that it may run. What was watched before is forgotten."""
        self.close()
        self._allowed.add(chosen.path)
        path, arguments = chosen.path, chosen.arguments
        self.note(OfProgram(ProgramChosen(str(path), chosen.text, arguments)))
        self._begin_worker(self._start_program(Program(path, arguments)))
        if self._searching:
            self._enter(Phase.SEARCHING)
        self.begun.emit()

    def answer(self, text: str | None) -> None:
        """What it asked for. None: the input is at its end."""
        cell = self.cell
        if self._worker is not None and cell is not None and cell.asked is not None:
            self._worker.send(Answer(_ID, text))
            cell.asked = None
            self._tell_changed()

    def interrupt(self) -> None:
        """Ctrl+C. What does not end within two seconds is hanging."""
        if self.phase in (Phase.SEARCHING, Phase.STARTING):
            self._clear()
            self._enter(Phase.STOPPED)
        elif self.phase is Phase.RUNNING and self._worker is not None:
            self._worker.cancel(_ID)
            self._patience.start()
            self._enter(Phase.STOPPING)

    def kill(self) -> None:
        """At once, with all that it started."""
        self._killed = True
        self._kill(_ENDED)

    def close(self) -> None:
        """Nobody is waited for, and nothing stays of it."""
        self._clear()
        self._killed = False
        self._enter(Phase.NONE)

    def show(self, course: ProgramCourse) -> None:
        """As much as is noted in it. Only of a program that was recorded."""
        before, self.course, self._seen = self._seen, course, course.chosen
        if course.chosen != before:
            self.begun.emit()
        if course.chosen or before:
            self._look()
            self.watched.emit()
            self._tell_changed()

    def stop(self) -> None:
        """For good; harmless when called twice."""
        self._clear()
        self._settle.stop()
        if self._ways is not None:
            self._ways.stop()

    def _enter(
        self, phase: Phase, status: int | None = None, sentence: Message = NOTHING
    ) -> None:
        self.note(OfProgram(ProgramStands(phase, status, sentence)))

    def _look(self) -> None:
        """How the cards are wired. Many a session never watches a program."""
        if self._ways is None:
            from gpuexplorer.gui.state.copies.ways import Ways  # noqa: PLC0415 - takes long

            self._ways = Ways(self.machine, self._meant, self)
            self._ways.changed.connect(self.watched)
        self._ways.look()

    def _meant(self) -> dict[str, CardId]:
        return meant_cards(self.ledger.hello, self.machine.cards())

    def _on_begun(self) -> None:
        self._enter(Phase.STARTING)

    def _on_refused(self, why: Message) -> None:
        self._enter(Phase.REFUSED, sentence=why)

    def _on_said(self, event: Event) -> None:
        self.note(OfProgram(event))
        match event:
            case Began() if self.phase is Phase.STARTING:
                self._enter(Phase.RUNNING)
            case Hello():
                self._look()
            case Watched(devices=devices):
                if devices:
                    self._look()
                self.watched.emit()

    def _on_ended(self, why: Message) -> None:
        failed, status = None if self.cell is None else self.cell.failed, self._status
        cause = "" if failed is None else failed.cause
        interrupted = self.phase in (Phase.STOPPING, Phase.HANGING)
        phase = Phase.FAILED
        if self.course.began_at is None:
            phase = Phase.REFUSED
        elif self._killed:
            phase = Phase.KILLED
        elif cause == "cancelled" or (cause and interrupted):
            phase = Phase.STOPPED
        elif cause in ("", "ended"):
            phase = Phase.KILLED if cause and (status or 0) < 0 else Phase.ENDED
        told_why = phase in (Phase.REFUSED, Phase.KILLED)
        self._enter(phase, status, why if told_why else NOTHING)
        self.watched.emit()

    def _on_patience_over(self) -> None:
        if self.phase is Phase.STOPPING:
            self._enter(Phase.HANGING)
