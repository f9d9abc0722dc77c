"""Alerts on cards whose figures a test chooses, read for real."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.metrics import TEMPERATURE, MetricId
from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.gui.state.alert_watch import AlertWatch, Heard
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.alerts import Rule, Side
from gpuexplorer.telemetry.session import Session
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
