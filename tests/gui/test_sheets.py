"""Sheets: which button Enter presses, what they say, and where the keyboard goes."""

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QLabel,
    QMainWindow,
    QPushButton,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

import gpuexplorer.gui
from gpuexplorer import __version__
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.card.facts_tree import HowToSheet
from gpuexplorer.gui.card.words import swap_how_to
from gpuexplorer.gui.copies.moving.copies_panel import CopiesTable
from gpuexplorer.gui.copies.moving.copy_sheets import CompareSheet, CureSheet
from gpuexplorer.gui.copies.moving.new_copy_sheet import NewCopySheet
from gpuexplorer.gui.copies.moving.words import Said
from gpuexplorer.gui.crash_dialog import CrashDialog
from gpuexplorer.gui.diagnostics_sheet import DiagnosticsSheet
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.lab.head.cap_sheet import CapSheet
from gpuexplorer.gui.lab.head.switch_actions import SwitchesSheet
from gpuexplorer.gui.lab.head.visible_sheet import VisibleSheet
from gpuexplorer.gui.lab.head.words import capped
from gpuexplorer.gui.lab.program.watching import EndSheet, WatchSheet
from gpuexplorer.gui.leaving import LeavingDialog
from gpuexplorer.gui.lessons.column_parts import FirstRun
from gpuexplorer.gui.lessons.lesson_pictures import PictureSheet
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.nothing_found.looked_panel import DoctorSheet
from gpuexplorer.gui.processes.end_dialog import EndDialog, ProcessToEnd
from gpuexplorer.gui.settings.dialog import SettingsDialog
from gpuexplorer.gui.state.copies.benches import copies_of
from gpuexplorer.gui.state.far_machines import Reached
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.questions import Question
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.gui.widgets.sheets.small_sheets import (
    AboutSheet,
    AddMachineSheet,
    QuestionSheet,
    ShortcutsSheet,
)
from tests.clocks import ManualClock
from tests.gui.copies.moves import MIB, across, cell, moving_page
from tests.gui.hands import press, the
from tests.gui.lab.conftest import ScriptedWorker, faults, lab, machine, worker
from tests.gui.lessons.pages import printing
from tests.gui.processes.programs import A, named, using
from tests.gui.test_machines_state import Room
from tests.lessons.fake_rig import played, step

__all__ = ["faults", "lab", "machine", "worker"]

_PICTURES = Path(__file__).parents[2] / "resources" / "lessons" / "05-two-devices-one-sum"
_SAID = Said("1", "It is slow.", "Do this instead.", "before", "after")


def _nobody(*_: object) -> Reached:
    raise Trouble("Nobody is there.")


class Desk:
    """A window with a lab, over which dialogs open."""

    def __init__(self, lab: LabState, worker: ScriptedWorker, qtbot: QtBot) -> None:
        self.look, self.lab, self.qtbot = look(), lab, qtbot
        self.window = QMainWindow()
        self.window.setStyleSheet(look().style_sheet())
        self.window.resize(1366, 768)
        self.clock = FrameClock(self.window)
        self.copies = copies_of(lab)
        self.copies.setParent(lab)
        self._worker = worker
        state = lab.machine
        self.machines = MachinesState(state.settings, state.session, _nobody, parent=lab)

    def adding(self) -> AddMachineSheet:
        sheet = AddMachineSheet(self.machines, self.window)
        the(QComboBox, sheet).setEditText("titan")  # an empty name cannot be reached
        return sheet

    def compared(self) -> CompareSheet:
        with self.qtbot.waitSignal(self.lab.changed):
            cell(self.lab, self._worker, "Z = X.cuda(1)", across)
            cell(self.lab, self._worker, "Y = X.cuda(1)", lambda n: across(n, bytes=9 * MIB))
        page = moving_page(self.lab, self.qtbot)
        model = the(CopiesTable, page).model()
        assert isinstance(model, TableModel)
        one, other = model.things[:2]
        page.hide()
        return CompareSheet(one, other, USUAL, self.window)


_MAKERS: Mapping[type[QDialog], Callable[[Desk], QDialog]] = {
    AboutSheet: lambda desk: AboutSheet(desk.window),
    AddMachineSheet: Desk.adding,
    CapSheet: lambda desk: CapSheet(capped(desk.lab.devices()), {}, 0.4, USUAL, desk.window),
    CompareSheet: Desk.compared,
    CrashDialog: lambda desk: CrashDialog("Traceback", desk.window),
    CureSheet: lambda desk: CureSheet(desk.lab, _SAID, desk.window),
    DiagnosticsSheet: lambda desk: DiagnosticsSheet(
        Diagnostics(desk.window, desk.clock, Navigation()), desk.clock, desk.window
    ),
    DoctorSheet: lambda desk: DoctorSheet(desk.window),
    EndDialog: lambda desk: EndDialog(
        [ProcessToEnd(named(using(A, 4194305)), {"0": 1.0})],
        (),
        USUAL,
        ManualClock(),
        parent=desk.window,
    ),
    EndSheet: lambda desk: EndSheet("train.py", desk.window),
    FirstRun: lambda desk: FirstRun(
        played(step(printing(3)), outside=True)[0].lesson, desk.window
    ),
    HowToSheet: lambda desk: HowToSheet(swap_how_to(), desk.window),
    LeavingDialog: lambda desk: LeavingDialog(["X"], "Leave", desk.window),
    NewCopySheet: lambda desk: NewCopySheet(desk.copies, desk.window),
    PictureSheet: lambda desk: PictureSheet(_PICTURES, "copy.svg", "", desk.window),
    PythonSheet: lambda desk: PythonSheet(desk.lab.pythons, desk.lab, desk.window),
    QuestionSheet: lambda desk: QuestionSheet(
        Question("titan", "Password:", secret=True, yes_no=False, again=False), desk.window
    ),
    SettingsDialog: lambda desk: SettingsDialog(
        desk.lab.machine.settings, desk.lab.machine, desk.window
    ),
    ShortcutsSheet: lambda desk: ShortcutsSheet([], [], desk.window),
    SwitchesSheet: lambda desk: SwitchesSheet(desk.window),
    VisibleSheet: lambda desk: VisibleSheet(
        desk.lab.machine.cards(), None, runs=False, parent=desk.window
    ),
    WatchSheet: lambda desk: WatchSheet(Path("/home/me/train.py"), "", desk.window, new=True),
}


def every_dialog() -> set[type[QDialog]]:
    """Of the program, those too that nobody opened yet."""
    for module in pkgutil.walk_packages(gpuexplorer.gui.__path__, "gpuexplorer.gui."):
        import_module(module.name)
    found, kinds = set(), [QDialog]
    while kinds:
        kinds += (below := kinds.pop().__subclasses__())
        found |= {each for each in below if each.__module__.startswith("gpuexplorer.")}
    return found - {Sheet}


def places(dialog: QDialog) -> list[QWidget]:
    """Where the Tab key leads."""
    return [
        each
        for each in dialog.findChildren(QWidget)
        if each.isVisibleTo(dialog)
        and each.isEnabled()
        and each.focusPolicy() & Qt.FocusPolicy.TabFocus
        and each.focusProxy() is None
    ]


def pressed_in(dialog: QDialog, at: int) -> tuple[str, Sequence[str], Sequence[str]]:
    """Where the keyboard was, which buttons are filled, and which of all Enter pressed."""
    pressed: list[str] = []
    buttons = {
        each: each.text() or each.accessibleName()
        for each in dialog.findChildren(QAbstractButton)
    }
    place = places(dialog)[at]
    place.setFocus(Qt.FocusReason.TabFocusReason)
    filled = [each for each in dialog.findChildren(QPushButton) if each.isDefault()]
    for each, its in buttons.items():
        each.clicked.connect(lambda _=False, its=its: pressed.append(its))
    names = [buttons[each] for each in filled]
    if not names and isinstance(place, QAbstractButton):
        names = [buttons[place]]  # where nothing is filled, what is marked is pressed
    where = f"{type(place).__name__} {place.accessibleName()}"
    press(place, Qt.Key.Key_Return)
    return where, names, pressed


def test_every_dialog_is_known_here() -> None:
    assert every_dialog() == set(_MAKERS)


@pytest.mark.parametrize("kind", list(_MAKERS), ids=lambda kind: kind.__name__)
def test_enter_presses_the_filled_button_from_every_place(
    kind: type[QDialog], lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    desk = Desk(lab, worker, qtbot)
    qtbot.addWidget(desk.window)
    with qtbot.waitActive(desk.window):
        desk.window.show()
        desk.window.activateWindow()
    at, count = 0, 1
    while at < count:
        with qtbot.waitActive(desk.window):
            desk.window.activateWindow()
        dialog = _MAKERS[kind](desk)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        qtbot.addWidget(dialog)
        dialog.open()
        qtbot.waitUntil(dialog.isActiveWindow)
        count = len(places(dialog))
        where, filled, pressed = pressed_in(dialog, at)
        assert pressed == filled, where
        dialog.close()
        at += 1
    assert count


def test_about_tells_its_version_and_its_licences(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.show()
    sheet = AboutSheet(window)
    sheet.open()
    said = " ".join(label.text() for label in sheet.findChildren(QLabel))
    assert f"Version {__version__}" in said
    assert "MIT licence" in said
    assert "Inter, under the SIL Open Font License" in said
    assert not any(bar.isVisible() for bar in sheet.findChildren(QScrollBar))


def test_a_machine_is_typed_or_chosen_among_those_of_ssh(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host titan borel\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    window = QMainWindow()
    qtbot.addWidget(window)
    room = Room(Settings())
    sheet = AddMachineSheet(room.state, window)
    host = the(QComboBox, sheet)
    sheet.open()
    assert host.currentText() == ""
    press(host, Qt.Key.Key_Down)
    names = [host.currentText()]
    press(host, Qt.Key.Key_Down)
    assert sorted([*names, host.currentText()]) == ["borel", "titan"]
    sheet.reject()
    room.state.stop()
