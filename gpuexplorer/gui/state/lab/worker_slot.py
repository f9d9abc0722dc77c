"""WorkerSlot: the place of one worker; what an earlier one still says is not heard. Stage: how
it is, in words.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import Message, mark, told, tr
from gpuexplorer.gui.event_loop import Inbox
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lab.events import Event, Failed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.simulated_cards import Load
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.recording.lab_said import Noted

if TYPE_CHECKING:
    from gpuexplorer.gui.state.lab.lab_course import LabCourse
    from gpuexplorer.gui.state.lab.program_state import ProgramCourse


@dataclass(frozen=True, slots=True)
class Switches:
    """`visible`, `growing` and `waits` are told to a worker when it starts; the others hold at
    once.
    """

    placement: bool = False  # each operation prints where it ran
    memory_share: float | None = None  # of each card, at most; None: all of it
    visible: tuple[int, ...] | None = None  # the cards' indices, in order; None: all
    growing: bool = False  # expandable segments
    waits: bool = False  # for each kernel, so that an error names its own line
    # From card to card, as PyTorch names them: forms and drags go through the host's memory.
    by_host: frozenset[tuple[str, str]] = frozenset()


# Starts a worker with these switches and this Python; raises Trouble where it cannot.
StartWorker = Callable[
    [Switches, Path, Callable[[Event], None], Callable[[Message], None]], WorkerProcess
]


class Stage(StrEnum):
    """`RESTING` holds no card's memory: nobody has asked for anything, or all was released."""

    RESTING = "resting"
    SEARCHING = "searching"  # for a Python with PyTorch
    WAITING = "waiting"  # for PyTorch, which no Python has
    STARTING = "starting"
    READY = "ready"
    BUSY = "busy"
    HANGING = "hanging"  # was asked to give up, and does not come back
    FAILED = "failed"  # cannot be started; a sentence says why
    RECORDED = "recorded"  # there is none, and never will be

    @property
    def runs(self) -> bool:
        """Whether there is a worker that could be ended."""
        return self in (Stage.STARTING, Stage.READY, Stage.BUSY, Stage.HANGING)


_PATIENCE = 2000  # milliseconds that what is cancelled may take to come back
# Shorter than this a line is over before anybody could read that it runs.
_WORTH_TELLING = 0.3


class StageWords(NamedTuple):
    """How the lab's worker is, for every part of the window that says it. `lit`: it holds what
    it holds, and answers. Else the dot is an outline.
    """

    words: str
    sentence: str
    tone: Tone = Tone.QUIET
    lit: bool = False


_STAGES = {
    Stage.RESTING: (
        mark("Not started"),
        mark("No worker runs: it starts with the first cell."),
    ),
    Stage.SEARCHING: (mark("Looking for a Python"), mark("Looking for a Python with PyTorch.")),
    Stage.WAITING: (
        mark("Waiting for PyTorch"),
        mark("No Python has PyTorch. What was asked for runs when one has it."),
    ),
    Stage.STARTING: (mark("Starting"), mark("The worker starts and imports PyTorch.")),
    Stage.RECORDED: (mark("Recorded"), mark("This is a recording: nothing runs in it.")),
    Stage.READY: (mark("Ready"), mark("The worker waits for the next cell.")),
    Stage.BUSY: (mark("Busy"), mark("The worker runs a cell.")),
    Stage.FAILED: (mark("Cannot be started"), mark("The worker cannot be started.")),
    Stage.HANGING: (
        mark("Does not come back"),
        mark(
            "The cell was asked to stop and has not. Restart the worker, then run it all again."
        ),
    ),
}
_TONES = {Stage.BUSY: Tone.TEXT, Stage.FAILED: Tone.BAD, Stage.HANGING: Tone.WARN}


def stage_words(stage: Stage, sentence: str = "", running: float | None = None) -> StageWords:
    """`running`: for how many seconds the cell that runs has been doing so."""
    words, meaning = map(tr, _STAGES[stage])
    if stage is Stage.BUSY and running is not None and running >= _WORTH_TELLING:
        words = tr("Busy, {time}", time=duration(running))
    if sentence and stage not in (Stage.BUSY, Stage.HANGING):  # then it is older
        meaning = sentence
    lit = stage in (Stage.READY, Stage.BUSY, Stage.HANGING)
    return StageWords(words, meaning, _TONES.get(stage, Tone.QUIET), lit)


class WorkerSlot(QObject):
    """The place of one worker, what becomes of it, and who keeps that. A lab is one, and so is
    a program that is watched. Each `_on_…` is called in the window's own thread.
    """

    changed = Signal()  # a burst is told once
    noted = Signal(object)  # all that the course is the sum of, for whoever keeps it
    settled = 16  # milliseconds in which what happens is told once
    waits = False  # for PyTorch, where no Python has it; else it is refused
    course: "LabCourse | ProgramCourse"

    def __init__(
        self,
        machine: MachineState,
        pythons: LabPythons,
        parent: QObject | None = None,
        load: Load | None = None,
        *,
        recorded: bool = False,
    ) -> None:
        """On simulated cards, `load` tells them what the worker does to them. Where all is
        `recorded`, nothing runs.
        """
        super().__init__(parent)
        self.machine, self.pythons, self.switches = machine, pythons, Switches()
        self.recorded, self._load = recorded, load
        self._searching = False  # for a Python, to begin with it
        self._starter: StartWorker | None = None
        self._worker: WorkerProcess | None = None
        self._number = 0
        self._last_ended = 0  # by itself
        self._status: int | None = None  # with which the last one ended by itself
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._patience.timeout.connect(self._on_patience_over)
        self._settle = QTimer(self, singleShot=True, interval=self.settled)
        self._settle.timeout.connect(self.changed)
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_came)
        pythons.changed.connect(self._on_pythons_changed)

    @property
    def ledger(self) -> Ledger:
        return self.course.ledger

    @property
    def sentence(self) -> Message:
        return self.course.sentence

    @property
    def worker_pid(self) -> int | None:
        """None while there is no worker."""
        return None if self._worker is None else self._worker.pid

    def note(self, what: Noted) -> None:
        """It takes place now."""
        self.course.take(what, self.machine.session.clock.now())
        self.noted.emit(what)
        self._tell_changed()

    def _on_begun(self) -> None: ...
    def _on_refused(self, why: Message) -> None: ...
    def _on_said(self, event: Event) -> None: ...
    def _on_ended(self, why: Message) -> None: ...
    def _on_patience_over(self) -> None: ...
    def _on_lacking(self) -> None: ...

    def _tell_changed(self) -> None:
        if not self._settle.isActive():
            self._settle.start()

    def _begin_worker(self, starter: StartWorker) -> None:
        """It has begun or is refused; at once where a Python is known."""
        self._starter, python = starter, self.pythons.python
        self._searching = python is None
        if python is None:
            self.pythons.find()
            return
        self._number += 1
        # Called in a thread that may outlive the slot: it holds nothing of Qt.
        number, put = self._number, self._inbox.letterbox.put

        def tell(what: Event | Message) -> None:
            put((number, what))

        try:
            self._worker = starter(self.switches, python.path, tell, tell)
        except Trouble as trouble:
            self._on_refused(told(trouble.sentence, trouble.hint))
        else:
            self._on_begun()

    def _kill(self, why: Message) -> None:
        """At once, for what hangs; it is told like any end."""
        if self._worker is not None:
            self._worker.kill(why)

    def _clear(self) -> None:
        """End the worker. Nobody is waited for, and nothing more is heard of it."""
        worker, self._worker = self._worker, None
        self._number += 1
        self._last_ended = 0
        self._searching = False
        self._settle_up()
        if worker is not None:
            # What hangs is ended the hard way, which takes its time.
            threading.Thread(target=worker.stop, name="end worker").start()

    def _settle_up(self) -> None:
        """It is gone, and its memory with it."""
        self._patience.stop()
        if self._load is not None:
            self._load.released()

    def _on_came(self, said: tuple[int, Event | Message]) -> None:
        """With the number of the worker it comes from."""
        number, what = said
        if not isinstance(what, Message):
            # What was sent to one that had just ended is refused after its end was told.
            late = number == self._last_ended and isinstance(what, Failed)
            if number == self._number or late:
                if self._load is not None:
                    self._load.apply(what)
                self._on_said(what)
        elif number == self._number and self._worker is not None:
            self._status = self._worker.status
            self._worker, self._last_ended = None, number
            self._settle_up()
            self._on_ended(what)

    def _on_pythons_changed(self) -> None:
        if not self._searching or self.pythons.working:
            return
        if self.pythons.lacking and self.waits:
            self._on_lacking()
        elif self.pythons.python is None and self.pythons.trouble:
            self._searching = False
            self._on_refused(self.pythons.trouble)
        elif self._starter is not None:
            # What was asked just now may have been another thing, or given up with its lab.
            self._begin_worker(self._starter)
