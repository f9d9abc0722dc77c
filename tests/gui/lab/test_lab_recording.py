"""A lab that was recorded is shown again up to the playhead, and nothing runs in it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.copies.copies_state import copies_of
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Phase
from gpuexplorer.gui.state.lab.starting import LabRecording, LabReplay, lab_of
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.recording_state import RecordingPhase, RecordingState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.events import Asked, Began, Finished, Freed, Placed, Printed
from gpuexplorer.lab.session_files import OpenedCell
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.recording.lab_said import Sent, noted_of
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.recording.recorder import Listening, Recorder, machine_of
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.recording.schema import Topic
from tests.copies.made import one_way
from tests.gui.copies.conftest import across, read
from tests.gui.lab.conftest import KnownPython, ScriptedWorker, run, tensor
from tests.gui.lab.watched_programs import Told, program_lab

PATIENCE = 10_000
MAKE = "X = torch.ones(2, 3, device='cuda:0')"


class Recorded:
    """A lab, its worker and its recording; and the lab that shows it."""

    def __init__(
        self,
        lab: Lab,
        worker: ScriptedWorker,
        path: Path,
        qtbot: QtBot,
        *,
        anonymous: bool = False,
    ) -> None:
        session = lab.machine.session
        self.lab, self.worker, self.path, self.until = lab, worker, path, qtbot.waitUntil
        machine = machine_of(session)
        self.recorder = Recorder(path, machine, session.clock, anonymous=anonymous)
        self.listening = Listening(session, self.recorder)
        self.said = LabRecording(lab, self.recorder)
        self._parent = QObject()
        self._opened: list[tuple[RecordedSession, Lab]] = []

    def open(self) -> tuple[Lab, LabReplay, RecordedSession]:
        """As far as it goes."""
        self.said.stop()
        self.listening.stop()
        assert self.recorder.stop()
        session = RecordedSession(open_recording(self.path))
        session.start()
        machine = MachineState(session, Settings(), self._parent)
        lab = lab_of(machine, KnownPython(machine.settings, machine))
        self._opened.append((session, lab))
        [replay] = lab.findChildren(LabReplay)
        self.until(lambda: replay.up_to_date, timeout=PATIENCE)
        return lab, replay, session

    def end(self) -> None:
        self.said.stop()
        for session, lab in self._opened:
            lab.stop()
            assert session.stop(5.0)

    def ran(self, code: str, *placed: Placed) -> int:
        number = run(self.lab, self.worker, code, *placed)
        self.until(lambda: not self.lab.ledger.unfinished)
        return number

    def busy(self) -> None:
        lab, worker = self.lab, self.worker
        self.ran(MAKE, tensor("X"))
        number = lab.run("Y = X.cuda(1)", by_form=True)
        worker.say(Began(number), Printed(number, "hello\n"), across(number), read(number))
        worker.done(tensor("Y", "cuda:1"))
        lab.run("X @ X")
        worker.fail("shapes", "RuntimeError", "mat1 and mat2 shapes cannot be multiplied")
        number = lab.run_all(["del Y"], cures=3)[0]
        worker.say(Began(number), Freed(number, "Y"), Finished(number, 1e-6))
        self.until(lambda: not lab.ledger.unfinished)


Record = Callable[..., Recorded]


@pytest.fixture
def record(lab: Lab, worker: ScriptedWorker, tmp_path: Path, qtbot: QtBot) -> Iterator[Record]:
    made: list[Recorded] = []

    def begin(of: Lab = lab, *, anonymous: bool = False) -> Recorded:
        path = tmp_path / "lab.gpurec"
        made.append(Recorded(of, worker, path, qtbot, anonymous=anonymous))
        return made[-1]

    yield begin
    for each in made:
        each.end()


def test_a_lab_comes_back_whole_out_of_its_recording(lab: Lab, record: Record) -> None:
    (recorded := record()).busy()
    result = one_way("2xTitanRTX", "cpu", "cuda:0")
    assert isinstance(result, CopyResult)
    lab.note(result)
    shown, replay, session = recorded.open()
    held = [each.ledger.held_bytes("cuda:0") for each in (shown, lab)]
    assert held[0] == held[1]
    assert vars(shown.ledger) == vars(lab.ledger)  # all that it knows
    assert shown.course.cards == lab.course.cards
    assert shown.course.meanings == lab.course.meanings != {}
    assert (replay.left_out, shown.stage) == (0, Stage.RECORDED)
    began, ended = session.recording.began, session.recording.ended
    [first, *_] = shown.course.flags_of({session.cards()[0].id}, began, ended)
    assert began <= first.at <= ended
    copies = copies_of(shown)
    [back] = copies.results.values()
    assert (back.measured, back.rate) == (result.measured, result.rate)
    copies.end()


def test_what_was_there_before_comes_first_and_has_no_flag(lab: Lab, record: Record) -> None:
    (recorded := record()).busy()
    recorded.said.stop()
    recorded.said = LabRecording(lab, recorded.recorder)  # another one, of the same lab
    number = recorded.ran("W = X", tensor("W"))
    shown, _, _ = recorded.open()
    for here, there in zip(lab.ledger.cells, shown.ledger.cells, strict=True):
        assert (there.code, there.state) == (here.code, here.state)
        assert (there.outputs, there.transfers) == (here.outputs, here.transfers)
    assert shown.ledger.things.keys() == lab.ledger.things.keys()
    assert (1 in shown.course.began_at, number in shown.course.began_at) == (False, True)


def test_nothing_runs_in_a_recording(record: Record) -> None:
    recorded = record()
    recorded.ran("X = 1")
    shown, _, _ = recorded.open()
    before = len(shown.ledger.cells)
    for attempt in (
        lambda: shown.run("import os"),
        lambda: shown.run_all(["import os"]),
        lambda: shown.open_cells([OpenedCell("import os", "a.py")]),
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
    assert (len(shown.ledger.cells), shown.can_replay) == (before, False)
    assert shown.stage is Stage.RECORDED


def test_a_program_that_was_watched_comes_back(
    machine: MachineState, worker: ScriptedWorker, record: Record, qtbot: QtBot
) -> None:
    lab = program_lab(machine, worker)
    recorded, told = record(lab), Told(lab.program, worker)
    told.begin()
    told.print("1\n")
    told.end()
    qtbot.waitUntil(lambda: lab.program.phase is Phase.ENDED)
    shown, _, session = recorded.open()
    program = shown.program
    assert (program.chosen, program.phase) == (lab.program.chosen, Phase.ENDED)
    assert program.cell == lab.program.cell
    assert program.seconds == pytest.approx(lab.program.seconds, abs=0.1)
    with qtbot.waitSignal(program.begun):
        session.playhead.seek(session.recording.began)
    assert program.chosen is None
    lab.stop()


def test_lines_that_cannot_be_read_are_counted_and_the_rest_is_shown(record: Record) -> None:
    recorded = record()
    recorded.ran("X = 1")
    for line in ("", "[]", '{"is":"printed","id":1,"text":5}', "{" * 100_000):
        recorded.recorder.put_said(Topic.EVENT, line)
    shown, replay, _ = recorded.open()
    assert (shown.ledger.cells[-1].code, replay.left_out) == ("X = 1", 4)
    assert "4 lines about the lab in this file cannot be read" in shown.said_of_recording


def test_no_answer_of_a_person_is_kept_and_without_names_nothing_at_all(
    lab: Lab, record: Record, qtbot: QtBot
) -> None:
    named = record()
    number = lab.run("getpass()")
    named.worker.say(Began(number), Asked(number, "password", "Password: "))
    qtbot.waitUntil(lambda: lab.ledger.cells[-1].asked is not None)
    lab.answer(number, "swordfish")
    named.worker.say(Finished(number, 1e-6))
    named.open()
    assert b"swordfish" not in named.path.read_bytes()
    named.path.unlink()
    nameless = record(anonymous=True)
    nameless.ran("after = 'swordfish'")
    assert nameless.open()[0].ledger.cells == []
    assert b"swordfish" not in nameless.path.read_bytes()


def test_what_the_lab_does_goes_into_the_recording_that_the_window_makes(
    lab: Lab, worker: ScriptedWorker, tmp_path: Path, qtbot: QtBot
) -> None:
    making, path = RecordingState(), tmp_path / "made.gpurec"
    making.follow(lab.machine.session)
    making.follow_lab(lab)
    making.start(path)
    qtbot.waitUntil(lambda: making.phase is RecordingPhase.RECORDING)
    run(lab, worker, "Y = 2")
    qtbot.waitUntil(lambda: lab.ledger.cells[-1].state == "done")
    with qtbot.waitSignal(making.ended):
        making.stop()
    recording = open_recording(path)
    noted = [noted_of(each.what, each.text) for each in recording.said()]
    recording.close()
    assert [each.code for each in noted if isinstance(each, Sent) and each.number] == ["Y = 2"]
    making.stop_now()
