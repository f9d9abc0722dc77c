"""A lab that was recorded is shown again up to the playhead, and nothing runs in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.copies.copies_state import copies_of
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Chosen, Phase
from gpuexplorer.gui.state.lab.starting import LabRecording, LabReplay, lab_of
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.recording_state import RecordingPhase, RecordingState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.events import Asked, Began, Finished, Freed, Printed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.recording.lab_said import Sent, noted_of
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.recording.recorder import Listening, Recorder, machine_of
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.recording.schema import Topic
from tests.copies.made import one_way
from tests.gui.copies.moves import across, read
from tests.gui.lab.conftest import KnownPython, ScriptedWorker, ThisPython, run, tensor
from tests.lab.processes import needs_torch

PATIENCE = 10_000


class Recorded:
    """A recording of a lab, and the lab that shows it."""

    def __init__(self, lab: Lab, path: Path, qtbot: QtBot, *, anonymous: bool = False) -> None:
        session = lab.machine.session
        self.lab = lab
        self._path, self._qtbot = path, qtbot
        machine = machine_of(session)
        self.recorder = Recorder(path, machine, session.clock, anonymous=anonymous)
        self.listening = Listening(session, self.recorder)
        self.said = LabRecording(lab, self.recorder)
        self._parent = QObject()
        self._sessions: list[RecordedSession] = []
        self._labs: list[Lab] = []

    def open(self) -> tuple[Lab, LabReplay, RecordedSession]:
        """As far as it goes."""
        self.said.stop()
        self.listening.stop()
        assert self.recorder.stop()
        session = RecordedSession(open_recording(self._path))
        session.start()
        machine = MachineState(session, Settings(), self._parent)
        lab = lab_of(machine, KnownPython(machine.settings, machine))
        self._sessions.append(session)
        self._labs.append(lab)
        [replay] = lab.findChildren(LabReplay)
        self._qtbot.waitUntil(lambda: replay.up_to_date, timeout=PATIENCE)
        return lab, replay, session

    def end(self) -> None:
        self.said.stop()
        for lab in self._labs:
            lab.stop()
        for session in self._sessions:
            assert session.stop(5.0)


@pytest.fixture
def recorded(lab: Lab, tmp_path: Path, qtbot: QtBot) -> Iterator[Recorded]:
    recorded = Recorded(lab, tmp_path / "lab.gpurec", qtbot)
    yield recorded
    recorded.end()


def known(ledger: Ledger) -> dict[str, object]:
    """All that it knows."""
    return vars(ledger)


def busy_session(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> None:
    run(lab, worker, "X = torch.ones(2, 3, device='cuda:0')", tensor("X"))
    number = lab.run("Y = X.cuda(1)", by_form=True)
    worker.say(Began(number), Printed(number, "hello\n"), across(number), read(number))
    worker.done(tensor("Y", "cuda:1"))
    lab.run("1 / 0")
    worker.fail("error", "ZeroDivisionError", "division by zero")
    number = lab.run("del Y", cures=3)
    worker.say(Began(number), Freed(number, "Y"), Finished(number, 1e-6))
    qtbot.waitUntil(lambda: not lab.ledger.unfinished)


def test_a_lab_comes_back_whole_out_of_its_recording(
    lab: Lab, worker: ScriptedWorker, recorded: Recorded, qtbot: QtBot
) -> None:
    busy_session(lab, worker, qtbot)
    shown, replay, _ = recorded.open()
    assert known(shown.ledger) == known(lab.ledger)
    assert shown.flags.cards == lab.flags.cards
    assert replay.left_out == 0
    assert shown.stage is Stage.RECORDED


def test_flags_stand_where_the_cells_began(
    lab: Lab, worker: ScriptedWorker, recorded: Recorded, qtbot: QtBot
) -> None:
    number = run(lab, worker, "X = torch.ones(2, 3, device='cuda:0')", tensor("X"))
    qtbot.waitUntil(lambda: lab.course.began_at.get(number) is not None)
    shown, _, session = recorded.open()
    [card, _] = session.cards()
    [flag] = [
        each
        for each in shown.flags.of(card.id, session.recording.began, session.recording.ended)
        if each.number
    ]
    assert flag.code == "X = torch.ones(2, 3, device='cuda:0')"
    assert session.recording.began <= flag.at <= session.recording.ended


def test_where_the_playhead_goes_back_the_last_cell_is_gone_and_forward_it_is_there_again(
    lab: Lab, worker: ScriptedWorker, recorded: Recorded, qtbot: QtBot
) -> None:
    run(lab, worker, "X = torch.ones(2, 3, device='cuda:0')", tensor("X"))
    run(lab, worker, "Y = X.cuda(1)", tensor("Y", "cuda:1"))
    qtbot.waitUntil(lambda: "Y" in lab.ledger.things)
    shown, _, session = recorded.open()
    last = shown.course.began_at.get(2)
    assert last is not None
    session.playhead.seek(last - 1e-6)
    qtbot.waitUntil(lambda: shown.ledger.cells[-1].state == "waiting")
    assert shown.ledger.cells[-1].code.startswith("Y")
    assert set(shown.ledger.things) == {"X"}
    session.playhead.seek(session.recording.began)
    qtbot.waitUntil(lambda: not shown.ledger.cells)
    session.playhead.seek(session.recording.ended)
    qtbot.waitUntil(lambda: set(shown.ledger.things) == {"X", "Y"})


def test_what_was_there_before_comes_first_and_has_no_flag(
    lab: Lab, worker: ScriptedWorker, tmp_path: Path, qtbot: QtBot
) -> None:
    busy_session(lab, worker, qtbot)
    recorded = Recorded(lab, tmp_path / "late.gpurec", qtbot)
    number = run(lab, worker, "W = X", tensor("W"))
    qtbot.waitUntil(lambda: "W" in lab.ledger.things)
    shown, _, _ = recorded.open()
    here, there = lab.ledger, shown.ledger
    assert [each.code for each in there.cells] == [each.code for each in here.cells]
    assert [each.state for each in there.cells] == [each.state for each in here.cells]
    assert [each.outputs for each in there.cells] == [each.outputs for each in here.cells]
    assert [each.transfers for each in there.cells] == [each.transfers for each in here.cells]
    assert there.things.keys() == here.things.keys()
    assert shown.course.began_at.get(1) is None
    assert shown.course.began_at.get(number) is not None
    recorded.end()


def test_nothing_runs_in_a_recording(
    lab: Lab, worker: ScriptedWorker, recorded: Recorded, qtbot: QtBot
) -> None:
    run(lab, worker, "X = 1")
    shown, _, _ = recorded.open()
    before = len(shown.ledger.cells)
    for attempt in (
        lambda: shown.run("import os"),
        lambda: shown.run_all(["import os"]),
        lambda: shown.open_cells(["import os"], "a.py"),
        shown.replay,
        lambda: shown.answer(1, "x"),
    ):
        with pytest.raises(Trouble, match=r"^This is a recording"):
            attempt()
    shown.complete("impo", 4)
    shown.look_into("X")
    shown.evaluate(["X"], {})
    shown.restart()
    copies = copies_of(shown)
    copies.measure([CopyJob("cpu", "cuda:0", 1 << 20)])
    assert copies.sentence == "This is a recording: nothing runs in it."
    copies.end()
    assert len(shown.ledger.cells) == before
    assert shown.stage is Stage.RECORDED
    assert not shown.can_replay


def test_copies_that_were_measured_come_back_and_go_with_the_playhead(
    lab: Lab, recorded: Recorded, qtbot: QtBot
) -> None:
    result = one_way("2xTitanRTX", "cpu", "cuda:0")
    assert isinstance(result, CopyResult)
    lab.note(result)
    shown, _, session = recorded.open()
    copies = copies_of(shown)
    [back] = copies.results.values()
    assert back.measured == result.measured
    assert back.rate == result.rate
    with qtbot.waitSignal(copies.changed):
        session.playhead.seek(session.recording.began)
    assert not copies.results
    copies.end()


def test_a_program_that_was_watched_comes_back(
    machine: MachineState, worker: ScriptedWorker, tmp_path: Path, qtbot: QtBot
) -> None:
    python = KnownPython(machine.settings, machine)
    lab = Lab(machine, python, worker.start, start_program=worker.starting)
    recorded = Recorded(lab, tmp_path / "program.gpurec", qtbot)
    lab.program.start(Chosen(Path("/home/ada/train.py"), "print(1)", ("--fast",)))
    worker.say(Began(1), Printed(1, "1\n"), Finished(1, 0.5))
    worker.ended_with = 0
    worker.end("It ended.")
    qtbot.waitUntil(lambda: lab.program.phase is Phase.ENDED)
    shown, _, session = recorded.open()
    program = shown.program
    assert program.chosen == lab.program.chosen
    assert program.phase is Phase.ENDED
    assert program.cell == lab.program.cell
    assert program.seconds == pytest.approx(lab.program.seconds, abs=0.1)
    with qtbot.waitSignal(program.begun):
        session.playhead.seek(session.recording.began)
    assert program.chosen is None
    recorded.end()
    lab.stop()


def test_lines_that_cannot_be_read_are_counted_and_the_rest_is_shown(
    lab: Lab, worker: ScriptedWorker, recorded: Recorded, qtbot: QtBot
) -> None:
    run(lab, worker, "X = 1")
    qtbot.waitUntil(lambda: lab.ledger.cells[-1].state == "done")
    for line in ("", "[]", '{"is":"printed","id":1,"text":5}', "{" * 100_000):
        recorded.recorder.put_said(Topic.EVENT, line)
    shown, replay, _ = recorded.open()
    assert [each.code for each in shown.ledger.cells][-1] == "X = 1"
    assert replay.left_out == 4
    assert "4 lines about the lab in this file cannot be read" in shown.said_of_recording


def test_no_answer_of_a_person_is_kept(
    lab: Lab, worker: ScriptedWorker, recorded: Recorded, tmp_path: Path, qtbot: QtBot
) -> None:
    number = lab.run("getpass()")
    worker.say(Began(number), Asked(number, "password", "Password: "))
    qtbot.waitUntil(lambda: lab.ledger.cells[-1].asked is not None)
    lab.answer(number, "swordfish")
    recorded.open()
    assert b"swordfish" not in (tmp_path / "lab.gpurec").read_bytes()


def test_without_names_nothing_that_the_lab_said_is_kept(
    lab: Lab, worker: ScriptedWorker, tmp_path: Path, qtbot: QtBot
) -> None:
    run(lab, worker, "before = 'swordfish'")
    recorded = Recorded(lab, tmp_path / "anonymous.gpurec", qtbot, anonymous=True)
    run(lab, worker, "after = 'swordfish'")
    qtbot.waitUntil(lambda: lab.ledger.cells[-1].state == "done")
    shown, _, _ = recorded.open()
    assert shown.ledger.cells == []
    assert b"swordfish" not in (tmp_path / "anonymous.gpurec").read_bytes()
    recorded.end()


def test_what_a_failure_meant_and_whence_memory_came_is_told_in_a_recording(
    lab: Lab, worker: ScriptedWorker, recorded: Recorded, qtbot: QtBot
) -> None:
    run(lab, worker, "X = torch.ones(2, 3, device='cuda:0')", tensor("X"))
    lab.run("X @ X")
    worker.fail("shapes", "RuntimeError", "mat1 and mat2 shapes cannot be multiplied")
    qtbot.waitUntil(lambda: bool(lab.course.meanings))
    shown, _, _ = recorded.open()
    assert shown.course.meanings == lab.course.meanings
    assert shown.course.causes == lab.course.causes != {}


def test_a_lab_that_begins_anew_while_it_is_recorded_begins_anew_in_the_recording(
    machine: MachineState, worker: ScriptedWorker, recorded: Recorded, qtbot: QtBot
) -> None:
    run(recorded.lab, worker, "X = 1")
    qtbot.waitUntil(lambda: recorded.lab.ledger.cells[-1].state == "done")
    recorded.said.stop()
    another = Lab(machine, KnownPython(machine.settings, machine), ScriptedWorker().start)
    recorded.said = LabRecording(another, recorded.recorder)
    shown, _, _ = recorded.open()
    assert shown.ledger.cells == []
    another.stop()


def test_what_the_lab_does_goes_into_the_recording_that_the_window_makes(
    lab: Lab, worker: ScriptedWorker, tmp_path: Path, qtbot: QtBot
) -> None:
    making = RecordingState()
    making.follow(lab.machine.session)
    making.follow_lab(lab)
    run(lab, worker, "X = 1")
    qtbot.waitUntil(lambda: lab.ledger.cells[-1].state == "done")
    making.start(tmp_path / "made.gpurec")
    qtbot.waitUntil(lambda: making.phase is RecordingPhase.RECORDING)
    run(lab, worker, "Y = 2")
    qtbot.waitUntil(lambda: lab.ledger.cells[-1].state == "done")
    with qtbot.waitSignal(making.ended):
        making.stop()
    recording = open_recording(tmp_path / "made.gpurec")
    noted = [noted_of(each.what, each.text) for each in recording.said()]
    recording.close()
    codes = [each.code for each in noted if isinstance(each, Sent) and each.number]
    assert codes == ["X = 1", "Y = 2"]
    making.stop_now()


@needs_torch
@pytest.mark.long
def test_a_session_of_a_real_worker_comes_back_whole(
    machine: MachineState, tmp_path: Path, qtbot: QtBot
) -> None:
    lab = lab_of(machine, ThisPython(machine.settings, machine))
    recorded = Recorded(lab, tmp_path / "real.gpurec", qtbot)
    for code in (
        "X = torch.ones(64, 64, device='cuda:0')",
        "Y = X.cuda(1)\nprint(float(Y.sum()))",
        "losses = []\nfor step in range(5):\n    losses.append((X * step).mean().item())",
        "X @ torch.ones(3, device='cuda:0')",
        "del Y",
    ):
        lab.run(code)
        qtbot.waitUntil(lambda: not lab.ledger.unfinished, timeout=60_000)
    shown, replay, _ = recorded.open()
    assert known(shown.ledger) == known(lab.ledger)
    assert replay.left_out == 0
    assert [each.state for each in shown.ledger.cells] == [*["done"] * 4, "failed", "done"]
    recorded.end()
    lab.stop()
