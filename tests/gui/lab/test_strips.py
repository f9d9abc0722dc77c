"""The strips: what each card does, flags of cells, and one selection."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.strips import TALL, Strips
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.time_window import MINUTE, TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from tests.gui.hands import press
from tests.gui.lab.conftest import ScriptedWorker, run, tensor

MAKE = 'X = torch.ones(2, 3, device="cuda:0")'


@pytest.fixture
def time_window(qtbot: QtBot, lab: Lab) -> TimeWindow:
    made = TimeWindow(lab.machine.session.clock, lab)
    made.choose_span(MINUTE)
    return made


@pytest.fixture
def strips(lab: Lab, time_window: TimeWindow, qtbot: QtBot) -> Iterator[Strips]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1360, 900)
    strips = Strips(lab, time_window, window)
    strips.resize(1328, TALL)
    window.show()
    strips.pull()
    yield strips
    strips.hide()


@pytest.fixture
def cells(strips: Strips, lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> list[int]:
    """Two that ran in the same second, of which the second failed."""
    run(lab, worker, MAKE, tensor("X"))
    lab.run("X + Y")
    worker.fail("devices differ", "RuntimeError", "cuda:0 and cuda:1!")
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    strips.pull()
    return [each.id for each in lab.ledger.cells[-2:]]


def test_a_click_on_a_flag_selects_its_cell(strips: Strips, lab: Lab, cells: list[int]) -> None:
    assert "Cells 1 to 2." in strips.accessibleDescription()
    flag = strips.plots.flag_place(strips.plots.cells[-1]).center().toPoint()
    view = strips.plots.viewport()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=flag)
    assert lab.selection.cell == cells[1]
    press(strips.plots, Qt.Key.Key_Left)
    assert (lab.selection.cell, lab.selection.thing) == (cells[0], "X")


def test_the_arrow_keys_go_from_cell_to_cell_and_with_shift_move_the_crosshair(
    strips: Strips, lab: Lab, time_window: TimeWindow, cells: list[int]
) -> None:
    press(strips.plots, Qt.Key.Key_Left)
    assert lab.selection.cell == cells[1]
    press(strips.plots, Qt.Key.Key_Left)
    assert lab.selection.cell == cells[0]
    QTest.keyClick(strips.plots, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert time_window.crosshair is not None


@pytest.mark.parametrize("scheme", [Scheme.DARK, Scheme.LIGHT])
def test_what_is_selected_elsewhere_lights_up(
    strips: Strips, lab: Lab, cells: list[int], scheme: Scheme
) -> None:
    look().choose(scheme)
    plain = strips.plots.grab().toImage()
    lab.selection.choose(things={"X"})
    assert strips.plots.grab().toImage() != plain
    lab.selection.choose()
    assert strips.plots.grab().toImage() == plain
