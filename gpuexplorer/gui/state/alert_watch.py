"""AlertWatch: what a person's rules have to say about the cards that are read now, those of
all machines.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.gui.state.alert_words import strip_sentence
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.alerts import Alert, SessionWatch, Why, standing
from gpuexplorer.telemetry.session import Session, card_numbers

AN_HOUR = 3600.0


class Heard(NamedTuple):
    """A machine whose cards are watched."""

    key: str  # of MachinesState
    name: str  # empty where there is one machine alone
    session: Session

    @property
    def numbers(self) -> Mapping[CardId, str]:
        """How people call the cards that there are."""
        return card_numbers(self.session.cards())

    def named(self, said: str) -> str:
        words = mark("{machine}: {said}")
        if self.session.simulated:
            words = mark("{machine} (simulated): {said}")
        return tr(words, machine=self.name, said=said) if self.name else said


class AlertWatch(QObject):
    """Judges every sample as it comes, also while nobody sees the window. `alerts` is what is
    to be shown: none while a person wants to hear nothing.
    """

    changed = Signal()

    def __init__(
        self, settings: Settings, bridge: Bridge, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.settings, self._bridge = settings, bridge
        self._heard: Sequence[Heard] = ()
        self._watches: dict[Session, SessionWatch] = {}
        self._over: tuple[Heard, Alert] | None = None  # what ended last
        self._silence = QTimer(self, singleShot=True)
        self._silence.timeout.connect(self.changed)
        settings.changed.connect(self._follow_rules)
        bridge.alerts_changed.connect(self._on_alerts_changed)

    def follow(self, *machines: Heard) -> None:
        """From now on these. What was said of others is over; who is followed already goes on
        being followed.
        """
        self._heard, there = machines, {each.session for each in machines}
        for gone in self._watches.keys() - there:
            self._watches.pop(gone).close()
        for come in there - self._watches.keys():
            self._watches[come] = SessionWatch(come, self._bridge.post_alerts_changed)
        if self._over is not None and self._over[0].session not in there:
            self._over = None
        self._follow_rules()

    def stop(self) -> None:
        """Nothing is listened to after this. Harmless when called twice."""
        self._silence.stop()
        self.follow()

    def alerts(self) -> Sequence[Alert]:
        """Those that go on, the oldest first."""
        return [alert for _, alert in self._now()]

    def oldest(self) -> tuple[str, CardId, str] | None:
        """The machine and the card of the first one, and its number."""
        for heard, alert in self._now()[:1]:
            return heard.key, alert.card, heard.numbers.get(alert.card, "")
        return None

    @property
    def simulated(self) -> bool:
        """Nothing that is told is of a real card."""
        told = self._now() or filter(None, [self._over])
        made_up = [heard.session.simulated for heard, _ in told]
        return bool(made_up) and all(made_up)

    def sentence(self) -> str:
        """All of them in one line; empty where there are none."""
        units, now, parts = self.settings.choices.units, self._now(), []
        for each in self._heard:
            if alerts := [alert for heard, alert in now if heard is each]:
                clock = each.session.clock
                parts.append(each.named(strip_sentence(alerts, each.numbers, units, clock)))
        return "; ".join(parts)

    def over(self) -> tuple[str, str]:
        """A title, and what ended last: "Card 0: Temperature above 87 °C has ended."; empty
        where nothing has.
        """
        if self._over is None:
            return "", ""
        heard, ended = self._over
        title, words = tr("All alerts have ended"), mark("Card {number}: {what} has ended.")
        if ended.why is Why.UNKNOWN:
            title = tr("Not known whether an alert goes on")
            words = mark("Card {number}: {what} is not known any more: {reason}.")
        what = standing(ended, self.settings.choices.units)
        number = heard.numbers.get(ended.card, ended.card)
        return title, heard.named(tr(words, number=number, what=what, reason=ended.reason))

    def be_silent(self, seconds: float = AN_HOUR) -> None:
        """Show nothing for so long. What happens meanwhile stands among the events."""
        self._silence.start(round(seconds * 1000))
        self.changed.emit()

    def speak_again(self) -> None:
        self._silence.stop()
        self.changed.emit()

    def silent_for(self) -> float:
        """Seconds left; 0 where nothing is kept back."""
        return max(0.0, self._silence.remainingTime() / 1000)

    def _now(self) -> Sequence[tuple[Heard, Alert]]:
        watches = [(each, self._watches[each.session]) for each in self._heard]
        now = [(each, alert) for each, watch in watches for alert in watch.alerts()]
        return [] if self._silence.isActive() else sorted(now, key=lambda each: each[1].since)

    def _follow_rules(self) -> None:
        choices = self.settings.choices
        rules = [each for each in choices.rules if each.enabled and choices.alerts]
        for watch in self._watches.values():
            watch.follow(rules, choices.units)
        self.changed.emit()

    def _on_alerts_changed(self) -> None:
        for each in self._heard:
            while ended := self._watches[each.session].ended:
                self._over = each, ended.popleft()
        self.changed.emit()
