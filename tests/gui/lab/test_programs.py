"""A program that is watched: its phases, what a person reads of it, and does with it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.code.notice_bar import NoticeBar
from gpuexplorer.gui.lab.program_findings import FindingCard
from gpuexplorer.gui.lab.program_panel import ProgramOutput, ProgramPanel
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Phase, ProgramState
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.lab.events import Asked, Failed, Why
from gpuexplorer.lab.start import Program
from gpuexplorer.lab.wire import Answer
from gpuexplorer.lab.worker_process import WorkerProcess
from tests.gui.frame.steps import called
from tests.gui.hands import click, in_front, press, texts, the
from tests.gui.lab.conftest import KnownPython, ScriptedWorker
from tests.gui.lab.watched_programs import (
    CHOSEN,
    FILE,
    Told,
    copied,
    idled,
    program_lab,
    read,
    seen,
)


class Watched(Told):
    def __init__(self, lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> None:
        super().__init__(lab.program, worker)
        self.lab, self.until = lab, qtbot.waitUntil

    def reaches(self, phase: Phase) -> None:
        self.until(lambda: self.state.phase is phase)

    def runs(self) -> None:
        self.begin()
        self.reaches(Phase.RUNNING)

    def ends(self, failed: Failed, status: int, why: str) -> None:
        self.say(failed)
        self.worker.ended_with = status
        self.worker.end(why)

    def steps(self) -> list[int]:
        run = self.state.run()
        cells = () if run is None else run.cells
        return [each.seen.steps for each in cells if each.seen is not None]


@pytest.fixture
def watched(machine: MachineState, worker: ScriptedWorker, qtbot: QtBot) -> Iterator[Watched]:
    lab = program_lab(machine, worker)
    yield Watched(lab, worker, qtbot)
    lab.stop()


def interrupted(watched: Watched) -> None:
    watched.state.interrupt()
    assert watched.worker.cancelled == [1]
    watched.reaches(Phase.STOPPING)
    watched.ends(Failed(1, "raised", "KeyboardInterrupt", ""), -2, "It was interrupted.")


def hanging(watched: Watched) -> None:
    watched.state.interrupt()
    watched.reaches(Phase.HANGING)
    watched.state.kill()


# How it ends, and what is said then.
ENDS: dict[str, tuple[Callable[[Watched], None], Phase, int, str]] = {
    "by itself": (lambda watched: watched.end(3), Phase.ENDED, 3, ""),
    "by an error": (lambda watched: watched.fail("ValueError", "no"), Phase.FAILED, 1, ""),
    "by a signal": (
        lambda watched: watched.ends(Failed(1, "ended", "", ""), -11, "SIGSEGV"),
        Phase.KILLED,
        -11,
        "SIGSEGV",
    ),
    "by Ctrl+C": (interrupted, Phase.STOPPED, -2, ""),
    "not": (hanging, Phase.KILLED, -9, "It was ended, since it did not come back."),
}


@pytest.mark.long
@pytest.mark.parametrize("how", ENDS)
def test_how_a_program_ends_is_told(watched: Watched, how: str) -> None:
    end, phase, status, sentence = ENDS[how]
    watched.runs()
    assert watched.worker.program == Program(Path(FILE), ("--epochs", "3"))
    end(watched)
    watched.reaches(phase)
    assert (watched.state.status, watched.state.sentence) == (status, sentence)
    assert watched.state.seconds is not None


class Without(LabPythons):
    def find(self) -> None:
        pass


def test_what_cannot_be_started_is_refused_with_its_reason(
    machine: MachineState, worker: ScriptedWorker
) -> None:
    def refuse(*_: object) -> WorkerProcess:
        raise Trouble("It cannot be started.", "Choose another.")

    known, none = KnownPython(machine.settings, machine), Without(machine.settings, machine)
    state = ProgramState(machine, known, lambda _: refuse, None, machine)
    searching = ProgramState(machine, none, worker.starting, None, machine)
    state.start(CHOSEN)
    searching.start(CHOSEN)
    assert (state.phase, state.sentence) == (
        Phase.REFUSED,
        "It cannot be started. Choose another.",
    )
    assert searching.phase is Phase.SEARCHING
    none.trouble = Message("None has PyTorch.")
    none.changed.emit()
    assert (searching.phase, searching.sentence) == (Phase.REFUSED, "None has PyTorch.")
    state.stop()
    searching.stop()


def test_what_it_asks_is_answered_once(watched: Watched) -> None:
    watched.begin()
    watched.say(Asked(1, "input", "Which? "))
    watched.until(lambda: watched.state.cell is not None and bool(watched.state.cell.asked))
    watched.state.answer("two")
    watched.state.answer("three")
    assert watched.worker.sent == [Answer(1, "two")]


@pytest.fixture
def lab(machine: MachineState, worker: ScriptedWorker) -> Iterator[Lab]:
    lab = program_lab(machine, worker)
    yield lab
    lab.stop()


@pytest.fixture
def panel(qtbot: QtBot, lab: Lab) -> Iterator[ProgramPanel]:
    holder = QWidget()
    qtbot.addWidget(holder)
    panel = ProgramPanel(lab, holder)
    panel.resize(1100, 500)
    holder.resize(1100, 500)
    with qtbot.waitActive(holder):
        holder.show()
        holder.activateWindow()
    yield panel
    holder.close()


@pytest.fixture
def told(panel: ProgramPanel, lab: Lab, worker: ScriptedWorker) -> Told:
    """A program that has begun."""
    told = Told(lab.program, worker)
    told.begin()
    return told


def sees(qtbot: QtBot, panel: QWidget, *words: str) -> None:
    """In any label, whole or as a part of it."""

    def there() -> None:
        said = texts(panel)
        missing = [each for each in words if not any(each in one for one in said)]
        assert not missing, f"{missing} is not among {said}"

    qtbot.waitUntil(there)


def printed(panel: QWidget) -> str:
    return the(ProgramOutput, panel).toPlainText()


def told_rows(qtbot: QtBot, panel: QWidget, count: int) -> list[list[str]]:
    model = the(Table, panel).model()
    qtbot.waitUntil(lambda: model.rowCount() == count)
    columns = range(model.columnCount())
    return [[str(model.index(row, at).data() or "") for at in columns] for row in range(count)]


def test_the_head_says_which_program_how_far_and_how_much_was_watched(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.say(seen(seen_steps=3400))
    steps = "3\u202f400 of 12\u202f000 steps watched"
    head = f"41.0 s modelled · {steps} · watching costs 1.2 %"
    sees(qtbot, panel, "train.py --epochs 3", "Running", head)
    told.say(seen(step="", seen_seconds=12.3, modelled=False, cost_seconds=None))
    sees(qtbot, panel, "12.3 s of 41.0 s watched")
    assert not any("costs" in each for each in texts(panel))
    told.begin(replace(CHOSEN, arguments=("--name", "a b")))
    sees(qtbot, panel, "train.py --name 'a b'", "Nothing is watched yet.")


def test_findings_stand_the_worst_first_with_cures_and_stand_still_while_they_are_read(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.say(seen())
    sees(qtbot, panel, "12\u202f000 batches: 9.40 of 41.0 s", "the card waited 3.10 of 41.0 s")
    sees(qtbot, panel, "Could save", "23 %", "9.4 s")
    first = next(each for each in panel.findChildren(FindingCard) if each.isVisible())
    assert "Take larger batches" in first.accessibleName()
    called(QToolButton, panel, "Copy train.py:2").setFocus()
    press(called(QToolButton, panel, "Copy train.py:2"), Qt.Key.Key_Down)
    second = called(QToolButton, panel, "Copy train.py:5")
    assert second.hasFocus()
    second.click()
    assert QGuiApplication.clipboard().text() == "train.py:5"
    sees(qtbot, panel, "Copied: train.py:5")
    told.say(seen(idle=(idled(1, 5, "loss.item()", 20.0), *seen().idle[1:])))
    sees(qtbot, panel, "the card waited 20.0 of 41.0 s")
    assert "train.py:2" in first.accessibleName()


def test_findings_stand_with_their_figures(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    once = replace(idled(3, 1, "import torch", 20.0, Why.HOST), times=1, longest=20.0)
    other = read(3, 3, "y.item()", file="/home/me/resnet/data/loading.py")
    told.say(seen(copies=(*seen().copies, other), idle=(once, *seen().idle)))
    rows = {each[0]: each for each in told_rows(qtbot, panel, 5)}
    assert rows["train.py:3"][1:5] == ["x.to(device)", "H to 0", "12\u202f000", "8.79 GiB"]
    assert rows["train.py:5"][5:7] == ["3.00 s", "3.10 s"]
    assert "data/loading.py:3" in rows
    code = the(Table, panel).model().index(list(rows).index("train.py:5"), 1)
    assert code.data(Qt.ItemDataRole.ToolTipRole) == "total += loss.item()"


def test_nothing_found_says_what_was_looked_at(
    panel: ProgramPanel, told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    nothing = seen(copies=(), idle=(), loaders=())
    told.say(nothing)
    sees(qtbot, panel, "Nothing found so far.")
    told.end()
    sees(qtbot, panel, "Ended", "Nothing stands out.", "Looked at: reads")
    worker.hello = replace(worker.hello, devices=worker.hello.devices[:1], simulated=False)
    told.begin()
    told.say(replace(nothing, busy=()))
    sees(qtbot, panel, "so nothing could be copied.", "in the menu simulates some.")


def test_an_error_stands_with_its_place_and_a_status_is_none(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.end(3)
    sees(qtbot, panel, "Ended with status 3")
    assert not the(NoticeBar, panel).isVisible()
    told.begin()
    told.fail("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (64x10 and 20x5)")
    sees(qtbot, panel, "Failed", "train.py:4: RuntimeError: mat1 and mat2 shapes")
    assert called(QToolButton, panel, "Run again").isEnabled()


@pytest.mark.long
def test_what_hangs_after_stop_can_be_ended(
    panel: ProgramPanel, told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    sees(qtbot, panel, "Running")
    called(QToolButton, panel, "Stop").click()
    sees(qtbot, panel, "Does not end", "It does not end after Ctrl+C.")
    click(panel, "End it now")
    sees(qtbot, panel, "Killed", "It was ended, since it did not come back.")
    assert worker.killed


def test_a_progress_bar_writes_over_its_row_and_the_labs_sentences_have_their_own(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.print("epoch 0\n", "out")
    for share in (10, 20, 30):
        told.print(f"\r{share}%|###", "err")
    qtbot.waitUntil(lambda: printed(panel) == "epoch 0\n30%|###")
    told.print("\r\x1b[32mdone\x1b[0m    \nbye\n", "err")
    told.print(Message("Some is left out."), "note")
    qtbot.waitUntil(lambda: printed(panel) == "epoch 0\ndone    \nbye\nSome is left out.\n")


def test_what_was_watched_is_copied_as_text_and_saved_as_data(
    panel: ProgramPanel, told: Told, qtbot: QtBot, tmp_path: Path
) -> None:
    slow = copied(1, 3, "x.to(device)", seconds=3.2)
    told.say(seen(copies=(slow, read(2, 5, "loss.item()"))))
    told_rows(qtbot, panel, 3)
    sees(qtbot, panel, "the wire could carry")  # once the ways between devices are known
    called(QToolButton, panel, "Copy what was watched").click()
    text = QGuiApplication.clipboard().text()
    assert "train.py:5 `loss.item()` 12\u202f000 times: the card waited 3.10 of 41.0 s." in text
    assert "train.py:3\tx.to(device)\tH to 0\t12\u202f000\t8.79 GiB" in text
    for name in ("run.json", "run.txt"):
        write = panel.writer(tmp_path / name)
        assert write is not None
        write()
    data = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert [each["line"] for each in data["findings"]][:2] == [2, 5]
    assert (tmp_path / "run.txt").read_text("utf-8") == text


def test_one_that_still_runs_is_closed_only_when_a_person_says_so(
    panel: ProgramPanel, told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    sees(qtbot, panel, "Running")
    for answer in ("Keep it", "End it"):
        assert told.state.chosen is not None
        called(QToolButton, panel, "Close the program").click()
        click(in_front(Sheet, panel.window()), answer)
    assert told.state.chosen is None
    qtbot.waitUntil(lambda: worker.stopped)
