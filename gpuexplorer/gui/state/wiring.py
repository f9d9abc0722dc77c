"""Wiring: how the cards are joined, asked of the driver once and remembered."""

from enum import Enum

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import MachineShape, Topology, shape_of, with_what_was

# A driver that told nothing is asked again after so many seconds: a card may have woken.
_AGAIN_AFTER = 5.0
# Milliseconds between looks for an answer: as a rule it comes at once, or not for long.
_OFTEN, _SELDOM, _LONG = 30, 500, 3.0


class WiringAnswer(Enum):
    """What came of the asking."""

    NOT_ASKED = "not asked"
    WAITING = "waiting"
    TOLD = "told"
    NOTHING = "nothing"  # the driver answered and told of no wire
    REFUSED = "refused"  # it could not be asked, see `refusal`


class Wiring(QObject):
    """Asks in a thread of its own: a driver may take long or hang, and the window goes on.

    While it is asked again, what it told before still stands.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._asked: Asked[Topology] | None = None
        self._asked_at = float("-inf")
        self._asked_for: object = None
        self.answer = WiringAnswer.NOT_ASKED  # of the newest asking
        self.refusal = ""
        self.topology: Topology | None = None
        # None until a driver told it. The very same object until it tells something else.
        self.shape: MachineShape | None = None
        # Looked for and not told of: a call that hangs may outlive all that is Qt's here.
        self._looks = QTimer(self)
        self._looks.timeout.connect(self._on_look_due)

    @property
    def waited(self) -> float:
        """Seconds since it was asked last."""
        return self._session.desk.now() - self._asked_at

    def look(self) -> None:
        """Ask where there is a reason: nobody asked yet, or other cards are there now."""
        if self.answer is WiringAnswer.WAITING:
            return
        others = self._session.cards() is not self._asked_for
        told = self.answer is WiringAnswer.TOLD
        if others or (not told and self.waited >= _AGAIN_AFTER):
            self.ask()

    def ask(self) -> None:
        """Ask now. A call under way is waited for: a driver that hangs is not asked twice."""
        if self.answer is WiringAnswer.WAITING:
            return
        self._asked_for = self._session.cards()
        self._asked_at = self._session.desk.now()
        self.answer = WiringAnswer.WAITING
        self._asked = Asked(self._session.stream.wiring)
        self._looks.start(_OFTEN)
        self.changed.emit()

    def stop(self) -> None:
        """No answer is taken after this. Harmless when called twice."""
        self._asked = None
        self._looks.stop()

    def _take(self, asked: Asked[Topology]) -> None:
        try:
            topology = asked.result()
        except Trouble as trouble:
            self.answer, self.refusal = WiringAnswer.REFUSED, trouble.told
            return
        cards = self._session.cards()
        self.answer = WiringAnswer.TOLD if topology.links else WiringAnswer.NOTHING
        if self.topology is not None:
            topology = with_what_was(self.topology, topology, cards)
        shape = shape_of(topology, cards) if topology.links else None
        # The same object as long as nothing else would be drawn.
        self.shape = self.shape if shape == self.shape else shape
        self.topology = topology

    def _on_look_due(self) -> None:
        asked = self._asked
        if asked is not None and asked.answered_within(0.0):
            self._asked = None
            self._looks.stop()
            self._take(asked)
            self.changed.emit()
        elif self.waited > _LONG:
            self._looks.setInterval(_SELDOM)
