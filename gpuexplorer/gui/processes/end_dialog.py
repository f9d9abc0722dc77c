"""Ending: whether what is picked may end from here, the question, and what came of it."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.processes.model import PickedProcesses, ProcessLine, together
from gpuexplorer.gui.processes.picked_words import (
    asked_words,
    ended_words,
    heading,
    left_out_words,
    loss,
    who,
)
from gpuexplorer.gui.processes.words import READ_ONLY, Held
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.telemetry.process_book import CAN_ASK, end, has_ended, refused
from gpuexplorer.telemetry.processes import NamedProcess, Way

_LOOK_EVERY_MS = 200
_NAMED = 6


class ProcessToEnd(NamedTuple):
    """And what it holds on which cards."""

    named: NamedProcess
    held: Held


class EndDialog(Sheet):
    """Asks first; what does not listen can be killed. It never waits: it looks now and then.

    `left_out` says why others that were picked may not end.
    """

    def __init__(
        self,
        ending: Sequence[ProcessToEnd],
        left_out: Sequence[str],
        units: Units,
        clock: Clock,
        can_ask: bool = CAN_ASK,
        parent: QWidget | None = None,
        machine: str = "",
    ) -> None:
        """`machine`: another than this computer, where it is."""
        super().__init__(heading([each.named for each in ending], machine), parent)
        self._waiting = [each.named for each in ending]
        self._count = len(ending)
        self._refusals: dict[str, None] = {}  # in their order, each once
        self._clock = clock
        self._began: float | None = None
        self._way = Way.ASK
        self._can_ask = can_ask
        # What is lost and what came of it is seen first, however many they are.
        for sentence in loss(
            together(each.held for each in ending), [each.named for each in ending], units
        ):
            self.add_sentence(sentence)
        self._ways = self.add_sentence(asked_words(can_ask=can_ask), Tone.QUIET)
        self._state = self.add_sentence("")
        self._trouble = self.add_sentence("", Tone.BAD)
        for label in (self._state, self._trouble):
            label.hide()
        for each in ending[:_NAMED]:
            self._add_process(each, units)
        if len(ending) > _NAMED:
            more = trn("And {count} more.", "And {count} more.", len(ending) - _NAMED)
            self.add_sentence(more, Tone.QUIET)
        if left_out:
            label = self.add_sentence(left_out_words(len(left_out)), Tone.QUIET)
            label.setToolTip("\n".join(dict.fromkeys(left_out)))
        self._keep = self.add_button(tr("Leave it alone"), ROLE.RejectRole, default=True)
        # Reset stands apart, where nobody comes by mistake.
        apart = ROLE.ResetRole if can_ask else ROLE.DestructiveRole
        self._kill = self.add_button(tr("Kill at once") if can_ask else tr("End it"), apart)
        self._ask = self.add_button(tr("Ask it to end"), ROLE.ActionRole)
        self._ask.setVisible(can_ask)
        self._kill.clicked.connect(self._on_kill_clicked)
        self._ask.clicked.connect(self._on_ask_clicked)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look_now)

    def _add_process(self, ending: ProcessToEnd, units: Units) -> None:
        named, held = ending
        self.add_code(
            named.command or tr("Process {pid}", pid=named.process.pid), tr("Command")
        )
        self.add_sentence(who(named, held, units), Tone.QUIET)

    def _send(self, way: Way) -> None:
        self._way = way
        if self._began is None or way is Way.KILL:
            self._began = self._clock.now()
        self._refusals.clear()
        for named in list(self._waiting):
            try:
                end(named, way)
            except Trouble as trouble:
                self._leave(named, trouble)
        self._show_refusals()
        self._timer.start()
        self._look_now()

    def _leave(self, named: NamedProcess, refusal: Trouble) -> None:
        """Unless it ended all the same."""
        if not has_ended(named):
            self._waiting.remove(named)
            self._count -= 1
            self._refusals[refusal.told] = None

    def _show_refusals(self) -> None:
        self._trouble.setText(" ".join(self._refusals))
        self._trouble.setVisible(bool(self._refusals))

    def _look_now(self) -> None:
        for named in list(self._waiting):
            if refusal := refused(named):
                self._leave(named, refusal)
        self._show_refusals()
        if not self._count:  # all refused
            self._state.hide()
            self._settle()
            return
        self._waiting = [named for named in self._waiting if not has_ended(named)]
        seconds = self._clock.now() - (self._began or 0.0)
        words = ended_words(self._count, len(self._waiting), seconds, self._way)
        self._state.setText(words)
        self._state.show()
        self._ask.hide()
        self._ways.hide()
        self._keep.setText(tr("Close"))
        if not self._waiting:
            self._settle()

    def _settle(self) -> None:
        """There is nothing more to do here than to close it."""
        self._timer.stop()
        self._ask.hide()
        self._kill.hide()
        self._ways.hide()
        self._keep.setText(tr("Close"))
        self._keep.setFocus()

    def _on_ask_clicked(self) -> None:
        self._send(Way.ASK)
        self._keep.setFocus()

    def _on_kill_clicked(self) -> None:
        self._send(Way.KILL)

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)


class EndingActions(QObject):
    """One question at a time; while it is open, rows stand still."""

    def __init__(
        self,
        machine: MachineState,
        settings: Settings,
        table: Table[ProcessLine],
        parent: QWidget,
        can_ask: bool = CAN_ASK,
    ) -> None:
        super().__init__(parent)
        self._machine = machine
        self._settings = settings
        self._table = table
        self._window = parent
        self._can_ask = can_ask
        self._dialog: EndDialog | None = None

    @property
    def allowed(self) -> bool:
        """False in read-only mode, whatever is picked."""
        return not (self._settings.choices.read_only or self._recorded)

    @property
    def why_not_allowed(self) -> str:
        if self._recorded:
            return tr("This is a recording: nothing can be ended in it.")
        return "" if self.allowed else self._settings.read_only_because or tr(READ_ONLY)

    @property
    def _recorded(self) -> bool:
        return self._machine.past.ended is not None

    def refusal(self, picked: PickedProcesses) -> str:
        """Why nothing of it can be ended; empty where something can."""
        if not self.allowed:
            return self.why_not_allowed
        return "" if picked.may_end() else " ".join(dict.fromkeys(picked.left_out()))

    def ask(self, picked: PickedProcesses) -> None:
        """Opens the question and returns at once."""
        if self._dialog is not None or self.refusal(picked):
            return
        ending = [
            ProcessToEnd(named, picked.held[named.process.pid]) for named in picked.may_end()
        ]
        self._dialog = EndDialog(
            ending,
            picked.left_out(),
            self._settings.choices.units,
            self._machine.session.clock,
            self._can_ask,
            self._window,
            self._machine.name,
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
