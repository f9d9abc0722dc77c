"""MachineState: one session as screens see it: its cards and the computer, and their faces."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject

from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.cards.faces import Known, Shown, arrange, card_face, host_face
from gpuexplorer.gui.wording.cards.short_silence import ShortSilence
from gpuexplorer.gui.wording.moments import since_when
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.remembering import RememberingSession
from gpuexplorer.telemetry.trace import TraceSource


class MachineState(QObject):
    """Lives as long as its session is shown. What several screens show is worked out once."""

    def __init__(
        self,
        session: RememberingSession,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.settings = settings
        self.session = session
        self.past: TraceSource = session.past
        self._short_silence = ShortSilence()
        self._faces: dict[CardId, tuple[object, CardFace]] = {}
        # What was answered already of this very instant.
        self._told: dict[tuple[CardId, Units], CardFace] = {}
        self._shown: tuple[object, Sequence[Shown]] = (None, ())
        self._known_at = float("-inf")
        self._known: Mapping[CardId, Known] = {}
        self._known_of: Sequence[Shown] | None = None
        self._states: dict[CardId, tuple[CardState | None, str]] = {}
        self.host = Shown(session.host, tr("H"), None)
        self._host_face: tuple[object, CardFace] | None = None

    def cards(self) -> Sequence[Shown]:
        """In the driver's order, instances under their card."""
        listed = self.session.cards()
        if self._shown[0] is not listed:
            self._shown = (listed, arrange(listed))
        return self._shown[1]

    def shown(self, card: CardId | None) -> Shown | None:
        """The card or instance of that id, if it is listed still; or the computer itself."""
        if card == HOST_ID:
            return self.host
        for each in self.cards():
            if each.card.id == card:
                return each
            for instance in each.instances:
                if instance.card.id == card:
                    return instance
        return None

    def face(self, shown: Shown) -> CardFace:
        """The very same object as before, where nothing else would be seen."""
        if shown is self.host:
            return self.host_face()
        known = self._all_known()
        asked = (shown.card.id, self.settings.choices.units)
        face = self._told.get(asked)
        if face is None:
            face = self._told[asked] = self._face_now(shown, known, asked[1])
        return face

    def _face_now(self, shown: Shown, known: Mapping[CardId, Known], units: Units) -> CardFace:
        ids = {each.card.id for each in (shown, *shown.instances)}
        # Only who does not answer says something about the others.
        another_answers = not known[shown.card.id].answers and any(
            each.answers for card, each in known.items() if card not in ids
        )
        since = self._since(shown.card.id, known[shown.card.id])
        stamps = [_stamp(known[card]) for card in sorted(ids)]
        stamp = (shown, another_answers, stamps, units, since)
        before = self._faces.get(shown.card.id)
        if before is not None and before[0] == stamp:
            return before[1]
        face = card_face(shown, known, another_answers, units, since)
        self._faces[shown.card.id] = (stamp, face)
        return face

    def known(self, card: CardId) -> Known:
        """The newest that is known of a listed card, or of the computer itself."""
        if card == HOST_ID:
            return Known(self.session.reading(HOST_ID), None)
        return self._all_known()[card]

    def host_reading(self) -> Reading:
        """An empty one before the first answer."""
        nothing = Reading(HOST_ID, 0.0, CardState.WORKING, {}, {})
        return self.session.reading(HOST_ID) or nothing

    def host_face(self) -> CardFace:
        reading, units = self.host_reading(), self.settings.choices.units
        if self._host_face is None or self._host_face[0] != (reading, units):
            face = host_face(self.host, reading, units)
            self._host_face = ((reading, units), face)
        return self._host_face[1]

    def _since(self, card: CardId, known: Known) -> str:
        """Looked up once for as long as the card stays as it is."""
        state = None if known.reading is None else known.reading.state
        before = self._states.get(card)
        if before is not None and before[0] is state:
            return before[1]
        # Of a card that never gave a figure nobody saw when it began.
        seen = card in self.session.past.cards()
        if state is None or state is CardState.WORKING or not seen:
            self._states[card] = (state, "")
            return ""
        happenings = self.session.happenings()
        words = since_when(happenings, card, state, self.session.clock.wall())
        if words:
            self._states[card] = (state, words)
        return words

    def _all_known(self) -> Mapping[CardId, Known]:
        now = self.session.clock.now()
        cards = self.cards()
        if now - self._known_at > _SAME_INSTANT or self._known_of is not cards:
            self._known = {
                each.card.id: self._look_at(each.card.id, now)
                for shown in cards
                for each in (shown, *shown.instances)
            }
            self._told = {}
            self._known_of = cards
            self._known_at = now
        return self._known

    def _look_at(self, card: CardId, now: float) -> Known:
        known = Known(
            self.session.reading(card),
            self.session.sampler.silence(card),
        )
        return self._short_silence.carry_over(card, known, now)


# Screen and rail ask in the same tick, and are told the same.
_SAME_INSTANT = 0.05


def _stamp(now: Known) -> tuple[int | None, bool, float, int, int]:
    """Differs as soon as something else would be shown."""
    silence = None if now.silence is None else int(now.silence)
    reading = now.reading
    if reading is None:
        return silence, now.slow, 0.0, 0, 0
    # A slower round may bring more without being the newest.
    return silence, now.slow, reading.at, len(reading.values), len(reading.missing)
