"""Where a cell is typed, and the cells of the session as they stand there."""

import base64

import pytest
from PySide6.QtCore import QBuffer, Qt
from PySide6.QtGui import QGuiApplication, QImage, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollBar
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.code.cell_editor import Completions, is_open
from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.lab.events import (
    Began,
    Completed,
    Event,
    Failed,
    Frame,
    Pictured,
    Printed,
    Transferred,
)
from gpuexplorer.lab.wire import Complete
from tests.gui.hands import press, texts, the
from tests.gui.lab.conftest import (
    ScriptedWorker,
    Seat,
    finished,
    read,
    run,
    said,
    settled,
    shown_pane,
    tensor,
    transcript,
)

Keys = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def seat(qtbot: QtBot, lab: Lab, worker: ScriptedWorker) -> Seat:
    return Seat(shown_pane(qtbot, lab), lab, worker, qtbot)


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


def ran(lab: Lab, worker: ScriptedWorker, qtbot: QtBot, code: str, *events: Event) -> int:
    """Its events are those of the first cell that is run."""
    number = lab.run(code)
    worker.say(Began(number), *events)
    if not any(isinstance(each, Failed) for each in events):
        worker.say(finished(number, memory=()))
    settled(qtbot, lab)
    return number


def fill(lab: Lab, worker: ScriptedWorker, qtbot: QtBot, count: int) -> None:
    for number in range(count):
        line = lab.run(f"A{number} = torch.ones(2)")
        worker.done(tensor(f"A{number}", "cpu", (2,), number=line))
    settled(qtbot, lab)


def test_a_cell_stands_there_with_what_it_printed_and_what_it_cost(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    assert "your own, with your rights" in said(pane)
    copied = Transferred(
        1, "cuda:0", "cpu", 24, 1e-6, what="print(X)", asked=False, cell=1, line=2
    )
    printed = (Printed(1, "one\n"), Printed(1, "two\n"), Printed(1, "tensor(3)", "value"))
    ran(lab, worker, qtbot, "X = f()\nprint(X)\nX", *printed, copied)
    wanted = [
        *("X = f()", "print(X)", "X", "one", "two", "tensor(3)"),
        "Copied 24 B, cuda:0 → cpu · line 2 · by print(X)",
        "cuda:0 7.00 µs · host 31.0 µs · modelled",
    ]
    assert read(pane).splitlines()[-len(wanted) :] == wanted


def test_a_flood_keeps_its_beginning_and_end_and_the_rest_on_asking(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    rows = "".join(f"row {at}\n" for at in range(500)) + "x\n" * 1_000_000
    ran(lab, worker, qtbot, "flood()", Printed(1, rows))
    assert "row 19\n1000460 more rows\nx" in read(pane)
    assert transcript(pane).document().blockCount() < 60
    press(transcript(pane), Keys.Key_Up)
    press(transcript(pane), Keys.Key_Space)
    assert "row 100\n" in read(pane)
    press(transcript(pane), Keys.Key_Space)
    assert "row 100\n" not in read(pane)


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\x1b[31mred\x1b[0m\n", "red"),
        (" 10%\r 50%\r100%\n", "100%"),
        ("bell\x07\n", "bell\N{SYMBOL FOR SUBSTITUTE FORM TWO}"),
        ("<b>no markup</b> &amp;\n", "<b>no markup</b> &amp;"),
    ],
)
def test_strange_letters_are_no_layout(seat: Seat, printed: str, shown: str) -> None:
    pane, lab, worker, qtbot = seat
    ran(lab, worker, qtbot, "odd()", Printed(1, printed))
    assert f"odd()\n{shown}\n" in read(pane)


def test_code_and_errors_of_any_length_stay_a_page(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    words = "b" * 1_000_000 + "\n" * 100_000 + "the end"
    error = Failed(1, "raised", "ValueError", words, frames=(Frame(1, 1, "f"),))
    ran(lab, worker, qtbot, "f('" + "a" * 1_000_000 + "')", error)
    assert "the end" in read(pane)
    assert len(read(pane)) < 20_000


def test_a_figure_stands_in_the_page_and_a_broken_one_is_a_sentence(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    image = QImage(600, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    buffer = QBuffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # what it takes in truth
    png = base64.b64encode(buffer.data().data()).decode()
    ran(lab, worker, qtbot, "plot()", Pictured(1, png), Pictured(1, "no picture"))
    assert "A picture that cannot be read" in read(pane)
    drawn = transcript(pane).viewport().grab().toImage()
    reds = [x for x in range(drawn.width()) if drawn.pixelColor(x, 150).name() == "#ff0000"]
    assert 200 < len(reds) < drawn.width() - 40


def test_the_page_stays_at_its_end_unless_a_person_scrolled_up(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    fill(lab, worker, qtbot, 60)
    bar = transcript(pane).verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    bar.triggerAction(QScrollBar.SliderAction.SliderToMinimum)
    fill(lab, worker, qtbot, 3)
    assert bar.value() == 0
    lab.selection.choose(things=["A59"])  # made by a cell that is out of view
    assert bar.value() > 1000
    assert said(pane).startswith("Cell 60: A59 = ")


def test_a_click_selects_the_cell_and_what_it_placed(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    fill(lab, worker, qtbot, 2)
    page = transcript(pane)
    found = page.cursorRect(page.document().find("A1"))
    QTest.mouseClick(page.viewport(), Qt.MouseButton.LeftButton, pos=found.center())
    assert (lab.selection.cell, lab.selection.thing) == (lab.ledger.cells[2].id, "A1")
    assert said(pane).startswith("Cell 2: A1 = torch.ones(2). 8 B on the host. ")


def test_a_cell_that_ran_again_is_written_in_its_place_and_themes_change(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    fill(lab, worker, qtbot, 3)
    worker.end("It died.")
    lab.replay()
    for each in list(worker.sent[3:]):
        worker.say(Began(each.id), finished(each.id))
    settled(qtbot, lab)
    rows = [f"A{at} = torch.ones(2)" for at in range(3)]
    for scheme in (Scheme.LIGHT, Scheme.DARK):
        look().choose(scheme)
        assert [row for row in read(pane).splitlines() if row.startswith("A")] == rows
        ink = QTextCursor(transcript(pane).document().find("A1")).charFormat().foreground()
        assert ink.color().name() == look().theme.text.name()
