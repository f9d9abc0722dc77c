"""How values, spreads and layers are written, and which colour a value has."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from gpuexplorer.gui.lab.inside.model_layers import (
    batch_seen,
    crossings,
    drawn_layers,
    groups,
    part_line,
)
from gpuexplorer.gui.lab.inside.spread_pane import round_steps
from gpuexplorer.gui.lab.inside.value_scale import ValueScale
from gpuexplorer.gui.lab.inside.values import (
    bytes_text,
    exact_text,
    place_text,
    rounded_text,
    writing_of,
)
from gpuexplorer.gui.lab.inside.words import (
    cells_words,
    held_words,
    looked,
    model_headline,
    no_spread,
    partly,
    root_of,
    spread_heading,
    thing_called,
    thing_facts,
    training_words,
)
from gpuexplorer.gui.theme.palette import Scheme, Theme, load_theme
from gpuexplorer.lab.events import Began, Element, Layer, Part, Peeked, Placed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run
from tests.gui.lab.conftest import finished, tensor
from tests.gui.lab.looking import linear, opened, two_cards


def peeked(**fields: object) -> Peeked:
    usual: dict[str, object] = {
        "id": 1, "what": "W", "device": "cuda:0", "dtype": "float32", "shape": (12, 16),
        "at": (0, 0), "rows": ((1.0,),), "least": -3.0, "most": 4.0, "mean": 0.1,
        "deviation": 1.0, "not_finite": 0, "histogram": (1,) * 32, "looked_at": 192,
        "moved_bytes": 1536,
    }  # fmt: skip
    return Peeked(**{**usual, **fields})  # type: ignore[arg-type]  # by name


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
        ("uint8", 255.0, 255.0, "255"),
        ("bool", 1.0, 1.0, "True"),
        ("float32", 4.1, None, "NaN"),
        ("float32", 4.1, float("-inf"), "−inf"),
    ],
)
def test_cells_have_the_digits_that_tell_values_apart(
    dtype: str, most: float, value: float | None, text: str
) -> None:
    assert writing_of(dtype, 0.0, most).text(value) == text


def test_a_value_by_itself_has_all_the_digits_of_its_type() -> None:
    assert exact_text(1.1456203, "float32") == "1.14562"
    assert exact_text(0.1234567890123, "float64") == "0.1234567890123"
    assert exact_text(0.33325195, "float16") == "0.3333"
    assert exact_text(41.0, "int32") == "41"


def test_a_mean_is_read_at_a_glance() -> None:
    assert [rounded_text(each) for each in (0.11264, -12345.678, 488200.4, 2e-7, None)] == [
        "0.1126", "−12345.6780", "488200", "2e−7", "none",
    ]  # fmt: skip


def test_places_are_written_as_one_asks_for_them() -> None:
    assert place_text("W", (8, 11), 2) == "W[8, 11]"
    assert place_text("v", (0, 3), 1) == "v[3]"
    assert place_text("s", (0, 0), 0) == "s"
    assert place_text("images", (7, 2, 8, 11), 4) == "images[7, 2, 8, 11]"


def test_bytes_are_told_to_the_byte_as_long_as_that_can_be_read() -> None:
    thin = "\N{THIN SPACE}"
    assert bytes_text(768) == "768 B"
    assert bytes_text(110248) == f"110{thin}248 B"
    assert bytes_text(4_000_000) == "3.81 MiB"


def colour(scale: ValueScale, theme: Theme, value: float) -> QColor | None:
    """The one in the table that the value's share leads to."""
    (share,) = scale.shares(np.array([value]))
    table = scale.colours(theme)
    return None if np.isnan(share) else QColor(*map(int, table[round(share * 255)]))


@pytest.mark.parametrize("scheme", [Scheme.DARK, Scheme.LIGHT])
def test_colours_go_from_violet_over_the_ground_to_ochre_around_zero(scheme: Scheme) -> None:
    theme, scale = load_theme(scheme), ValueScale(-2.0, 4.0)
    assert scale.around_zero
    assert colour(scale, theme, 4.0) == theme.above_zero
    below, above = (colour(scale, theme, each) for each in (-2.0, 2.0))
    assert below is not None
    assert above is not None
    wanted = theme.around_zero(-0.5)  # as far as 2 is
    assert abs(below.red() - wanted.red()) <= 1
    assert below != above


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_finite_has_no_colour(value: float) -> None:
    theme = load_theme(Scheme.DARK)
    for scale in (ValueScale(-2.0, 4.0), ValueScale(1.0, 1.0), ValueScale(None, None)):
        assert colour(scale, theme, value) is None


def test_values_of_one_sign_go_from_weak_to_strong() -> None:
    theme = load_theme(Scheme.DARK)
    above, below = ValueScale(1.0, 3.0), ValueScale(-3.0, -1.0)
    assert colour(above, theme, 3.0) == colour(below, theme, -3.0) == theme.heat(1.0)
    assert colour(above, theme, 1.0) == colour(below, theme, -1.0) == theme.heat(0.0)
    assert colour(ValueScale(0.0, 0.0), theme, 0.0) == theme.heat(0.0)
    assert colour(ValueScale(None, None), theme, 1.0) is None


@pytest.mark.parametrize("ends", [(-1.7e308, 1.7e308), (1e-320, 1.7e308), (0.0, 5e-324)])
def test_the_ends_of_all_numbers_have_their_places(ends: tuple[float, float]) -> None:
    scale = ValueScale(*ends)
    assert [scale.part(each) for each in ends] == [0.0, 1.0]
    assert list(scale.shares(np.array(ends))) == [0.0, 1.0]
    assert not round_steps(-1.7e308, 1.7e308, 6)


def test_the_spread_says_of_how_many_values_it_is() -> None:
    thin = "\N{THIN SPACE}"
    assert spread_heading(peeked()) == "Spread of 192 values"
    large = peeked(shape=(1000, 2000), looked_at=1_000_000)
    million, two = f"1{thin}000{thin}000", f"2{thin}000{thin}000"
    assert spread_heading(large) == f"Spread of {million} of {two} values"
    assert "evenly chosen" in partly(large)
    assert spread_heading(peeked(shape=(), looked_at=1)) == "One value"


def test_why_there_is_no_spread_is_said() -> None:
    assert no_spread(peeked()) == ""
    assert no_spread(peeked(shape=(0, 5), least=None, most=None)).startswith("A tensor wi")
    assert no_spread(peeked(least=None, most=None)).startswith("None of its values")
    assert no_spread(peeked(least=1.0, most=1.0)) == "All are 1.0000."


def test_what_looking_copied_is_said() -> None:
    thin = "\N{THIN SPACE}"
    assert looked(peeked(), None) == f"Looking copied 1{thin}536 B to the host."
    told = looked(peeked(), finished(1, host_seconds=24e-6))
    assert told == f"Looking copied 1{thin}536 B to the host: 24.0 µs, modelled."
    assert looked(peeked(moved_bytes=0), None).startswith("Looking copied nothing")


def test_steps_are_what_people_count_in() -> None:
    assert list(round_steps(0, 21, 3)) == [0, 10, 20]
    assert list(round_steps(-2.6, 3.4, 6)) == [-2, -1, 0, 1, 2, 3]
    assert not round_steps(1, 1, 3)
    assert not round_steps(0, 5e-324, 6)


def test_layers_that_only_hold_others_are_not_drawn() -> None:
    layers = drawn_layers(two_cards())
    assert [each.path for each in layers] == ["0", "1", "2"]
    assert [each.path for each in drawn_layers(opened())] == [""]


def test_a_layer_without_parameters_works_where_the_one_before_it_does() -> None:
    assert groups(drawn_layers(two_cards())) == [("cuda:0", 0, 1), ("cuda:1", 2, 2)]


def test_the_copy_between_two_cards_has_bytes_once_a_batch_was_seen() -> None:
    layers = drawn_layers(two_cards())
    unseen = crossings(layers, None)
    assert unseen.keys() == {"2"}
    assert unseen["2"].words == "a copy per pass"
    assert "from cuda:0 to cuda:1" in unseen["2"].more
    assert crossings(layers, 32)["2"].words == "1\N{THIN SPACE}024 B a pass"


def test_what_a_model_holds_and_needs_for_training_is_said() -> None:
    layers = drawn_layers(two_cards())
    assert model_headline(layers) == "3 layers, 58 parameters on 2 devices"
    assert held_words(layers) == "232 B of parameters; layer 0 holds 69 % of them"
    assert training_words(layers) == "Computed: with gradients 464 B, with Adam 928 B"
    frozen = Part("weight", (2, 2), "float32", "cpu", 16, trained=False)
    still = drawn_layers(opened(1, "net", Layer("0", "Linear", "Linear", (frozen,))))
    assert training_words(still) == "None of them is trained."


def test_buffers_are_no_parameters() -> None:
    held = Part("running_mean", (16,), "float32", "cpu", 64, trained=False)
    (layer,) = drawn_layers(opened(1, "n", Layer("0", "BatchNorm2d", "", (held,))))
    assert (layer.parameters, layer.bytes) == (0, 64)


def test_a_parameter_is_asked_for_as_a_person_would_write_it() -> None:
    (layer,) = drawn_layers(opened(1, "net", linear("2", 4, 8)))
    assert part_line("net", layer, layer.parts[1]) == "net[2].bias"
    (named,) = drawn_layers(opened(1, "g", linear("blocks.0.mix", 4, 8)))
    assert part_line("nets[1]", named, named.parts[0]) == "nets[1].blocks[0].mix.weight"


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
    facts = {each.label: each.value for each in thing_facts(ledger, ledger.things["W"])}
    assert (facts["Made by"], facts["Read by"]) == ("cell 1", "cells 2, 3")


def test_many_cells_are_counted_and_the_last_are_named() -> None:
    assert cells_words([]) == "no cell yet"
    assert cells_words([3]) == "cell 3"
    assert cells_words([3, 4]) == "cells 3, 4"
    assert cells_words([1, 2, 3, 4, 5, 6]) == "6 cells, last 4, 5, 6"
