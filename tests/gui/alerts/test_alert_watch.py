"""Alerts on their way from the sampler's threads to the window: told once, in words."""

from dataclasses import replace

from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import PCIE_RECEIVE
from gpuexplorer.gui.state.alert_watch import Heard
from gpuexplorer.telemetry.alerts import Rule, Side
from gpuexplorer.telemetry.happenings import Happening, Kind
from tests.gui.alerts.conftest import HOT, MakeScene, Scene


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


def test_several_alerts_are_one_sentence(scene: Scene, qtbot: QtBot) -> None:
    scene.heat(0, 85.0)
    qtbot.waitUntil(lambda: len(scene.watch.alerts()) == 1)
    scene.heat(1, 86.0)
    qtbot.waitUntil(lambda: len(scene.watch.alerts()) == 2)
    words = scene.watch.sentence()
    assert words.startswith("Temperature above 80 °C on cards 0 and 1, the first since ")


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


def test_sentences_are_in_the_persons_units(scene: Scene, qtbot: QtBot) -> None:
    scene.settings.choose(replace(scene.settings.choices, fahrenheit=True))
    scene.heat(0, 85.0)
    qtbot.waitUntil(lambda: bool(scene.watch.alerts()))
    assert "Temperature above 176 °F" in scene.watch.sentence()
    assert "176 °F" in told(scene)[0].sentence


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
