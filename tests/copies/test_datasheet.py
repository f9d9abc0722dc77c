"""What a card promises, what it reaches, what that costs, and where its figures come from."""

import csv
import json
from dataclasses import replace

import pytest

from gpuexplorer.copies.datasheet.cards_table import Figure, Origin, What, cards_table, listed
from gpuexplorer.copies.datasheet.costs import Asked, Cost, TypedIn, costs_of, sheet_as_json
from gpuexplorer.copies.datasheet.products import PowerLog, ProductResult
from gpuexplorer.copies.datasheet.sheet import Subject, sheet_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.resources import resource
from gpuexplorer.lab.events import Measured, Multiplied, Wrong
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.simulation.models import MODELS
from tests.copies.made import simulated_sheet

GIB = 1 << 30


def lines_of(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(resource(name).read_text(encoding="utf-8").splitlines()))


LINES = lines_of("cards.csv")


def test_every_figure_has_a_source_or_a_reason_and_every_source_is_used() -> None:
    rows = lines_of("card-sources.csv")
    used = {
        key for line in LINES for name in line if "source" in name for key in line[name].split()
    }
    assert {row["key"] for row in rows} == used
    for card in cards_table():
        assert [*card.figures] == [*What]
        for what, figure in card.figures.items():
            told = figure.detail.removesuffix(", ") if figure.value else figure.reason
            assert told, (card.name, what)
            assert figure.value is None or 0 < figure.value / what.scale < 1e7


def test_a_card_is_found_by_the_name_of_its_driver_and_its_memory() -> None:
    found = listed("NVIDIA GeForce RTX 4090", 24564 << 20)
    assert found is not None
    assert found.name == "GeForce RTX 4090"
    assert listed("GeForce RTX 4090", 24564 << 20) == found  # an older driver
    assert listed("NVIDIA L4", 23034 << 20) is not None  # ECC keeps some of it
    assert listed("NVIDIA GeForce RTX 3080", 12 * GIB) is None  # the other one of that name
    assert listed("NVIDIA GeForce RTX 9999", 24 * GIB) is None
    assert listed("AMD Instinct MI300X", 192 * GIB) is None  # no driver of ours meets it


CARD = Card(
    CardId("GPU-1"),
    0,
    "NVIDIA GeForce RTX 4090",
    24564 << 20,
    cuda_index=0,
    compute_capability=(8, 9),
    cores=16384,
    memory_bus_bits=384,
)
SAID = {
    m.CLOCK_MEMORY_MAX: 10501e6,
    m.CLOCK_SM_MAX: 3105e6,
    m.POWER_LIMIT_DEFAULT: 450.0,
    m.POWER_LIMIT: 450.0,
}


def subject(card: Card = CARD, **changes: object) -> Subject:
    return replace(Subject("cuda:0", card, None, SAID), **changes)  # type: ignore[arg-type]


def test_what_the_device_tells_goes_before_the_table() -> None:
    sheet = sheet_of(subject(), {}, {})
    memory, single = sheet.row(What.MEMORY).promised, sheet.row(What.FP32).promised
    assert memory.value == pytest.approx(1008.1e9, rel=1e-3)
    assert memory.source == "the device says: 384 bit at 10501 MHz, two transfers a clock"
    assert single.value == pytest.approx(2 * 16384 * 3105e6)
    assert single.detail == "16384 cores at 3105 MHz at most, two operations a clock"
    limit = Figure(450.0, "the power limit it starts with", origin=Origin.DEVICE)
    assert sheet.row(What.POWER).promised == limit


def test_the_processor_has_a_sheet_too_and_nobody_promises_anything() -> None:
    host = Subject("cpu", None, name="EPYC")
    assert [*host.jobs] == [What.MEMORY, What.FP32, What.BF16]
    sheet = sheet_of(host, {}, {})
    assert sheet.card == "EPYC"
    assert all(each.promised.value is None and each.promised.reason for each in sheet.rows)
    assert sheet.row(What.PEER).reached.reason == "this is the host itself"


def measured(seconds: float = 0.01, **told: object) -> dict[CopyJob, CopyResult]:
    local = subject().jobs[What.MEMORY]
    assert isinstance(local, CopyJob)
    about = Measured(1, (seconds, 2 * seconds, seconds / 2), **told)  # type: ignore[arg-type]
    return {local: CopyResult(local, about, None)}


def multiplied(loaded: tuple[float, float] | None = None, **told: object) -> ProductResult:
    job = subject().jobs[What.BF16]
    assert isinstance(job, ProductJob)
    told = {"right": True, **told}
    about = Multiplied(1, (0.01, 0.011, 0.009), **told)  # type: ignore[arg-type]
    return ProductResult(job, about, loaded)


def test_a_local_copy_counts_what_is_read_and_what_is_written() -> None:
    sheet = sheet_of(subject(), measured(intact=True), {})
    memory = sheet.row(What.MEMORY)
    assert memory.reached == Figure(2 * (256 << 20) / 0.01, "measured here: the median of 3")
    assert memory.highest == 2 * memory.reached.value  # type: ignore[operator]
    assert memory.share == pytest.approx(53.7e9 / 1008.1e9, rel=1e-2)
    assert "Each byte is read and written, so it counts twice." in memory.notes
    assert memory.watts.reason == "a copy is over too soon for its power to be read"
    assert not sheet.modelled


def test_a_wrong_copy_and_a_wrong_product_have_no_figure() -> None:
    wrong = Wrong(1, 3, 4096, 0, zeros=True)
    result = multiplied(right=False, wrong_values=7, notes=("7 values came out wrong",))
    copies = measured(intact=False, wrong=(wrong,))
    sheet = sheet_of(subject(), copies, {result.job: result})
    for what in (What.MEMORY, What.BF16):
        assert sheet.row(what).wrong
        assert sheet.row(what).reached.value is None
        assert "WRONG" in sheet.row(what).reached.reason
    assert sheet.row(What.BF16).notes == ("7 values came out wrong",)


def test_a_product_beside_what_the_table_promises() -> None:
    result = multiplied()
    sheet = sheet_of(subject(), {}, {result.job: result})
    bf16 = sheet.row(What.BF16)
    assert bf16.reached.value == pytest.approx(2 * 8192**3 / 0.01)
    assert bf16.reached.source == "measured here: the median of 3, 8192 x 8192"
    assert bf16.variation == pytest.approx(0.1)
    assert bf16.share is not None
    fast = replace(result, measured=Multiplied(1, (0.005,), right=True))
    sheet = sheet_of(subject(), {}, {result.job: fast})
    assert sheet.row(What.BF16).notes == (
        "More than promised: the card ran above the clock that its maker counts with.",
    )


@pytest.mark.parametrize(
    ("readings", "told"),
    [
        (
            [(9.0, 20.0), (10.5, 200.0), (11.5, 400.0), (12.5, 420.0), (14.5, 30.0)],
            "the mean of 2 readings of the device while it was at work",
        ),
        ([(11.5, 400.0)], "its power was read once in the 3.0 s that count, which says too"),
        ([(11.0, None)], "its power: this card does not report it"),
    ],
)
def test_watts_are_the_mean_of_the_readings_at_work_or_a_reason(
    readings: list[tuple[float, float | None]], told: str
) -> None:
    log, result = PowerLog(), multiplied((10.0, 14.0))
    for at, watts in readings:
        none = {m.POWER_DRAW: Absence.NOT_SUPPORTED} if watts is None else {}
        log.take(Sample(CARD.id, at, {} if watts is None else {m.POWER_DRAW: watts}, none))
    sheet = sheet_of(subject(), {}, {result.job: result}, log)
    drawn, mean = sheet.row(What.BF16).watts, 410.0 if len(readings) > 1 else None
    assert drawn.value == sheet.row(What.POWER).reached.value == mean
    assert (drawn.source or drawn.reason).startswith(told)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.key)
def test_a_simulated_card_promises_and_reaches_something_in_each_row(model: object) -> None:
    key = model.key  # type: ignore[attr-defined]
    sheet = simulated_sheet(f"2x{key}")
    assert sheet.simulated
    assert sheet.modelled
    for each in sheet.rows:
        for figure in (each.promised, each.reached):
            assert figure.value or (figure.reason and each.what.kind), each
        # B200's own cores and clock give less than its maker promises.
        assert each.share is None or 0.3 < each.share < 1.05, each
    assert sheet.row(What.PEER).title == "Peer link, one way to cuda:1"


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
