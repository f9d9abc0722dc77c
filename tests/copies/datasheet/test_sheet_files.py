"""Sheets as files: figures with their sources, and what is simulated or modelled says so."""

import csv
import io
import json

from gpuexplorer.copies.datasheet.cards_table import What, cards_table
from gpuexplorer.copies.datasheet.costs import sheet_as_csv, sheet_as_json
from tests.copies.datasheet.made import simulated_sheet


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


def test_other_cards_follow_with_what_their_makers_promise() -> None:
    sheet = simulated_sheet("1xT4", measured=False)
    beside = [card for card in cards_table() if card.name == "GeForce RTX 4090"]
    [card] = json.loads(json.dumps(sheet_as_json(sheet, beside)))["beside"]
    promised = {each["what"]: each for each in card["promised"]}
    assert promised["BF16 products"]["value"] == 165.15
    assert promised["card to card"]["value"] is None
    assert promised["card to card"]["reason"] == "this card has none"


def test_the_csv_has_a_line_for_each_row_and_an_empty_field_for_what_there_is_not() -> None:
    sheet = simulated_sheet("2xTitanRTX")
    beside = [card for card in cards_table() if card.name == "NVIDIA B200"]
    lines = list(csv.DictReader(io.StringIO(sheet_as_csv(sheet, beside))))
    own = {line["what"]: line for line in lines if line["device"]}
    assert len(own) == len(What)
    assert {line["simulated"] for line in own.values()} == {"yes"}
    assert {line["modelled"] for line in own.values()} == {"yes"}
    assert own["TF32 products"]["promised"] == own["TF32 products"]["reached"] == ""
    assert "compute capability 8.0" in own["TF32 products"]["promised_source"]
    assert float(own["memory bandwidth"]["promised"]) == 672.096
    other = [line for line in lines if line["card"] == "NVIDIA B200"]
    assert len(other) == len(What)
    assert {line["reached"] for line in other} == {""}
