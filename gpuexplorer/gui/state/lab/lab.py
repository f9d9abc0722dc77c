"""Lab: the other process and what it does, what is known of it, and what a person asks of it.
A recording is the same without a worker.
"""

import itertools
import json
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.state.lab.devices import (
    BenchDevice,
    lab_devices,
    lost_devices,
    named_cards,
)
from gpuexplorer.gui.state.lab.lab_course import LabCourse, Selection
from gpuexplorer.gui.state.lab.program_state import RECORDED, ProgramState, StartProgram
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.worker_slot import Stage, StartWorker, Switches, WorkerSlot
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.cures import Cure
from gpuexplorer.lab.events import BROKEN, Asked, Evaluated, Event, Failed, Finished, Hello
from gpuexplorer.lab.ledger import IMPORTS
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.lab.session_files import OpenedCell
from gpuexplorer.lab.simulated_cards import Load
from gpuexplorer.lab.wire import Answer, Command, Complete, Evaluate, Peek, Run
from gpuexplorer.recording.lab_said import Answered, Gone, Sent, StartedOver
from gpuexplorer.remote.link import LinkState
from gpuexplorer.remote.stream import FarStream

# Every worker's first command; those of other cells have greater numbers.
_FIRST = Run(0, IMPORTS)
_BEFORE_ITS_TURN = Message("It was stopped before its turn came.")
_ONE_BEFORE_FAILED = Message("It was not run, since the cell before it failed.")
_RELEASED = Message("The cards were released before it was done.")
_RESTARTED = Message("The worker was restarted.")


class Lab(WorkerSlot):
    """Lives as long as its session is shown. Nothing is started before somebody asks. A worker
    that ends by itself is replaced at once; one that cannot start is not tried again.

    `ledger` is changed by what is noted, and by nobody else; in a recording, it is another one
    when the playhead went back.
    """

    told = Signal(object)  # each event, in its order, when the ledger knows of it
    shown = Signal()  # what a recording holds, up to another moment
    stage_changed = Signal()
    switches_changed = Signal()
    code_offered = Signal(str)  # a person wants to change it before it runs
    waits = True
    course: LabCourse

    def __init__(
        self,
        machine: MachineState,
        pythons: LabPythons,
        start_worker: StartWorker,
        load: Load | None = None,
        nvidia_smi: Callable[[str], str | None] | None = None,
        parent: QObject | None = None,
        start_program: StartProgram | None = None,
        program_load: Load | None = None,
        *,
        recorded: bool = False,
    ) -> None:
        """On simulated cards, `load` tells them what the lab does to them, and `nvidia_smi`
        prints for its arguments what a driver would. A program that is watched has a worker
        and a load of its own.
        """
        super().__init__(machine, pythons, parent, load, recorded=recorded)
        self.said_of_recording = RECORDED if self.recorded else NOTHING
        self.selection = Selection(self)
        self.stage = Stage.RECORDED if self.recorded else Stage.RESTING
        self.opened: list[OpenedCell] = []  # cells of opened files that have not run
        self._allowed: set[str] = set()  # the files whose cells may run
        self._head: int | None = None  # the command whose end lets the next cell go
        self._behind: deque[Run | OpenedCell] = deque()  # cells that wait for their turn
        self._waiting: list[Command] = []  # for a Python to be found
        self._start_worker, self._nvidia_smi = start_worker, nvidia_smi
        self._ids = itertools.count(1)
        self._not_again: dict[int, Failed] = {}  # cells by their number, in the newest replay
        self._evaluating: set[int] = set()  # that no answer came to
        self._ending = self._restarting = False
        self._failed_with: LabPython | None = None
        self.course = self.new_course()
        starts = start_program or (lambda _: start_worker)
        self.program = ProgramState(
            machine, pythons, starts, program_load, self, recorded=recorded
        )

    def devices(self, course: LabCourse | None = None) -> Sequence[BenchDevice]:
        """What PyTorch offers, with the cards that it cannot use behind."""
        course, visible = course or self.course, self.switches.visible
        at, worker = course.done_at, self.worker_pid
        return lab_devices(self.machine, course.ledger, visible, at, worker)

    def cards(self) -> dict[str, CardId]:
        """By PyTorch's names, as far as it is known which they are."""
        return named_cards(self.devices())

    @property
    def running_seconds(self) -> float | None:
        """For how long the running cell has run, this time; None where none does."""
        if self.ledger.running is None or not self.course.began_at:
            return None
        return self.machine.session.clock.now() - [*self.course.began_at.values()][-1]

    def new_course(self) -> LabCourse:
        """An empty one, to be shown when a recording's playhead went back."""
        return LabCourse(self.devices, lambda: self.machine.settings.choices.units)

    def show(self, course: LabCourse) -> None:
        """As much as is noted in it. Only of a lab that is recorded."""
        self.course = course
        self.program.show(course.program)
        self.shown.emit()
        self._tell_changed()

    @property
    def reached(self) -> bool:
        """The computer on which it would run is this one, or is connected."""
        backend = self.machine.session.backend
        return not isinstance(backend, FarStream) or backend.machine.now.state is LinkState.UP

    @property
    def can_replay(self) -> bool:
        """What cells made went with their worker, and they can be run again."""
        if self.ledger.unfinished or self._ending or self.recorded:
            return False
        ledger = self.ledger
        return any(ledger.gone(each) and each.number for each in ledger.cells[ledger.first :])

    @property
    def must_ask(self) -> str:
        """The file whose cells come next, where nobody has said yet that they may run."""
        path = self.opened[0].path if self.opened else ""
        return "" if path in self._allowed else path

    def run(self, code: str, *, by_form: bool = False, watched: bool = True) -> int:
        """The number of its command. It runs when all that was asked before it is done. Raises
        Trouble in a recording, as all does that would run something.
        """
        return self.run_all([code], by_form=by_form, watched=watched)[0]

    def run_all(
        self,
        codes: Sequence[str],
        cures: int | None = None,
        *,
        by_form: bool = False,
        watched: bool = True,
    ) -> Sequence[int]:
        """One after another, up to the first that fails; the last is the one that cures."""
        wanted = [Sent(0, each, by_form=by_form, watched=watched) for each in codes]
        wanted[-1] = replace(wanted[-1], cures=cures)
        commands = [*map(self._new_cell, wanted)]
        self._begin(commands)
        return [each.id for each in commands]

    def run_cure(self, cure: Cure, command: int) -> None:
        """Of that failed cell. Where a cure wants it, the cells before run again first, in a
        worker that it suits.
        """
        self._refuse_where_recorded()
        cell = self.ledger.cell(command)
        waits = cure.waits and not self.switches.waits
        if cure.anew and cell is not None and (waits or not self.ledger.used):
            self.release()
            self.choose(replace(self.switches, waits=self.switches.waits or waits))
            self.replay(cell.number - 1)
        self.run_all(cure.cells, cures=command)

    def open_cells(self, cells: Sequence[OpenedCell]) -> None:
        """They stand there; nothing runs."""
        self._refuse_where_recorded()
        self.opened += cells
        self._tell_changed()

    def allow(self, path: str) -> None:
        """A person said that the cells of this file may run."""
        self._allowed.add(path)
        self._tell_changed()

    def run_opened(self, count: int | None = None) -> None:
        """The first so many of one file, up to one that fails; Trouble before it is allowed."""
        if self.must_ask:
            raise Trouble(
                "{file} comes from outside, and nobody has said that its cells may run.",
                "Read the cells first; then allow them to run.",
                file=self.must_ask,
            )
        self._begin([e for e in self.opened[:count] if e.path == self.opened[0].path])

    def drop_opened(self) -> None:
        """What has not run of the files that were opened."""
        self._behind = deque(each for each in self._behind if isinstance(each, Run))
        self.opened.clear()
        self._tell_changed()

    def answer(self, command: int, text: str | None) -> None:
        """What that cell asked for. None: it is refused."""
        self._refuse_where_recorded()
        cell = self.ledger.cell(command)
        if cell is not None and cell.asked is not None:
            self._send(Answer(cell.asked.id, text))
            self.note(Answered(cell.id))

    def complete(self, code: str, at: int) -> int:
        """Answered by a Completed with this number in `told`, where there is a worker."""
        command = Complete(next(self._ids), code, at)
        return command.id if self._worker is None else self._send(command)

    def look_into(
        self, what: str, at: tuple[int, ...] = (), rows: int = 16, columns: int = 16
    ) -> int:
        """Answered by a Peeked or Opened with this number in `told`; else by a Failed."""
        return self._send(Peek(next(self._ids), what, at, rows, columns))

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        """Answered by an Evaluated with this number in `told`; else by a Failed."""
        command = Evaluate(next(self._ids), tuple(sources), json.dumps(values))
        self._evaluating.add(command.id)
        return self._send(command)

    def cancel(self) -> None:
        """Give up what runs, and what waits behind it. What does not come back is hanging."""
        if self._worker is not None:
            self._give_up_turns(_BEFORE_ITS_TURN)
            for each in sorted({*self.ledger.unfinished, *self._evaluating}, reverse=True):
                self._worker.cancel(each)
            self._patience.start()
        elif self.stage is Stage.WAITING:
            self._end_worker("cancelled", _BEFORE_ITS_TURN)

    def release(self) -> None:
        """End the worker: all memory of the cards is given back. The cells stay. The next
        worker may be told of other cards.
        """
        self._end_worker("worker lost", _RELEASED, released=True)

    def restart(self) -> None:
        """End what hangs at once, also while it starts; a new worker begins, and the session
        can be run again.
        """
        self._restarting = True
        self._kill(_RESTARTED)

    def replay(self, upto: int | None = None) -> None:
        """Run the session again, in a fresh worker that begins with the same seed."""
        self._refuse_where_recorded()
        cells = self.ledger.replay(upto)
        if self.ledger.used:
            self._end_worker("worker lost", _BEFORE_ITS_TURN)
        self.course.sentence = NOTHING
        self._not_again.clear()
        for cell in cells:
            command = replace(cell.command, id=next(self._ids))
            self.note(Sent(**vars(command), again=True))
            self._send(command)

    def start_over(self) -> None:
        """What was lost is not wanted back; the cells before stay to be read."""
        if not self.ledger.used:
            self.note(StartedOver())
        self.course.sentence = NOTHING
        self._tell_changed()

    def choose(self, switches: Switches) -> None:
        """What a worker is told when it starts needs a new one: Trouble while one is there."""
        before = self.switches
        told = (switches.visible, switches.growing, switches.waits)
        if self._worker is not None and told != (before.visible, before.growing, before.waits):
            raise Trouble(
                "The worker was told this when it started.", "Release the cards first."
            )
        if switches != before:
            self.switches = self.program.switches = switches
            self.switches_changed.emit()
            self._tell_changed()

    def stop(self) -> None:
        """For good. Nobody is waited for; harmless when called twice."""
        self.blockSignals(True)  # noqa: FBT003 - Qt's own
        for timer in self.findChildren(QTimer):
            timer.stop()
        self.program.stop()
        self.pythons.give_up()
        self._clear()

    def _new_cell(self, wanted: Sent) -> Run:
        self._refuse_where_recorded()
        if not self.ledger.cells:
            self.note(Sent(**vars(_FIRST)))
        number, placement = len(self.ledger.cells), self.switches.placement
        sent = replace(wanted, id=next(self._ids), number=number, placement=placement)
        self.note(sent)
        return sent.command

    def _refuse_where_recorded(self) -> None:
        if self.recorded:
            raise Trouble(RECORDED)

    def _begin(self, cells: Sequence[Run | OpenedCell]) -> None:
        """The first at once, unless others wait already; each other when it is its turn."""
        self.course.sentence = NOTHING
        first = not self._behind
        self._behind.extend([each for each in cells if each not in self._behind])
        if first:
            self._go_on()
        self._tell_changed()

    def _go_on(self) -> None:
        """With the cell whose turn it is."""
        if not self._behind:
            return
        cell = self._behind.popleft()
        if isinstance(cell, OpenedCell):
            self.opened.remove(cell)
            cell = self._new_cell(Sent(0, cell.code, outside=cell.path, prose=cell.prose))
        self._head = cell.id
        self._send(cell)

    def _send(self, command: Command) -> int:
        """Starts a worker where there is none; in a recording nobody answers."""
        if self._worker is not None:
            told = command
            if self._load is not None:
                told = self._load.told(command, lost_devices(self.machine, self.devices))
            self._worker.send(told)
            if self.stage is Stage.READY and isinstance(command, Run):
                self._enter(Stage.BUSY)
        elif not self.recorded:
            self._waiting.append(command)
            if not self._searching or self.stage is Stage.WAITING:
                self._start()
        return command.id

    def _start(self) -> None:
        self._begin_worker(self._start_worker)
        if self._searching:
            self._enter(Stage.SEARCHING)

    def _end_worker(self, cause: str, why: Message, *, released: bool = False) -> None:
        """Nobody is waited for. The next command starts another worker."""
        self._clear()
        self._waiting.clear()
        self._ending = self._restarting = False
        if not self.recorded:
            self._enter(Stage.RESTING)
        self._give_up_all(cause, why)
        self.note(Gone(released=released))

    def _give_up_turns(self, why: Message) -> None:
        """What waits will not run. Cells of opened files go on standing there."""
        given_up = [each.id for each in self._behind if isinstance(each, Run)]
        self._behind.clear()
        self._give_up(given_up, "cancelled", why)

    def _give_up(self, commands: Collection[int], cause: str, why: Message) -> None:
        for number in sorted(commands):
            refused = Failed(number, cause, "", "", why)
            self.note(refused)
            self.told.emit(refused)

    def _give_up_all(self, cause: str, why: Message) -> None:
        """All that nobody answers any more."""
        asked, self._evaluating = self._evaluating, set()
        self._behind.clear()
        self._give_up({*asked, *self.ledger.unfinished}, cause, why)

    def _enter(self, stage: Stage) -> None:
        if stage is not self.stage:
            self.stage = stage
            self.stage_changed.emit()

    def _on_begun(self) -> None:
        self._enter(Stage.STARTING)
        first = self.ledger.cell(_FIRST.id)
        if first is None or first.state != "waiting":
            self.note(Sent(**vars(_FIRST), again=first is not None))
        self._send(_FIRST)
        waiting, self._waiting = self._waiting, []
        for command in waiting:
            self._send(command)

    def _on_said(self, event: Event) -> None:
        if isinstance(event, Asked) and event.what == "nvidia-smi":
            printed = self._nvidia_smi(event.text) if self._nvidia_smi is not None else None
            self._send(Answer(event.id, printed))
            return
        if isinstance(event, Evaluated | Failed):
            self._evaluating.discard(event.id)
        self.note(event)
        if isinstance(event, Failed):
            self._take_failure(event)
        if self.stage is not Stage.STARTING or isinstance(event, Hello):
            if not self.ledger.unfinished:
                self._patience.stop()
                self._enter(Stage.READY)
            elif self.stage is not Stage.HANGING:
                self._enter(Stage.BUSY)
        if isinstance(event, Finished) and event.id == self._head:
            self._go_on()
        self.told.emit(event)

    def _take_failure(self, failed: Failed) -> None:
        cell = self.ledger.cell(failed.id)
        if failed.id == self._head:
            self._give_up_turns(_ONE_BEFORE_FAILED)
        if failed.cause in BROKEN:
            # Nothing on that card works any more before its context is gone with the process.
            self._ending = True
            self._kill(failed.sentence)
        elif cell is not None and cell.id != failed.id and cell.state == "failed":
            self._not_again[cell.number] = failed
            first = next(iter(self._not_again.values()))
            self.course.sentence = Message.counted(
                "Cell {cells} could not be run again: {why}",
                "Cells {cells} could not be run again. The first: {why}",
                len(self._not_again),
                cells=", ".join(map(str, self._not_again)),
                why=first.sentence or first.message,
            )

    def _on_ended(self, why: Message) -> None:
        """By itself, or killed; a new one is ready for what comes."""
        began = self.stage is not Stage.STARTING
        restarting, self._ending, self._restarting = self._restarting, False, False
        gone, said = lost_devices(self.machine, self.devices) if began else (), why
        if left_out := self.ledger.worked_on(gone):
            needs = Message.counted(
                "Cell {cells} needs a card that is lost ({cards}) and is left out.",
                "Cells {cells} need a card that is lost ({cards}) and are left out.",
                len(left_out),
                cells=", ".join(str(each.number) for each in left_out),
                cards=", ".join(gone),
            )
            said = told(why, needs)
        self.note(Gone(said, gone))
        asked, self._evaluating = self._evaluating, set()
        self._give_up(asked, "worker lost", why)
        if began or restarting:
            self._start()
        else:  # it would end again and again
            self._on_refused(why)

    def _on_refused(self, why: Message) -> None:
        """No worker can be started."""
        self._failed_with = self.pythons.python
        self._evaluating.update(each.id for each in self._waiting)
        self._waiting.clear()
        self._enter(Stage.FAILED)
        self.course.sentence = why
        self._give_up_all("worker lost", why)
        self._tell_changed()

    def _on_lacking(self) -> None:
        self._enter(Stage.WAITING)

    def _on_pythons_changed(self) -> None:
        """With another one it may start."""
        super()._on_pythons_changed()
        another = self.pythons.python not in (None, self._failed_with)
        if self.stage is Stage.FAILED and another:
            self._enter(Stage.RESTING)

    def _on_patience_over(self) -> None:
        if self.stage is Stage.BUSY:
            self._enter(Stage.HANGING)
