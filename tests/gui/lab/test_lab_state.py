"""Between a person and the worker: what is asked, what comes of it, how it ends and is left."""

import gc
import os
import threading
import weakref
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.leaving import leave
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.lab_course import strip_order
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.worker_slot import Stage, Switches, WorkerSlot
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.lab.events import Asked, Began, Failed, Freed
from gpuexplorer.lab.session_files import OpenedCell
from gpuexplorer.lab.wire import Answer
from gpuexplorer.telemetry.session import Session
from tests.clocks import ManualClock
from tests.gui.fakes import SIMULATED, card, session_of, working
from tests.gui.hands import button, in_front, press, texts
from tests.gui.lab.conftest import (
    KnownPython,
    OnEnd,
    OnEvent,
    ScriptedWorker,
    finished,
    memory,
    run,
    tensor,
)
from tests.gui.lab.watched_programs import Told, program_lab
from tests.lab.processes import ended

MAKE = 'X = torch.ones(2, 3, device="cuda:0")'
SOMEBODY = "The worker was killed by somebody."


class Hands:
    """A person at a lab, and the worker behind it."""

    def __init__(self, lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> None:
        self.lab, self.worker, self.until = lab, worker, qtbot.waitUntil

    def ran(self, *codes: str) -> None:
        for code in codes:
            run(self.lab, self.worker, code, *([tensor("X")] if code == MAKE else []))
        self.reaches(Stage.READY)

    def fails(self, cause: str = "") -> None:
        self.worker.fail(cause, "NameError", "name 'b' is not defined")

    def reaches(self, stage: Stage) -> None:
        self.until(lambda: self.lab.stage is stage)

    def killed(self) -> None:
        self.worker.end(SOMEBODY)
        self.until(lambda: self.lab.can_replay)

    def replayed(self, **how: int) -> list[str]:
        """The cells that are sent again; all are carried out."""
        count = len(self.worker.sent)
        self.lab.replay(**how)
        for each in self.worker.sent[count:]:
            self.worker.say(Began(each.id), finished(each.id))
        self.reaches(Stage.READY)
        return self.worker.cells[count:]

    def seconds(self) -> list[float]:
        """For which a cell has been running; none where none does."""
        return [each for each in [self.lab.running_seconds] if each is not None]

    def states(self) -> list[str]:
        return [each.state for each in self.lab.ledger.cells[1:]]


@pytest.fixture
def hands(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Hands:
    return Hands(lab, worker, qtbot)


def test_a_worker_that_dies_is_replaced_and_the_session_can_be_run_again(hands: Hands) -> None:
    lab = hands.lab
    hands.ran(MAKE, "b = 2", "c = 3")
    assert (lab.can_replay, lab.sentence) == (False, "")
    hands.killed()
    assert (lab.ledger.things, lab.sentence) == ({}, SOMEBODY)
    assert hands.replayed(upto=2) == [MAKE, "b = 2"]
    assert lab.can_replay  # the third is not there yet
    hands.ran("d = 4")  # meanwhile
    assert hands.replayed() == [MAKE, "b = 2", "c = 3", "d = 4"]
    assert hands.worker.begun == 3  # all in a fresh one
    assert hands.states() == ["done"] * 4  # they are the same cells
    assert (lab.can_replay, lab.sentence) == (False, "")


def test_what_fails_when_the_session_is_run_again_is_said(hands: Hands) -> None:
    lab, say = hands.lab, hands.worker.say
    hands.ran("a = open('a')", "b = a.read()", "c = 3")
    lab.release()
    asked = lab.machine.session.clock.now()
    lab.replay()
    first, second, third = hands.worker.sent[3:]
    say(Began(first.id))
    hands.until(lambda: bool(hands.seconds()))
    assert max(hands.seconds()) <= lab.machine.session.clock.now() - asked
    say(Failed(first.id, "", "OSError", "No such file"))
    say(Began(second.id), Failed(second.id, "", "NameError", "name 'a'…"))
    say(Began(third.id), finished(third.id))
    hands.reaches(Stage.READY)
    assert lab.sentence == "Cells 1, 2 could not be run again. The first: No such file"
    assert (hands.states(), hands.seconds()) == (["failed", "failed", "done"], [])


def test_a_replay_that_a_worker_did_not_live_through_can_be_begun_again_or_given_up(
    hands: Hands,
) -> None:
    hands.ran("a = 1", "b = 2")
    hands.lab.release()
    hands.lab.replay()
    hands.worker.say(Began(hands.worker.sent[2].id), finished(hands.worker.sent[2].id))
    hands.killed()
    assert hands.states() == ["done", "done"]
    hands.lab.start_over()
    assert (hands.lab.can_replay, hands.lab.ledger.done()) == (False, [])


def test_cells_run_one_after_another_up_to_the_first_that_fails(hands: Hands) -> None:
    lab, worker = hands.lab, hands.worker
    lab.run_all(["a = 1", "a + b", "c = 3"])
    assert worker.cells == ["a = 1"]
    worker.done()
    hands.until(lambda: worker.cells[1:] == ["a + b"])
    hands.fails()
    hands.reaches(Stage.READY)
    assert (worker.cells, hands.states()[-1]) == (["a = 1", "a + b"], "cancelled")
    failed = lab.ledger.cells[-1].failed
    assert failed is not None
    assert failed.sentence == "It was not run, since the cell before it failed."


def test_what_is_stopped_and_does_not_come_back_hangs_and_can_be_restarted(
    hands: Hands,
) -> None:
    lab, worker = hands.lab, hands.worker
    (first, *_) = lab.run_all(["while True: pass", "b = 2"])
    lesson = lab.evaluate(["X.sum()"], {})
    hands.reaches(Stage.BUSY)
    lab.cancel()
    assert worker.cancelled == [lesson, first]
    assert hands.states()[1] == "cancelled"
    hands.reaches(Stage.HANGING)
    lab.restart()
    assert worker.killed
    hands.reaches(Stage.READY)
    assert hands.states()[0] == "failed"


def test_cells_of_a_file_run_when_somebody_allows_it_up_to_one_that_fails(hands: Hands) -> None:
    lab, worker = hands.lab, hands.worker
    cells = ["a = 1", "a + b", "c = 3"]
    lab.open_cells([OpenedCell(each, "/tmp/course.ipynb") for each in cells])
    assert (lab.ledger.cells, lab.must_ask) == ([], "/tmp/course.ipynb")
    with pytest.raises(Trouble, match="comes from outside"):
        lab.run_opened()
    lab.allow("/tmp/course.ipynb")
    assert lab.must_ask == ""
    lab.run_opened()
    worker.done()
    hands.until(lambda: len(worker.cells) == 2)
    hands.fails()
    hands.reaches(Stage.READY)
    assert [each.code for each in lab.opened] == ["c = 3"]
    assert lab.ledger.cells[1].outside == "/tmp/course.ipynb"
    lab.drop_opened()
    assert not lab.opened


def test_what_a_cell_asks_is_answered_once(hands: Hands) -> None:
    number = hands.lab.run("name = input('Who? ')")
    hands.worker.say(Began(number), Asked(number, "input", "Who? "))
    hands.until(lambda: hands.lab.ledger.cells[-1].asked is not None)
    hands.lab.answer(number, "me")
    hands.lab.answer(number, "twice")
    assert hands.worker.last() == Answer(number, "me")
    assert hands.lab.ledger.cells[-1].asked is None


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_a_python_that_is_asked_and_does_not_answer_ends_with_the_lab(
    machine: MachineState, worker: ScriptedWorker, qtbot: QtBot, tmp_path: Path
) -> None:
    told, program = tmp_path / "pid", tmp_path / "python"
    program.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! > {told}\nwait\n")
    program.chmod(0o755)
    lab = Lab(machine, LabPythons(machine.settings, machine), worker.start)
    lab.pythons.choose(program)
    qtbot.waitUntil(lambda: told.exists() and told.read_text().endswith("\n"))
    with qtbot.waitSignal(lab.pythons.changed):
        lab.stop()
    assert (lab.pythons.working, lab.pythons.trouble) == (False, "")
    assert ended(int(told.read_text()))


PATIENCE = 10.0


class Outliving(ScriptedWorker):
    """Its thread says something when the slot is given up, and then ends."""

    def __init__(self) -> None:
        super().__init__()
        self.given_up = threading.Event()
        self.thread = threading.Thread()

    def start(self, _: Switches, __: Path, on_event: OnEvent, on_end: OnEnd) -> ScriptedWorker:
        def speak() -> None:
            self.given_up.wait(PATIENCE)
            on_event(Freed(1, "X"))
            on_end(Message("The worker ended."))

        self.thread = threading.Thread(target=speak, name="worker reader")
        self.thread.start()
        return self


class Listening(WorkerSlot):
    """What it hears, and in which thread."""

    def begin(self, worker: Outliving) -> None:
        self.heard: list[tuple[object, threading.Thread]] = []
        self._begin_worker(worker.start)

    def _on_said(self, event: object) -> None:
        self.heard.append((event, threading.current_thread()))

    def _on_ended(self, why: Message) -> None:
        self._on_said(why)


@pytest.mark.usefixtures("qapp")
def test_a_thread_that_outlives_the_slot_deletes_nothing_of_qt(machine: MachineState) -> None:
    worker, deleted_in = Outliving(), list[threading.Thread]()
    owner = QObject()
    slot = Listening(machine, KnownPython(machine.settings), owner)
    for each in (owner, slot):
        weakref.finalize(each, lambda: deleted_in.append(threading.current_thread()))
    slot.begin(worker)
    del slot, owner, each
    gc.collect()
    worker.given_up.set()
    worker.thread.join(PATIENCE)
    assert deleted_in == [threading.main_thread()] * 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the Python waits at a named pipe")
def test_a_search_that_outlives_who_asked_deletes_nothing_of_qt(
    machine: MachineState, tmp_path: Path
) -> None:
    gate, python = tmp_path / "gate", tmp_path / "python3"
    os.mkfifo(gate)
    python.write_text(f"#!/bin/sh\nread line < '{gate}'\n")
    python.chmod(0o700)
    deleted_in = list[threading.Thread]()
    pythons = LabPythons(machine.settings)
    weakref.finalize(pythons, lambda: deleted_in.append(threading.current_thread()))
    pythons.choose(python)
    (asking,) = (each for each in threading.enumerate() if each.name == "lab pythons")
    del pythons
    gc.collect()
    gate.write_text("go on")
    asking.join(PATIENCE)
    assert deleted_in == [threading.main_thread()]


def test_what_a_worker_says_comes_in_its_order_in_the_windows_thread(
    qtbot: QtBot, machine: MachineState
) -> None:
    worker = Outliving()
    slot = Listening(machine, KnownPython(machine.settings))
    slot.begin(worker)
    worker.given_up.set()
    qtbot.waitUntil(lambda: len(slot.heard) == 2)
    worker.thread.join(PATIENCE)
    here = threading.main_thread()
    assert slot.heard == [(Freed(1, "X"), here), ("The worker ended.", here)]
    assert slot.worker_pid is None


def left(window: QWidget, lab: Lab | None, past: Session | None = None) -> str:
    """What was asked before it was left; who is asked first stays, and then goes."""
    gone: list[bool] = []
    said = ""
    for answer in ("Stay", "Stop simulating"):
        leave(window, "Stop simulating", lambda: gone.append(True), lab=lab, simulated=past)
        if not gone:
            dialog = in_front(Sheet, window)
            said = " ".join((dialog.windowTitle(), *texts(dialog)))
            press(button(dialog, answer), Qt.Key.Key_Return)
    assert gone
    return said


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    return window


def test_a_lab_in_which_only_the_imports_ran_is_left_at_once(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    assert left(window, None) == left(window, lab) == ""
    lab.look_into("torch")
    qtbot.waitUntil(lambda: worker.begun == 1)
    assert left(window, lab) == ""


def test_what_would_be_lost_of_the_lab_and_of_the_past_is_named(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    clock = ManualClock()
    session = session_of({card(0): working()}, SIMULATED, clock=clock)
    session.history.append(Sample(CardId("GPU-0"), clock.now(), {}))
    clock.advance(100.0)
    assert left(window, None, session) == ""
    clock.advance(100.0)
    said = left(window, None, session)
    assert "Leave the simulated cards?" in said
    assert (
        "The past of the simulated cards is lost: 3 min 20 s of readings, and their events."
        in said
    )
    run(lab, worker, "X = torch.ones(2, 3)", tensor("X"))
    qtbot.waitUntil(lambda: "X" in lab.ledger.things)
    said = left(window, lab, session)
    for words in ("This is lost: X.", "Save as", "The past of the simulated cards is lost"):
        assert words in said


def test_a_program_that_runs_is_named_before_it_is_ended(
    window: QWidget, machine: MachineState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab = program_lab(machine, worker)
    told = Told(lab.program, worker)
    told.begin()
    assert "train.py still runs, and is ended with all that it started." in left(window, lab)
    told.end()
    qtbot.waitUntil(lambda: not lab.program.phase.runs)
    assert left(window, lab) == ""
    lab.stop()


FIRST, SECOND = CardId("SIM-0"), CardId("SIM-1")
EVER = (float("-inf"), float("inf"))


def test_where_not_all_have_room_cards_that_hold_something_come_first() -> None:
    devices = [
        BenchDevice("cpu", "", "H"),
        *(BenchDevice(f"cuda:{n}", "", str(n), n, CardId(f"SIM-{n}")) for n in range(4)),
        BenchDevice("", "old", "9", None, CardId("SIM-9"), usable=False),
    ]
    holding = {"cuda:2": memory("cuda:2")}
    ordered = strip_order(devices, holding, room=3)
    assert [each.name for each in ordered] == ["cuda:2", "cuda:0", "cuda:1", "cuda:3"]
    in_order = strip_order(devices, holding, room=4)
    assert [each.chip for each in in_order] == ["0", "1", "2", "3"]
