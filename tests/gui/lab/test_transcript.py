"""The cells of the session as they stand there: what each shows, and where the page stands."""

import base64
from dataclasses import replace

import pytest
from PySide6.QtCore import QBuffer, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage, QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.lab.events import (
    Began,
    Event,
    Failed,
    Frame,
    Pictured,
    Printed,
    Transferred,
)
from tests.gui.hands import press
from tests.gui.lab.code_panes import read, said, settled, shown_pane, transcript
from tests.gui.lab.conftest import ScriptedWorker, finished, tensor

Keys = Qt.Key


@pytest.fixture
def pane(qtbot: QtBot, lab: Lab) -> CodePane:
    return shown_pane(qtbot, lab)


def ran(lab: Lab, worker: ScriptedWorker, qtbot: QtBot, code: str, *events: Event) -> int:
    """Its events are those of the first cell that is run."""
    number = lab.run(code)
    assert all(getattr(each, "id", number) == number for each in events)
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


def test_a_cell_stands_there_with_what_it_printed_and_what_it_cost(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    assert "your own, with your rights" in read(pane)
    copied = Transferred(
        1, "cuda:0", "cpu", 24, 1e-6, what="print(X)", asked=False, cell=1, line=2
    )
    printed = (Printed(1, "one\n"), Printed(1, "two\n"), Printed(1, "tensor(3)", "value"))
    ran(lab, worker, qtbot, "X = f()\nprint(X)\nX", *printed, copied)
    assert "your own, with your rights" not in read(pane)
    wanted = [
        *("X = f()", "print(X)", "X", "one", "two", "tensor(3)"),
        "Copied 24 B, cuda:0 → cpu · line 2 · by print(X)",
        "cuda:0 7.00 µs · host 31.0 µs · modelled",
    ]
    assert read(pane).splitlines()[-len(wanted) :] == wanted


def test_what_a_cell_prints_comes_while_it_runs(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.run("train()")
    worker.say(Began(number), Printed(number, "epoch 1\n"))
    qtbot.waitUntil(lambda: read(pane).endswith("train()\nepoch 1\nRunning"))
    worker.say(Printed(number, "epoch 2"), Printed(number, " of 9\n"))
    qtbot.waitUntil(lambda: "epoch 1\nepoch 2 of 9\nRunning" in read(pane))


def test_a_flood_keeps_its_beginning_and_end_and_the_rest_on_asking(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    rows = "".join(f"row {at}\n" for at in range(500))
    number = ran(lab, worker, qtbot, "flood()", Printed(1, rows))
    assert "row 19\n460 more rows\nrow 480" in read(pane)
    assert "row 100\n" not in read(pane)
    press(transcript(pane), Keys.Key_Up)
    press(transcript(pane), Keys.Key_Space)
    assert "row 100\n" in read(pane)
    assert lab.selection.cell == number
    press(transcript(pane), Keys.Key_Space)
    assert "460 more rows" in read(pane)


def test_a_million_rows_stay_a_screenful(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    ran(lab, worker, qtbot, "flood()", Printed(1, "x\n" * 1_000_000))
    assert "\n999960 more rows\n" in read(pane)
    assert transcript(pane).document().blockCount() < 60


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\x1b[31mred\x1b[0m\n", "red"),
        (" 10%\r 50%\r100%\n", "100%"),
        ("bell\x07\n", "bell\N{SYMBOL FOR SUBSTITUTE FORM TWO}"),
        ("a\u2028b\n", "a\N{SYMBOL FOR NEWLINE}b"),
        ("<b>no markup</b> &amp;\n", "<b>no markup</b> &amp;"),
        ("\ufdd0\ufdd1\n", "\N{REPLACEMENT CHARACTER}" * 2),
    ],
)
def test_strange_letters_are_no_layout(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot,
    printed: str, shown: str,
) -> None:  # fmt: skip
    ran(lab, worker, qtbot, "odd()", Printed(1, printed))
    assert f"odd()\n{shown}\n" in read(pane)


def test_code_of_any_length_stays_a_page(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    ran(lab, worker, qtbot, "x = '" + "a" * 1_000_000 + "'" + "\nx" * 100_000)
    shown = read(pane)
    assert "a …\nx\nx" in shown
    assert "x\n99501 more lines\n" in shown
    assert len(shown) < 10_000


def test_an_error_of_any_length_stays_a_page(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    words = "b" * 1_000_000 + "\n" * 100_000 + "the end"
    frames = (Frame(1, 1, "f"),)
    error = Failed(1, "raised", "ValueError", words, frames=frames)
    ran(lab, worker, qtbot, "f('" + "a" * 1_000_000 + "')", error)
    shown = read(pane)
    assert "the end" in shown
    assert len(shown) < 20_000


def test_a_warning_stands_at_its_line_and_a_loops_once(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    warned = [Printed(1, "UserWarning: careful\n", "warning", 1, 1) for _ in range(50)]
    ran(lab, worker, qtbot, "risky()\nsafe()", *warned)
    shown = "risky()\n" + "UserWarning: careful\n" * 3 + "47 more warnings\nsafe()"
    assert shown in read(pane)


def test_a_figure_stands_in_the_page_and_a_broken_one_is_a_sentence(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    image = QImage(600, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    buffer = QBuffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # what it takes in truth
    png = base64.b64encode(buffer.data().data()).decode()
    ran(lab, worker, qtbot, "plot()", Pictured(1, png), Pictured(1, "no picture"))
    assert "\N{OBJECT REPLACEMENT CHARACTER}" in read(pane)
    assert "A picture that cannot be read" in read(pane)
    drawn = transcript(pane).viewport().grab().toImage()
    reds = [x for x in range(drawn.width()) if drawn.pixelColor(x, 120).name() == "#ff0000"]
    assert 200 < len(reds) < drawn.width() - 40


def test_a_figure_is_read_once_and_another_takes_its_place(
    pane: CodePane,
    lab: Lab,
    worker: ScriptedWorker,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read_from = []

    def from_data(data: bytes) -> QImage:
        read_from.append(data)
        return QImage(60, 40, QImage.Format.Format_RGB32)

    monkeypatch.setattr(QImage, "fromData", from_data)
    run = lab.run("plot()")
    figure, other = (base64.b64encode(each).decode() for each in (b"one", b"another"))
    worker.say(Began(run), Pictured(run, figure))
    qtbot.waitUntil(lambda: read_from == [b"one"])
    worker.say(Printed(run, "on it goes"))
    qtbot.waitUntil(lambda: "on it goes" in read(pane))
    worker.say(finished(run, memory=()))
    settled(qtbot, lab)
    assert read_from == [b"one"]
    worker.say(Pictured(run, other))
    qtbot.waitUntil(lambda: len(read_from) == 2)
    assert read_from == [b"one", b"another"]


def test_an_error_names_the_calls_that_led_to_it(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    frames = (Frame(1, 4), Frame(1, 2, "f", 11, 16))
    failed = Failed(1, "error", "ZeroDivisionError", "division by zero", frames=frames)
    ran(lab, worker, qtbot, "def f(a):\n    return a / 0\n\nf(3)", failed)
    assert "in f, cell 1, line 2: return a / 0\nZeroDivisionError: division" in read(pane)
    at = transcript(pane).document().find("a / 0").position()
    cursor = QTextCursor(transcript(pane).document())
    cursor.setPosition(at)
    assert cursor.charFormat().underlineColor() is not None
    assert cursor.charFormat().fontUnderline() or cursor.charFormat().underlineStyle().value


def test_the_page_stays_at_its_end_unless_a_person_scrolled_up(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 60)
    bar = transcript(pane).verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()
    bar.setValue(100)
    fill(lab, worker, qtbot, 3)
    assert bar.value() == 100
    pane.resize(400, 500)
    assert bar.value() < bar.maximum()


def test_a_selection_made_elsewhere_scrolls_its_cell_into_view(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 60)
    lab.selection.choose(lab.ledger.cells[3].id, ["A2"])
    assert transcript(pane).verticalScrollBar().value() < 400
    assert said(pane).startswith("Cell 3: A2")


def test_a_block_that_is_selected_lights_up_the_cell_that_placed_it(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 5)
    lab.selection.choose(things=["A3"])
    assert said(pane).startswith("Cell 4: A3")


def test_a_click_selects_the_cell_and_what_it_placed(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 2)
    page = transcript(pane)
    found = page.cursorRect(page.document().find("A1"))
    QTest.mouseClick(page.viewport(), Qt.MouseButton.LeftButton, pos=found.center())
    assert lab.selection.cell == lab.ledger.cells[2].id
    assert lab.selection.things == {"A1"}


def test_text_is_selected_and_copied_and_else_the_cell_is(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    ran(lab, worker, qtbot, "print(1)", Printed(1, "from here to there\n"))
    page = transcript(pane)
    page.setTextCursor(page.document().find("here to"))
    press(page, Keys.Key_C, control=True)
    assert QGuiApplication.clipboard().text() == "here to"
    page.setTextCursor(QTextCursor(page.document()))
    press(page, Keys.Key_Up)
    press(page, Keys.Key_C, control=True)
    assert QGuiApplication.clipboard().text() == "print(1)"


def test_rough_hands_leave_it_whole(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    page = transcript(pane)
    for key in (Keys.Key_Up, Keys.Key_Space, Keys.Key_Delete, Keys.Key_A, Keys.Key_Return):
        press(page, key)
    QTest.mouseClick(page.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    fill(lab, worker, qtbot, 3)
    before = read(pane)
    QTest.keyClicks(page, "typed into the page")
    press(page, Keys.Key_V, control=True)
    press(page, Keys.Key_Z, control=True)
    assert read(pane) == before


def test_another_theme_writes_the_same_in_other_colours(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 3)
    before = read(pane)
    for scheme in (Scheme.LIGHT, Scheme.DARK):
        look().choose(scheme)
        assert read(pane) == before
        ink = QTextCursor(transcript(pane).document().find("A1")).charFormat().foreground()
        assert ink.color().name() == look().theme.text.name()


def test_a_cell_that_ran_again_is_written_in_its_place(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 3)
    before = read(pane)
    worker.end("It died.")
    lab.replay()
    for each in list(worker.sent[3:]):
        worker.say(Began(each.id), finished(each.id))
    settled(qtbot, lab)
    assert read(pane).count("A1 = ") == before.count("A1 = ") == 1
    assert [row for row in read(pane).splitlines() if row.startswith("A")] == [
        f"A{at} = torch.ones(2)" for at in range(3)
    ]


def test_a_table_keeps_its_columns_and_a_long_row_wraps(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    bar = transcript(pane).horizontalScrollBar()
    ran(lab, worker, qtbot, "print(long)", Printed(1, "word " * 400))
    assert bar.maximum() == 0
    table = Printed(2, f"|{'-' * 118}|\n" * 3)
    number = lab.run("!nvidia-smi")
    worker.say(Began(number), replace(table, id=number), finished(number, memory=()))
    settled(qtbot, lab)
    assert bar.maximum() > 0
    bar.setValue(bar.maximum())
    press(pane.entry, Keys.Key_1)
    press(pane.entry, Keys.Key_Return)
    assert bar.value() == 0


def test_a_file_that_was_opened_shows_the_cell_to_run_next(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    page = transcript(pane)
    lab.open_cells([f"a{at} = 0" for at in range(40)], "/tmp/a.py")
    settled(qtbot, lab)
    assert page.verticalScrollBar().value() == 0
    lab.drop_opened()
    fill(lab, worker, qtbot, 40)
    lab.open_cells(["first = 1", "second = 2"], "/tmp/b.py")
    settled(qtbot, lab)
    for seen in ("A39 = torch.ones(2)", "first = 1"):
        place = page.cursorRect(page.document().find(seen))
        assert page.viewport().rect().contains(place)
