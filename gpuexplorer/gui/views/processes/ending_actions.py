"""EndingActions: whether what is picked may end from this window, and the question about it."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.processes.chosen import Chosen
from gpuexplorer.gui.views.processes.end_dialog import EndDialog, Held
from gpuexplorer.gui.views.processes.lines import Line
from gpuexplorer.gui.wording.processes.process_words import READ_ONLY
from gpuexplorer.telemetry.ending import CAN_ASK


class EndingActions(QObject):
    """One question at a time; while it is open, rows stand still."""

    def __init__(
        self,
        look: Look,
        machine: MachineState,
        settings: Settings,
        table: Table[Line],
        parent: QWidget,
        can_ask: bool = CAN_ASK,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._machine = machine
        self._settings = settings
        self._table = table
        self._window = parent
        self._can_ask = can_ask
        self._dialog: EndDialog | None = None

    @property
    def allowed(self) -> bool:
        """False in read-only mode, whatever is picked."""
        return not self._settings.choices.read_only

    @property
    def why_not_allowed(self) -> str:
        return "" if self.allowed else self._settings.read_only_because or tr(READ_ONLY)

    def refusal(self, picked: Chosen) -> str:
        """Why nothing of it can be ended; empty where something can."""
        if not self.allowed:
            return self.why_not_allowed
        return "" if picked.may_end() else " ".join(dict.fromkeys(picked.left_out()))

    def ask(self, picked: Chosen) -> None:
        """Opens the question and returns at once."""
        if self._dialog is not None or self.refusal(picked):
            return
        held = [Held(named, picked.held[named.process.pid]) for named in picked.may_end()]
        self._dialog = EndDialog(
            self._look,
            held,
            picked.left_out(),
            self._settings.choices.units,
            self._machine.session.clock,
            self._can_ask,
            self._window,
        )
        self._dialog.finished.connect(self._on_closed)
        self._table.stand_still(still=True)
        self._dialog.open()

    def stop(self) -> None:
        """The session goes: what is asked of it is asked no more."""
        if self._dialog is not None:
            self._dialog.reject()

    def _on_closed(self) -> None:
        self._dialog = None
        self._table.stand_still(still=False)
        self._table.setFocus()
