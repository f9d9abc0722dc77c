"""How values and layers are written, and which colour a value has."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from gpuexplorer.gui.lab.inside.inside import thing_facts
from gpuexplorer.gui.lab.inside.layers import (
    copies_between,
    held_words,
    parameters,
    shown_layers,
)
from gpuexplorer.gui.lab.inside.values import (
    ValueScale,
    value_text,
    writing_of,
    written,
)
from gpuexplorer.gui.theme.palette import Scheme, Theme, load_theme
from gpuexplorer.lab.events import Began, Layer, Part
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run
from tests.gui.lab.conftest import finished, tensor
from tests.gui.lab.looking import opened, two_cards


@pytest.mark.parametrize(
    ("dtype", "most", "value", "text"),
    [
        ("float32", 4.1, -1.5372, "−1.54"),
        ("float32", 0.25, 0.0712, "0.071"),
        ("float32", 1e-9, 1.24e-10, "1.2e−10"),
        ("float32", 4e7, 31e6, "3.1e7"),
        ("int64", 7.0, -3.0, "−3"),
        ("bool", 1.0, 1.0, "True"),
        ("float32", 4.1, None, "NaN"),
        ("float32", 4.1, float("-inf"), "−inf"),
    ],
)
def test_cells_have_the_digits_that_tell_values_apart(
    dtype: str, most: float, value: float | None, text: str
) -> None:
    assert written(value, writing_of(dtype, 0.0, most)) == text


def test_a_value_by_itself_has_the_digits_of_its_type() -> None:
    assert value_text(1.1456203, "float32") == "1.14562"
    assert value_text(0.1234567890123, "float64") == "0.1234567890123"
    assert value_text(2e-7, "", 5) == "2e−7"


def colour(scale: ValueScale, theme: Theme, value: float) -> QColor | None:
    """The one in the table that the value's share leads to."""
    (share,) = scale.shares(np.array([value]))
    table = scale.colours(theme)
    return None if np.isnan(share) else QColor(*map(int, table[round(share * 255)]))


@pytest.mark.parametrize("scheme", [Scheme.DARK, Scheme.LIGHT])
def test_colours_say_on_which_side_of_zero_a_value_lies_and_how_far(scheme: Scheme) -> None:
    theme, around = load_theme(scheme), ValueScale(-2.0, 4.0)
    above, below = ValueScale(1.0, 3.0), ValueScale(-3.0, -1.0)
    assert colour(around, theme, 4.0) == theme.above_zero
    assert colour(around, theme, -2.0) not in (colour(around, theme, 2.0), theme.below_zero)
    assert colour(above, theme, 3.0) == colour(below, theme, -3.0) == theme.heat(1.0)
    assert colour(above, theme, 1.0) == colour(below, theme, -1.0) == theme.heat(0.0)
    assert colour(ValueScale(0.0, 0.0), theme, 0.0) == theme.heat(0.0)
    for scale in (around, ValueScale(1.0, 1.0), ValueScale(None, None)):
        for value in map(float, ("nan", "inf", "-inf")):
            assert colour(scale, theme, value) is None


def test_only_layers_that_do_something_are_shown_and_buffers_are_no_parameters() -> None:
    assert [each.path for each in shown_layers(two_cards())] == ["0", "1", "2"]
    assert [each.path for each in shown_layers(opened())] == [""]
    held = Part("running_mean", (16,), "float32", "cpu", 64, trained=False)
    layers = shown_layers(opened(1, "n", Layer("0", "BatchNorm2d", "", (held,))))
    assert [parameters(each) for each in layers] == [0]
    said = "64 B of parameters; layer 0 holds 100 % of them. None of them is trained."
    assert held_words(layers) == said


def test_a_border_between_two_cards_says_what_each_row_copies() -> None:
    words, more = copies_between(shown_layers(two_cards()))["2"]
    assert words == "copies 32 B a row"
    assert more.startswith("Each pass copies what 1 gives from cuda:0 to cuda:1.")


def test_a_cell_that_only_changed_a_thing_did_not_make_it() -> None:
    ledger = Ledger()
    for number, code in enumerate(("W = torch.ones(2)", "W.add_(1)", "print(W)"), 1):
        ledger.sent(Run(number, code, number))
        ledger.apply(Began(number))
        if number < 3:
            ledger.apply(tensor("W", number=number))
        ledger.apply(finished(number))
    facts = dict(thing_facts(ledger, ledger.things["W"]))
    assert (facts["Made by"], facts["Read by"]) == ("cell 1", "cells 3, 2")
