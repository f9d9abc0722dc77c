"""Wiring: how the cards are joined, asked of the driver once and remembered."""

from enum import Enum, auto

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import MachineShape, Topology, shape_of, with_what_was

# A driver that told nothing is asked again after so many seconds: a card may have woken.
_AGAIN_AFTER = 5.0


class WiringAnswer(Enum):
    WAITING = auto()  # or nobody asked yet
    TOLD = auto()
    NOTHING = auto()  # the driver answered and told of no wire
    REFUSED = auto()  # it could not be asked, see `refusal`


class Wiring(QObject):
    """Asks in a thread of its own. What was told before stands while it is asked again."""

    changed = Signal()
    _asked: Asked[Topology]
    _asked_at, _asked_for = float("inf"), object()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.answer, self.refusal = WiringAnswer.WAITING, ""  # of the newest asking
        self.topology: Topology | None = None
        # None until a driver told it. The very same object until it tells something else.
        self.shape: MachineShape | None = None
        # Looked for and not told of: a call that hangs may outlive all that is Qt's here.
        self._looks = QTimer(self, interval=50)
        self._looks.timeout.connect(self._on_look_due)

    @property
    def waited(self) -> float:
        """Seconds since it was asked last."""
        return self._session.desk.now() - self._asked_at

    def look(self) -> None:
        """Ask where there is a reason: nobody asked yet, or other cards are there now."""
        untold = self.answer is not WiringAnswer.TOLD and self.waited >= _AGAIN_AFTER
        if untold or self._session.cards() is not self._asked_for:
            self.ask()

    def ask(self) -> None:
        """Ask now. A call under way is waited for: a driver that hangs is not asked twice."""
        if not self._looks.isActive():
            self._asked_for = self._session.cards()
            self._asked_at = self._session.desk.now()
            self.answer = WiringAnswer.WAITING
            self._asked = Asked(self._session.stream.wiring)
            self._looks.start()
            self.changed.emit()

    def stop(self) -> None:
        """No answer is taken after this. Harmless when called twice."""
        self._looks.stop()

    def _on_look_due(self) -> None:
        if not self._asked.answered:
            return
        self._looks.stop()
        try:
            topology, cards = self._asked.result(), self._session.cards()
        except Trouble as trouble:
            self.answer, self.refusal = WiringAnswer.REFUSED, trouble.told
        else:
            self.answer = WiringAnswer.TOLD if topology.links else WiringAnswer.NOTHING
            if self.topology is not None:
                topology = with_what_was(self.topology, topology, cards)
            shape = shape_of(topology, cards) if topology.links else None
            # The same object as long as nothing else would be drawn.
            self.shape = self.shape if shape == self.shape else shape
            self.topology = topology
        self.changed.emit()
