"""Sheets: what the device says goes first, and what there is not has a reason."""

from dataclasses import replace

import pytest

from gpuexplorer.copies.datasheet.cards_table import Figure, Origin, What
from gpuexplorer.copies.datasheet.products import PowerLog, ProductResult
from gpuexplorer.copies.datasheet.sheet import Subject, sheet_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.lab.events import Measured, Multiplied, Wrong
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.simulation.models import MODELS
from tests.copies.datasheet.made import simulated_sheet

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


def test_a_titan_rtx_has_its_headline_and_what_it_does_quickly() -> None:
    sheet = simulated_sheet("1xTitanRTX")
    half = sheet.row(What.FP16)
    assert half.promised.value == 130e12
    assert half.promised.source.startswith("table: TITAN RTX")
    assert half.share == pytest.approx(0.79, abs=0.02)
    single, brain = (sheet.row(what).reached.value or 0.0 for what in (What.FP32, What.BF16))
    assert (half.reached.value or 0.0) > 7 * single > 7 * brain
    assert "its other cores multiply" in sheet.row(What.BF16).notes[0]


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
