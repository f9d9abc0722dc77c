"""The Python of the lab: at the foot of the rail, and the list to choose another from."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QListWidget, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.rail.python_foot import PythonFoot
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.worker_slot import Stage, stage_words
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet
from gpuexplorer.lab.pythons import LabPython, none_has_torch
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow
from tests.gui.hands import click, dialog_called, texts, the, written
from tests.gui.lab.conftest import PYTHON, ScriptedWorker, run, tensor

# A dialog of its own is no window that the test platform can hint at.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
OTHER = LabPython(Path("/opt/other/bin/python"), "/opt/other", (3, 12, 1), PYTHON.build)
BARE = LabPython(
    Path("/usr/bin/python3"), "/usr", (3, 12, 3), None, Message("It has no PyTorch.")
)
RESTING = stage_words(Stage.RESTING)


class SomePythons(LabPythons):
    """What a search would have found. No program is started."""

    asked: tuple[Path, ...] = ()

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(settings, parent)
        self.python, self.found, self.searched = PYTHON, [BARE, PYTHON, OTHER], True

    def choose(self, path: Path) -> None:
        self.asked += (path,)


@pytest.fixture
def pythons(machine: MachineState) -> SomePythons:
    return SomePythons(machine.settings, machine)


@pytest.fixture
def lab(machine: MachineState, worker: ScriptedWorker, pythons: SomePythons) -> Iterator[Lab]:
    lab = Lab(machine, pythons, worker.start)
    yield lab
    lab.stop()


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1000, 700)
    return window


@pytest.fixture
def foot(window: QWidget, lab: Lab) -> PythonFoot:
    foot = PythonFoot(lab.pythons)
    foot.setParent(window)
    foot.resize(foot.sizeHint())
    window.show()
    foot.show_lab(lab)
    return foot


def open_sheet(foot: PythonFoot) -> PythonSheet:
    foot.click()
    return the(PythonSheet, foot.window())


def test_the_foot_says_which_python_it_is_and_how_it_is(
    foot: PythonFoot, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    name = "Python of the lab: 3.11.7, torch 2.13.0, Not started, virtual cards"
    assert foot.accessibleName() == name
    run(lab, worker, "X = torch.ones(2)", tensor("X"))
    qtbot.waitUntil(lambda: "Ready, virtual cards" in foot.accessibleName())


def rows(sheet: PythonSheet) -> list[str]:
    """What the list says of each Python, and of which."""
    listed = the(QListWidget, sheet)
    return [listed.item(at).text() for at in range(listed.count())]


def test_the_one_in_use_stands_first_and_those_without_pytorch_last(
    foot: PythonFoot, pythons: SomePythons
) -> None:
    twin = LabPython(Path("/opt/other/bin/python3"), OTHER.prefix, (3, 12, 1), OTHER.build)
    pythons.found = [BARE, OTHER, twin, PYTHON]
    first, second, last = rows(open_sheet(foot))
    assert first.startswith(f"{PYTHON.path} (in use)\n")
    assert "Python 3.11.7, PyTorch 2.13.0, built for the processor only" in first
    assert second.startswith(f"{OTHER.path}\n")
    assert last.startswith(f"{BARE.path}\n")
    assert last.endswith("It has no PyTorch.")


def test_another_is_used_at_once_while_no_worker_runs(
    foot: PythonFoot, pythons: SomePythons
) -> None:
    click(open_sheet(foot), "Use this")
    assert OTHER.path in pythons.asked


def test_another_is_used_after_the_cards_were_released(
    foot: PythonFoot, pythons: SomePythons, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "X = torch.ones(2)", tensor("X"))
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    sheet = open_sheet(foot)
    assert "It offers cpu, cuda:0, cuda:1 and meta." in rows(sheet)[0]
    click(sheet, "Use this")
    assert pythons.asked == ()
    dialog = dialog_called("Release the cards?", foot.window())
    assert "This is lost: X." in texts(dialog)
    click(dialog, "Release the cards and use this")
    assert OTHER.path in pythons.asked
    qtbot.waitUntil(lambda: worker.stopped and lab.stage is Stage.RESTING)


def test_where_none_has_pytorch_the_sheet_offers_to_get_it(
    foot: PythonFoot, pythons: SomePythons
) -> None:
    pythons.python, pythons.found = None, [BARE]
    pythons.lacking, pythons.trouble = True, none_has_torch(1)
    said = " ".join(written(open_sheet(foot)))
    assert "The one Python that was found does not have PyTorch." in said
    assert "Get PyTorch…" in said


def test_the_foot_stands_in_the_rail_of_every_screen(open_window: OpenWindow) -> None:
    window = open_window(remembering(session_on(simulated("2xTitanRTX"), interval=0.1)))
    foot = the(PythonFoot, window)
    assert foot.isVisible()
    before_it_is_known = ("Not checked yet", "Looking for one")
    said = foot.accessibleName().removeprefix("Python of the lab: ")
    assert said.startswith(before_it_is_known)
    assert foot.mapTo(window, foot.rect().bottomRight()).x() < 208
