"""AlertWatch: what a person's rules have to say about the cards that are read now, those of
all machines.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.cards import HOST_ID, CardId, Sample
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.gui.state.alert_words import (
    began_sentence,
    ended_sentence,
    standing,
    strip_sentence,
)
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.alerts import LIMITS, Alert, Rule, Watch, Why
from gpuexplorer.telemetry.facts import Fact
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.session import Session, Want, card_numbers

AN_HOUR = 3600.0


class Heard(NamedTuple):
    """A machine whose cards are watched."""

    key: str  # of MachinesState
    name: str  # empty where there is one machine alone
    session: Session


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
        self._ears: list[_Ear] = []
        self._over: tuple[_Ear, Alert] | None = None  # what ended last
        self._silence = QTimer(self, singleShot=True)
        self._silence.timeout.connect(self.changed)
        settings.changed.connect(self._on_settings_changed)
        bridge.alerts_changed.connect(self._on_alerts_changed)

    def follow(self, *machines: Heard) -> None:
        """From now on these. What was said of others is over; who is followed already goes on
        being followed.
        """
        before, self._ears = {ear.session: ear for ear in self._ears}, []
        rules, units = self._rules(), self.settings.choices.units
        for each in machines:
            ear = before.pop(each.session, None)
            if ear is None:
                ear = _Ear(each.session, rules, units, self._bridge.post_alerts_changed)
            ear.key, ear.name = each.key, each.name
            self._ears.append(ear)
        for gone in before.values():
            gone.close()
        if self._over is not None and self._over[0] not in self._ears:
            self._over = None
        self.changed.emit()

    def stop(self) -> None:
        """Nothing is listened to after this. Harmless when called twice."""
        self._silence.stop()
        for ear in self._ears:
            ear.close()
        self._ears = []

    def alerts(self) -> Sequence[Alert]:
        """Those that go on, the oldest first."""
        return [alert for _, alert in self._now()]

    def oldest(self) -> tuple[str, CardId, str] | None:
        """The machine and the card of the first one, and its number."""
        for ear, alert in self._now()[:1]:
            return ear.key, alert.card, ear.numbers().get(alert.card, "")
        return None

    @property
    def simulated(self) -> bool:
        """Nothing that is told is of a real card."""
        ears = {ear for ear, _ in self._now()} or ({self._over[0]} if self._over else set())
        return bool(ears) and all(ear.session.simulated for ear in ears)

    def sentence(self) -> str:
        """All of them in one line; empty where there are none."""
        units, now = self.settings.choices.units, self._now()
        parts = []
        for ear in self._ears:
            if alerts := [alert for whose, alert in now if whose is ear]:
                said = strip_sentence(alerts, ear.numbers(), units, ear.session.clock)
                parts.append(ear.with_name(said))
        return "; ".join(parts)

    def over(self) -> tuple[str, str]:
        """A title, and what ended last: "Card 0: Temperature above 87 °C has ended."; empty
        where nothing has.
        """
        if self._over is None:
            return "", ""
        ear, ended = self._over
        number = ear.numbers().get(ended.card, ended.card)
        words = {"number": number, "what": standing(ended, self.settings.choices.units)}
        if ended.why is not Why.UNKNOWN:
            said = tr("Card {number}: {what} has ended.", **words)
            return tr("All alerts have ended"), ear.with_name(said)
        unknown = mark("Card {number}: {what} is not known any more: {reason}.")
        said = tr(unknown, **words, reason=tr(ended.reason))
        return tr("Not known whether an alert goes on"), ear.with_name(said)

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

    def _rules(self) -> Sequence[Rule]:
        choices = self.settings.choices
        return [rule for rule in choices.rules if rule.enabled] if choices.alerts else []

    def _now(self) -> "Sequence[tuple[_Ear, Alert]]":
        heard = [] if self._silence.isActive() else self._ears
        now = [(ear, alert) for ear in heard for alert in ear.watch.alerts()]
        return sorted(now, key=lambda each: each[1].since)

    def _on_settings_changed(self) -> None:
        for ear in self._ears:
            ear.change(self._rules(), self.settings.choices.units)
        self.changed.emit()

    def _on_alerts_changed(self) -> None:
        for ear in self._ears:
            while ear.ended:
                self._over = ear, ear.ended.popleft()
        self.changed.emit()


class _Ear:
    """Hears one session, in its threads, and keeps what it heard apart from another's."""

    def __init__(
        self, session: Session, rules: Sequence[Rule], units: Units, post: Callable[[], None]
    ) -> None:
        self.session, self._units, self._post = session, units, post
        self.key = self.name = ""
        self.watch = Watch(rules)
        self.ended: deque[Alert] = deque(maxlen=100)
        self._rules: Sequence[Rule] = ()
        self._want: Want | None = None
        session.attach(self._hear)
        self._ask(rules)

    def numbers(self) -> Mapping[CardId, str]:
        """How people call the cards that there are."""
        return card_numbers(self.session.cards())

    def with_name(self, said: str) -> str:
        words = mark("{machine}: {said}")
        if self.session.simulated:
            words = mark("{machine} (simulated): {said}")
        return tr(words, machine=self.name, said=said) if self.name else said

    def change(self, rules: Sequence[Rule], units: Units) -> None:
        self._units = units
        if rules != self._rules:
            self._tell(self.watch.change_rules(rules))
            self._ask(rules)

    def close(self) -> None:
        self.session.detach(self._hear)
        self._ask(())

    def _ask(self, rules: Sequence[Rule]) -> None:
        """What nobody looks at is read for the rules that are about it."""
        before, self._rules = self._want, rules
        limits = (LIMITS.get(each.metric, ()) for each in rules if each.of_limit)
        metrics = {each.metric for each in rules}.union(*limits)
        self._want = self.session.want_metrics(metrics) if metrics else None
        if before is not None:
            self.session.release(before)

    def _hear(self, fact: Fact) -> None:
        if isinstance(fact, Sample) and fact.card != HOST_ID:
            if changes := self.watch.consider(fact):
                self._tell(changes)
            if changes or self.watch.alerts():  # whose figures go on
                self._post()

    def _tell(self, changes: Sequence[Alert]) -> None:
        tell, units = self.session.happening_log.tell, self._units
        for alert in changes:
            about = standing(alert, units)
            if alert.why is None:
                tell(Kind.ALERT_BEGAN, alert.card, began_sentence(alert, units), about)
                continue
            kind = Kind.ALERT_UNKNOWN if alert.why is Why.UNKNOWN else Kind.ALERT_ENDED
            tell(kind, alert.card, ended_sentence(alert, units), about, alert.until)
            self.ended.append(alert)
