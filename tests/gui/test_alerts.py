"""Alerts on their way from a reading to the window and the desktop: told once, in words."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import PCIE_RECEIVE, TEMPERATURE, MetricId
from gpuexplorer.core.units import Units
from gpuexplorer.gui.desktop.desktop import Notifications, NotifiedBy
from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.gui.state.alert_watch import AlertWatch, Heard
from gpuexplorer.gui.state.alert_words import promise, rule_sentence, strip_sentence
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.window_alerts import AlertNotes
from gpuexplorer.telemetry.alerts import CLEARLY_BACK_FOR, USUAL_RULES, Alert, Rule, Side
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.session import Session
from tests.clocks import ManualClock
from tests.gui.fakes import NVML, SIMULATED, Answer, card, session_of, working
from tests.gui.leaping_clock import LeapingClock

HOT = Rule(TEMPERATURE, Side.ABOVE, 80.0, 0.0)


@dataclass
class Scene:
    """Cards of 60 °C, a rule at 80 °C that tells at once, and who watches."""

    settings: Settings
    watch: AlertWatch
    session: Session
    answers: list[Answer]
    clock: LeapingClock

    def heat(self, number: int, celsius: float) -> None:
        answer = self.answers[number]
        answer.values = {**answer.values, TEMPERATURE: celsius}

    def tell(self, number: int, **values: float) -> None:
        answer = self.answers[number]
        found = {MetricId(name): value for name, value in values.items()}
        answer.values = {**answer.values, **found}


MakeScene = Callable[..., Scene]


@pytest.fixture
def make_scene(qtbot: QtBot) -> Iterator[MakeScene]:
    scenes: list[Scene] = []

    def make(cards: int = 2, *rules: Rule, simulated: bool = False) -> Scene:
        settings = Settings()
        settings.choose(replace(settings.choices, rules=rules or (HOT,)))
        answers = [working(temperature=60.0) for _ in range(cards)]
        listed = {card(number): answer for number, answer in enumerate(answers)}
        clock = LeapingClock()
        session = session_of(listed, SIMULATED if simulated else NVML, clock=clock)
        scene = Scene(settings, AlertWatch(settings, Bridge()), session, answers, clock)
        scenes.append(scene)
        scene.watch.follow(Heard("", "", session))
        session.start()
        return scene

    yield make
    for scene in scenes:
        scene.watch.stop()
        scene.session.stop()


@pytest.fixture
def scene(make_scene: MakeScene) -> Scene:
    return make_scene()


def told(scene: Scene) -> list[Happening]:
    return [
        each
        for each in scene.session.happenings()
        if each.kind in (Kind.ALERT_BEGAN, Kind.ALERT_ENDED, Kind.ALERT_UNKNOWN)
    ]


def test_an_alert_is_told_to_the_window_and_among_the_events(
    scene: Scene, qtbot: QtBot
) -> None:
    assert scene.watch.sentence() == ""
    with qtbot.waitSignal(scene.watch.changed):
        scene.heat(0, 85.0)
    qtbot.waitUntil(lambda: bool(scene.watch.alerts()))
    assert scene.watch.sentence().startswith("Card 0: Temperature above 80 °C since ")
    (began,) = told(scene)
    assert began.sentence == "Alert: Temperature above 80 °C"
    assert began.card == "GPU-0"


def test_an_alert_ends_with_the_reason_where_the_card_is_lost(
    scene: Scene, qtbot: QtBot
) -> None:
    scene.heat(0, 85.0)
    qtbot.waitUntil(lambda: bool(scene.watch.alerts()))
    scene.answers[0].values, scene.answers[0].state = {}, CardState.LOST
    qtbot.waitUntil(lambda: not scene.watch.alerts())
    began, ended = told(scene)
    assert ended.kind is Kind.ALERT_UNKNOWN
    assert ended.sentence.startswith("Alert: Temperature above 80 °C is not known any more: ")
    assert ended.about == began.about
    assert ended.lasted is not None
    qtbot.waitUntil(
        lambda: scene.watch.over()[1].startswith(
            "Card 0: Temperature above 80 °C is not known any more: "
        )
    )
    assert scene.watch.over()[0] == "Not known whether an alert goes on"


def test_a_rule_that_is_switched_off_takes_its_alert_with_it(
    scene: Scene, qtbot: QtBot
) -> None:
    scene.heat(0, 85.0)
    qtbot.waitUntil(lambda: bool(scene.watch.alerts()))
    scene.settings.choose(replace(scene.settings.choices, rules=(replace(HOT, enabled=False),)))
    assert not scene.watch.alerts()
    assert told(scene)[-1].sentence == (
        "Alert ended: Temperature above 80 °C; it is no longer watched"
    )


def test_without_alerts_nothing_is_watched(scene: Scene, qtbot: QtBot) -> None:
    scene.session.want()
    scene.settings.choose(replace(scene.settings.choices, alerts=False))
    scene.heat(0, 85.0)
    taken = scene.session.beats().taken
    qtbot.waitUntil(lambda: scene.session.beats().taken > taken + 2)
    assert not scene.watch.alerts()
    assert not told(scene)


def test_silence_keeps_alerts_back_and_their_events_not(scene: Scene, qtbot: QtBot) -> None:
    scene.watch.be_silent(0.4)
    assert 0.2 < scene.watch.silent_for() < 0.6
    scene.heat(0, 85.0)
    qtbot.waitUntil(lambda: bool(told(scene)))
    assert not scene.watch.alerts()
    with qtbot.waitSignal(scene.watch.changed):
        pass
    qtbot.waitUntil(lambda: bool(scene.watch.alerts()))
    scene.watch.be_silent()
    assert not scene.watch.alerts()
    scene.watch.speak_again()
    assert scene.watch.alerts()


def test_what_nobody_looks_at_is_read_for_a_rule_about_it(make_scene: MakeScene) -> None:
    scene = make_scene(1, Rule(PCIE_RECEIVE, Side.ABOVE, 1e9, 5.0))
    assert PCIE_RECEIVE in scene.session.watched.metrics
    scene.settings.choose(replace(scene.settings.choices, rules=(HOT,)))
    assert PCIE_RECEIVE not in scene.session.watched.metrics
    scene.watch.stop()
    assert not scene.session.watched.metrics


def test_another_session_begins_without_the_alerts_of_the_one_before(
    scene: Scene, make_scene: MakeScene, qtbot: QtBot
) -> None:
    scene.heat(0, 85.0)
    qtbot.waitUntil(lambda: bool(scene.watch.alerts()))
    other = make_scene(1)
    scene.watch.follow(Heard("", "", other.session))
    assert not scene.watch.alerts()
    scene.watch.follow()
    assert scene.watch.sentence() == ""


with_bus = pytest.mark.skipif(sys.platform == "win32", reason="there is no such bus there")

Calls = Callable[[], list[list[str]]]


@pytest.fixture
def bus(tmp_path: Path) -> Path:
    """A program that notes how it was called and answers like busctl."""
    program = tmp_path / "busctl"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" "--" >> {tmp_path}/calls\necho "u 7"\n', "utf-8"
    )
    program.chmod(0o755)
    return program


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    """What was said to the bus: the method and what follows it, call by call."""

    def read() -> list[list[str]]:
        noted = tmp_path / "calls"
        if not noted.exists():
            return []
        words = noted.read_text("utf-8").removesuffix("--\n").split("--\n")
        return [call.splitlines()[3:] for call in words[1::2]]

    return read


@pytest.fixture
def notices(bus: Path, qtbot: QtBot) -> Iterator[Notifications]:
    notices = Notifications(str(bus))
    yield notices
    notices.stop()


@with_bus
def test_a_notification_is_replaced_by_the_last_that_came_meanwhile(
    notices: Notifications, calls: Calls, qtbot: QtBot
) -> None:
    for at in range(10):
        notices.show("Alerts", f"Number {at}")
    qtbot.waitUntil(lambda: len(calls()) == 2)
    method, signature, program, number, _, title, text, *_ = calls()[0]
    assert (method, signature) == ("Notify", "susssasa{sv}i")
    assert (program, number, title, text) == ("GPU Explorer", "0", "Alerts", "Number 0")
    assert (calls()[1][3], calls()[1][6]) == ("7", "Number 9")


@with_bus
@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 1\n", ""])
def test_a_bus_that_has_nobody_who_shows_notifications_is_given_up(
    bus: Path, qtbot: QtBot, script: str
) -> None:
    if script:
        bus.write_text(script, "utf-8")
    else:
        bus.unlink()
    notices = Notifications(str(bus))
    with qtbot.waitSignal(notices.way_changed):
        notices.show("An alert", "words")
    # Beside the clock, where there is such a place; offscreen there is none.
    there = QSystemTrayIcon.isSystemTrayAvailable()
    assert notices.way is (NotifiedBy.TRAY if there else NotifiedBy.NONE)
    notices.show("An alert", "more words")
    notices.stop()


def begin(scene: Scene, qtbot: QtBot, number: int, count: int) -> None:
    scene.heat(number, 85.0)
    qtbot.waitUntil(lambda: len(scene.watch.alerts()) == count)


@with_bus
def test_alerts_that_begin_together_are_one_notification_and_their_end_replaces_it(
    make_scene: MakeScene, notices: Notifications, calls: Calls, qtbot: QtBot
) -> None:
    scene = make_scene(2, simulated=True)
    notes = AlertNotes(scene.watch, notices, scene.watch)
    begin(scene, qtbot, 0, 1)
    begin(scene, qtbot, 1, 2)
    qtbot.waitUntil(lambda: len(calls()) == 1)
    assert calls()[0][5] == "SIMULATED: 2 alerts"
    assert "on cards 0 and 1" in calls()[0][6]
    for number in (0, 1):
        scene.tell(number, temperature=40.0)
    taken = scene.session.beats().taken
    qtbot.waitUntil(lambda: scene.session.beats().taken > taken + 1)
    scene.clock.ahead += CLEARLY_BACK_FOR
    qtbot.waitUntil(lambda: len(calls()) == 2)
    assert calls()[1][3] == "7"
    assert calls()[1][5] == "SIMULATED: All alerts have ended"
    notes.stop()


@with_bus
def test_who_looks_at_the_window_or_wants_no_notifications_gets_none(
    scene: Scene, notices: Notifications, calls: Calls, qtbot: QtBot
) -> None:
    scene.settings.choose(replace(scene.settings.choices, on_desktop=False))
    notes = AlertNotes(scene.watch, notices, scene.watch)
    begin(scene, qtbot, 0, 1)
    scene.settings.choose(replace(scene.settings.choices, on_desktop=True))
    window = QWidget()
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    begin(scene, qtbot, 1, 2)
    taken = scene.session.beats().taken
    qtbot.waitUntil(lambda: scene.session.beats().taken > taken + 15)
    assert not calls()
    notes.stop()
    window.close()


NUMBERS = {CardId(f"GPU-{number}"): str(number) for number in range(8)}
SI, OTHER = Units(), Units(decimal_memory=True, fahrenheit=True)
WARM = Rule(m.TEMPERATURE, Side.ABOVE, -2.0, 30.0, of_limit=True)
GIB = float(1 << 30)


def said(words: str) -> str:
    return words.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (WARM, "Temperature above the card's limit − 2 °C for 30 s, on any card"),
        (
            replace(WARM, threshold=0.0),
            "Temperature above the card's limit for 30 s, on any card",
        ),
        (
            replace(WARM, side=Side.BELOW, threshold=-40.0),
            "Temperature below the card's limit − 40 °C for 30 s, on any card",
        ),
        (
            Rule(m.MEMORY_FREE, Side.BELOW, 0.02, 60.0, of_limit=True),
            "Memory free below 2 % of the card's memory for 1 min, on any card",
        ),
        (
            Rule(m.MEMORY_USED, Side.ABOVE, 20 * GIB, 0.0, cards=frozenset(NUMBERS)),
            "Memory used above 20.0 GiB, on cards 0, 1, 2, 3 and 4 more",
        ),
        (
            Rule(m.GPU_UTILIZATION, Side.BELOW, 0.05, 600.0),
            "GPU utilisation below 5 % for 10 min, on any card",
        ),
        (
            Rule(m.CLOCK_SM, Side.BELOW, 9e8, 5.0, cards=frozenset({CardId("GPU-3")})),
            "SM clock below 900 MHz for 5 s, on card 3",
        ),
        (
            Rule(m.PCIE_RECEIVE, Side.ABOVE, 2.5e9, 90.0, cards=frozenset({CardId("x")})),
            "PCIe in above 2.5 GB/s for 1 min 30 s, on cards that are not here now",
        ),
    ],
)
def test_a_rule_is_one_sentence(rule: Rule, sentence: str) -> None:
    assert said(rule_sentence(rule, SI, NUMBERS)) == sentence


def test_figures_are_in_the_units_a_person_chose() -> None:
    assert "limit − 3.6 °F" in said(rule_sentence(WARM, OTHER, NUMBERS))
    full = Rule(m.MEMORY_USED, Side.ABOVE, 20e9, 0.0)
    assert "above 20.0 GB" in said(rule_sentence(full, OTHER, NUMBERS))


@pytest.mark.parametrize(
    ("rule", "over"),
    [
        (WARM, "back below the card's limit − 5 °C for 5 s, or was not above"),
        (Rule(m.TEMPERATURE, Side.ABOVE, 85.0, 1.0), "back below 82 °C for 5 s, or was not"),
        (
            Rule(m.MEMORY_FREE, Side.BELOW, 0.02, 60.0, of_limit=True),
            "back above 3 % of the card's memory for 5 s, or was not below",
        ),
    ],
)
def test_it_is_said_when_an_alert_is_over(rule: Rule, over: str) -> None:
    assert over in said(promise(rule, SI))


def alert(rule: Rule, card: int, since: float = 0.0) -> Alert:
    threshold, _ = rule.bounds(89.0)
    return Alert(rule, CardId(f"GPU-{card}"), since, since, threshold)


def at(seconds: float) -> Clock:
    """A clock that shows so much."""
    return ManualClock(seconds)


def test_the_strip_says_which_card_what_since_when_and_for_how_long() -> None:
    words = strip_sentence([alert(WARM, 0, since=40.0)], NUMBERS, SI, at(160.0))
    began = time.strftime("%H:%M:%S", time.localtime(at(160.0).wall() - 120.0))
    assert words == f"Card 0: Temperature above 87 °C since {began}, for 2 min"


def test_the_strip_stays_one_line_whatever_goes_on() -> None:
    alerts = [alert(rule, card) for rule in (WARM, *USUAL_RULES[1:]) for card in range(8)]
    words = strip_sentence(alerts, NUMBERS, SI, at(7200.0))
    first = (
        "32 alerts: Temperature above the card's limit − 2 °C on cards 0, 1, 2, 3 and 4 more"
    )
    assert words.startswith(first)
    assert words.endswith(", for 2 h; and 1 more")


def test_a_card_that_is_no_longer_listed_keeps_its_lasting_name() -> None:
    words = strip_sentence([alert(WARM, 9)], NUMBERS, SI, at(10.0))
    assert words.startswith("Card GPU-9: Temperature above 87 °C since ")
    assert words.endswith(", for 10 s")
