"""NothingThere: why no card of another machine is read; its processor and memory are."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent

from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.widgets.live_view import EmptyState

_LOOK_EVERY = 500  # milliseconds


class NothingThere(EmptyState):
    """While it is seen it looks whether a card answers after all."""

    card_came = Signal()

    def __init__(self) -> None:
        super().__init__(Icon.CARDS)
        self._machine: MachineState | None = None
        self._timer = QTimer(self, interval=_LOOK_EVERY)
        self._timer.timeout.connect(self._on_timeout)

    def show_machine(self, machine: MachineState) -> None:
        self._machine = machine
        heading = tr("No graphics card answers on {machine}", machine=machine.name)
        attempts = machine.session.stream.attempts
        why = paragraph([part for each in attempts for part in (each.sentence, each.hint)])
        self.show_words(heading, why, tr("See its processor and memory"))
        self.setAccessibleName(heading)

    def _on_timeout(self) -> None:
        if self._machine is not None and not self._machine.session.bare:
            self.card_came.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
