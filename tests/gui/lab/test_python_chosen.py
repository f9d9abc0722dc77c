"""A Python that was chosen for the lab and went bad is never replaced without a word."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QListWidget, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.rail.python_foot import PythonFoot
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet
from tests.gui.hands import texts, the
from tests.gui.lab.code_panes import enter, shown_pane
from tests.gui.lab.conftest import ScriptedWorker, tensor

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),
]
TORCH = "2.9.0"
# What became of the one that was chosen, and how that is said.
BROKEN = {
    "gone": (None, "It cannot be started: No such file or directory."),
    "another program": ("echo Welcome", "It did not answer as a Python does."),
    "crashes": ("exit 3", "It ended with code 3."),
    "without PyTorch": ("3, 12, 1/none", "It has no PyTorch."),
    "too old": (f"3, 6, 1/{TORCH}", "The lab needs Python "),
    "an old PyTorch": ("3, 12, 1/1.4.0", "The lab needs PyTorch "),
}


def program(path: Path, body: str) -> Path:
    """`body` is shell, or "version/torch" of a Python that answers."""
    version, _, torch = body.partition("/")
    if torch:
        package = path.parent / "torch"
        package.mkdir(parents=True, exist_ok=True)
        (package / "version.py").unlink(missing_ok=True)
        if torch != "none":
            (package / "version.py").write_text(f"__version__ = '{torch}'\n", "utf-8")
        said = f'{{"version": [{version}], "prefix": "{path.parent}", "packages": [], '
        said += f'"torch": "{package}/__init__.py"}}'
        body = f"echo 'GPUEXPLORER {said}'"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only other Python of this computer; it has PyTorch."""
    path = program(tmp_path / "other/bin/python3", f"3, 12, 1/{TORCH}")
    monkeypatch.setattr(sys, "executable", str(path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("PATH", "PWD", "VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    return path


@pytest.fixture(params=BROKEN)
def chosen(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """The one that was chosen, and what is wrong with it now."""
    body, wrong = BROKEN[request.param]
    path = tmp_path / "chosen/bin/python3"
    if body is not None:
        program(path, body)
    return path, wrong


OpenLab = Callable[[Path], Lab]


@pytest.fixture
def open_lab(machine: MachineState, worker: ScriptedWorker) -> Iterator[OpenLab]:
    labs: list[Lab] = []

    def open_one(remembered: Path) -> Lab:
        machine.settings.remember("lab/python", str(remembered))
        labs.append(Lab(machine, LabPythons(machine.settings, machine), worker.start))
        return labs[-1]

    yield open_one
    for lab in labs:
        lab.stop()


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1000, 700)
    return window


def foot_of(lab: Lab, window: QWidget) -> PythonFoot:
    foot = PythonFoot(lab.pythons)
    foot.setParent(window)
    foot.resize(foot.sizeHint())
    window.show()
    foot.show_lab(lab)
    return foot


def test_the_lab_says_which_was_chosen_what_is_wrong_and_which_is_used(
    open_lab: OpenLab,
    another: Path,
    chosen: tuple[Path, str],
    window: QWidget,
    worker: ScriptedWorker,
    qtbot: QtBot,
) -> None:
    path, wrong = chosen
    lab = open_lab(path)
    pane = shown_pane(qtbot, lab)
    foot = foot_of(lab, window)
    enter(pane, "X = torch.ones(2)")
    qtbot.waitUntil(lambda: lab.stage in (Stage.READY, Stage.BUSY))
    worker.done(tensor("X"))
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    pane.pull()
    (notice,) = [each for each in texts(pane) if str(path) in each]
    assert wrong in notice
    assert f"{another} is used instead" in notice
    assert "Choose another under “Python of the lab”" in notice
    assert "Not the one you chose" in foot.accessibleName()
    assert wrong in foot.toolTip()


def test_the_list_of_pythons_says_so_before_a_line_was_run(
    open_lab: OpenLab, another: Path, chosen: tuple[Path, str], window: QWidget, qtbot: QtBot
) -> None:
    path, wrong = chosen
    lab = open_lab(path)
    foot = foot_of(lab, window)
    foot.click()
    sheet = the(PythonSheet, foot.window())
    qtbot.waitUntil(lambda: any("You chose" in each for each in texts(sheet)))
    (said,) = [each for each in texts(sheet) if "You chose" in each]
    assert wrong in said
    assert str(another) in said
    listed = the(QListWidget, sheet)
    said = "\n".join(listed.item(at).text() for at in range(listed.count()))
    assert str(path) in said
    assert str(another) in said
    assert "Not the one you chose" in foot.accessibleName()


def test_what_waits_for_pytorch_runs_with_one_that_is_chosen(
    open_lab: OpenLab, another: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    program(another, "3, 12, 1/none")
    lab = open_lab(tmp_path / "gone/bin/python3")
    lab.run("X = torch.ones(2)")
    qtbot.waitUntil(lambda: lab.stage is Stage.WAITING)
    assert [each.state for each in lab.ledger.cells] == ["waiting", "waiting"]
    good = program(tmp_path / "good/bin/python3", f"3, 12, 1/{TORCH}")
    with qtbot.waitSignal(lab.pythons.changed, check_params_cb=lambda: not lab.pythons.working):
        lab.pythons.choose(good)
    assert lab.stage.runs


def test_one_that_was_mended_is_offered_and_not_taken_in_secret(
    open_lab: OpenLab, another: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    path = program(tmp_path / "chosen/bin/python3", "exit 3")
    lab = open_lab(path)
    for look in (lab.pythons.find, lab.pythons.search):
        with qtbot.waitSignal(
            lab.pythons.changed, check_params_cb=lambda: not lab.pythons.working
        ):
            look()
        program(path, f"3, 12, 1/{TORCH}")
    assert lab.pythons.passed_over == (
        f"You chose {path} as the Python of the lab, and it can be used again. {another} is "
        "used instead. To use it, choose it under “Python of the lab”."
    )


def test_one_that_is_refused_leaves_the_other_in_use_and_says_so(
    open_lab: OpenLab, another: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    lab = open_lab(another)
    bare = program(tmp_path / "bare/bin/python3", "3, 12, 1/none")
    for ask in (lab.pythons.find, lambda: lab.pythons.choose(bare)):
        with qtbot.waitSignal(
            lab.pythons.changed, check_params_cb=lambda: not lab.pythons.working
        ):
            ask()
    assert lab.pythons.trouble == (
        f"{bare} cannot be the lab's Python. It has no PyTorch. {another} stays in use. "
        "Choose another, or get PyTorch into it: `pip install --upgrade torch`."
    )
