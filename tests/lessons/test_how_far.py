"""How near a prediction came, in the words that window and page share."""

import pytest

from gpuexplorer.lessons.lesson import Expression, Predict
from gpuexplorer.lessons.predicting import how_far
from gpuexplorer.lessons.step_play import Prediction, Revealed

SHARE = Predict(1, "How fast?", Expression(1, "rate"), "GB/s")
FACTOR = Predict(1, "How fast?", Expression(1, "rate"), "GB/s", within=0.0, factor=1.5)
CHOICE = Predict(1, "Where?", choices=("Here", "There"), right=1)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (40, "4 times too much."),
        (1, "10 times too little."),
        (12.34, "23 % too much."),
        (9.7, "3 % too little."),
        (10, "Exactly what was measured."),
        (-3, "Not what was measured."),
        (0, "Not what was measured."),
    ],
)
def test_how_far_off_somebody_was_is_told(said: float, words: str) -> None:
    shown = Revealed(10.0, right=False)
    told = how_far(SHARE, Prediction(str(said), said), shown)
    assert told == f"{words} Up to 20 % off counts as right."
    told = how_far(FACTOR, Prediction(str(said), said), shown)
    assert told == f"{words} Up to a factor of 1.5 off counts as right."


@pytest.mark.parametrize("right", [True, False])
def test_of_a_choice_it_is_told_whether_it_was_right(*, right: bool) -> None:
    said = Prediction(CHOICE.choices[right], float(right))
    assert (how_far(CHOICE, said, Revealed(right=right)) == "You were right.") == right


def test_nothing_is_told_where_nobody_predicted_or_nothing_was_measured() -> None:
    assert how_far(SHARE, None, Revealed(10.0)) == ""
    assert how_far(SHARE, Prediction("3", 3.0), Revealed(right=None)) == ""
