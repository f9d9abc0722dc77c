"""What a lesson's file says, once it is read."""

from pathlib import Path

from gpuexplorer.lessons.lesson import Check, Code, Point, Predict, Text, Why
from gpuexplorer.lessons.reading import problems, read

TWO_STEPS = Path(__file__).parent / "two-steps" / "lesson.md"


def test_a_lesson_has_a_title_minutes_needs_and_steps() -> None:
    lesson = read(TWO_STEPS)
    assert (lesson.name, lesson.title, lesson.minutes) == ("two-steps", "Two steps", 5)
    assert lesson.needs == ["pytorch"]
    assert lesson.about == "How much memory a first tensor costs."
    assert [each.title for each in lesson.steps] == [
        "Where does it live?",
        "What does a copy cost?",
    ]
    assert not problems(TWO_STEPS)


def test_the_parts_of_a_step_stand_in_the_order_in_which_they_are_read() -> None:
    first, second = read(TWO_STEPS).steps
    assert first.heading.strip()
    assert [type(each) for each in first.parts] == [Text, Predict, Code, Check, Why]
    assert [type(each) for each in second.parts] == [Point, Predict, Code, Check, Code]
    assert [each.fails for each in second.cells] == [False, True]
    assert second.needs[0].otherwise == "There is no card to copy to."
