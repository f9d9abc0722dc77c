"""What a card costs for what it does: computed, or a reason why not; and sheets as files."""

import json

import pytest

from gpuexplorer.copies.datasheet.cards_table import What
from gpuexplorer.copies.datasheet.costs import Asked, Cost, TypedIn, costs_of, sheet_as_json
from tests.copies.datasheet.made import simulated_sheet

ALL = {
    Asked.CURRENCY: "€",
    Asked.PRICE: "2500",
    Asked.RENT: "0,50",
    Asked.ELECTRICITY: "0.30",
    Asked.HOURS_A_DAY: "8",
    Asked.TRAINING: "100",
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
    electricity = found["Electricity of a training"]
    assert electricity.value == pytest.approx(100 * 0.28 * 0.30)
    assert electricity.source == "100 h at 280 W, the board's limit, for 0.3 € per kWh"
    assert found["A training on a rented card"].value == pytest.approx(50)
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


def test_the_json_has_a_row_for_each_figure_and_says_that_it_is_modelled() -> None:
    sheet = simulated_sheet("8xH100+nvlink")
    told = json.loads(json.dumps(sheet_as_json(sheet)))
    assert (told["schema"], told["simulated"], told["modelled"]) == (1, True, True)
    assert (told["device"], told["card"]) == ("cuda:0", "NVIDIA H100 80GB HBM3")
    rows = {row["what"]: row for row in told["rows"]}
    assert list(rows) == [what.value for what in What]
    bf16 = rows["BF16 products"]
    assert (bf16["unit"], bf16["promised"], bf16["share"]) == ("TFLOP/s", 989.4, 0.79)
    assert bf16["promised_source"].startswith("table: ")
    assert "Modelled: nothing was multiplied." in bf16["notes"]
    assert rows["memory bandwidth"]["watts"] is None
    assert rows["memory bandwidth"]["watts_reason"] == "modelled: nothing was copied"
    assert told["beside"] == []
