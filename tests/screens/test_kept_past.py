"""What is read is kept from one start to the next, where a person chose so, and else not."""

from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.settings.dialog import SETTINGS_KEYS
from gpuexplorer.recording.recording import open_recording
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def data(*_: object, **__: object) -> Path:
        return tmp_path / "data"

    monkeypatch.setattr(platformdirs, "user_data_path", data)
    return tmp_path / "data" / "past"


def open_settings(person: Person) -> None:
    person.press(SETTINGS_KEYS)
    person.press("Down")


def choose(person: Person, *options: str) -> None:
    open_settings(person)
    for option in options:
        person.click(option, within="Recordings")
    person.press("Esc")
    person.waits(person.window.isActiveWindow)


def kept(folder: Path) -> Callable[[], bool]:
    return lambda: sum(each.stat().st_size for each in folder.glob("*.gpurec*")) > 100_000


def test_nothing_is_kept_unless_somebody_chose_it(
    open_program: OpenProgram, folder: Path
) -> None:
    person = open_program()
    open_settings(person)
    person.sees("Nothing. It would go to", within="Recordings")
    assert not folder.exists()


def test_plots_begin_with_what_was_kept_before(open_program: OpenProgram, folder: Path) -> None:
    person = open_program(past=None, interval=0.2)
    choose(person, "7 days")
    person.waits(kept(folder))
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
    again.waits(kept(folder))


def test_it_is_forgotten_at_once_and_turned_off(
    open_program: OpenProgram, folder: Path
) -> None:
    person = open_program(interval=0.2)
    choose(person, "1 day")
    person.waits(kept(folder))
    open_settings(person)
    person.click("Off", within="Recordings")
    person.sees("KiB in", within="Recordings")
    person.click("Forget it now")
    person.sees("Nothing. It would go to", within="Recordings")
    assert list(folder.iterdir()) == []


def test_a_second_window_that_would_keep_the_same_says_why_it_does_not(
    open_program: OpenProgram, folder: Path
) -> None:
    person = open_program(interval=0.2)
    choose(person, "3 days")
    person.waits(kept(folder))
    other = open_program(past=None)
    other.sees("The past is kept by another GPU Explorer already")


def test_other_simulated_cards_do_not_get_the_past_of_these(
    open_program: OpenProgram, folder: Path
) -> None:
    person = open_program(interval=0.2)
    choose(person, "3 days")
    person.waits(kept(folder))
    person.closes()
    other = open_program(simulate="3xH100", past=None)
    other.waits(lambda: len(list(folder.glob("*.gpurec"))) == 2)
