"""MachineState: one session as screens see it: its cards and the computer, and their faces."""

from collections.abc import Sequence

from PySide6.QtCore import QObject

from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, Shown, arrange, card_face
from gpuexplorer.gui.state.comparing import Comparing
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import began_with
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.trace import TraceSource

# Screen and rail ask in the same tick, and are told the same.
_SAME_INSTANT = 0.05
_SHORT_SILENCE = 3.0


class MachineState(QObject):
    """Lives as long as its session is shown. What several screens show is worked out once."""

    def __init__(
        self,
        session: Session,
        settings: Settings,
        parent: QObject | None = None,
        name: str = "",
    ) -> None:
        """`name`: as the person calls it, where that may not be what it calls itself."""
        super().__init__(parent)
        self.session, self.settings, self.name = session, settings, name
        self.past: TraceSource = session.past
        self.comparing = Comparing(session.past, self)
        self.host = Shown(session.host, tr("H"), None)
        self._listed: tuple[object, Sequence[Shown]] = (None, ())
        self._seen_at = float("-inf")  # all that these faces show
        self._faces: dict[tuple[CardId, Units], CardFace] = {}
        # When it answered last, with what, and when that was shown in place of an answer.
        self._answered: dict[CardId, tuple[float, Reading | None, float]] = {}

    def cards(self) -> Sequence[Shown]:
        """In the driver's order, instances under their card."""
        listed = self.session.cards()
        if self._listed[0] is not listed:
            self._listed, self._faces = (listed, arrange(listed)), {}
        return self._listed[1]

    def shown(self, card: CardId | None) -> Shown | None:
        """The card or instance of that id, if it is listed still; or the computer itself."""
        every = (one for each in self.cards() for one in (each, *each.instances))
        return next((each for each in (self.host, *every) if each.card.id == card), None)

    def face(self, shown: Shown) -> CardFace:
        """As it is now: two that look the same are equal."""
        now, units = self.session.desk.now(), self.settings.choices.units
        if not 0 <= now - self._seen_at <= _SAME_INSTANT:
            self._seen_at, self._faces = now, {}
        key = (shown.card.id, units)
        if key not in self._faces:
            ids = [each.card.id for each in (shown, *shown.instances)]
            known = {card: self._look_at(card, now) for card in ids}
            since, simulated = self._when(ids[0], known[ids[0]].state), self.session.simulated
            self._faces[key] = card_face(shown, known, units, since, simulated=simulated)
        return self._faces[key]

    def host_reading(self) -> Reading:
        """An empty one before the first answer."""
        return self.session.reading(HOST_ID) or Reading(HOST_ID, 0.0, {})

    def host_face(self) -> CardFace:
        return self.face(self.host)

    def _when(self, card: CardId, state: CardState) -> str:
        """When it began to be as it is; empty where it works, or never gave a figure."""
        if state is CardState.WORKING or card not in self.session.past.cards():
            return ""
        began = began_with(self.session.happenings(), card, state)
        now = self.session.clock.wall()
        return "" if began is None else moment_word(began.wall, now)

    def _look_at(self, card: CardId, now: float) -> CardNow:
        """Over a short silence with the last figures, called slow, so that no tile flickers."""
        silence = None if card == HOST_ID else self.session.stream.silence(card)
        known = CardNow(self.session.reading(card), silence)
        if self.past.ended is not None:
            return known  # what was answered a moment ago may be of another hour
        at, reading, slow_at = self._answered.get(card, (now, None, float("-inf")))
        if known.state is CardState.WORKING and known.reading is not None:
            self._answered[card] = now, known.reading, slow_at
            # Called slow a little longer, since the next silence may follow at once.
            return known._replace(slow=now - slow_at < _SHORT_SILENCE)
        short = max(now - at, silence or 0) < _SHORT_SILENCE
        if reading is None or not short or known.state is not CardState.NO_ANSWER:
            self._answered.pop(card, None)
            return known
        self._answered[card] = at, reading, now
        return CardNow(reading, None, slow=True)
