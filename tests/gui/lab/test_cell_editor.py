"""Where a cell is typed: Enter, indentation, the past, completion, pasting, the keyboard."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.code.code_text import is_open, without_prompts
from gpuexplorer.gui.lab.code.completions import Completions
from gpuexplorer.gui.paint.python import CodePart, parts
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.settings import Choices
from gpuexplorer.lab.events import Completed
from gpuexplorer.lab.wire import Complete
from tests.gui.hands import press, texts, the
from tests.gui.lab.code_panes import editor, enter, read, shown_pane
from tests.gui.lab.conftest import ScriptedWorker, run

Keys = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def pane(qtbot: QtBot, lab: Lab) -> CodePane:
    return shown_pane(qtbot, lab)


def test_enter_runs_a_cell_and_the_editor_is_empty_again(
    pane: CodePane, worker: ScriptedWorker
) -> None:
    enter(pane, "import os\nos.name")
    assert worker.cells == ["import os\nos.name"]
    assert editor(pane).code == ""


def test_enter_adds_a_line_while_a_block_or_a_bracket_is_open(
    pane: CodePane, worker: ScriptedWorker
) -> None:
    for line in ("for i in range(3):", "print(i)"):
        QTest.keyClicks(editor(pane), line)
        press(editor(pane), Keys.Key_Return)
    assert editor(pane).code == "for i in range(3):\n    print(i)\n    "
    assert worker.cells == []
    press(editor(pane), Keys.Key_Return)
    assert worker.cells == ["for i in range(3):\n    print(i)\n    "]
    QTest.keyClicks(editor(pane), "torch.ones(")
    press(editor(pane), Keys.Key_Return)
    assert len(worker.cells) == 1


def test_shift_enter_adds_a_line_and_the_settings_swap_the_two(
    pane: CodePane, lab: Lab, worker: ScriptedWorker
) -> None:
    QTest.keyClicks(editor(pane), "a = 1")
    QTest.keyClick(editor(pane), Keys.Key_Return, SHIFT)
    QTest.keyClicks(editor(pane), "b = 2")
    lab.machine.settings.choose(Choices(lab_enter_runs=False))
    press(editor(pane), Keys.Key_Return)
    assert worker.cells == []
    QTest.keyClick(editor(pane), Keys.Key_Return, SHIFT)
    assert worker.cells == ["a = 1\nb = 2"]


def test_control_enter_is_the_forms_where_nothing_is_typed(
    pane: CodePane, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(pane.form_asked):
        press(editor(pane), Keys.Key_Return, control=True)
    editor(pane).put("for i in X:\n    print(i)")
    press(editor(pane), Keys.Key_Return, control=True)
    assert worker.cells == ["for i in X:\n    print(i)"]


def test_a_selection_is_indented_and_taken_back(pane: CodePane) -> None:
    editor(pane).put("a = 1\nb = 2\n")
    editor(pane).selectAll()
    press(editor(pane), Keys.Key_Tab)
    assert editor(pane).code == "    a = 1\n    b = 2\n    "
    QTest.keyClick(editor(pane), Keys.Key_Backtab, SHIFT)
    assert editor(pane).code == "a = 1\nb = 2\n"


def test_a_click_brings_the_keyboard_and_digits_are_typed(pane: CodePane) -> None:
    other = QApplication.focusWidget()
    assert other is not editor(pane)
    QTest.mouseClick(editor(pane).viewport(), Qt.MouseButton.LeftButton)
    assert editor(pane).hasFocus()
    QTest.keyClicks(editor(pane), "1234567")
    assert editor(pane).code == "1234567"


def test_tab_comes_to_the_editor_and_leaves_it_while_it_is_empty(pane: CodePane) -> None:
    assert editor(pane).focusPolicy() & Qt.FocusPolicy.TabFocus
    editor(pane).setFocus()
    press(editor(pane), Keys.Key_Tab)
    assert not editor(pane).hasFocus()
    editor(pane).setFocus()
    QTest.keyClicks(editor(pane), "  ")
    press(editor(pane), Keys.Key_Tab)
    assert editor(pane).code == "    "
    press(editor(pane), Keys.Key_Escape)
    press(editor(pane), Keys.Key_Tab)
    assert not editor(pane).hasFocus()


def test_earlier_cells_come_back_with_the_arrows_and_what_was_begun_too(
    pane: CodePane, lab: Lab, worker: ScriptedWorker
) -> None:
    for code in ("X = 1", "def f():\n    return X", "f()", "f()"):
        run(lab, worker, code)
    editor(pane).put("X +")
    shown = []
    for key in (Keys.Key_Up, Keys.Key_Up, Keys.Key_Up, Keys.Key_Up, Keys.Key_Down):
        press(editor(pane), key)
        shown.append(editor(pane).code)
    first, last = "def f():\n    return X", "f()"
    # The second arrow up goes from the last line of the function to its first.
    assert shown == [last, first, first, "X = 1", first]
    press(editor(pane), Keys.Key_Down)
    press(editor(pane), Keys.Key_Down)
    assert editor(pane).code == "X +"


def test_it_grows_with_its_lines_up_to_ten_of_them(pane: CodePane) -> None:
    heights = []
    for count in (1, 3, 10, 40):
        editor(pane).put("\n".join("x = 1" for _ in range(count)))
        heights.append(editor(pane).height())
    assert heights[0] < heights[1] < heights[2] == heights[3]


def asked_for_completion(
    pane: CodePane, worker: ScriptedWorker, code: str, words: tuple[str, ...], **more: str
) -> None:
    editor(pane).setFocus()
    QTest.keyClicks(editor(pane), code)
    press(editor(pane), Keys.Key_Tab)
    asked = worker.last()
    assert isinstance(asked, Complete)
    assert (asked.code, asked.at) == (code, len(code))
    begin = len(code) - len(code.rpartition(".")[2])
    worker.say(Completed(asked.id, begin, words, **more))


def test_tab_completes_what_there_is_one_way_to_complete(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "Weight = torch.ones(2)")
    asked_for_completion(pane, worker, "Weight.back", ("backward",))
    qtbot.waitUntil(lambda: editor(pane).code == "Weight.backward")


def test_several_ways_are_offered_and_the_keyboard_stays_with_the_editor(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "X = 1")
    more = {"signature": "zeros(*size, device=None)", "doc": "A tensor of noughts."}
    asked_for_completion(pane, worker, "torch.ze", ("zeros", "zeros_like", "zeta"), **more)
    qtbot.waitUntil(lambda: the(Completions, pane).words == ["zeros", "zeros_like", "zeta"])
    offered = the(Completions, pane)
    assert offered.height() > 3 * editor(pane).fontMetrics().height()
    assert pane.rect().contains(offered.geometry())
    assert editor(pane).hasFocus()
    assert editor(pane).code == "torch.ze"
    press(editor(pane), Keys.Key_Down)
    press(editor(pane), Keys.Key_Return)
    assert editor(pane).code == "torch.zeros_like"
    assert not the(Completions, pane).isVisible()
    QTest.mouseClick(editor(pane).viewport(), Qt.MouseButton.LeftButton)
    QTest.keyClicks(editor(pane), "7")
    assert editor(pane).code.count("7") == 1


def test_what_comes_while_one_types_does_not_take_enter(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "X = 1")
    editor(pane).setFocus()
    QTest.keyClicks(editor(pane), "X")
    qtbot.waitUntil(lambda: isinstance(worker.last(), Complete))
    worker.say(Completed(worker.last().id, 0, ("X", "Xavier")))
    qtbot.waitUntil(lambda: the(Completions, pane).words == ["Xavier"])
    press(editor(pane), Keys.Key_Return)
    assert worker.cells[-1] == "X"


def test_an_answer_that_comes_too_late_is_not_shown(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "X = 1")
    asked_for_completion(pane, worker, "torch.ze", ())
    late = worker.last().id
    press(editor(pane), Keys.Key_Space, control=True)
    worker.say(Completed(late, 6, ("zeros",)), Completed(worker.last().id, 6, ("zeta",)))
    qtbot.waitUntil(lambda: editor(pane).code == "torch.zeta")


def test_nothing_is_started_for_a_completion(pane: CodePane, worker: ScriptedWorker) -> None:
    editor(pane).setFocus()
    QTest.keyClicks(editor(pane), "torch.o")
    press(editor(pane), Keys.Key_Tab)
    assert worker.begun == 0


def test_what_is_pasted_loses_its_prompts_and_what_it_printed(pane: CodePane) -> None:
    QGuiApplication.clipboard().setText(">>> def f():\n...     return 1\n...\n>>> f()\n1\n")
    pane.paste()
    assert editor(pane).code == "def f():\n    return 1\n\nf()"
    assert editor(pane).hasFocus()


def test_a_paste_beyond_all_cells_is_refused_in_a_sentence(pane: CodePane) -> None:
    QGuiApplication.clipboard().setText("a = 1\n" * 1_000_000)
    pane.paste()
    assert editor(pane).code == ""
    assert any("6,000,000 characters" in each for each in texts(pane))


def test_a_line_of_data_is_no_wait(pane: CodePane) -> None:
    QGuiApplication.clipboard().setText("x = '" + "a" * 90_000 + "'  # all of it")
    pane.paste()
    block = editor(pane).document().firstBlock()
    assert len(block.text()) > 90_000
    assert block.layout().formats() == []


def test_a_paste_into_a_block_is_indented_as_the_block(pane: CodePane) -> None:
    editor(pane).put("for i in X:\n    ")
    QGuiApplication.clipboard().setText("    a = i\n    if a:\n        print(a)\n")
    pane.paste()
    assert editor(pane).code == "for i in X:\n    a = i\n    if a:\n        print(a)"


def test_a_file_that_is_dropped_is_opened_and_not_run(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "lesson.py"
    path.write_text("# %%\na = 1\n# %%\nb = 2\n", "utf-8")
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(path))])
    assert editor(pane).canInsertFromMimeData(dropped)
    editor(pane).insertFromMimeData(dropped)
    qtbot.waitUntil(lambda: "b = 2" in read(pane))
    assert len(lab.opened) == 2
    assert worker.cells == []


@pytest.mark.parametrize(
    ("code", "opened"),
    [
        ("x = (", True),
        ("if x:\n    y\nelse:", True),
        ("def f():\n    return 1", True),
        ("def f():\n    return 1\n", False),
        ('"""text', True),
        ("@wraps", True),
        ("x = 1\ny = 2", False),
        ("1 +", False),
        ("!echo (", False),
        ("%timeit f(", False),
        ("", False),
        ("\0", False),
        ("(" * 5000, False),
    ],
)
def test_what_is_not_whole_yet_waits_for_more(code: str, opened: bool) -> None:
    assert is_open(code) is opened


@pytest.mark.parametrize(
    ("copied", "code"),
    [
        ("In [1]: x = 1\n   ...: y = 2\n\nIn [2]: x\nOut[2]: 1\n", "x = 1\ny = 2\nx"),
        ("    a = 1\n    b = 2\n", "a = 1\nb = 2"),
        ("x = 1\r\ny = 2\r\n", "x = 1\ny = 2"),
        ("x = a >>> b", "x = a >>> b"),
        ("", ""),
    ],
)
def test_copied_code_is_bare_code(copied: str, code: str) -> None:
    assert without_prompts(copied) == code


def test_parts_of_code_are_told_apart() -> None:
    line = 'def f(x=1e-3): return f"{x}"  # "why"'
    found = [(line[begin:end], part) for begin, end, part in parts(line)[0]]
    assert found == [
        ("def", CodePart.WORD),
        ("1e-3", CodePart.NUMBER),
        ("return", CodePart.WORD),
        ('f"{x}"', CodePart.TEXT),
        ('# "why"', CodePart.COMMENT),
    ]
    assert parts('x = """one')[1] == '"""'
    assert parts('two""" + 1', '"""') == ([(0, 6, CodePart.TEXT), (9, 10, CodePart.NUMBER)], "")
