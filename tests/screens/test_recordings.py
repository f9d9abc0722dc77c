"""A person records what is read, opens it again, and hands it on."""

from pathlib import Path

import pytest
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QMessageBox

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.recording import open_recording
from tests.recording.made import make_recording
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person


def answers(person: Person, path: Path) -> None:
    """Without a desktop no window comes to the front again by itself."""
    person.saves_as(path)
    person.window.activateWindow()


def agree() -> None:
    asking = QApplication.activeModalWidget()
    if isinstance(asking, QMessageBox):
        asking.button(QMessageBox.StandardButton.Yes).click()


def record(person: Person, path: Path) -> None:
    person.click("Record")
    answers(person, path)
    person.sees("Recording, 0:00:0")


def test_one_press_asks_where_and_records_and_the_next_ends_it(
    open_program: OpenProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", shown.append)
    person = open_program(interval=0.2)
    path = tmp_path / "night.gpurec"
    record(person, path)
    person.sees("Recording, 0:00:02")
    person.press("Ctrl+R")
    person.sees("Recorded 2 s", "into night.gpurec", "Open it", "Save a report…")
    recording = open_recording(path)
    assert len(recording.cards()) == 2
    assert recording.runs[-1].whole
    recording.close()
    person.click("Show in folder")
    assert [each.toLocalFile() for each in shown] == [str(tmp_path)]
    person.does_not_see("into night.gpurec")


def test_names_can_be_left_out(open_program: OpenProgram, tmp_path: Path) -> None:
    person = open_program()
    person.runs("Record without names, command lines and users")
    answers(person, tmp_path / "shared.gpurec")
    person.sees("Recording, 0:00:0")
    person.click("Recording, ")
    person.sees("into shared.gpurec")
    recording = open_recording(tmp_path / "shared.gpurec")
    assert recording.anonymous
    recording.close()


def test_what_cannot_be_recorded_is_said_and_stays_until_it_was_read(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_program()
    taken = tmp_path / "taken.gpurec"
    taken.write_bytes(b"mine")
    person.click("Record")
    answers(person, taken)
    person.sees("taken.gpurec", "is there already")
    assert taken.read_bytes() == b"mine"
    person.go_to("Processes")
    person.sees("is there already")
    person.click("Close the notice")
    person.does_not_see("is there already")
    record(person, tmp_path / "free.gpurec")


def test_the_end_of_the_program_is_the_end_of_the_recording(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_program()
    path = tmp_path / "last.gpurec"
    record(person, path)
    person.closes()
    recording = open_recording(path)
    assert recording.runs[-1].whole
    recording.close()


def test_other_cards_end_it_with_a_sentence(open_program: OpenProgram, tmp_path: Path) -> None:
    person = open_program()
    record(person, tmp_path / "before.gpurec")
    person.runs("Open the lab on two idle simulated cards")
    person.sees("other cards are read now", "into before.gpurec")


@pytest.fixture
def hour(tmp_path: Path) -> Path:
    return make_recording(tmp_path / "lesson.gpurec", "2xH100", 120.0)


def opened(open_program: OpenProgram, path: Path) -> Person:
    person = open_program()
    person.runs("Open a recording")
    answers(person, path)
    person.sees("Recording of ", "2 cards", "simulated cards: every figure is made up")
    return person


def test_a_recording_says_what_one_looks_at_and_leads_back(
    open_program: OpenProgram, hour: Path
) -> None:
    person = opened(open_program, hour)
    person.sees("SIMULATED, recording", "21 Sep", "H100")
    assert person.cannot_press("Record")
    assert person.cannot_press("Stop simulating")
    person.click("Back to the live cards")
    person.does_not_see("Recording of ", "H100")
    person.sees("TITAN RTX")
    person.runs("Open lesson.gpurec")
    person.sees("Recording of ")


def test_recording_goes_on_while_one_looks_at_another(
    open_program: OpenProgram, hour: Path, tmp_path: Path
) -> None:
    person = open_program()
    record(person, tmp_path / "on.gpurec")
    person.runs("Open a recording")
    answers(person, hour)
    person.sees("Recording of ", "Recording, 0:00:0")
    person.click("Back to the live cards")
    person.click("Recording, 0:00:0")
    person.sees("into on.gpurec")


def test_keys_play_it_and_go_from_event_to_event(open_program: OpenProgram, hour: Path) -> None:
    person = opened(open_program, hour)
    person.press("F8")
    person.sees("Pause the recording")
    person.press("Space")
    person.sees("Play the recording")
    before = person.said("Replay")
    person.press("F9")
    person.waits(lambda: person.said("Replay") != before)


def test_it_is_handed_on_as_a_report_and_as_a_table(
    open_program: OpenProgram, hour: Path, tmp_path: Path
) -> None:
    person = opened(open_program, hour)
    person.runs("Save a report of this recording")
    answers(person, tmp_path / "report.html")
    person.sees(f"Saved to {tmp_path / 'report.html'}")
    assert "H100" in (tmp_path / "report.html").read_text("utf-8")
    person.runs("Export this recording")
    answers(person, tmp_path / "table.csv")
    person.sees(f"Saved to {tmp_path / 'table.csv'}")
    assert (tmp_path / "table.csv").read_text("utf-8").count("\n") > 60


def test_what_is_handed_on_never_takes_the_place_of_the_recording(
    open_program: OpenProgram, hour: Path
) -> None:
    own = hour.rename(hour.with_name("own.gpurec"))
    person = opened(open_program, own)
    before = own.read_bytes()
    person.runs("Export this recording")
    agreeing = QTimer(person.window, interval=20)  # Qt asks whether it may be replaced
    agreeing.timeout.connect(agree)
    agreeing.start()
    answers(person, own)
    agreeing.stop()
    person.sees(f"{own.name} is the recording itself.")
    assert own.read_bytes() == before


def test_what_is_no_recording_is_refused_in_a_sentence(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_program()
    (tmp_path / "photo.gpurec").write_bytes(b"\x89PNG" * 4000)
    person.runs("Open a recording")
    answers(person, tmp_path / "photo.gpurec")
    person.sees("photo.gpurec")
    person.sees("TITAN RTX")


def test_a_disk_that_fills_up_ends_it_with_a_sentence_and_keeps_what_there_is(
    open_program: OpenProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = open_program()
    path = tmp_path / "full.gpurec"
    record(person, path)
    full = Trouble("There is no room left on that disk.", "Make some, and record again.")
    monkeypatch.setattr(Recorder, "trouble", property(lambda _: full))
    person.sees("There is no room left on that disk. Make some", "into full.gpurec", "Open it")
    monkeypatch.undo()
    recording = open_recording(path)
    assert len(recording.cards()) == 2
    recording.close()


def test_what_is_recorded_just_now_can_be_looked_at_meanwhile(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_program(interval=0.2)
    record(person, tmp_path / "now.gpurec")
    person.sees("Recording, 0:00:03")
    person.runs("Open a recording")
    answers(person, tmp_path / "now.gpurec")
    person.sees("Recording of ", "It is being written just now", "Recording, 0:00:0")
    person.click("Back to the live cards")
    person.click("Recording, 0:00:0")
    person.sees("into now.gpurec")
