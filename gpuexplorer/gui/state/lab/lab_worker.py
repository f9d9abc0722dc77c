"""LabWorker: starts the lab's worker when it is needed, and knows how it is."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.lab_pythons import LabPythons
from gpuexplorer.gui.state.lab.worker_slot import StartWorker, Switches, WorkerSlot
from gpuexplorer.lab.events import Event, Hello
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.lab.simulated_cards import Load
from gpuexplorer.lab.wire import Command, Run


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


_PATIENCE = 2000  # milliseconds that a cancelled cell may take to come back
_RESTARTED = Message("The worker was restarted.")


class LabWorker(WorkerSlot):
    """One that ends by itself is replaced at once; one that cannot start is not tried again."""

    gone = Signal(object, bool)  # ended by itself: why, and whether it had begun
    failed = Signal(object, object)  # commands that nothing carries out, and why
    stage_changed = Signal()

    waits_for_pytorch = True

    def __init__(
        self,
        pythons: LabPythons,
        start_worker: StartWorker,
        switches: Callable[[], Switches],
        first: Callable[[], Run],
        load: Load | None,
        lost: Callable[[], tuple[str, ...]],
        parent: QObject,
    ) -> None:
        """`first` gives what every worker runs first; `lost`, the cards that do not answer."""
        super().__init__(pythons, start_worker, switches, parent)
        self._first = first
        self._load = load
        self._lost = lost
        self.begun.connect(self._on_begun)
        self.refused.connect(self._on_refused)
        self.ended.connect(self._on_ended)
        self.lacking.connect(self._on_lacking)
        self.stage = Stage.RESTING
        self.ending = False  # it was killed, and its end was not heard of yet
        self._restarting = False
        self._stopped = False
        self._waiting: list[Command] = []  # for a Python to be found
        self._failed_with: LabPython | None = None
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._patience.timeout.connect(self._on_patience_over)

    def send(self, command: Command) -> None:
        """Starts one where there is none."""
        if not self.taken:
            self._waiting.append(command)
            if not self.searching or self.stage is Stage.WAITING:
                self.begin()
            return
        self._hand_over(command)
        if self.stage is Stage.READY and isinstance(command, Run):
            self._enter(Stage.BUSY)

    def begin(self) -> None:
        super().begin()
        if self.searching:
            self._enter(Stage.SEARCHING)

    def heard(self, event: Event, *, busy: bool) -> None:
        """`busy`: something was sent that did not come to its end."""
        if self._load is not None:
            self._load.apply(event)
        if self.stage is Stage.STARTING and not isinstance(event, Hello):
            return
        if not busy:
            self._patience.stop()
            self._enter(Stage.READY)
        elif self.stage is not Stage.HANGING:
            self._enter(Stage.BUSY)

    def give_up(self, commands: Sequence[int]) -> None:
        """What does not come back is hanging."""
        for each in commands:
            self.cancel(each)
        self._patience.start()

    def kill(self, why: Message) -> None:
        """It is replaced, as one that ended by itself is."""
        self.ending = True
        super().kill(why)

    def restart(self) -> None:
        """Also while it starts."""
        self._restarting = True
        super().kill(_RESTARTED)

    def end(self) -> None:
        """Nobody is waited for. The next command starts another."""
        self.clear()
        self.ending = self._restarting = False
        self._patience.stop()
        self._waiting.clear()
        if self._load is not None:
            self._load.released()
        self._enter(Stage.RESTING)

    def stop(self) -> None:
        """For good; harmless when called twice."""
        self._stopped = True
        self._pythons.give_up()
        self.end()

    def _hand_over(self, command: Command) -> None:
        if self._load is not None:
            command = self._load.told(command, self._lost())
        super().send(command)

    def _on_begun(self) -> None:
        self._enter(Stage.STARTING)
        self._hand_over(self._first())
        waiting, self._waiting = self._waiting, []
        for command in waiting:
            self.send(command)

    def _on_lacking(self) -> None:
        self._enter(Stage.WAITING)

    def _on_refused(self, why: Message) -> None:
        waiting, self._waiting = self._waiting, []
        self._failed_with = self._pythons.python
        self._enter(Stage.FAILED)
        self.failed.emit([each.id for each in waiting], why)

    def _on_pythons_changed(self) -> None:
        """With another one it may start."""
        super()._on_pythons_changed()
        if self.stage is Stage.FAILED and self._pythons.python not in (None, self._failed_with):
            self._enter(Stage.RESTING)

    def _enter(self, stage: Stage) -> None:
        if stage is not self.stage:
            self.stage = stage
            if not self._stopped:
                self.stage_changed.emit()

    def _on_ended(self, why: Message) -> None:
        """A new one is ready for what comes."""
        began = self.stage is not Stage.STARTING
        restarting, self.ending, self._restarting = self._restarting, False, False
        self._patience.stop()
        if self._load is not None:
            self._load.released()
        self.gone.emit(why, began)
        if began or restarting:
            self.begin()
        else:  # it would end again and again
            self._on_refused(why)

    def _on_patience_over(self) -> None:
        if self.stage is Stage.BUSY:
            self._enter(Stage.HANGING)
