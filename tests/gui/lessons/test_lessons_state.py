"""What the window knows of lessons: the shelf, and what a lesson is told of the cards."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuexplorer.core.metrics import MEMORY_USED
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.starting import lab_of
from gpuexplorer.gui.state.lessons import LabRig, Shelf
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lessons import reading
from gpuexplorer.lessons.lesson import LessonError
from gpuexplorer.lessons.values import Readings
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated

TWO_STEPS = Path(__file__).parents[2] / "lessons" / "two-steps"


@pytest.fixture
def session() -> Iterator[Session]:
    made = remembering(session_on(simulated("2xTitanRTX+idle", "lost:1@1s"), interval=0.1))
    yield made
    made.stop()


@pytest.fixture
def rig(session: Session, qtbot: QtBot) -> Iterator[LabRig]:
    root = QObject()
    settings = Settings(parent=root)
    settings.choose(replace(settings.choices, interval=0.1))
    machine = MachineState(session, settings, root)
    made = LabRig(lab_of(machine, LabPythons(machine.settings, root)), root)
    session.start()
    yield made
    made.stop()


def test_figures_are_those_of_after_the_asking_and_a_lost_card_has_a_reason_for_none(
    rig: LabRig, session: Session, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: session.beats().taken > 15)
    told: list[Readings] = []
    asked = session.clock.now()
    rig.measure(told.append)
    assert not told
    qtbot.waitUntil(lambda: bool(told))
    (first, one), (second, other) = told[0].cards
    assert [first.index, second.index] == [0, 1]
    assert min(one.at, told[0].host[1].at) > asked
    assert MEMORY_USED in one.values
    assert MEMORY_USED in other.missing


def test_what_a_wire_can_carry_is_known_once_the_driver_has_told(
    rig: LabRig, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: rig.limit("cpu", "cuda:0") is not None)
    assert 10e9 < (rig.limit("cpu", "cuda:0") or 0) < 20e9  # PCIe 3 x16
    assert rig.limit("cpu", "cuda:7") is None


def test_a_lesson_from_outside_stays_on_the_list_broken_or_not_until_it_is_taken_off(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, settings = tmp_path / "mine", Settings()
    for folder in (tmp_path / "own" / "02-sound", mine):
        shutil.copytree(TWO_STEPS, folder)
    monkeypatch.setattr(reading, "_folder", lambda: tmp_path / "own")
    Shelf(settings).add(mine)
    (mine / "lesson.md").write_text("# Nothing more\n", "utf-8")
    again = Shelf(settings)
    with qtbot.waitSignal(again.changed):
        again.look()
    sound, broken = again.lessons
    assert isinstance(broken, LessonError)
    assert "line 2: " in broken.told
    assert again.named("02-sound") is sound
    again.forget(broken.file)
    assert (again.lessons, again.outside) == ([sound], [])
