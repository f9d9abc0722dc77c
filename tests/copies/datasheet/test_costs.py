"""What a card costs for what it does: computed from what was typed in, or a reason why not."""

import pytest

from gpuexplorer.copies.datasheet.costs import Asked, Cost, TypedIn, costs_of
from tests.copies.datasheet.made import simulated_sheet

ALL = {
    Asked.CURRENCY: "€",
    Asked.PRICE: "2500",
    Asked.RENT: "0,50",
    Asked.ELECTRICITY: "0.30",
    Asked.HOURS_A_DAY: "8",
    Asked.TRAINING: "100",
}


def costs(typed: dict[Asked, str], *, measured: bool) -> dict[str, Cost]:
    sheet = simulated_sheet("2xTitanRTX", measured=measured)
    return {str(each.title): each for each in costs_of(sheet, TypedIn(typed))}


def test_what_was_not_measured_is_computed_from_what_is_promised_and_says_so() -> None:
    found = costs(ALL, measured=False)
    memory = found["1 GB/s of memory bandwidth"]
    assert memory.value == pytest.approx(2500 / 672.096)
    assert (memory.unit, memory.source) == ("€", "672 GB/s, promised by the card")
    half = found["1 TFLOP/s in FP16"]
    assert (half.value, half.source) == (2500 / 130, "130 TFLOP/s, promised by its maker")
    electricity = found["Electricity of a training"]
    assert electricity.value == pytest.approx(100 * 0.28 * 0.30)
    assert electricity.source == "100 h at 280 W, the board's limit, for 0.3 € per kWh"


def test_buying_is_cheaper_once_the_rent_saved_has_paid_for_the_card() -> None:
    found = costs(ALL, measured=False)
    hours = found["Buying is cheaper after"].value
    assert hours == pytest.approx(2500 / (0.50 - 0.28 * 0.30))
    assert hours is not None
    assert found["In days of use"].value == pytest.approx(hours / 8)
    assert found["In days of use"].source == "8 h a day; that is 2.06 years"
    assert found["A training on a rented card"].value == pytest.approx(50)


def test_where_electricity_costs_more_than_the_rent_buying_is_never_cheaper() -> None:
    found = costs({**ALL, Asked.RENT: "0.05"}, measured=False)
    assert found["Buying is cheaper after"].value is None
    assert found["Buying is cheaper after"].reason == (
        "never: an hour of electricity costs 0.084 €, and an hour of rent 0.05 €"
    )
    assert found["In days of use"].reason.startswith("never: ")


def test_without_anything_typed_in_there_is_no_number_and_what_is_missing_is_said() -> None:
    found = costs({}, measured=False)
    assert {each.value for each in found.values()} == {None}
    assert found["1 TFLOP/s in FP32"].reason == "type in the price of the card"
    assert found["Buying is cheaper after"].reason == (
        "type in the price of the card, the rent and electricity"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("-3", "This cannot be less than 0."),
        ("many", "“many” is not a number. Write it as 1234.5."),
        ("1e308", "This is more than 1000000000 and cannot be right."),
        ("1,200", "“1,200” can be read in two ways. Write 1200 or 1.2."),
    ],
)
def test_what_cannot_be_a_price_is_a_sentence_and_no_number(text: str, sentence: str) -> None:
    typed = TypedIn({Asked.PRICE: text})
    assert typed.wrong == {Asked.PRICE: sentence}
    assert typed.numbers == {}


@pytest.mark.parametrize(
    ("text", "value"), [("0,30", 0.3), (" 12 500 ", 12500.0), ("1'200.50", 1200.5), ("0", 0.0)]
)
def test_figures_are_read_as_people_write_them(text: str, value: float) -> None:
    typed = TypedIn({Asked.PRICE: text})
    assert dict(typed.numbers) == {Asked.PRICE: value}
    assert not typed.wrong
