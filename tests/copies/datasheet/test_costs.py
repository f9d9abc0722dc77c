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
}


def costs(typed: dict[Asked, str]) -> dict[str, Cost]:
    sheet = simulated_sheet("2xTitanRTX", measured=False)
    return {str(each.title): each for each in costs_of(sheet, TypedIn(typed))}


def test_what_was_not_measured_is_computed_from_what_is_promised_and_says_so() -> None:
    found = costs(ALL)
    memory = found["1 GB/s of memory bandwidth"]
    assert memory.value == pytest.approx(2500 / 672.096)
    assert (memory.unit, memory.source) == ("€", "672 GB/s, promised by the card")
    half = found["1 TFLOP/s in FP16"]
    assert (half.value, half.source) == (2500 / 130, "130 TFLOP/s, promised by its maker")
    electricity = found["An hour's electricity"]
    assert electricity.value == pytest.approx(0.28 * 0.30)
    assert electricity.source == "1 kWh for 0.3 €, at 280 W, the board's limit"
    hours = found["Buying is cheaper after"].value or 0.0
    assert hours == pytest.approx(2500 / (0.50 - 0.28 * 0.30))
    assert found["In days of use"].value == pytest.approx(hours / 8)


def test_where_electricity_costs_more_than_the_rent_buying_is_never_cheaper() -> None:
    found = costs({**ALL, Asked.RENT: "0.05"})
    never = "never: an hour of electricity costs 0.084 €, and an hour of rent 0.05 €"
    for title in ("Buying is cheaper after", "In days of use"):
        assert (found[title].value, found[title].reason) == (None, never)


def test_without_anything_typed_in_there_is_no_number_and_what_is_missing_is_said() -> None:
    found = costs({Asked.HOURS_A_DAY: "0"})
    assert {each.value for each in found.values()} == {None}
    assert found["1 TFLOP/s in FP32"].reason == "type in: Price of the card"
    assert found["In days of use"].reason == (
        "type in: Price of the card, Rent per hour, Electricity per kWh and Hours a day"
    )


@pytest.mark.parametrize("text", ["-3", "many", "nan", "1e308", "1,200"])
def test_what_cannot_be_a_price_is_a_sentence_and_no_number(text: str) -> None:
    typed = TypedIn({Asked.PRICE: text})
    sentence = "Write a number from 0 to 1000000000, such as 12.5."
    assert (typed.wrong, typed.numbers) == ({Asked.PRICE: sentence}, {})


@pytest.mark.parametrize(
    ("text", "value"), [("0,30", 0.3), (" 12 500 ", 12500.0), ("1'200.50", 1200.5), ("0", 0.0)]
)
def test_figures_are_read_as_people_write_them(text: str, value: float) -> None:
    typed = TypedIn({Asked.PRICE: text})
    assert (typed.numbers, typed.wrong) == ({Asked.PRICE: value}, {})
