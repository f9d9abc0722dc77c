"""The code pane: errors and cures, questions, files, menus, and what things cost."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.code.cell_words import cost_rows
from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.code.error_panel import CureButton, ErrorPanel, price_words
from gpuexplorer.gui.lab.code.notice_bar import NoticeBar, QuestionBar
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.lab.cures import Copying, Cure
from gpuexplorer.lab.events import (
    Asked,
    Began,
    Failed,
    Finished,
    Held,
    Memory,
    Placed,
    Span,
    Transferred,
)
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.session_files import OpenedCell
from gpuexplorer.lab.wire import Answer, Run
from gpuexplorer.recording.lab_said import Sent
from tests.gui.hands import click, press, texts, the
from tests.gui.lab.conftest import (
    GIB,
    MAKE_X,
    MIB,
    ScriptedWorker,
    Seat,
    fail_apart,
    read,
    run,
    said,
    settled,
    shown_pane,
    tensor,
    transcript,
)


@pytest.fixture
def seat(qtbot: QtBot, lab: Lab, worker: ScriptedWorker) -> Seat:
    return Seat(shown_pane(qtbot, lab), lab, worker, qtbot)


def test_a_failed_cell_is_explained_and_the_first_fix_has_the_keyboard(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    fail_apart(lab, worker, qtbot)
    shown = texts(the(ErrorPanel, pane))
    assert shown[0] == "Cell 3: Tensors are on different devices."
    assert any(each.startswith("X lies on cuda:0. Y lies on cuda:1.") for each in shown)
    assert {"X + Y.cuda(0)", "X.cuda(1) + Y", "X.cpu() + Y.cpu()"} <= set(shown)
    first, second, *_ = pane.findChildren(CureButton)
    assert first.hasFocus()
    assert "24 B over NVLink, about 8" in first.accessibleName()
    assert first.accessibleName().endswith("From cuda:1 to cuda:0")
    press(first, Qt.Key.Key_Down)
    assert second.hasFocus()
    QTest.keyClicks(second, "Z")
    assert (pane.entry.code, pane.entry.hasFocus()) == ("Z", True)


def test_a_cure_runs_and_the_failed_cell_says_what_cured_it(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    failed = fail_apart(lab, worker, qtbot)
    press(pane.findChildren(CureButton)[0], Qt.Key.Key_Return)
    assert worker.cells[-1] == "X + Y.cuda(0)"
    worker.done()
    settled(qtbot, lab)
    assert not the(ErrorPanel, pane).isVisible()
    lab.selection.choose(failed)
    assert "Cured by cell 4. Excluded from the saved script" in said(pane)
    assert "Cures cell 3." in read(pane)
    assert the(ErrorPanel, pane).isVisible()


def menu_of(pane: CodePane, cell: Cell) -> QMenu:
    transcript(pane).menu_asked.emit(cell, pane.mapToGlobal(QPoint(40, 120)))
    return pane.findChildren(QMenu)[-1]


def choose(pane: CodePane, cell: Cell, words: str) -> None:
    menu = menu_of(pane, cell)
    next(each for each in menu.actions() if each.text() == words).trigger()
    menu.close()


def test_a_cell_can_be_copied_changed_and_run_again(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    choose(pane, lab.ledger.cells[1], "Copy cell")
    assert QGuiApplication.clipboard().text() == MAKE_X
    choose(pane, lab.ledger.cells[1], "Put into the editor")
    assert pane.entry.code == MAKE_X
    choose(pane, lab.ledger.cells[1], "Run again")
    worker.done(tensor("X"))
    pane.run_unwatched()
    worker.done(tensor("X"))
    again = [each for each in worker.sent if isinstance(each, Run)]
    assert [each.code for each in again] == [MAKE_X] * 3
    assert [each.watched for each in again] == [True, True, False]
    choose(pane, lab.ledger.cells[1], "Run the session again to here")
    assert worker.cells[3:] == [MAKE_X]


def test_the_session_is_copied_as_a_program_and_a_bad_place_is_a_sentence(
    seat: Seat, tmp_path: Path
) -> None:
    pane, lab, worker, qtbot = seat
    pane.program.ask_where()
    assert "There is no cell yet that could be saved or copied." in texts(pane)
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    pane.program.copy()
    qtbot.waitUntil(lambda: any(each.startswith("Copied as a pro") for each in texts(pane)))
    assert MAKE_X in QGuiApplication.clipboard().text()
    pane.program.save(tmp_path / "gone" / "lab.py")
    wanted = "lab.py was not saved. That folder does not exist. Choose another place."
    qtbot.waitUntil(lambda: wanted in texts(pane))


@pytest.fixture
def lesson(seat: Seat, tmp_path: Path) -> Path:
    """A file of three cells that was opened."""
    path = tmp_path / "lesson.py"
    path.write_text("# %%\na = 1\n# %%\nb = 2\n# %%\nc = 3\n", "utf-8")
    seat.pane.program.open(path)
    seat.qtbot.waitUntil(lambda: "3 cells of lesson.py have not run." in texts(seat.pane))
    return path


def test_cells_of_a_file_stand_there_and_the_first_run_asks_once(
    seat: Seat, lesson: Path
) -> None:
    pane, lab, worker, qtbot = seat
    assert "c = 3\nNot run yet" in read(pane)
    click(pane, "Run next")
    assert worker.cells == []
    assert any("with your rights" in each for each in texts(the(NoticeBar, pane)))
    click(pane, "Run them")
    assert [each.splitlines()[-1] for each in worker.cells] == ["a = 1"]
    worker.done()
    qtbot.waitUntil(lambda: "2 cells of lesson.py have not run." in texts(pane))
    click(pane, "Run all")
    for count in (2, 3):
        qtbot.waitUntil(partial(ran, worker, count))
        worker.done()
    settled(qtbot, lab)
    assert "Not run yet" not in read(pane)


def ran(worker: ScriptedWorker, count: int) -> bool:
    return len(worker.cells) == count


def test_cells_of_a_file_can_be_discarded_and_a_broken_file_is_a_sentence(
    seat: Seat, lesson: Path
) -> None:
    pane, lab, worker, qtbot = seat
    click(pane, "Run all")
    click(pane, "Discard")
    qtbot.waitUntil(lambda: "Not run yet" not in read(pane))
    assert (worker.cells, lab.opened) == ([], [])
    path = lesson.parent / "broken.ipynb"
    path.write_text("{", "utf-8")
    pane.program.open(path)
    qtbot.waitUntil(lambda: any("broken.ipynb" in each for each in texts(pane)))


def asks(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot, pane: CodePane, what: str, text: str
) -> int:
    number = lab.run("ask()")
    worker.say(Began(number), Asked(number, what, text))
    qtbot.waitUntil(the(QuestionBar, pane).isVisible)
    return number


def test_a_password_is_not_shown_and_escape_ends_the_input(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    number = asks(lab, worker, qtbot, pane, "password", "Password: ")
    answer = the(QLineEdit, the(QuestionBar, pane))
    assert answer.echoMode() is QLineEdit.EchoMode.Password
    press(answer, Qt.Key.Key_Escape)
    assert worker.last() == Answer(number, None)


def test_installing_is_asked_with_its_command_and_enter_does_not_install(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    number = asks(lab, worker, qtbot, pane, "install", "pip install rich")
    assert any("pip install rich" in each for each in texts(the(QuestionBar, pane)))
    focused = pane.window().focusWidget()
    assert focused is not None
    press(focused, Qt.Key.Key_Return)
    assert worker.last() == Answer(number, None)
    worker.done()
    number = asks(lab, worker, qtbot, pane, "install", "pip install rich")
    click(pane, "Install")
    assert worker.last() == Answer(number, "yes")


def test_a_recording_offers_nothing_that_would_run(qtbot: QtBot, lab: Lab) -> None:
    shown = Lab(lab.machine, lab.pythons, lambda *_: None, recorded=True)  # type: ignore[arg-type]  # none is started
    pane = CodePane(shown)
    qtbot.addWidget(pane)
    pane.show()
    shown.note(Sent(1, MAKE_X, 1))
    failed = Failed(1, "module missing", "ModuleNotFoundError", "No module named 'rich'")
    for each in (Began(1), failed):
        shown.note(each)
    shown.changed.emit()
    buttons = [e.text() for e in pane.findChildren(QToolButton) if e.isVisible()]
    assert buttons == ["Copy", "Save as"]
    menu = menu_of(pane, shown.ledger.cells[0])
    assert [each.text() for each in menu.actions()] == ["Copy cell"]
    menu.close()
    assert not any(each.isEnabled() for each in pane.findChildren(CureButton))
    shown.stop()


@pytest.mark.long
def test_a_cell_that_runs_on_can_be_stopped_and_one_that_hangs_restarted(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    lab.open_cells([OpenedCell(each, "lesson.py") for each in "12"])
    number, *_ = [lab.run(each) for each in (MAKE_X, "3", "4")]
    worker.say(Began(number))

    def long_enough() -> bool:
        pane.pull()
        (words,) = texts(the(NoticeBar, pane))
        return words.startswith("Cell 1 runs, ") and words.endswith(". Cells waiting: 2")

    qtbot.waitUntil(long_enough)
    click(pane, "Stop")
    assert number in worker.cancelled
    qtbot.waitUntil(lambda: lab.stage is Stage.HANGING)
    assert texts(the(NoticeBar, pane))[0].startswith("The cell was asked to stop")
    click(pane, "Restart the worker")
    assert worker.killed


CONTEXT = 334 * MIB


def card(tensors: int, reserved: int, context: int = CONTEXT) -> Memory:
    return Memory("cuda:0", tensors, reserved, 20 * GIB, 24 * GIB, context)


def cell(code: str, before: Memory | None = None, after: Memory | None = None) -> Cell:
    made = Cell(Run(1, code, 5), state="done", finished=Finished(1, 1e-3))
    made.memory_before = {} if before is None else {"cuda:0": before}
    made.memory_after = {} if after is None else {"cuda:0": after}
    return made


def costs(one: Cell, *placed: Placed, size: int = 512, units: Units = USUAL) -> list[str]:
    """Where it placed these. `size`: what the allocator gave for each of them."""
    for each in placed:
        holds = (Held(each.device, "values", size, 7),)
        one.placed[each.name] = each if each.holds else replace(each, holds=holds)
    return cost_rows(one, units)


def copied(source: str, target: str, size: int, **more: object) -> Transferred:
    made = Transferred(1, source, target, size, 8e-6, modelled=True, cell=5, line=1)
    return replace(made, **more)  # type: ignore[arg-type]  # by name


EMPTY, ONE, TWO = card(0, 2 * MIB), card(512, 2 * MIB), card(1024, 2 * MIB)
LARGE = card(1024 + 8 * MIB, 22 * MIB)


@pytest.mark.parametrize(
    ("one", "placed", "said"),
    [
        (cell("X", None, ONE), tensor("X"), "24 B allocated · context 334 MiB · cache +2 MiB"),
        (cell("Y", ONE, TWO), tensor("Y"), "24 B allocated · out of the cache"),
        (cell("Z", ONE, LARGE), tensor("Z"), "24 B allocated · 8 MiB unnamed · cache +20 MiB"),
        (cell("W = X"), tensor("W", same_as="X"), "W is the very same object as X"),
        (cell("H"), tensor("H", "cpu", (1000, 1000)), "4 MB on the host"),
        (cell("del X", card(12 * MIB, 14 * MIB), card(0, 14 * MIB)), None,
         "12 MiB back to PyTorch's cache"),
        (cell("empty_cache()", card(0, 14 * MIB), card(0, 0)), None,
         "14 MiB of cache back to the card"),
    ],
)  # fmt: skip
def test_memory_is_told_as_the_courses_count_it(
    one: Cell, placed: Placed | None, said: str
) -> None:
    units = Units(decimal_memory="MB" in said)
    assert costs(one, *([placed] if placed else []), units=units) == [said]


HIDDEN = copied(
    "cuda:0", "cpu", 40, copies=10, what="print(x)", asked=False, line=2,
    host_seconds=0.02, blocking=True,
)  # fmt: skip
INSIDE = copied("cuda:0", "cpu", 4, what="net(x)", cell=4, asked=False, within="torch.nn")
WAITED = "Python waited 20.0 ms for cuda:0 and gave no card new work meanwhile"
SLOW = copied("cuda:0", "cpu", MIB, host_seconds=0.02, blocking=True)


@pytest.mark.parametrize(
    ("code", "transfers", "said"),
    [
        ("net", [copied("cpu", "cuda:0", MIB)] * 14, ["14 copies, 14 MiB, cpu → cuda:0"]),
        (
            "for x in X:\n    print(x)",
            [HIDDEN, INSIDE],
            [
                f"10 copies, 40 B, cuda:0 → cpu · line 2 · by print(x) · {WAITED}",
                "Copied 4 B, cuda:0 → cpu · cell 4, line 1 · by net(x) · in torch.nn",
            ],
        ),
        ("log", [SLOW], ["Copied 1 MiB, cuda:0 → cpu · host waited 20.0 ms"]),
        (
            "Z = X.cuda(1)",
            [copied("cuda:0", "cuda:1", MIB, intact=False)],
            ["Arrived WRONG on cuda:1, see Copies", "Copied 1 MiB, cuda:0 → cuda:1"],
        ),
        ("Z is Z", [copied("cuda:1", "cuda:1", 24)], ["Already there, nothing copied"]),
        ("1 + 1", [], []),
    ],
)
def test_copies_are_counted_with_their_bytes_and_their_line(
    code: str, transfers: list[Transferred], said: list[str]
) -> None:
    one = cell(code)
    one.transfers = transfers
    assert costs(one) == said


def worked(card: int, begin: float, end: float, busy: float = 1.0) -> Span:
    """In milliseconds."""
    device = f"cuda:{card}"
    return Span(device, begin * 1e-3, end * 1e-3, (end - begin) * busy * 1e-3)


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        (
            [worked(0, 0, 10), worked(1, 0.4, 2), worked(1, 12, 18)],
            ["cuda:0 and cuda:1 worked at the same time for 1.60 of 16.0 ms"],
        ),
        ([worked(0, 0, 8), worked(1, 8, 16)], ["cuda:0 and cuda:1 worked one after the other"]),
        (
            [worked(card, card, card + 2) for card in range(4)],
            ["4 cards worked, two or more at the same time for 3.00 of 5.00 ms"],
        ),
        ([worked(0, 0, 8), worked(0, 9, 12)], []),  # one card
        ([worked(0, 0, 8), worked(1, 0, 0.05)], []),  # the other hardly worked
        ([worked(0, 0, 8, 0.5), worked(1, 0, 8, 0.5)], []),  # joined over many pauses
        ([worked(0, 0, 8), Span("cpu", 0, 8e-3, 8e-3, waits_for="cuda:0")], []),
    ],
)
def test_whether_cards_worked_at_the_same_time_is_told_where_it_can_be(
    spans: list[Span], said: list[str]
) -> None:
    both = cell("run(0)\nrun(1)")
    both.spans = spans
    assert costs(both) == said


X_TO_1 = (Copying("X", "cuda:0", "cuda:1", 24),)
TO_HOST = (Copying("X", "cuda:0", "cpu", 24), Copying("Y", "cuda:1", "cpu", 24))
NET_TO_1 = (Copying("net", "cuda:0", "cuda:1", 16, stays=True),)


@pytest.mark.parametrize(
    ("cure", "way", "price"),
    [
        (Cure((), (), copies=X_TO_1), (8.4e-6, "NVLink"),
         "24 B over NVLink, about 8.4 µs; then it runs on cuda:1"),
        (Cure((), (), copies=X_TO_1), None, "24 B; then it runs on cuda:1"),
        (Cure((), (), copies=TO_HOST), None, "2 × 24 B; then it runs on the processor"),
        (Cure((), (), copies=NET_TO_1), None,
         "16 B; then it runs on cuda:1. net is on cuda:1 from then on"),
        (Cure((), (), copies=X_TO_1, again=True), None,
         "24 B; then it runs on cuda:1. Each time that line runs, it copies again"),
        (Cure((), (), frees_bytes=2 << 20), None, "Gives back 2 MiB; then the cell again"),
        (Cure((), (), Message("The same without its history")), None,
         "The same without its history"),
    ],
)  # fmt: skip
def test_what_a_cure_costs_is_said_before_it_is_pressed(
    cure: Cure, way: tuple[float, str] | None, price: str
) -> None:
    assert price_words(cure, lambda _: way) == price
