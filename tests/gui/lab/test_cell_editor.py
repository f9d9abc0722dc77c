"""Where a cell is typed: Enter, indentation, the past, completion, pasting, the keyboard."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.code.cell_editor import Completions, is_open
from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.lab.events import Completed
from gpuexplorer.lab.wire import Complete
from tests.gui.hands import press, texts, the
from tests.gui.lab.code_panes import Seat, shown_pane
from tests.gui.lab.conftest import ScriptedWorker, run

Keys = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def seat(qtbot: QtBot, lab: Lab, worker: ScriptedWorker) -> Seat:
    return Seat(shown_pane(qtbot, lab), lab, worker, qtbot)


def test_enter_runs_a_cell_and_adds_a_line_while_a_block_or_a_bracket_is_open(
    seat: Seat,
) -> None:
    pane, _, worker, *_ = seat
    for line in ("for i in range(3):", "print(i)"):
        QTest.keyClicks(pane.entry, line)
        press(pane.entry, Keys.Key_Return)
    assert pane.entry.code == "for i in range(3):\n    print(i)\n    "
    assert worker.cells == []
    press(pane.entry, Keys.Key_Return)
    assert worker.cells == ["for i in range(3):\n    print(i)\n    "]
    assert pane.entry.code == ""
    QTest.keyClicks(pane.entry, "torch.ones(")
    press(pane.entry, Keys.Key_Return)
    assert len(worker.cells) == 1


def test_a_selection_is_indented_and_taken_back(seat: Seat) -> None:
    pane = seat.pane
    pane.entry.put("a = 1\nb = 2\n")
    pane.entry.selectAll()
    press(pane.entry, Keys.Key_Tab)
    assert pane.entry.code == "    a = 1\n    b = 2\n    "
    QTest.keyClick(pane.entry, Keys.Key_Backtab, SHIFT)
    assert pane.entry.code == "a = 1\nb = 2\n"
    press(pane.entry, Keys.Key_Z, control=True)
    assert pane.entry.code == "    a = 1\n    b = 2\n    "


def test_tab_leaves_the_editor_while_it_is_empty_and_after_escape(seat: Seat) -> None:
    pane = seat.pane
    pane.entry.setFocus()
    press(pane.entry, Keys.Key_Tab)
    assert not pane.entry.hasFocus()
    pane.entry.setFocus()
    QTest.keyClicks(pane.entry, "  ")
    press(pane.entry, Keys.Key_Tab)
    assert pane.entry.code == "    "
    press(pane.entry, Keys.Key_Escape)
    press(pane.entry, Keys.Key_Tab)
    assert not pane.entry.hasFocus()


def test_earlier_cells_come_back_with_the_arrows_and_what_was_begun_too(seat: Seat) -> None:
    pane, lab, worker, *_ = seat
    for code in ("X = 1", "def f():\n    return X", "f()", "f()"):
        run(lab, worker, code)
    pane.entry.put("X +")
    shown = []
    for key in (Keys.Key_Up, Keys.Key_Up, Keys.Key_Up, Keys.Key_Up, Keys.Key_Down):
        press(pane.entry, key)
        shown.append(pane.entry.code)
    first, last = "def f():\n    return X", "f()"
    # The second arrow up goes from the last line of the function to its first.
    assert shown == [last, first, first, "X = 1", first]
    press(pane.entry, Keys.Key_Down)
    press(pane.entry, Keys.Key_Down)
    assert pane.entry.code == "X +"


def test_all_lines_are_seen_up_to_ten_of_them_and_wrapped_ones_hang(seat: Seat) -> None:
    pane = seat.pane
    heights = []
    for count in (1, 3, 10, 40):
        pane.entry.put("")
        for _ in range(count - 1):
            QTest.keyClicks(pane.entry, "x = 1")
            QTest.keyClick(pane.entry, Keys.Key_Return, SHIFT)
        heights.append(pane.entry.height())
        shown = pane.entry.verticalScrollBar()
        assert (shown.maximum() == 0) is (count <= 10)
    assert heights[0] < heights[1] < heights[2] == heights[3]
    pane.entry.put("if x:\n    " + "y + " * 40)
    style, wide = (
        pane.entry.textCursor().blockFormat(),
        pane.entry.fontMetrics().averageCharWidth(),
    )
    assert 4 * wide < style.leftMargin() < 8 * wide
    assert style.textIndent() == -style.leftMargin()


def asks_for_completion(
    pane: CodePane, worker: ScriptedWorker, code: str, words: tuple[str, ...], **more: str
) -> None:
    pane.entry.setFocus()
    QTest.keyClicks(pane.entry, code)
    press(pane.entry, Keys.Key_Tab)
    asked = worker.last()
    assert isinstance(asked, Complete)
    assert (asked.code, asked.at) == (code, len(code))
    begin = len(code) - len(code.rpartition(".")[2])
    worker.say(Completed(asked.id, begin, words, **more))


def test_tab_completes_what_there_is_one_way_to_complete(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    QTest.keyClicks(pane.entry, "torch.o")
    press(pane.entry, Keys.Key_Tab)
    assert worker.begun == 0  # nothing is started for it
    pane.entry.put("")
    run(lab, worker, "Weight = torch.ones(2)")
    asks_for_completion(pane, worker, "Weight.back", ("backward",))
    qtbot.waitUntil(lambda: pane.entry.code == "Weight.backward")


def test_several_ways_are_offered_and_the_keyboard_stays_with_the_editor(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    run(lab, worker, "X = 1")
    more = {"signature": "zeros(*size, device=None)", "doc": "A tensor of noughts."}
    asks_for_completion(pane, worker, "torch.ze", ("zeros", "zeros_like", "zeta"), **more)
    qtbot.waitUntil(lambda: pane.findChildren(Completions) != [])
    offered = the(Completions, pane)
    told = [offered.item(at).text() for at in range(2)]
    assert told == ["zeros(*size, device=None)", "A tensor of noughts."]
    assert pane.rect().contains(offered.geometry())
    assert pane.entry.hasFocus()
    press(pane.entry, Keys.Key_Down)
    press(pane.entry, Keys.Key_Return)
    assert pane.entry.code == "torch.zeros_like"
    assert not offered.isVisible()


def test_what_is_pasted_loses_its_prompts_and_is_indented_as_its_block(seat: Seat) -> None:
    pane = seat.pane
    QGuiApplication.clipboard().setText(">>> def f():\n...     return 1\n...\n>>> f()\n1\n")
    pane.paste()
    assert pane.entry.code == "def f():\n    return 1\n\nf()"
    pane.entry.put("for i in X:\n    ")
    QGuiApplication.clipboard().setText("    a = i\n    if a:\n        print(a)\n")
    pane.paste()
    assert pane.entry.code == "for i in X:\n    a = i\n    if a:\n        print(a)"


def test_a_paste_beyond_all_cells_is_refused_in_a_sentence(seat: Seat) -> None:
    pane = seat.pane
    QGuiApplication.clipboard().setText("a = 1\n" * 1_000_000)
    pane.paste()
    assert pane.entry.code == ""
    assert any("6,000,000 characters" in each for each in texts(pane))


@pytest.mark.parametrize(
    ("code", "opened"),
    [
        ("x = (", True),
        ("if x:\n    y\nelse:", True),
        ("def f():\n    return 1", True),
        ("def f():\n    return 1\n", False),
        ('"""text', True),
        ("1 +", False),
        ("!echo (", False),
        ("\0", False),
        ("(" * 5000, False),
    ],
)
def test_what_is_not_whole_yet_waits_for_more(code: str, opened: bool) -> None:
    assert is_open(code) is opened
