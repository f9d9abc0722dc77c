"""The one button that gets PyTorch: what it says before, meanwhile and after."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab import pythons
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons, PyTorchFetch, Step
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.sheets import python_sheet
from gpuexplorer.gui.widgets.sheets.python_sheet import PyTorchNotice
from gpuexplorer.lab.get_pytorch import Progress
from gpuexplorer.lab.pythons import LabPython
from tests.gui.fakes import card
from tests.gui.hands import click, written
from tests.gui.lab.conftest import PYTHON, ScriptedWorker
from tests.gui.lab.offered import PLAN

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


class Steps:
    """Stands for pip: each step ends when the test lets it."""

    def __init__(self) -> None:
        self.let, self.given_up = threading.Semaphore(0), threading.Event()
        self.refusal: Trouble | None = None

    def plan_for(self, folder: Path, cards: object, driver: object, given_up: object) -> object:
        self.let.acquire()
        if self.refusal is not None:
            raise self.refusal
        return PLAN

    def get(self, plan: object, show: object, given_up: threading.Event) -> LabPython:
        assert callable(show)
        show(Progress(73_000_000, 219_000_000, 12.0))
        self.let.acquire()
        if given_up.is_set():
            raise Trouble("It was cancelled.")
        return PYTHON


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
    made = Steps()
    monkeypatch.setattr(pythons, "plan_for", made.plan_for)
    monkeypatch.setattr(pythons, "get", made.get)
    yield made
    made.let.release(4)


@pytest.fixture
def lacking(
    machine: MachineState,
    worker: ScriptedWorker,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[Lab]:
    """A lab on a computer of which no Python has PyTorch."""
    monkeypatch.setattr("sys.executable", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PATH", "PWD", "VIRTUAL_ENV", "CONDA_PREFIX", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    lab = Lab(machine, LabPythons(machine.settings, machine), worker.start)
    yield lab
    lab.stop()


@pytest.fixture
def notice(lacking: Lab, qtbot: QtBot) -> Iterator[PyTorchNotice]:
    window = QWidget()
    qtbot.addWidget(window)
    made = PyTorchNotice(lacking, window)
    window.show()
    yield made
    window.close()


def fetch_of(lab: Lab) -> PyTorchFetch:
    assert lab.pythons.fetch is not None
    return lab.pythons.fetch


def test_a_cell_waits_for_pytorch_and_runs_when_it_was_fetched(
    lacking: Lab, notice: PyTorchNotice, worker: ScriptedWorker, steps: Steps, qtbot: QtBot
) -> None:
    fetch = fetch_of(lacking)
    assert notice.isHidden()
    lacking.run("X = torch.ones(2)")
    qtbot.waitUntil(lambda: lacking.stage is Stage.WAITING)
    assert written(notice)[:2] == ["No Python was found.", "Get PyTorch…"]
    assert [each.state for each in lacking.ledger.cells] == ["waiting", "waiting"]
    assert fetch.step is Step.RESTING
    click(notice, "Get PyTorch…")
    assert "Finding the build that suits, and its size…" in written(notice)
    steps.let.release()
    qtbot.waitUntil(lambda: fetch.step is Step.OFFERED)
    said = " ".join(written(notice))
    assert all(tr(sentence) in said for sentence in PLAN.sentences)
    assert "Your own Pythons stay as they are" in said
    click(notice, "Download")
    qtbot.waitUntil(lambda: fetch.progress is not None)
    assert "Downloading PyTorch: 73 of 219 MB, 12 s left." in written(notice)
    steps.let.release()
    qtbot.waitUntil(lambda: worker.cells == ["X = torch.ones(2)"])
    assert notice.isHidden()
    remembered = lacking.machine.settings.remembered("lab/python")
    assert remembered == str(PYTHON.path)


def test_what_stands_in_the_way_is_said_with_its_way_out(
    lacking: Lab, notice: PyTorchNotice, steps: Steps, qtbot: QtBot
) -> None:
    steps.refusal = Trouble("The index does not answer.", "Try again.")
    steps.let.release()
    fetch_of(lacking).ask((), None)
    qtbot.waitUntil(lambda: fetch_of(lacking).step is Step.RESTING)
    assert written(notice) == ["The index does not answer. Try again.", "Get PyTorch…"]


def test_beside_cards_that_the_build_cannot_use_the_one_that_fits_is_offered(
    lacking: Lab, notice: PyTorchNotice, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ([card(compute_capability=(8, 6))], "580.95")
    monkeypatch.setattr(python_sheet, "cards_of", lambda _: here)
    lacking.pythons.python = PYTHON
    lacking.pythons.changed.emit()
    said = " ".join(written(notice))
    assert "It does not use NVIDIA cards" in said
    assert "The one for CUDA 13.0 suits the cards here. Get PyTorch…" in said


def test_in_the_settings_it_also_says_which_one_is_used(lacking: Lab, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    notice = PyTorchNotice(lacking, window, stays=True)
    window.show()
    lacking.pythons.python = PYTHON
    lacking.pythons.changed.emit()
    assert written(notice) == [f"The lab uses {PYTHON.label}."]
