"""EndDialog: which processes are to end, what is lost by it, and what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.processes.chosen import together
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.gui.wording.processes.end_words import (
    asked_words,
    ended_words,
    heading,
    left_out_words,
    loss,
    who,
)
from gpuexplorer.telemetry.ending import CAN_ASK, Way, end, has_ended
from gpuexplorer.telemetry.process_names import NamedProcess

_LOOK_EVERY_MS = 200
_NAMED = 6


@dataclass(frozen=True, slots=True)
class Held:
    """A process that is to end, and what it holds on which cards."""

    named: NamedProcess
    bytes_on: Mapping[str, float | None]  # by the card's number; None where it is not told


class EndDialog(Sheet):
    """Asks first; what does not listen can be killed. It never waits: it looks now and then.

    `left_out` says why others that were picked may not end.
    """

    def __init__(
        self,
        look: Look,
        held: Sequence[Held],
        left_out: Sequence[str],
        units: Units,
        clock: Clock,
        can_ask: bool = CAN_ASK,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, heading([each.named for each in held]), parent)
        self._waiting = [each.named for each in held]
        self._count = len(held)
        self._clock = clock
        self._began: float | None = None
        self._way = Way.ASK
        self._can_ask = can_ask
        # What is lost and what came of it is seen first, however many they are.
        for sentence in loss(
            together(each.bytes_on for each in held), [each.named for each in held], units
        ):
            self.add_sentence(sentence)
        self._ways = self.add_sentence(asked_words(can_ask=can_ask), Tone.QUIET)
        self._state = self.add_sentence("")
        self._trouble = self.add_sentence("", Tone.BAD)
        for label in (self._state, self._trouble):
            label.hide()
        for each in held[:_NAMED]:
            self._add_process(each, units)
        if len(held) > _NAMED:
            more = trn("And {count} more.", "And {count} more.", len(held) - _NAMED)
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

    def _add_process(self, held: Held, units: Units) -> None:
        named = held.named
        self.add_code(
            named.command or tr("Process {pid}", pid=named.process.pid), tr("Command")
        )
        self.add_sentence(who(named, held.bytes_on, units), Tone.QUIET)

    def _send(self, way: Way) -> None:
        self._way = way
        if self._began is None or way is Way.KILL:
            self._began = self._clock.now()
        troubles = []
        for named in list(self._waiting):
            try:
                end(named, way)
            except Trouble as trouble:
                if not has_ended(named):
                    self._waiting.remove(named)
                    self._count -= 1
                    troubles.append(trouble.told)
        self._trouble.setText(" ".join(dict.fromkeys(troubles)))
        self._trouble.setVisible(bool(troubles))
        if self._count:
            self._timer.start()
            self._look_now()
        else:
            self._settle()

    def _look_now(self) -> None:
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
