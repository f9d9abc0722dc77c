"""LabState: the other process, what is known of it, and what a person asks of it."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.state.lab.lab_pythons import LabPythons
from gpuexplorer.gui.state.lab.line_flags import LineFlags
from gpuexplorer.gui.state.lab.lost_devices import lost_devices
from gpuexplorer.gui.state.lab.selection import Selection
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.state.lab.switches import Switches
from gpuexplorer.gui.state.lab.worker_slot import StartWorker, WorkerSlot
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice, bench_devices
from gpuexplorer.gui.wording.lab.code.notice import left_out_words
from gpuexplorer.lab.effects import effects_of
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Hello
from gpuexplorer.lab.grammar import read_line
from gpuexplorer.lab.ledger import Entry, Ledger
from gpuexplorer.lab.load import Load
from gpuexplorer.lab.wire import Command, Peek, Run, Train

_SETTLED = 16  # milliseconds in which what happens is told once
_PATIENCE = 2000  # milliseconds that a cancelled line may take to come back

_LOGGING = "log_placement(True)"
_RESTARTED = Message("The worker was restarted.")


class LabState(QObject):
    """Lives as long as its session is shown. Nothing is started before somebody asks.

    `ledger` is changed by what the worker says, and by nobody else.
    """

    changed = Signal()  # of the ledger or the devices; a burst of events is told once
    told = Signal(object)  # each event, in its order, when the ledger knows of it
    stage_changed = Signal()
    switches_changed = Signal()

    def __init__(
        self,
        machine: MachineState,
        pythons: LabPythons,
        start_worker: StartWorker,
        load: Load | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`load`: where simulated cards are told what the lab does to them."""
        super().__init__(parent)
        self.machine = machine
        self.pythons = pythons
        self.selection = Selection(self)
        self.ledger = Ledger()
        self._slot = WorkerSlot(start_worker, self)
        self._slot.said.connect(self._on_said)
        self._slot.ended.connect(self._on_ended)
        self._load = load
        self._switches = Switches()
        self._stage = Stage.RESTING
        self._sentence = NOTHING
        self._restarting = False
        self._logging = False  # the worker was told to tell where operations run
        self._next_id = 1
        self._began_at: dict[int, float] = {}
        self._done_at = 0.0  # when a line was last done, on the same clock
        self.flags = LineFlags(self.ledger, self.began_at, self.devices, self)
        self._waiting: list[Command] = []  # for a Python to be found
        self._lost: Sequence[Entry] = ()
        self._undone: list[str] = []
        self._stopped = False
        self._settle = QTimer(self, singleShot=True, interval=_SETTLED)
        self._settle.timeout.connect(self.changed)
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._patience.timeout.connect(self._on_patience_over)
        pythons.changed.connect(self._on_pythons_changed)

    # How it is

    @property
    def stage(self) -> Stage:
        return self._stage

    @property
    def sentence(self) -> Message:
        """Why the last worker ended, or why none can be started; else empty."""
        return self._sentence

    @property
    def switches(self) -> Switches:
        return self._switches

    @property
    def lost(self) -> Sequence[Entry]:
        """The lines that would bring back what went with the last worker."""
        return self._lost

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def devices(self) -> Sequence[BenchDevice]:
        """What PyTorch offers, with the cards that it cannot use behind."""
        machine = self.machine
        cards = machine.cards()
        every = [one for each in cards for one in (each, *each.instances)]
        readings = {each.card.id: machine.session.reading(each.card.id) for each in every}
        host = (machine.session.host.name, machine.host_reading())
        visible = self._switches.visible
        driver = machine.session.source.driver_version
        return bench_devices(self.ledger, cards, readings, host, visible, self._done_at, driver)

    def line_number(self, command: int) -> int | None:
        """As it stands before the line: 1 for the first."""
        return self.ledger.number(command)

    def began_at(self, command: int) -> float | None:
        """On the steady clock of the plots; None for what did not begin yet."""
        return self._began_at.get(command)

    # What is asked

    def run(self, line: str, *, cures: int | None = None, undoes: int | None = None) -> int:
        """The number of its command. Raises Trouble for what the lab does not understand."""
        uses = read_line(line).uses
        self._refuse_lost(uses)
        if undoes is None:
            self._undone.clear()
        command = Run(self._new_id(), line.strip())
        self._begin_line(command, cures, undoes)
        return command.id

    def run_all(self, lines: Sequence[str], *, cures: int | None = None) -> Sequence[int]:
        """One after another; the last is the one that cures."""
        for each in lines:
            self._refuse_lost(read_line(each).uses)
        last = len(lines) - 1
        return [
            self.run(each, cures=cures if number == last else None)
            for number, each in enumerate(lines)
        ]

    def train(
        self, model: str, inputs: str, targets: str, optimiser: str, loss: str, steps: int,
        batch: int,
    ) -> int:  # fmt: skip
        command = Train(self._new_id(), model, inputs, targets, optimiser, loss, steps, batch)
        self._refuse_lost(effects_of(command).uses)
        self._undone.clear()
        self._begin_line(command, None, None)
        return command.id

    def look_into(
        self, what: str, at: tuple[int, ...] = (), rows: int = 16, columns: int = 16
    ) -> int:
        """Answered by a Peeked or Opened with this number in `told`; else by a Failed."""
        command = Peek(self._new_id(), what, at, rows, columns)
        self._send(command)
        return command.id

    def cancel(self) -> None:
        """Give up what runs, and what waits behind it. Who does not come back is hanging."""
        if not self._slot.taken:
            return
        for number in reversed(self.ledger.unfinished):
            self._slot.cancel(number)
        self._patience.start()

    def release(self) -> None:
        """End the worker: all memory of the cards is given back. The lines stay to be read."""
        self._end_worker()
        released = Message("The cards were released before it was done.")
        self._give_up(self.ledger.unfinished, released)
        self.ledger.start_over()
        self.ledger.hello = None  # the next may be told of other cards
        self._lost = ()
        self._undone.clear()
        self._sentence = NOTHING
        self._tell_stage(Stage.RESTING)
        self._tell_changed()

    def restart(self) -> None:
        """End what hangs at once; a new worker begins, and what was lost can be rebuilt."""
        self._restarting = True
        self._slot.kill(_RESTARTED)

    def rebuild(self) -> None:
        """Run again the lines that made what was lost, on the same random numbers."""
        entries, self._lost = self._lost, ()
        self._sentence = NOTHING
        for entry in entries:
            command = replace(entry.command, id=self._new_id())
            self.ledger.sent_again(command, entry)
            self._logging = self._logging or entry.code == _LOGGING
            self._send(command)
        self._tell_changed()

    def start_over(self) -> None:
        """What was lost is not wanted back; the lines before stay to be read."""
        if self._lost:
            self._lost = ()
            self.ledger.start_over()
        self._sentence = NOTHING
        self._tell_changed()

    def undo(self) -> None:
        """Take back the last creating or deleting; raises Trouble where there is none."""
        entry, lines = self.ledger.undo()
        for each in lines:
            self.run(each, undoes=entry.id)
        self._undone.append(entry.code)

    def redo(self) -> None:
        if self._undone:
            code = self._undone.pop()
            rest = list(self._undone)
            self.run(code)
            self._undone = rest

    def choose(self, switches: Switches) -> None:
        """What a worker is told when it starts needs a new one: Trouble while one is there."""
        before = self._switches
        anew = (switches.visible, switches.growing) != (before.visible, before.growing)
        if anew and self._slot.taken:
            raise Trouble(
                "The worker was told this when it started.", "Release the cards first."
            )
        if switches != before:
            self._switches = switches
            self.switches_changed.emit()
            self._tell_changed()

    def stop(self) -> None:
        """For good. Nobody is waited for; harmless when called twice."""
        self._stopped = True
        self._settle.stop()
        self._patience.stop()
        self.pythons.give_up()
        self._end_worker()

    # The worker

    def _begin_line(self, command: Run | Train, cures: int | None, undoes: int | None) -> None:
        self.start_over()
        told = command.line if isinstance(command, Run) else ""
        if told.startswith("log_placement("):
            self._logging = told == _LOGGING
            if self._switches.placement is not self._logging:
                # Whoever types it turns the switch.
                self._switches = replace(self._switches, placement=self._logging)
                self.switches_changed.emit()
        elif self._switches.placement and not self._logging:
            self._begin_line(Run(self._new_id(), _LOGGING), None, None)
        self.ledger.sent(command, cures=cures, undoes=undoes)
        self._send(command)
        self._tell_changed()

    def _refuse_lost(self, uses: frozenset[str]) -> None:
        if not self._lost:
            return
        made = {name for entry in self._lost for name in entry.placed}
        gone = sorted(uses & made - self.ledger.things.keys())
        if gone:
            raise Trouble(
                "{name} went with the worker that ended.",
                "Rebuild the shelf first.",
                name=gone[0],
            )

    def _new_id(self) -> int:
        number, self._next_id = self._next_id, self._next_id + 1
        return number

    def _send(self, command: Command) -> None:
        if not self._slot.taken and not self._start():
            self._waiting.append(command)
            return
        if self._load is not None:
            command = self._load.told(command, lost_devices(self.machine, self.devices))
        self._slot.send(command)
        if self._stage is Stage.READY and not isinstance(command, Peek):
            self._tell_stage(Stage.BUSY)

    def _start(self) -> bool:
        """False where a Python has to be found first, or none can be started."""
        python = self.pythons.python
        if python is None:
            self._tell_stage(Stage.SEARCHING)
            self.pythons.find()
            return False
        try:
            self._slot.start(self._switches, python.path)
        except Trouble as trouble:
            self._fail(told(trouble.sentence, trouble.hint))
            return False
        self._tell_stage(Stage.STARTING)
        return True

    def _end_worker(self) -> None:
        self._slot.clear()
        self._logging = self._restarting = False
        self._patience.stop()
        self._waiting.clear()
        if self._load is not None:
            self._load.released()

    def _fail(self, sentence: Message) -> None:
        self._sentence = sentence
        waiting, self._waiting = self._waiting, []
        self._tell_stage(Stage.FAILED)
        self._give_up([command.id for command in waiting], sentence)
        self._tell_changed()

    def _give_up(self, commands: Sequence[int], sentence: Message) -> None:
        for number in commands:
            refused = Failed(number, "worker lost", "", "", sentence)
            self.ledger.apply(refused)
            self.told.emit(refused)

    def _tell_stage(self, stage: Stage) -> None:
        if stage is not self._stage:
            self._stage = stage
            self.stage_changed.emit()

    def _tell_changed(self) -> None:
        if not self._stopped and not self._settle.isActive():
            self._settle.start()

    def _on_said(self, event: Event) -> None:
        if isinstance(event, Began):
            self._began_at[event.id] = self.machine.session.clock.now()
        elif isinstance(event, Finished):
            self._done_at = self.machine.session.clock.now()
        self.ledger.apply(event)
        if self._load is not None:
            self._load.apply(event)
        if isinstance(event, Failed):
            self._take_failure(event)
        self.flags.note(event)
        self._tell_stage(self._stage_now(event))
        self.told.emit(event)
        self._tell_changed()

    def _take_failure(self, failed: Failed) -> None:
        entry = self.ledger.entry(failed.id)
        if failed.cause == "device broken":
            # Nothing on that card works any more before its context is gone with the process.
            self._slot.kill(failed.sentence)
        elif entry is not None and entry.id != failed.id and not self._sentence:
            number = self.line_number(entry.id)
            self._sentence = Message(
                "Line {number} could not be run again: {why}",
                number=number,
                why=failed.sentence or failed.message,
            )

    def _stage_now(self, event: Event) -> Stage:
        if self._stage is Stage.STARTING and not isinstance(event, Hello):
            return Stage.STARTING
        if self.ledger.busy:
            return Stage.HANGING if self._stage is Stage.HANGING else Stage.BUSY
        self._patience.stop()
        return Stage.READY

    def _on_ended(self, why: Message) -> None:
        """A new one is ready for what comes."""
        began = self._stage is not Stage.STARTING
        gone = lost_devices(self.machine, self.devices) if began else ()
        left_out = [self.line_number(each) or 0 for each in self.ledger.leave_out(gone)]
        lost = self.ledger.rebuild() if began else ()
        self._logging = False
        self._patience.stop()
        if self._load is not None:
            self._load.released()
        self.ledger.lost()
        self._sentence = told(why, left_out_words(left_out, gone))
        restarting, self._restarting = self._restarting, False
        if not began and not restarting:  # it would end again and again
            self._fail(why)
            return
        self._lost = lost
        self._start()
        self._tell_changed()

    def _on_patience_over(self) -> None:
        if self._stage is Stage.BUSY:
            self._tell_stage(Stage.HANGING)

    def _on_pythons_changed(self) -> None:
        if self._stopped or self._stage is not Stage.SEARCHING or self.pythons.working:
            return
        if self.pythons.python is None and not self.pythons.trouble:
            # What was asked just now was something else, or was given up with another lab.
            self.pythons.find()
            return
        if self.pythons.python is None:
            self._fail(self.pythons.trouble)
            return
        waiting, self._waiting = self._waiting, []
        for command in waiting:
            self._send(command)
