"""AlertWatch: what a person's rules have to say about the cards that are read now, those of
all machines.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QWindow

from gpuexplorer.core.cards import HOST_ID, CardId, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.desktop.desktop import Notifications
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
# What begins together is shown together.
_GATHER = 1000


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
        self.settings = settings
        self._bridge = bridge
        self._ears: list[_Ear] = []
        self._over: tuple[_Ear, Alert] | None = None
        self._silence = QTimer(self)
        self._silence.setSingleShot(True)
        self._silence.timeout.connect(self.changed)
        settings.changed.connect(self._on_settings_changed)
        bridge.alerts_changed.connect(self._on_alerts_changed)

    def follow(self, *machines: Heard | Session) -> None:
        """From now on these. What was said of others is over; who is followed already goes on
        being followed.
        """
        wanted = [each if isinstance(each, Heard) else Heard("", "", each) for each in machines]
        sessions = [each.session for each in wanted]
        before = {ear.session: ear for ear in self._ears if ear.session in sessions}
        for ear in self._ears:
            if ear.session not in before:
                ear.close()
        rules, units = self._rules(), self.settings.choices.units
        post = self._bridge.post_alerts_changed
        self._ears = [
            before.get(each.session) or _Ear(each.session, rules, units, post)
            for each in wanted
        ]
        for ear, each in zip(self._ears, wanted, strict=True):
            ear.key, ear.name = each.key, each.name
        if self._over is not None and self._over[0] not in self._ears:
            self._over = None
        self.changed.emit()

    def stop(self) -> None:
        """Nothing is listened to after this. Harmless when called twice."""
        self._silence.stop()
        self._release()

    def alerts(self) -> Sequence[Alert]:
        """Those that go on, the oldest first."""
        return [alert for _, alert in self._now()]

    def oldest(self) -> tuple[str, CardId, str] | None:
        """The machine and the card of the first one, and its number."""
        now = self._now()
        if not now:
            return None
        ear, alert = now[0]
        return ear.key, alert.card, ear.numbers().get(alert.card, "")

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

    def over_title(self) -> str:
        if self._over is not None and self._over[1].why is Why.UNKNOWN:
            return tr("Not known whether an alert goes on")
        return tr("All alerts have ended")

    def over_sentence(self) -> str:
        """What ended last: "Card 0: Temperature above 87 °C has ended."; else empty."""
        if self._over is None:
            return ""
        ear, ended = self._over
        number = ear.numbers().get(ended.card, ended.card)
        what = standing(ended, self.settings.choices.units)
        if ended.why is Why.UNKNOWN:
            said = tr(
                "Card {number}: {what} is not known any more: {reason}.",
                number=number,
                what=what,
                reason=tr(ended.reason),
            )
        else:
            said = tr("Card {number}: {what} has ended.", number=number, what=what)
        return ear.with_name(said)

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
        if self._silence.isActive():
            return ()
        now = [(ear, alert) for ear in self._ears for alert in ear.watch.alerts()]
        return sorted(now, key=lambda each: each[1].since)

    def _release(self) -> None:
        for ear in self._ears:
            ear.close()
        self._ears = []

    def _on_settings_changed(self) -> None:
        for ear in self._ears:
            ear.change(self._rules(), self.settings.choices.units)
        if self._ears:
            self.changed.emit()

    def _on_alerts_changed(self) -> None:
        for ear in self._ears:
            while ear.ended:
                self._over = ear, ear.ended.popleft()
        self.changed.emit()


class AlertNotes(QObject):
    """Carries alerts to the desktop while the window is not in front: one notification for all,
    shown anew only when one more begins or all have ended.
    """

    def __init__(
        self, alerts: AlertWatch, notices: Notifications, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.notices = notices
        self._alerts = alerts
        self._told: frozenset[Alert] = frozenset()
        self._stands = False
        self._gather = QTimer(self)
        self._gather.setSingleShot(True)
        self._gather.setInterval(_GATHER)
        self._gather.timeout.connect(self._on_gathered)
        alerts.changed.connect(self._on_alerts_changed)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.focusWindowChanged.connect(self._on_focus_window_changed)

    def stop(self) -> None:
        self._gather.stop()
        self.notices.stop()

    def _on_alerts_changed(self) -> None:
        if not self._alerts.settings.choices.on_desktop or _is_in_front():
            self._told = frozenset(self._alerts.alerts())
        elif not self._gather.isActive():
            self._gather.start()

    def _on_gathered(self) -> None:
        now = frozenset(self._alerts.alerts())
        more, self._told = now - self._told, now
        if more:
            self._stands = True
            self._show(trn("An alert", "{count} alerts", len(now)), self._alerts.sentence())
        elif not now and self._stands and self._alerts.over_sentence():
            self._stands = False
            self._show(self._alerts.over_title(), self._alerts.over_sentence())

    def _show(self, title: str, text: str) -> None:
        if self._alerts.simulated:
            title = tr("SIMULATED: {title}", title=title)
        self.notices.show(title, text)

    def _on_focus_window_changed(self, window: QWindow | None) -> None:
        if window is not None:
            self._gather.stop()
            self._told = frozenset(self._alerts.alerts())
            self._stands = False


def _is_in_front() -> bool:
    # Not every platform takes the keyboard from a window that is hidden.
    windows = QGuiApplication.topLevelWindows()
    return any(window.isActive() and window.isVisible() for window in windows)


class _Ear:
    """Hears one session, in its threads, and keeps what it heard apart from another's."""

    def __init__(
        self,
        session: Session,
        rules: Sequence[Rule],
        units: Units,
        post: Callable[[], None],
    ) -> None:
        self.session = session
        self.key = self.name = ""
        self.watch = Watch(rules)
        self.ended: deque[Alert] = deque(maxlen=100)
        self._rules = tuple(rules)
        self._units = units
        self._post = post
        self._want: Want | None = None
        session.attach(self._hear)
        self._ask()

    def numbers(self) -> Mapping[CardId, str]:
        """How people call the cards that there are."""
        return card_numbers(self.session.cards())

    def with_name(self, said: str) -> str:
        if not self.name:
            return said
        words = mark("{machine}: {said}")
        if self.session.simulated:
            words = mark("{machine} (simulated): {said}")
        return tr(words, machine=self.name, said=said)

    def change(self, rules: Sequence[Rule], units: Units) -> None:
        self._units = units
        if tuple(rules) != self._rules:
            self._rules = tuple(rules)
            self._tell(self.watch.change_rules(rules))
            self._ask()

    def close(self) -> None:
        self.session.detach(self._hear)
        if self._want is not None:
            self.session.release(self._want)

    def _ask(self) -> None:
        """What nobody looks at is read for the rules that are about it."""
        before, rules = self._want, self._rules
        metrics = {metric for rule in rules for metric in (rule.metric, *_limits(rule))}
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


def _limits(rule: Rule) -> Sequence[MetricId]:
    return LIMITS.get(rule.metric, ()) if rule.of_limit else ()
