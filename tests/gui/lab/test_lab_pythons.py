"""The Python of the lab: at the foot of the rail, in the list to choose from, and in the notice
that gets PyTorch. One that was chosen is never replaced without a word.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QListWidget, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, tr
from gpuexplorer.gui.rail import PythonFoot
from gpuexplorer.gui.state.lab import pythons as pythons_module
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons, Step
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet, PyTorchNotice
from gpuexplorer.lab.get_pytorch import Plan, Progress
from gpuexplorer.lab.pythons import LabPython, TorchBuild
from tests.gui.hands import click, dialog_called, texts, the, written
from tests.gui.lab.conftest import PYTHON, ScriptedWorker, enter, run, shown_pane, tensor

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")

PLAN = Plan(
    Path("/home/me/pytorch/bin/python"),
    Path("/home/me/pytorch"),
    made=True,
    build=TorchBuild("2.13.0+cpu", None),
    why=Message("No NVIDIA driver answers here, so the processor does the work."),
    urls=(),
    size_bytes=219_000_000,
)
TORCH = "3, 12, 1/2.9.0"
OTHER = LabPython(Path("/opt/other/bin/python"), "/opt/other", (3, 12, 1), PYTHON.build)

BARE = LabPython(
    Path("/usr/bin/python3"), "/usr", (3, 12, 3), None, Message("It has no PyTorch.")
)

# What became of the one that was chosen, and how that is said.
BROKEN = {
    None: "It cannot be started: No such file or directory.",
    "echo Welcome": "It did not answer as a Python does.",
    "exit 3": "It ended with code 3.",
    "3, 12, 1/none": "It has no PyTorch.",
    "3, 6, 1/2.9.0": "The lab needs Python ",
    "3, 12, 1/1.4.0": "The lab needs PyTorch ",
}


class SomePythons(LabPythons):
    """What a search would have found. No program is started."""

    asked: tuple[Path, ...] = ()

    def choose(self, path: Path) -> None:
        self.asked += (path,)


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
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer without a Python."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("PATH", "PWD", "VIRTUAL_ENV", "CONDA_PREFIX", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def another(bare: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only other Python of this computer; it has PyTorch."""
    path = program(tmp_path / "other/bin/python3", TORCH)
    monkeypatch.setattr(sys, "executable", str(path))
    return path


@pytest.fixture
def pythons(machine: MachineState) -> SomePythons:
    made = SomePythons(machine.settings, machine)
    made.python, made.found, made.searched = PYTHON, [BARE, PYTHON, OTHER], True
    return made


OpenLab = Callable[..., Lab]


@pytest.fixture
def open_lab(machine: MachineState, worker: ScriptedWorker) -> Iterator[OpenLab]:
    labs: list[Lab] = []

    def open_one(remembered: Path | None = None, pythons: LabPythons | None = None) -> Lab:
        if remembered is not None:
            machine.settings.remember("lab/python", str(remembered))
        known = pythons or LabPythons(machine.settings, machine)
        labs.append(Lab(machine, known, worker.start))
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
    foot = PythonFoot()
    foot.setParent(window)
    foot.resize(foot.sizeHint())
    window.show()
    foot.show_lab(lab)
    return foot


def sheet_of(foot: PythonFoot) -> PythonSheet:
    foot.click()
    return the(PythonSheet, foot.window())


def rows(sheet: PythonSheet) -> list[str]:
    """What the list says of each Python, and of which."""
    listed = the(QListWidget, sheet)
    return [listed.item(at).text() for at in range(listed.count())]


def answered(qtbot: QtBot, pythons: LabPythons, ask: Callable[[], None]) -> None:
    with qtbot.waitSignal(pythons.changed, check_params_cb=lambda: not pythons.working):
        ask()


@pytest.mark.parametrize("body", BROKEN)
def test_which_was_chosen_what_is_wrong_and_which_is_used_is_said(
    open_lab: OpenLab,
    another: Path,
    body: str | None,
    window: QWidget,
    worker: ScriptedWorker,
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    path, wrong = tmp_path / "chosen/bin/python3", BROKEN[body]
    if body is not None:
        program(path, body)
    lab = open_lab(path)
    foot, pane = foot_of(lab, window), shown_pane(qtbot, lab)
    sheet = sheet_of(foot)  # before a cell was run
    qtbot.waitUntil(lambda: any("You chose" in each for each in texts(sheet)))
    (said,) = [each for each in texts(sheet) if "You chose" in each]
    assert wrong in said
    assert all(str(each) in "\n".join(rows(sheet)) for each in (path, another))
    assert "Not the one you chose" in foot.accessibleName()
    enter(pane, "X = torch.ones(2)")
    qtbot.waitUntil(lambda: lab.stage in (Stage.READY, Stage.BUSY))
    worker.done(tensor("X"))
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    pane.pull()
    (notice,) = [each for each in texts(pane) if str(path) in each]
    assert wrong in notice
    assert f"{another} is used instead" in notice
    assert "Choose another under “Python of the lab”" in notice
    assert wrong in foot.toolTip()


def test_one_that_is_refused_leaves_the_other_in_use_and_says_so(
    open_lab: OpenLab, another: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    lab, without = open_lab(another), program(tmp_path / "bare/bin/python3", "3, 12, 1/none")
    answered(qtbot, lab.pythons, lab.pythons.find)
    answered(qtbot, lab.pythons, lambda: lab.pythons.choose(without))
    assert lab.pythons.trouble == (
        f"{without} cannot be the lab's Python. It has no PyTorch. {another} stays in use. "
        "Choose another, or get PyTorch into it: `pip install --upgrade torch`."
    )


def test_another_is_used_after_the_cards_were_released(
    open_lab: OpenLab,
    pythons: SomePythons,
    window: QWidget,
    worker: ScriptedWorker,
    qtbot: QtBot,
) -> None:
    lab = open_lab(pythons=pythons)
    foot = foot_of(lab, window)
    run(lab, worker, "X = torch.ones(2)", tensor("X"))
    qtbot.waitUntil(lambda: "Ready, virtual cards" in foot.accessibleName())
    sheet = sheet_of(foot)
    assert "It offers cpu, cuda:0, cuda:1 and meta." in rows(sheet)[0]
    click(sheet, "Use this")
    dialog = dialog_called("Release the cards?", foot.window())
    assert ("This is lost: X." in texts(dialog), pythons.asked) == (True, ())
    click(dialog, "Release the cards and use this")
    assert OTHER.path in pythons.asked
    qtbot.waitUntil(lambda: worker.stopped and lab.stage is Stage.RESTING)


class Steps:
    """Stands for pip: each step ends when the test lets it."""

    def __init__(self) -> None:
        self.let = threading.Semaphore(0)
        self.refusal: Trouble | None = None

    def plan_for(self, *_: object) -> object:
        self.let.acquire()
        if self.refusal is not None:
            raise self.refusal
        return PLAN

    def get(self, _: object, show: Callable[[Progress], None], given_up: object) -> LabPython:
        show(Progress(73_000_000, 219_000_000, 12.0))
        self.let.acquire()
        return PYTHON


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
    made = Steps()
    monkeypatch.setattr(pythons_module, "plan_for", made.plan_for)
    monkeypatch.setattr(pythons_module, "get", made.get)
    yield made
    made.let.release(4)


@pytest.mark.usefixtures("bare")
def test_a_cell_waits_for_pytorch_and_runs_when_it_was_fetched(
    open_lab: OpenLab, window: QWidget, worker: ScriptedWorker, steps: Steps, qtbot: QtBot
) -> None:
    lab = open_lab()
    notice, fetch = PyTorchNotice(lab, window), lab.pythons.fetch
    assert fetch is not None
    window.show()
    assert notice.isHidden()
    lab.run("X = torch.ones(2)")
    qtbot.waitUntil(lambda: lab.stage is Stage.WAITING)
    assert written(notice)[:2] == ["No Python was found.", "Get PyTorch…"]
    assert [each.state for each in lab.ledger.cells] == ["waiting", "waiting"]
    steps.refusal = Trouble("The index does not answer.", "Try again.")
    for _ in range(2):
        click(notice, "Get PyTorch…")
        assert "Finding the build that suits, and its size…" in written(notice)
        steps.let.release()
        qtbot.waitUntil(lambda: fetch.step is not Step.ASKING)
        if steps.refusal is not None:
            assert written(notice)[0] == "The index does not answer. Try again."
        steps.refusal = None
    said = " ".join(written(notice))
    assert all(tr(sentence) in said for sentence in PLAN.sentences)
    assert "Your own Pythons stay as they are" in said
    click(notice, "Download")
    qtbot.waitUntil(lambda: fetch.progress is not None)
    assert "Downloading PyTorch: 73 of 219 MB, 12 s left." in written(notice)
    steps.let.release()
    qtbot.waitUntil(lambda: worker.cells == ["X = torch.ones(2)"])
    assert notice.isHidden()
    assert lab.machine.settings.remembered("lab/python") == str(PYTHON.path)
