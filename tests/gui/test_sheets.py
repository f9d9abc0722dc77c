"""Sheets: which button Enter presses, what they say, and where the keyboard goes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QDialog,
    QMainWindow,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.moving.copy_sheets import NewCopySheet
from gpuexplorer.gui.crash_dialog import CrashDialog
from gpuexplorer.gui.lab.program_panel import WatchSheet
from gpuexplorer.gui.lab.switches import CapSheet, VisibleSheet
from gpuexplorer.gui.nothing_found import DoctorSheet
from gpuexplorer.gui.processes.process_lines import ProcessLine
from gpuexplorer.gui.processes.view import EndDialog
from gpuexplorer.gui.settings.dialog import SettingsDialog
from gpuexplorer.gui.state.copies.copies_state import copies_of
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.fields import NumberField, Range, text_field
from gpuexplorer.gui.widgets.laid_out import add
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.gui.widgets.sheets.small_sheets import (
    about_sheet,
    keys_sheet,
    question_sheet,
    release_first,
)
from gpuexplorer.remote.ssh import Question
from tests.gui.hands import press
from tests.gui.lab.conftest import faults, lab, machine, worker
from tests.gui.processes.conftest import A, Nobody, named, row, using

__all__ = ["faults", "lab", "machine", "worker"]


def full(window: QWidget, _: Lab) -> Sheet:
    """One of everything a person can come to."""
    sheet = Sheet("A sheet", window)
    sheet.add_code("nvidia-smi", "Command")
    number = NumberField("Seconds", Range(0, 9, ()), "s")
    add(sheet.body, text_field("Name"), number, QComboBox(), QCheckBox("Remember"))
    sheet.add_button("Cancel", ROLE.RejectRole)
    sheet.add_button("Connect", ROLE.AcceptRole, default=True)
    return sheet


def ended(window: QWidget, lab: Lab) -> EndDialog:
    process = ProcessLine("", (row(named(using(A, 4194305), identity=Nobody())),))
    return EndDialog([process], lab.machine, parent=window)


def asked(window: QWidget, _: Lab) -> Sheet:
    question = Question("titan", "Password:", secret=True, yes_no=False, again=False)
    return question_sheet(question, window)


def released(window: QWidget, lab: Lab) -> Sheet:
    lab.run("X = torch.ones(2)")
    sheet = release_first(lab, "", list, window)
    assert sheet is not None
    return sheet


def copied(window: QWidget, lab: Lab) -> NewCopySheet:
    copies = copies_of(lab)
    copies.setParent(lab)
    return NewCopySheet(copies, window)


_MAKERS: dict[str, Callable[[QWidget, Lab], QDialog]] = {
    "full": full,
    "about": lambda window, _: about_sheet(window),
    "cap": lambda window, lab: CapSheet(lab, {}, window),
    "crash": lambda window, _: CrashDialog("Traceback", window),
    "doctor": lambda window, _: DoctorSheet(window),
    "end": ended,
    "keys": lambda window, _: keys_sheet([], [], window),
    "new copy": copied,
    "python": lambda window, lab: PythonSheet(lab.pythons, lab, window),
    "question": asked,
    "release": released,
    "settings": lambda window, lab: SettingsDialog(lab.machine.settings, window),
    "visible": lambda window, lab: VisibleSheet(lab, window),
    "watch": lambda window, lab: WatchSheet(lab.program, Path("/home/me/train.py"), "", window),
}


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    window = QMainWindow()
    window.setStyleSheet(look().style_sheet())
    window.resize(1366, 768)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    return window


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


@pytest.mark.parametrize("name", list(_MAKERS))
def test_enter_presses_the_filled_button_from_every_place(
    name: str, window: QMainWindow, lab: Lab, qtbot: QtBot
) -> None:
    at, count = 0, 1
    while at < count:
        with qtbot.waitActive(window):
            window.activateWindow()
        dialog = _MAKERS[name](window, lab)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        qtbot.addWidget(dialog)
        dialog.open()
        qtbot.waitUntil(dialog.isActiveWindow)
        count, place = len(places(dialog)), places(dialog)[at]
        place.setFocus(Qt.FocusReason.TabFocusReason)
        pressed: list[QAbstractButton] = []
        for each in dialog.findChildren(QAbstractButton):
            each.clicked.connect(lambda _=False, its=each, into=pressed: into.append(its))
        filled = [each for each in dialog.findChildren(QPushButton) if each.isDefault()]
        # Where nothing is filled, what is marked is pressed.
        marked = [place] if isinstance(place, QAbstractButton) else []
        press(place, Qt.Key.Key_Return)
        assert pressed == (filled or marked), (name, place)
        dialog.close()
        at += 1
