"""The list of the session's lines: what each shows, and where the list stands."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.code.code_pane import CodePane
from gpuexplorer.gui.views.lab.code.error_panel import ErrorPanel
from gpuexplorer.gui.views.lab.code.line_list import LineList
from gpuexplorer.lab.events import Began, Printed, Progressed
from tests.gui.hands import press, texts, the
from tests.gui.lab.code_panes import (
    MAKE_X,
    fail_apart,
    field,
    press_button,
    said,
    settled,
    shown_pane,
)
from tests.gui.lab.conftest import ScriptedWorker, run, tensor

# Menus and the list of completions are windows of their own.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def pane(qtbot: QtBot, look: Look, lab: LabState) -> CodePane:
    return shown_pane(qtbot, look, lab)


def test_a_training_run_draws_its_losses_while_it_runs(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.train("net", "X", "T", "opt", "mse_loss", 100, 4)
    worker.say(Began(number), Progressed(number, 0, (1.0, 0.5, 0.25), 100, 0.1))
    qtbot.waitUntil(lambda: len(lab.ledger.entries[0].losses) == 3)
    before = the(LineList, pane).viewport().grab().toImage()
    worker.say(Progressed(number, 3, tuple(0.2 for _ in range(60)), 100, 0.2))
    with qtbot.waitSignal(lab.changed):
        pass
    assert the(LineList, pane).viewport().grab().toImage() != before


@pytest.mark.parametrize(
    ("losses", "steps"),
    [
        ((float("nan"),) * 3, 3),
        ((float("inf"), float("nan"), 1.0, 0.5, float("nan"), 0.2), 100),
        ((0.0, 0.0), 2),
        ((1.0,), 1),
        ((-1.0, -2.0), 2),
        ((3e38, float("nan")) * 3000, 9000),
    ],
)
def test_losses_that_ran_away_are_drawn_without_complaint(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot,
    losses: tuple[float, ...], steps: int,
) -> None:  # fmt: skip
    number = lab.train("net", "X", "T", "opt", "mse_loss", steps, 4)
    worker.say(Began(number), Progressed(number, 0, losses, steps, 0.1))
    qtbot.waitUntil(lambda: len(lab.ledger.entries[0].losses) == len(losses))
    the(LineList, pane).viewport().grab()


def test_what_was_printed_is_clipped_and_opened_on_asking(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.run("print(X)")
    worker.say(Began(number), Printed(number, "\n".join(f"row {at}" for at in range(40))))
    worker.done()
    settled(qtbot, lab)
    lines = the(LineList, pane)
    assert lines.has_more(number) == "Show all 40 lines"
    press(lines, Qt.Key.Key_Down)
    press(lines, Qt.Key.Key_Right)
    assert lines.has_more(number) == "Show less"
    assert lines.verticalScrollBar().maximum() > 0


def fill(lab: LabState, worker: ScriptedWorker, qtbot: QtBot, count: int) -> None:
    for number in range(count):
        line = lab.run(f"A{number} = torch.ones(2)")
        worker.done(tensor(f"A{number}", "cpu", (2,), number=line))
    settled(qtbot, lab)


def test_the_list_stays_at_its_end_unless_a_person_scrolled_up(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 60)
    bar = the(LineList, pane).verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()
    bar.setValue(100)
    fill(lab, worker, qtbot, 3)
    assert bar.value() == 100


def test_a_selection_made_elsewhere_scrolls_its_line_into_view(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 60)
    lab.selection.choose(lab.ledger.entries[2].id, ["A2"])
    assert the(LineList, pane).verticalScrollBar().value() < 200
    assert said(pane).startswith("Line 3: A2")


def test_what_is_done_after_a_selection_is_shown_at_the_end_again(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 60)
    lab.selection.choose(lab.ledger.entries[2].id, ["A2"])
    fill(lab, worker, qtbot, 1)
    bar = the(LineList, pane).verticalScrollBar()
    assert bar.value() == bar.maximum()


def test_a_block_that_is_selected_lights_up_the_line_that_placed_it(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 5)
    lab.selection.choose(things=["A3"])
    assert said(pane).startswith("Line 4: A3")


def test_the_device_is_drawn_in_its_cards_colour(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot, look: Look
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    picture = the(LineList, pane).viewport().grab().toImage()
    colours = {
        picture.pixelColor(x, y).name()
        for x in range(picture.width() // 2, picture.width())
        for y in range(min(60, picture.height()))
    }
    assert QColor(look.theme.card(0)).name() in colours


def test_nothing_is_cut_off_in_a_narrow_pane(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    pane.resize(320, 640)
    fail_apart(lab, worker, qtbot)
    panel = the(ErrorPanel, pane)
    for each in panel.findChildren(QWidget):
        if each.isVisible():
            assert panel.rect().contains(each.geometry()), each.accessibleName()


def test_who_leaves_the_list_has_nothing_selected_and_types_again(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 2)
    press(the(LineList, pane), Qt.Key.Key_Up)
    assert said(pane) != ""
    press(the(LineList, pane), Qt.Key.Key_Escape)
    assert lab.selection.line is None
    assert said(pane) == ""
    assert field(pane).hasFocus()


def test_a_page_of_error_is_shortened_and_shown_whole_on_asking(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    message = "It went wrong. " * 60
    lab.run("X = torch.ones(2)")
    worker.fail("refused by PyTorch", "RuntimeError", message)
    settled(qtbot, lab)
    panel = the(ErrorPanel, pane)
    before = panel.height()
    assert any(each.endswith(" …") for each in texts(panel))
    press_button(pane, "All of it")
    assert f"RuntimeError: {message}" in texts(panel)
    assert panel.height() > before


def test_a_million_letters_and_a_hundred_thousand_lines_are_only_begun(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.run("X.tolist()")
    worker.say(Began(number), Printed(number, "0.125, " * 150_000))
    worker.done()
    settled(qtbot, lab)
    lines = the(LineList, pane)
    assert lines.has_more(number) == "Show all that was printed"
    other = lab.run("print(X)")
    worker.say(Began(other), Printed(other, "row\n" * 100_000))
    worker.done()
    settled(qtbot, lab)
    assert lines.has_more(other) == "Show all 100000 lines"
    lines.toggle_printed(other)
    assert 20_000 < lines.verticalScrollBar().maximum() < 100_000
