"""Lessons: begun from the list, read beside whatever is seen, played in the real lab."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from gpuexplorer.lessons import reading
from tests.lab.processes import needs_torch
from tests.screens.at_the_bench import PATIENCE, kill_worker
from tests.screens.conftest import OpenProgram, no_cards
from tests.screens.person import Person

IDLE = "2xTitanRTX+idle"
ONE_KEY = "Ctrl+Shift+Return"
TWO_STEPS = Path(__file__).parents[1] / "lessons" / "two-steps"
TITLE, FIRST, SECOND = "Two steps", "Where does it live?", "What does a copy cost?"
LESSON = f"Lesson: {TITLE}"


@pytest.fixture(autouse=True)
def one_lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that comes with one short lesson."""
    shutil.copytree(TWO_STEPS, tmp_path / "own" / "01-two-steps")
    monkeypatch.setattr(reading, "_folder", lambda: tmp_path / "own")


def opened(
    open_program: OpenProgram, simulate: str = IDLE, size: tuple[int, int] = (1366, 768)
) -> Person:
    person = open_program(simulate=simulate, past=None, interval=0.25, size=size)
    person.patience = 15_000
    person.go_to("Lessons")
    person.sees(TITLE)
    return person


def begun(
    open_program: OpenProgram, simulate: str = IDLE, size: tuple[int, int] = (1366, 768)
) -> Person:
    person = opened(open_program, simulate, size)
    person.click("Begin")
    person.sees(FIRST, within=LESSON)
    return person


def reads_on(person: Person, until: str) -> None:
    """Page by page, as long as something stands further down."""

    def there() -> bool:
        said = person.said(LESSON)
        if "Read on" in said:
            person.press(ONE_KEY)
        return until in said

    person.waits(there)


def opens_lesson(person: Person, path: Path) -> None:
    person.click("Open a lesson…")
    person.saves_as(path)  # the question looks the same


def test_a_lesson_stays_beside_every_screen_locks_nobody_in_and_goes_on_where_it_was_left(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = opened(open_program)
    [row] = person.rows("Lessons")
    assert row == ("1", TITLE, "5", "PyTorch", "nothing is missing", "not begun")
    person.sees("How much memory a first tensor costs.")
    broken = tmp_path / "broken.md"
    text = (TWO_STEPS / "lesson.md").read_text("utf-8")
    broken.write_text(text.replace("```check", "```chek"), "utf-8")
    opens_lesson(person, broken)
    person.sees("broken.md, line ", "'chek' is no block that can stand here.", "These can: ")
    assert len(person.rows("Lessons")) == 1
    person.click("Begin")
    person.sees(FIRST, within=LESSON)
    for key, seen in (("1", "All cards"), ("7", "New copy"), ("5", "Nothing yet")):
        person.press("F6", key)
        person.sees(seen, FIRST)
    person.press("Ctrl+Shift+B")
    person.does_not_see(FIRST)
    person.press("F6")
    person.sees(FIRST)
    skip = person.find("Skip this step", within=LESSON)
    assert skip.widget.property("kind") == "icon"  # no button that stands out
    person.press("Alt+PgDown")
    person.sees(SECOND, within=LESSON)
    person.press("Alt+PgUp")
    person.sees(FIRST, within=LESSON)
    person.choose("Steps of the lesson", f"2 {SECOND}")
    person.sees(SECOND, within=LESSON)
    person.runs("Lesson: export")
    asked = [each for each in person.window.findChildren(QFileDialog) if each.isVisible()]
    assert Path(asked[0].selectedFiles()[0]).name.startswith("simulated-01-two-steps-")
    person.saves_as(tmp_path / "played.html")
    person.sees("Saved to", within=LESSON)
    assert TITLE in (tmp_path / "played.html").read_text("utf-8")
    person.window.activateWindow()
    person.runs("Lesson: leave")
    person.does_not_see(SECOND)
    person.closes()
    again = opened(open_program)
    again.click("Go on")
    again.sees("2 of 2", SECOND)
    again.runs("Lesson: begin anew")
    again.sees("1 of 2", FIRST)


@needs_torch
@pytest.mark.long
def test_a_lesson_is_played_to_its_end_by_clicks(open_program: OpenProgram) -> None:
    person = begun(open_program)
    person.click("On the processor", within=LESSON)
    person.click("Predict", within="Prediction")
    person.sees("Your prediction is kept", within=LESSON)
    person.click("Run", within="Cell")
    person.sees("Check passed.", "cpu", within=LESSON)
    person.click("Next step", within=LESSON)
    person.sees(SECOND, within=LESSON)
    person.type_into("How fast do the 256 MiB get there?", "12")
    person.press("Return")
    person.click("Run next cell", within=LESSON)
    person.sees("Done · cuda:0", "Run next cell", within=LESSON)
    person.click("Run next cell", within=LESSON)
    person.sees("Read on", "what the wire can carry", within=LESSON)
    reads_on(person, "Finish")
    person.click("Finish", within=LESSON)
    person.waits(lambda: person.rows("Lessons")[0][-1] == "done")
    person.does_not_see(SECOND)


@needs_torch
def test_one_key_leads_to_what_comes_next(open_program: OpenProgram) -> None:
    person = begun(open_program)
    person.sees("Predict first", within=LESSON)
    person.press(ONE_KEY)
    assert person.keyboard_is_on() == "On the processor"
    person.press("Space", ONE_KEY)
    person.sees("Your prediction is kept", within=LESSON)
    person.press(ONE_KEY)
    person.sees("Check passed.", within=LESSON)
    reads_on(person, "Next step")
    person.press(ONE_KEY)
    person.sees(SECOND, within=LESSON)


@pytest.mark.long
def test_without_a_card_the_lesson_offers_two_idle_ones_and_goes_on_there(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    file = tmp_path / "own" / "01-two-steps" / "lesson.md"
    file.write_text(file.read_text("utf-8").replace("needs: pytorch", "needs: pytorch, card"))
    person = open_program(real=no_cards)
    person.patience = PATIENCE
    person.press("8")
    person.sees(TITLE)
    assert person.rows("Lessons")[0][-2] == "no card"
    person.click("Begin")
    person.press("Alt+PgDown")
    person.sees("No graphics card answers here.", "every screen says SIMULATED")
    person.click("Use two simulated cards")
    person.sees("so these are 2 simulated cards", SECOND)
    person.does_not_see("No graphics card answers here.")
    person.sees("cell of the steps before", within=LESSON)


@needs_torch
def test_a_lesson_from_outside_shows_its_cells_and_asks_before_the_first_runs(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = opened(open_program)
    mine = tmp_path / "mine"
    shutil.copytree(TWO_STEPS, mine)
    opens_lesson(person, mine / "lesson.md")
    person.sees("from outside")
    person.click("Begin")  # it is the one that is chosen
    person.sees(FIRST, within=LESSON)
    person.click("Run", within="Cell")
    person.sees("Let this lesson run its cells?", "y = torch.ones(64, 1024, 1024)", str(mine))
    person.click("Don't run them")
    person.sees("Not run yet", within=LESSON)
    person.click("Run", within="Cell")
    person.click("Let it run")
    person.click("Run", within="Cell")
    person.sees("Check passed.", within=LESSON)


@needs_torch
@pytest.mark.long
def test_a_worker_that_dies_is_told_of_and_what_it_held_can_be_made_again(
    open_program: OpenProgram,
) -> None:
    person = begun(open_program)
    person.click("Run", within="Cell")
    person.sees("Next step", within=LESSON)
    person.press(ONE_KEY)
    person.sees(SECOND, within=LESSON)
    kill_worker(person)
    person.sees("1 cell of the steps before is not in the lab's session", within=LESSON)
    person.click("Run that cell", within=LESSON)
    person.does_not_see("of the steps before")


@needs_torch
@pytest.mark.long
def test_a_card_that_is_lost_is_told_of_beside_the_step(open_program: OpenProgram) -> None:
    person = open_program(
        simulate=IDLE, fault="lost:0@12s", past=None, interval=0.25, size=(1366, 768)
    )
    person.patience = PATIENCE
    person.go_to("Lessons")
    person.sees(TITLE)
    person.click("Begin")
    person.click("Run", within="Cell")
    person.sees("Next step", within=LESSON)
    person.sees("cuda:0 does not answer any more; what lay there is lost.", within=LESSON)


def test_where_both_have_no_room_the_screen_that_is_opened_comes_first(
    open_program: OpenProgram,
) -> None:
    person = begun(open_program, size=(640, 480))
    person.sees(FIRST)
    person.does_not_see("Type Python here")
    person.press("6")
    person.does_not_see(FIRST)
    person.click("Unfold the lesson")
    person.sees(FIRST)
