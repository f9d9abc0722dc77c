"""Sheets: what the device says goes first, and what there is not has a reason."""

from dataclasses import replace

import pytest

from gpuexplorer.copies.datasheet.cards_table import CardsTable, cards_table
from gpuexplorer.copies.datasheet.figure import Figure, Origin, What
from gpuexplorer.copies.datasheet.make_sheet import sheet_of
from gpuexplorer.copies.datasheet.power_log import PowerLog
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.datasheet.promises import ASKED
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.copies.datasheet.subject import Subject, jobs_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Measured, Multiplied, Wrong
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.simulation.models import MODELS
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
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


def row(sheet: Sheet, what: What) -> Row:
    found = sheet.row(what)
    assert found is not None
    return found


def subject(card: Card = CARD, **changes: object) -> Subject:
    return replace(Subject("cuda:0", card, None, SAID), **changes)  # type: ignore[arg-type]


def empty(of: Subject, table: CardsTable | None = None) -> Sheet:
    return sheet_of(of, {}, {}, table or cards_table())


def test_what_the_device_tells_goes_before_the_table() -> None:
    sheet = empty(subject())
    memory = row(sheet, What.MEMORY).promised
    assert memory.value == pytest.approx(1008.1e9, rel=1e-3)
    assert memory.source == "the device says: 384 bit at 10501 MHz, two transfers a clock"
    single = row(sheet, What.FP32).promised
    assert single.value == pytest.approx(2 * 16384 * 3105e6)
    assert single.source == (
        "the device says: 16384 cores at 3105 MHz at most, two operations a clock"
    )
    assert row(sheet, What.POWER).promised == Figure(
        450.0, "the power limit it starts with", origin=Origin.DEVICE
    )


def test_where_the_table_has_something_else_that_is_told_too() -> None:
    sheet = empty(subject())
    [note] = row(sheet, What.FP32).notes
    assert note == "The table has 82.6 TFLOP/s (GeForce RTX 4090, WareDB, dense)."
    assert row(sheet, What.MEMORY).notes == ()  # 1008 GB/s by both
    assert row(sheet, What.BF16).notes == ()  # the table alone tells it


def test_the_table_tells_what_the_device_cannot() -> None:
    sheet = empty(subject())
    bf16 = row(sheet, What.BF16).promised
    assert (bf16.value, bf16.source) == (165.15e12, "table: GeForce RTX 4090, WareDB, dense")
    silent = empty(subject(replace(CARD, cores=None, memory_bus_bits=None)))
    assert row(silent, What.MEMORY).promised.value == 1008e9
    assert row(silent, What.FP32).promised.source.startswith("table: ")
    untold = empty(subject(values={}, missing={m.CLOCK_SM_MAX: Absence.ASLEEP}))
    assert row(untold, What.FP32).promised.value == 82.58e12


def test_where_neither_tells_the_reason_names_both() -> None:
    stranger = replace(CARD, name="NVIDIA Zebra", cores=None)
    sheet = empty(subject(stranger))
    assert row(sheet, What.FP32).promised.reason == (
        "the driver does not report how many cores it has, and the table of cards does not "
        "have this card"
    )
    assert row(sheet, What.BF16).promised.reason == (
        "no driver reports it, and the table of cards does not have this card"
    )
    asleep = empty(
        subject(replace(stranger, cores=8), values={}, missing={m.CLOCK_SM_MAX: Absence.ASLEEP})
    )
    assert row(asleep, What.FP32).promised.reason.startswith(
        "its highest clock: the card is asleep and is not woken to be read, and"
    )
    assert all(each.promised.value or each.promised.reason for each in sheet.rows)


def test_nothing_measured_is_no_zero() -> None:
    sheet = empty(subject())
    for each in sheet.rows:
        assert each.reached.value is None
        assert each.reached.reason
        assert each.share is None
    assert row(sheet, What.FP32).reached.reason == "it was not measured yet"
    assert row(sheet, What.PEER).reached.reason == "there is no other card"


def test_a_card_before_ampere_promises_no_tf32_and_is_not_asked_for_it() -> None:
    older = subject(replace(CARD, compute_capability=(7, 5)))
    assert "tf32" not in [job.kind for job in jobs_of(older) if isinstance(job, ProductJob)]
    reason = row(empty(older), What.TF32).promised.reason
    assert reason.endswith("starts with compute capability 8.0, and this card has 7.5")
    assert row(empty(older), What.TF32).reached.reason == reason


def test_the_processor_has_a_sheet_too_and_nobody_promises_anything() -> None:
    host = Subject("cpu", None, name="EPYC")
    kinds = [job.kind for job in jobs_of(host) if isinstance(job, ProductJob)]
    assert kinds == ["fp32", "bf16"]
    sheet = empty(host)
    assert sheet.card == "EPYC"
    assert all(each.promised.value is None for each in sheet.rows)
    assert row(sheet, What.TF32).promised.reason == (
        "TF32 is a way of tensor cores, and the processor has none"
    )
    assert row(sheet, What.PEER).promised.reason == "this is the host itself"


def measured(seconds: float = 0.01, **told: object) -> dict[CopyJob, CopyResult]:
    local = subject().copies()[0]
    assert local is not None
    about = Measured(1, (seconds, 2 * seconds, seconds / 2), **told)  # type: ignore[arg-type]
    return {local: CopyResult(local, about, None)}


def multiplied(loaded: tuple[float, float] | None = None, **told: object) -> ProductResult:
    job = subject().product("bf16")
    told = {"right": True, **told}
    about = Multiplied(1, (0.01, 0.011, 0.009), **told)  # type: ignore[arg-type]
    return ProductResult(job, about, loaded)


def test_a_local_copy_counts_what_is_read_and_what_is_written() -> None:
    sheet = sheet_of(subject(), measured(intact=True), {}, cards_table())
    memory = row(sheet, What.MEMORY)
    assert memory.reached == Figure(2 * (256 << 20) / 0.01, "measured here: the median of 3")
    assert memory.highest == 2 * memory.reached.value  # type: ignore[operator]
    assert memory.share == pytest.approx(53.7e9 / 1008.1e9, rel=1e-2)
    assert "Each byte is read and written, so it counts twice." in memory.notes
    assert memory.watts.reason == "a copy is over too soon for its power to be read"
    assert not sheet.modelled


def test_a_wrong_copy_and_a_wrong_product_have_no_figure() -> None:
    wrong = Wrong(1, 3, 4096, 0, zeros=True)
    result = multiplied(right=False, wrong_values=7, notes=("7 values came out wrong",))
    sheet = sheet_of(
        subject(),
        measured(intact=False, wrong=(wrong,)),
        {result.job: result},
        cards_table(),
    )
    for what in (What.MEMORY, What.BF16):
        assert row(sheet, what).wrong
        assert row(sheet, what).reached.value is None
        assert "WRONG" in row(sheet, what).reached.reason
    assert row(sheet, What.BF16).notes == ("7 values came out wrong",)


def test_a_product_beside_what_the_table_promises() -> None:
    result = multiplied()
    sheet = sheet_of(subject(), {}, {result.job: result}, cards_table())
    bf16 = row(sheet, What.BF16)
    assert bf16.reached.value == pytest.approx(2 * 8192**3 / 0.01)
    assert bf16.reached.source == "measured here: the median of 3, 8192 x 8192"
    assert bf16.variation == pytest.approx(0.1)
    assert bf16.share is not None
    fast = replace(result, measured=Multiplied(1, (0.005,), right=True))
    sheet = sheet_of(subject(), {}, {result.job: fast}, cards_table())
    assert row(sheet, What.BF16).notes == (
        "More than promised: the card ran above the clock that its maker counts with.",
    )


def test_one_that_failed_says_why() -> None:
    job = subject().product("fp32")
    failed = ProductResult(
        job, None, failure=Message("It does not fit."), hint=Message("Take less.")
    )
    sheet = sheet_of(subject(), {}, {job: failed}, cards_table())
    assert row(sheet, What.FP32).reached.reason == "It does not fit. Take less."


def drawn(log: PowerLog, *readings: tuple[float, float]) -> None:
    for at, watts in readings:
        log.take(Sample(CARD.id, at, {m.POWER_DRAW: watts}))


def test_watts_are_the_mean_of_the_readings_while_it_was_at_work() -> None:
    log = PowerLog()
    drawn(log, (9.0, 20.0), (10.5, 200.0), (11.5, 400.0), (12.5, 420.0), (14.5, 30.0))
    result = multiplied((10.0, 14.0))
    sheet = sheet_of(subject(), {}, {result.job: result}, cards_table(), log)
    assert row(sheet, What.BF16).watts == Figure(
        410.0, "the mean of 2 readings of the device while it was at work"
    )
    assert row(sheet, What.POWER).reached.value == 410.0
    assert row(sheet, What.POWER).share == pytest.approx(410 / 450)


def test_too_few_readings_are_a_reason_and_no_figure() -> None:
    log = PowerLog()
    drawn(log, (11.5, 400.0))
    result = multiplied((10.0, 14.0))
    products = {result.job: result}
    watts = row(sheet_of(subject(), {}, products, cards_table(), log), What.BF16).watts
    assert watts.value is None
    assert watts.reason == (
        "its power was read once in the 3.0 s that count, which says too little: a shorter "
        "interval between readings helps"
    )
    silent = PowerLog()
    silent.take(Sample(CARD.id, 11.0, {}, {m.POWER_DRAW: Absence.NOT_SUPPORTED}))
    watts = row(sheet_of(subject(), {}, products, cards_table(), silent), What.BF16).watts
    assert watts.reason == "its power: this card does not report it"
    watts = row(sheet_of(subject(), {}, products, cards_table()), What.BF16).watts
    assert watts.reason == "the power was not read while it was measured"


def test_a_limit_that_somebody_set_is_told() -> None:
    limited = subject(values={**SAID, m.POWER_LIMIT: 300.0})
    assert row(empty(limited), What.POWER).notes == ("Its power limit is set to 300 W now.",)


def test_other_cards_lie_beside_and_this_one_is_marked() -> None:
    sheet = empty(subject())
    [this] = [card for card in sheet.beside if card.is_this]
    assert this.name == "GeForce RTX 4090"
    assert len(sheet.beside) == len(cards_table().rows)


def test_broken_lines_of_the_table_are_told_on_the_sheet() -> None:
    table = CardsTable((), (Message("Line 3 of cards.csv was left out: it has no name."),))
    assert empty(subject(), table).notes == table.troubles


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.key)
def test_a_simulated_card_promises_and_reaches_something_in_each_row(model: object) -> None:
    key = model.key  # type: ignore[attr-defined]
    sheet = simulated_sheet(f"2x{key}")
    assert sheet.simulated
    assert sheet.modelled
    for each in sheet.rows:
        told = (each.promised.value, each.reached.value)
        assert None not in told or each.what in (What.TF32, What.BF16), each
        assert each.promised.value is not None or each.promised.reason
        assert each.reached.value is not None or each.reached.reason
        # B200's own cores and clock give less than its maker promises.
        assert each.share is None or 0.3 < each.share < 1.05, each
    assert row(sheet, What.PEER).title == "Peer link, one way to cuda:1"


def test_the_best_peer_is_the_one_over_nvlink() -> None:
    backend = SimulatedBackend(parse_machine("4xTitanRTX"))
    routes = Routes(backend.topology(), backend.cards())
    assert Subject("cuda:2", backend.cards()[2], routes).peer() == "cuda:3"
    alone = SimulatedBackend(parse_machine("1xT4"))
    routes = Routes(alone.topology(), alone.cards())
    assert Subject("cuda:0", alone.cards()[0], routes).peer() is None


def test_a_simulated_card_tells_its_cores_and_the_width_of_its_memory() -> None:
    backend = SimulatedBackend(parse_machine("1xRTX4090"))
    [card] = backend.cards()
    assert (card.cores, card.memory_bus_bits) == (16384, 384)
    assert set(backend.read(card.id, ASKED).values) == set(ASKED)
