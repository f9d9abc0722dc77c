"""A person records, opens it again, hands it on; and a past is kept where somebody chose so."""

from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QMessageBox

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.settings.dialog import SETTINGS_KEYS
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
    taken = tmp_path / "taken.gpurec"
    taken.write_bytes(b"mine")
    person.click("Record")
    answers(person, taken)
    person.sees("taken.gpurec", "is there already")
    assert taken.read_bytes() == b"mine"
    person.go_to("Processes")
    person.sees("is there already")  # until it was read
    person.click("Close the notice")
    person.does_not_see("is there already")
    path = tmp_path / "night.gpurec"
    record(person, path)
    person.sees("Recording, 0:00:01")
    person.press("Ctrl+R")
    person.sees("Recorded ", "into night.gpurec", "Open it", "Save a report…")
    recording = open_recording(path)
    assert len(recording.cards()) == 2
    assert recording.runs[-1].whole
    recording.close()
    person.click("Show in folder")
    assert [each.toLocalFile() for each in shown] == [str(tmp_path)]
    person.does_not_see("into night.gpurec")


def test_names_can_be_left_out_and_what_is_no_recording_is_refused_in_a_sentence(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_program()
    (tmp_path / "photo.gpurec").write_bytes(b"\x89PNG" * 4000)
    person.runs("Open a recording")
    answers(person, tmp_path / "photo.gpurec")
    person.sees("photo.gpurec")
    person.sees("TITAN RTX")
    person.runs("Record without names, command lines and users")
    answers(person, tmp_path / "shared.gpurec")
    person.sees("Recording, 0:00:0")
    person.click("Recording, ")
    person.sees("into shared.gpurec")
    recording = open_recording(tmp_path / "shared.gpurec")
    assert recording.anonymous
    recording.close()


@pytest.mark.long
@pytest.mark.parametrize("end", ["other cards", "the program"])
def test_other_cards_and_the_end_of_the_program_end_it(
    open_program: OpenProgram, tmp_path: Path, end: str
) -> None:
    person = open_program()
    record(person, tmp_path / "last.gpurec")
    if end == "other cards":
        person.runs("Open the lab on two idle simulated cards")
        person.sees("other cards are read now", "into last.gpurec")
    else:
        person.closes()
    recording = open_recording(tmp_path / "last.gpurec")
    assert recording.runs[-1].whole
    recording.close()


@pytest.fixture
def hour(tmp_path: Path) -> Path:
    return make_recording(tmp_path / "lesson.gpurec", "2xH100", 120.0)


def test_a_recording_is_looked_at_played_handed_on_and_left_again(
    open_program: OpenProgram, hour: Path, tmp_path: Path
) -> None:
    person = open_program()
    person.runs("Open a recording")
    answers(person, hour)
    person.sees("Recording of ", "2 cards", "simulated cards: every figure is made up")
    person.sees("SIMULATED, recording", "21 Sep", "H100")
    assert person.cannot_press("Record")
    assert person.cannot_press("Stop simulating")
    person.click("Back to the live cards")
    person.does_not_see("Recording of ", "H100")
    person.sees("TITAN RTX")
    person.runs("Open lesson.gpurec")
    person.sees("Recording of ")
    person.press("F8")
    person.sees("Pause the recording")
    person.press("Space")
    person.sees("Play the recording")
    before = person.said("Replay")
    person.press("F9")
    person.waits(lambda: person.said("Replay") != before)
    person.runs("Save a report of this recording")
    answers(person, tmp_path / "report.html")
    person.sees(f"Saved to {tmp_path / 'report.html'}")
    assert "H100" in (tmp_path / "report.html").read_text("utf-8")
    person.runs("Export this recording")
    answers(person, tmp_path / "table.csv")
    person.sees(f"Saved to {tmp_path / 'table.csv'}")
    assert (tmp_path / "table.csv").read_text("utf-8").count("\n") > 60
    own = hour.read_bytes()
    person.runs("Export this recording")
    agreeing = QTimer(person.window, interval=20)  # Qt asks whether it may be replaced
    agreeing.timeout.connect(agree)
    agreeing.start()
    answers(person, hour)
    agreeing.stop()
    person.sees(f"{hour.name} is the recording itself.")
    assert hour.read_bytes() == own


@pytest.mark.long
def test_recording_goes_on_while_one_looks_at_another_or_at_what_was_recorded_so_far(
    open_program: OpenProgram, hour: Path, tmp_path: Path
) -> None:
    person = open_program(interval=0.2)
    record(person, tmp_path / "now.gpurec")
    person.runs("Open a recording")
    answers(person, hour)
    person.sees("Recording of ", "Recording, 0:00:0")
    person.click("Back to the live cards")
    person.sees("Recording, 0:00:03")
    person.runs("Open a recording")
    answers(person, tmp_path / "now.gpurec")
    person.sees("Recording of ", "It is being written just now", "Recording, 0:00:0")
    person.click("Back to the live cards")
    person.click("Recording, 0:00:0")
    person.sees("into now.gpurec")


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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def data(*_: object, **__: object) -> Path:
        return tmp_path / "data"

    monkeypatch.setattr(platformdirs, "user_data_path", data)
    return tmp_path / "data" / "past"


def open_settings(person: Person) -> None:
    person.press(SETTINGS_KEYS)
    person.press("Down")


def choose(person: Person, option: str) -> None:
    open_settings(person)
    person.click(option, within="Recordings")
    person.press("Esc")
    person.waits(person.window.isActiveWindow)


def kept(folder: Path) -> Callable[[], bool]:
    return lambda: sum(each.stat().st_size for each in folder.glob("*.gpurec*")) > 100_000


def test_nothing_is_kept_unless_somebody_chose_it_and_it_is_forgotten_at_once(
    open_program: OpenProgram, folder: Path
) -> None:
    person = open_program(interval=0.2)
    open_settings(person)
    person.sees("Nothing. It would go to", within="Recordings")
    assert not folder.exists()
    person.press("Esc")
    person.waits(person.window.isActiveWindow)
    choose(person, "1 day")
    person.waits(kept(folder))
    open_settings(person)
    person.click("Off", within="Recordings")
    person.sees("KiB in", within="Recordings")
    person.click("Forget it now")
    person.sees("Nothing. It would go to", within="Recordings")
    assert list(folder.iterdir()) == []


def test_plots_begin_with_what_was_kept_before_and_others_do_not_get_it(
    open_program: OpenProgram, folder: Path
) -> None:
    person = open_program(past=None, interval=0.2)
    choose(person, "7 days")
    person.waits(kept(folder))
    other = open_program(past=None)
    other.sees("The past is kept by another GPU Explorer already")
    other.closes()
    person.closes()
    [path] = folder.glob("*.gpurec")
    before = open_recording(path)
    began, run = before.wall(before.began), before.runs[-1]
    before.close()
    assert run.whole
    assert run.machine.source.simulated
    again = open_program(past=None)
    assert isinstance(again.window, MainWindow)
    shown = again.window.time_window
    assert shown.wall(shown.began) == pytest.approx(began, abs=0.5)
    again.closes()
    others = open_program(simulate="3xH100", past=None)
    others.waits(lambda: len(list(folder.glob("*.gpurec"))) == 2)
