"""LabState: the other process, what is known of it, and what a person asks of it."""

import itertools
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.state.lab.lab_devices import lost_devices
from gpuexplorer.gui.state.lab.lab_pythons import LabPythons
from gpuexplorer.gui.state.lab.lab_shown import LabShown
from gpuexplorer.gui.state.lab.lab_worker import LabWorker, Stage
from gpuexplorer.gui.state.lab.program_state import RECORDED, ProgramState, StartProgram
from gpuexplorer.gui.state.lab.turns import Turns
from gpuexplorer.gui.state.lab.worker_slot import StartWorker, Switches
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.cures import Cure
from gpuexplorer.lab.events import BROKEN, Asked, Evaluated, Event, Failed, Finished
from gpuexplorer.lab.ledger import IMPORTS
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


class LabState(LabShown):
    """Lives as long as its session is shown. Nothing is started before somebody asks."""

    stage_changed = Signal()
    switches_changed = Signal()
    code_offered = Signal(str)  # a person wants to change it before it runs

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
        and a load of its own. Where all is `recorded`, nothing runs.
        """
        super().__init__(machine, parent)
        self.pythons = pythons
        self.recorded = recorded
        self.said_of_recording = RECORDED if recorded else NOTHING
        self._nvidia_smi = nvidia_smi
        self._ids = itertools.count(1)
        self._turns = Turns()
        self._not_again: list[Failed] = []  # in the replay of just now
        self._evaluating: set[int] = set()  # that no answer came to
        self._worker = LabWorker(
            pythons,
            start_worker,
            lambda: self.switches,
            self._first_cell,
            load,
            lambda: lost_devices(machine, self.devices),
            self,
        )
        self.program = ProgramState(
            machine,
            pythons,
            start_program or (lambda _: start_worker),
            lambda: self.switches,
            program_load,
            self,
            recorded=recorded,
        )
        self._worker.said.connect(self._on_said)
        self._worker.gone.connect(self._on_gone)
        self._worker.failed.connect(self._on_refused)
        self._worker.stage_changed.connect(self.stage_changed)

    @property
    def worker_pid(self) -> int | None:
        return self._worker.pid

    @property
    def stage(self) -> Stage:
        return Stage.RECORDED if self.recorded else self._worker.stage

    @property
    def reached(self) -> bool:
        """The computer on which it would run is this one, or is connected."""
        backend = self.machine.session.backend
        return not isinstance(backend, FarStream) or backend.machine.now.state is LinkState.UP

    @property
    def can_replay(self) -> bool:
        """What cells made went with their worker, and they can be run again."""
        if self.ledger.unfinished or self._worker.ending or self.recorded:
            return False
        return any(map(self.ledger.gone, self.ledger.replay()))

    @property
    def opened(self) -> Sequence[OpenedCell]:
        """Cells of files that were opened and have not run."""
        return self._turns.opened

    @property
    def must_ask(self) -> str:
        """The file whose cells come next, where nobody has said yet that they may run."""
        return self._turns.must_ask

    def run(
        self,
        code: str,
        *,
        cures: int | None = None,
        by_form: bool = False,
        watched: bool = True,
    ) -> int:
        """The number of its command. It runs when all that was asked before it is done. Raises
        Trouble in a recording, as all does that would run something.
        """
        command = self._new_cell(code, cures, by_form=by_form, watched=watched)
        self._begin([command])
        return command.id

    def run_all(
        self, codes: Sequence[str], *, cures: int | None = None, by_form: bool = False
    ) -> Sequence[int]:
        """One after another, up to the first that fails; the last is the one that cures."""
        commands = [self._new_cell(each, by_form=by_form) for each in codes[:-1]]
        commands.append(self._new_cell(codes[-1], cures, by_form=by_form))
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

    def open_cells(self, cells: Sequence[str], path: str) -> None:
        """They stand there; nothing runs."""
        self._refuse_where_recorded()
        self._turns.opened += [OpenedCell(each, path) for each in cells]
        self._tell_changed()

    def allow(self, path: str) -> None:
        """A person said that the cells of this file may run."""
        self._turns.allow(path)
        self._tell_changed()

    def run_opened(self, count: int | None = None) -> None:
        """The first so many, up to one that fails; raises Trouble before it is allowed."""
        self._begin(self._turns.of_opened(count))

    def drop_opened(self) -> None:
        """What has not run of the files that were opened."""
        self._turns.drop_opened()
        self._tell_changed()

    def answer(self, command: int, text: str | None) -> None:
        """What that cell asked for. None: it is refused."""
        self._refuse_where_recorded()
        cell = self.ledger.cell(command)
        if cell is not None and cell.asked is not None:
            self._worker.send(Answer(cell.asked.id, text))
            self.note(Answered(cell.id))
            self._tell_changed()

    def complete(self, code: str, at: int) -> int:
        """Answered by a Completed with this number in `told`, where there is a worker."""
        command = Complete(next(self._ids), code, at)
        if self._worker.taken:
            self._worker.send(command)
        return command.id

    def look_into(
        self, what: str, at: tuple[int, ...] = (), rows: int = 16, columns: int = 16
    ) -> int:
        """Answered by a Peeked or Opened with this number in `told`; else by a Failed."""
        command = Peek(next(self._ids), what, at, rows, columns)
        self._ask(command)
        return command.id

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        """Answered by an Evaluated with this number in `told`; else by a Failed."""
        command = Evaluate(next(self._ids), tuple(sources), json.dumps(values))
        self._evaluating.add(command.id)
        self._ask(command)
        return command.id

    def cancel(self) -> None:
        """Give up what runs, and what waits behind it. What does not come back is hanging."""
        if self._worker.taken:
            self._give_up(self._turns.give_up(), "cancelled", _BEFORE_ITS_TURN)
            asked = sorted({*self.ledger.unfinished, *self._evaluating}, reverse=True)
            self._worker.give_up(asked)
        elif self.stage is Stage.WAITING:
            self._worker.end()
            self._turns.give_up()
            self._give_up_evaluating(_BEFORE_ITS_TURN)
            self._give_up(self.ledger.unfinished, "cancelled", _BEFORE_ITS_TURN)
            self._tell_changed()

    def release(self) -> None:
        """End the worker: all memory of the cards is given back. The cells stay."""
        # The next worker may be told of other cards.
        self._end_worker(Message("The cards were released before it was done."), released=True)
        self._tell_changed()

    def restart(self) -> None:
        """End what hangs at once; a new worker begins, and the session can be run again."""
        self._worker.restart()

    def replay(self, upto: int | None = None, with_failed: bool = False) -> None:
        """Run the session again, in a fresh worker that begins with the same seed."""
        self._refuse_where_recorded()
        cells = self.ledger.replay(upto, with_failed)
        if self.ledger.used:
            self._end_worker(_BEFORE_ITS_TURN)
        self.course.sentence = NOTHING
        self._not_again.clear()
        for cell in cells:
            command = replace(cell.command, id=next(self._ids))
            self.note(Sent(**vars(command), again=True))
            self._worker.send(command)
        self._tell_changed()

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
        anew = told != (before.visible, before.growing, before.waits)
        if anew and self._worker.taken:
            raise Trouble(
                "The worker was told this when it started.", "Release the cards first."
            )
        if switches != before:
            self.switches = switches
            self.switches_changed.emit()
            self._tell_changed()

    def stop(self) -> None:
        """For good. Nobody is waited for; harmless when called twice."""
        self._stopped = True
        self.ended.emit()
        self._settle.stop()
        self.program.stop()
        self._worker.stop()

    def _new_cell(
        self,
        code: str,
        cures: int | None = None,
        *,
        by_form: bool = False,
        watched: bool = True,
        outside: str = "",
    ) -> Run:
        self._refuse_where_recorded()
        if not self.ledger.cells:
            self.note(Sent(**vars(_FIRST)))
        number = len(self.ledger.cells)
        placement = self.switches.placement
        command = Run(next(self._ids), code, number, watched=watched, placement=placement)
        self.note(Sent(**vars(command), cures=cures, by_form=by_form, outside=outside))
        return command

    def _ask(self, command: Command) -> None:
        """In a recording nobody answers."""
        if not self.recorded:
            self._worker.send(command)

    def _refuse_where_recorded(self) -> None:
        if self.recorded:
            raise Trouble(RECORDED)

    def _begin(self, cells: Sequence[Run | OpenedCell]) -> None:
        """The first at once, unless others wait already; each other when it is its turn."""
        self.course.sentence = NOTHING
        if self._turns.line_up(cells):
            self._go_on()
        self._tell_changed()

    def _go_on(self) -> None:
        cell = self._turns.take()
        if isinstance(cell, OpenedCell):
            cell = self._new_cell(cell.code, outside=cell.path)
        if cell is not None:
            self._turns.head = cell.id
            self._worker.send(cell)

    def _first_cell(self) -> Run:
        """For a worker that starts."""
        first = self.ledger.cell(_FIRST.id)
        if first is None or first.state != "waiting":
            self.note(Sent(**vars(_FIRST), again=first is not None))
        return _FIRST

    def _end_worker(self, why: Message, *, released: bool = False) -> None:
        self._worker.end()
        self._give_up_evaluating(why)
        self._turns.give_up()
        self._give_up(self.ledger.unfinished, "worker lost", why)
        self.note(Gone(released=released))

    def _give_up(self, commands: Collection[int], cause: str, why: Message) -> None:
        for number in sorted(commands):
            refused = Failed(number, cause, "", "", why)
            self.note(refused)
            self.told.emit(refused)

    def _give_up_evaluating(self, why: Message) -> None:
        asked, self._evaluating = self._evaluating, set()
        self._give_up(asked, "worker lost", why)

    def _on_said(self, event: Event) -> None:
        if isinstance(event, Asked) and event.what == "nvidia-smi":
            self._worker.heard(event, busy=True)
            printed = self._nvidia_smi(event.text) if self._nvidia_smi is not None else None
            self._worker.send(Answer(event.id, printed))
            return
        if isinstance(event, Evaluated | Failed):
            self._evaluating.discard(event.id)
        self.note(event)
        if isinstance(event, Failed):
            self._take_failure(event)
        self._worker.heard(event, busy=bool(self.ledger.unfinished))
        if isinstance(event, Finished) and event.id == self._turns.head:
            self._go_on()
        self.told.emit(event)
        self._tell_changed()

    def _take_failure(self, failed: Failed) -> None:
        cell = self.ledger.cell(failed.id)
        if failed.id == self._turns.head:
            self._give_up(self._turns.give_up(), "cancelled", _ONE_BEFORE_FAILED)
        if failed.cause in BROKEN:
            # Nothing on that card works any more before its context is gone with the process.
            self._worker.kill(failed.sentence)
        elif cell is not None and cell.id != failed.id and cell.state == "failed":
            self._not_again.append(failed)
            cells = map(self.ledger.cell, (each.id for each in self._not_again))
            numbers = [each.number for each in cells if each is not None]
            first = self._not_again[0]
            self.course.sentence = Message.counted(
                "Cell {cells} could not be run again: {why}",
                "Cells {cells} could not be run again. The first: {why}",
                len(numbers),
                cells=", ".join(map(str, numbers)),
                why=first.sentence or first.message,
            )

    def _on_gone(self, why: Message, began: bool) -> None:
        gone = lost_devices(self.machine, self.devices) if began else ()
        said = why
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
        self._give_up_evaluating(why)
        self._tell_changed()

    def _on_refused(self, commands: Sequence[int], why: Message) -> None:
        """No worker can be started."""
        self.course.sentence = why
        self._turns.give_up()
        asked, self._evaluating = self._evaluating, set()
        self._give_up({*commands, *self.ledger.unfinished, *asked}, "worker lost", why)
        self._tell_changed()
