"""What the column says comes next, and how the list says how far one came."""

import pytest

from gpuexplorer.gui.lessons.words import Next, first_screen, next_of, plain, progress_words
from gpuexplorer.lessons.lesson import Code, Lesson, Point, Predict, Step, Text
from tests.lessons.fake_rig import played, step

CELL = Code(10, "X = 1")
CHOICE = Predict(5, "Where?", choices=("here", "there"), right=0)


def test_one_predicts_then_runs_then_goes_on() -> None:
    player, rig = played(step(CHOICE, CELL), step(Text(20, "The end.")))
    assert next_of(player) is Next.PREDICT
    player.predict(CHOICE, "here")
    assert next_of(player) is Next.RUN
    player.run_next()
    assert next_of(player) is Next.WAIT
    rig.end()
    rig.answer()
    assert next_of(player) is Next.GO_ON
    player.go(1)
    assert next_of(player) is Next.END


def test_a_step_that_is_only_read_leads_to_the_next() -> None:
    player, _ = played(step(Text(1, "Read this.")), step(CELL))
    assert next_of(player) is Next.GO_ON


@pytest.mark.parametrize(
    ("done", "begun", "said"),
    [(0, False, "not begun"), (2, True, "2 of 7 steps"), (7, True, "done")],
)
def test_how_far_one_came_is_said_in_words(done: int, begun: bool, said: str) -> None:
    assert progress_words(done, 7, begun=begun) == said


def test_a_lesson_opens_where_its_first_step_points() -> None:
    def of(*parts: Text | Point) -> Lesson:
        player, _ = played(Step(1, "First", parts))
        return player.lesson

    assert first_screen(of(Text(1, "x"), Point(2, "overview.tiles"))) == "overview"
    assert first_screen(of(Point(2, "rail"))) == "lab"
    assert first_screen(of(Text(1, "x"))) == "lab"


def test_the_list_shows_no_marks_of_markdown() -> None:
    said = "One *learns* how `cuda:0`\nis [named](https://example.org)."
    assert plain(said) == "One learns how cuda:0 is named."
