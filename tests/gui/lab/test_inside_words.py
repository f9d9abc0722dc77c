"""How values and layers are written, and which colour a value has."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from gpuexplorer.gui.lab.inside.inside import root_of, thing_called, thing_facts
from gpuexplorer.gui.lab.inside.layers import (
    batch_seen,
    copies_between,
    held_words,
    parameters,
    part_line,
    shown_layers,
)
from gpuexplorer.gui.lab.inside.values import (
    ValueScale,
    bytes_text,
    value_text,
    writing_of,
)
from gpuexplorer.gui.theme.palette import Scheme, Theme, load_theme
from gpuexplorer.lab.events import Began, Element, Layer, Part, Placed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run
from tests.gui.lab.conftest import finished, tensor
from tests.gui.lab.looking import linear, opened, two_cards


@pytest.mark.parametrize(
    ("dtype", "most", "value", "text"),
    [
        ("float32", 4.1, -1.5372, "−1.54"),
        ("float32", 0.25, 0.0712, "0.071"),
        ("float32", 0.01, 0.0071, "0.007"),
        ("float32", 2500.0, 12.34, "12.3"),
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
    assert writing_of(dtype, 0.0, most).text(value) == text


@pytest.mark.parametrize(
    ("value", "dtype", "digits", "text"),
    [
        (1.1456203, "float32", 0, "1.14562"),
        (0.1234567890123, "float64", 0, "0.1234567890123"),
        (0.33325195, "float16", 0, "0.3333"),
        (41.0, "int32", 0, "41"),
        (0.11264123, "", 5, "0.11264"),
        (2e-7, "", 5, "2e−7"),
        (None, "", 5, "none"),
    ],
)
def test_a_value_by_itself_has_the_digits_of_its_type(
    value: float | None, dtype: str, digits: int, text: str
) -> None:
    assert value_text(value, dtype, digits) == text


def test_bytes_are_told_to_the_byte_as_long_as_that_can_be_read() -> None:
    assert bytes_text(768) == "768 B"
    assert bytes_text(4_000_000) == "3.81 MiB"


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


def test_the_copy_between_two_cards_has_bytes_once_a_batch_was_seen() -> None:
    layers = shown_layers(two_cards())
    words, more = copies_between(layers, None)["2"]
    assert words == "32 B a row"
    assert "from cuda:0 to cuda:1" in more
    assert copies_between(layers, 4)["2"][0] == "128 B a pass of 4 rows"


def test_a_parameter_is_asked_for_as_a_person_would_write_it() -> None:
    (named,) = shown_layers(opened(1, "g", linear("blocks.0.mix", 4, 8)))
    assert part_line("nets[1]", named, named.parts[1]) == "nets[1].blocks[0].mix.bias"


@pytest.mark.parametrize(
    ("code", "rows"),
    [
        ("net(X)", 64),
        ("losses = []\nfor at in (0, 32):\n    loss = F.mse_loss(net(X[at:at + 32]), Y)", 32),
        ("other(X)", None),
        ("net(X + 1)", None),
    ],
)
def test_the_batch_is_what_went_through_the_model_last(code: str, rows: int | None) -> None:
    ledger = Ledger()
    ledger.sent(Run(1, code, 1))
    ledger.apply(Began(1))
    ledger.apply(finished(1))
    ledger.apply(tensor("X", shape=(64, 3)))
    assert batch_seen(ledger, "net") == rows


def test_an_element_of_a_container_is_found_by_its_path() -> None:
    ledger = Ledger()
    inner = Element("nets[1]", "model", "cuda:1", "Linear(3, 1)", 16)
    ledger.apply(Placed(1, "nets", "container", "", "list of 2", elements=(inner,)))
    found = thing_called(ledger, "nets[1]")
    assert found is not None
    assert (found.kind, found.device, found.bytes) == ("model", "cuda:1", 16)
    assert thing_called(ledger, "nets[2]") is None
    assert root_of("nets[1].weight") == "nets"


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
