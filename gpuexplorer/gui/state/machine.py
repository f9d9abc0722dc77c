"""MachineState: one session as screens see it: its cards and the computer, and their faces."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject

from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.faces import CardNow, Shown, arrange, card_face, host_face
from gpuexplorer.gui.cards.moments import since_when
from gpuexplorer.gui.state.comparing import Comparing
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.facts import Reading
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
        self.name = name
        self.settings = settings
        self.session = session
        self.past: TraceSource = session.past
        self.comparing = Comparing(session.past, self)
        self._short_silence = ShortSilence()
        self._faces: dict[CardId, tuple[object, CardFace]] = {}
        # What was answered already of this very instant.
        self._told: dict[tuple[CardId, Units], CardFace] = {}
        self._shown: tuple[object, Sequence[Shown]] = (None, ())
        self._known_at = float("-inf")
        self._known: Mapping[CardId, CardNow] = {}
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
        """Equal to the one before, where nothing else would be seen."""
        if shown is self.host:
            return self.host_face()
        known = self._known_with(shown)
        asked = (shown.card.id, self.settings.choices.units)
        face = self._told.get(asked)
        if face is None:
            face = self._told[asked] = self._face_now(shown, known, asked[1])
        return face

    def _face_now(
        self, shown: Shown, known: Mapping[CardId, CardNow], units: Units
    ) -> CardFace:
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
            reading = known[shown.card.id].reading
            face = before[1] if reading is None else replace(before[1], reading=reading)
        else:
            face = card_face(shown, known, another_answers, units, since)
        self._faces[shown.card.id] = (stamp, face)
        return face

    def host_reading(self) -> Reading:
        """An empty one before the first answer."""
        nothing = Reading(HOST_ID, 0.0, {})
        return self.session.reading(HOST_ID) or nothing

    def host_face(self) -> CardFace:
        reading, units = self.host_reading(), self.settings.choices.units
        if self._host_face is None or self._host_face[0] != (reading, units):
            face = host_face(self.host, reading, units)
            self._host_face = ((reading, units), face)
        return self._host_face[1]

    def _since(self, card: CardId, known: CardNow) -> str:
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

    def _all_known(self) -> Mapping[CardId, CardNow]:
        now = self.session.desk.now()
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

    def _known_with(self, shown: Shown) -> Mapping[CardId, CardNow]:
        """Whoever asks may have the list of a moment ago, and the card is gone since."""
        known = self._all_known()
        ids = [each.card.id for each in (shown, *shown.instances)]
        gone = {card: self._look_at(card, self._known_at) for card in ids if card not in known}
        return {**known, **gone} if gone else known

    def _look_at(self, card: CardId, now: float) -> CardNow:
        known = CardNow(
            self.session.reading(card),
            self.session.stream.silence(card),
        )
        if self.past.ended is not None:
            return known  # what was answered a moment ago may be of another hour
        return self._short_silence.carry_over(card, known, now)


def _stamp(now: CardNow) -> tuple[int | None, bool, Reading | None]:
    """Differs as soon as something else would be shown."""
    silence = None if now.silence is None else int(now.silence)
    reading = None if now.reading is None else now.reading._replace(at=0.0)
    return silence, now.slow, reading


class ShortSilence:
    """Carries the last figures of a card over a silence that may end at once. Without it the
    tile of a slow card would change back and forth all the time.
    """

    def __init__(self) -> None:
        self._answered: dict[CardId, Reading] = {}
        self._began: dict[CardId, float] = {}
        self._carried_at: dict[CardId, float] = {}

    def carry_over(self, card: CardId, known: CardNow, now: float) -> CardNow:
        """The same, or with the figures of a moment ago and called slow."""
        if known.answers and known.reading is not None:
            self._answered[card] = known.reading
            self._began.pop(card, None)
            # Called slow a little longer, since the next silence may follow at once.
            slow = now - self._carried_at.get(card, float("-inf")) < _SHORT_SILENCE
            return replace(known, slow=True) if slow else known
        before, silent = self._answered.get(card), known.state is CardState.NO_ANSWER
        began = self._began.setdefault(card, now - (known.silence or 0.0))
        if before is None or not silent or now - began >= _SHORT_SILENCE:
            self._answered.pop(card, None)
            self._carried_at.pop(card, None)
            return known
        self._carried_at[card] = now
        return replace(known, reading=before, silence=None, slow=True)
