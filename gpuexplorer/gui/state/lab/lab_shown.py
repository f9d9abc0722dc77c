"""LabShown: what is known of a lab, and when it was told; it asks for nothing."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.gui.state.lab.lab_course import LabCourse
from gpuexplorer.gui.state.lab.lab_devices import lab_devices
from gpuexplorer.gui.state.lab.selection import Selection
from gpuexplorer.gui.state.lab.worker_slot import Switches
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.recording.lab_said import Noted

_SETTLED = 16  # milliseconds in which what happens is told once


class LabShown(QObject):
    """`ledger` is changed by what is noted, and by nobody else; in a recording, it is another
    one when the playhead went back.
    """

    changed = Signal()  # of the ledger or the devices; a burst of events is told once
    told = Signal(object)  # each event, in its order, when the ledger knows of it
    noted = Signal(object)  # all that the course is the sum of, for whoever keeps it
    shown = Signal()  # what a recording holds, up to another moment
    ended = Signal()  # for good

    def __init__(self, machine: MachineState, parent: QObject | None) -> None:
        super().__init__(parent)
        self.machine = machine
        self.selection = Selection(self)
        self.switches = Switches()
        self.course = self.new_course()
        self.flags = self.course.flags
        self._stopped = False
        self._settle = QTimer(self, singleShot=True, interval=_SETTLED)
        self._settle.timeout.connect(self.changed)

    @property
    def ledger(self) -> Ledger:
        return self.course.ledger

    @property
    def sentence(self) -> Message:
        """Why the last worker ended, or why none can be started; else empty."""
        return self.course.sentence

    @property
    def worker_pid(self) -> int | None:
        """None while there is no worker."""
        return None

    def devices(self) -> Sequence[BenchDevice]:
        """What PyTorch offers, with the cards that it cannot use behind."""
        return self._devices(self.course)

    def cards(self) -> dict[str, CardId]:
        """By PyTorch's names, as far as it is known which they are."""
        return {
            each.name: each.card
            for each in self.devices()
            if each.name and each.card is not None
        }

    @property
    def running_seconds(self) -> float | None:
        """For how long the running cell has run, this time; None where none does."""
        began = self.course.newest_began
        if self.ledger.running is None or began is None:
            return None
        return self.machine.session.clock.now() - began

    def new_course(self) -> LabCourse:
        """An empty one, to be shown when a recording's playhead went back."""
        return LabCourse(self._devices, lambda: self.machine.settings.choices.units)

    def show(self, course: LabCourse) -> None:
        """As much as is noted in it. Only of a lab that is recorded."""
        self.course = course
        self.flags.show(course.flags)
        self.shown.emit()
        self._tell_changed()

    def note(self, what: Noted) -> None:
        """It takes place now."""
        self.course.take(what, self.machine.session.clock.now())
        self.noted.emit(what)

    def _tell_changed(self) -> None:
        if not self._stopped and not self._settle.isActive():
            self._settle.start()

    def _devices(self, course: LabCourse) -> Sequence[BenchDevice]:
        visible, worker = self.switches.visible, self.worker_pid
        return lab_devices(self.machine, course.ledger, visible, course.done_at, worker)
