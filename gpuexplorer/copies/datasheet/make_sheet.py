"""Makes a sheet: promises beside what was reached, row by row."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpuexplorer.copies.datasheet.cards_table import CardsTable
from gpuexplorer.copies.datasheet.figure import Figure, Origin, What
from gpuexplorer.copies.datasheet.power_log import PowerLog
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.datasheet.promises import other_word, promises_of
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.copies.datasheet.subject import Subject, jobs_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import POWER_LIMIT, POWER_LIMIT_DEFAULT
from gpuexplorer.core.units import watts as in_watts
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.wire import CopyJob, ProductJob

_TITLES = {
    What.MEMORY: mark("Memory bandwidth"),
    What.TO_CARD: mark("Host link, to the card"),
    What.FROM_CARD: mark("Host link, from the card"),
    What.PEER: mark("Peer link, one way"),
    What.FP32: mark("FP32 products"),
    What.TF32: mark("TF32 products"),
    What.BF16: mark("BF16 products"),
    What.POWER: mark("Power"),
}
_COPIES = (What.MEMORY, What.TO_CARD, What.FROM_CARD, What.PEER)
_KINDS = {What.FP32: "fp32", What.TF32: "tf32", What.BF16: "bf16"}
_ONE_CARD = Message("there is no other card")
_IS_HOST = Message("this is the host itself")
_TOO_SHORT = Message("a copy is over too soon for its power to be read")
_TRAFFIC = Message("Each byte is read and written, so it counts twice.")
_WRONG_COPY = Message("what arrived was WRONG, and a wrong copy has no rate")
_WRONG_PRODUCT = Message("what came out was WRONG, and a wrong product has no rate")
_CACHED = Message("so few bytes as fit into the free memory fit into the card's cache, too")
_ABOVE = Message("More than promised: the card ran above the clock that its maker counts with.")


def sheet_of(
    subject: Subject,
    results: Mapping[CopyJob, CopyResult],
    products: Mapping[ProductJob, ProductResult],
    table: CardsTable,
    power: PowerLog | None = None,
    *,
    simulated: bool = False,
) -> Sheet:
    """Whatever was measured until now; what was not has a reason in its place."""
    card = subject.card
    this = None if card is None else table.match(card.name, card.memory_bytes)
    promised = promises_of(subject, this)
    copies = dict(zip(_COPIES, subject.copies(), strict=True))
    rows = {
        what: Row(
            what,
            _title(what, subject, copies[What.PEER]),
            promised[what],
            notes=other_word(what, promised[what], this),
        )
        for what in What
    }
    elsewhere = _IS_HOST if subject.is_host else _ONE_CARD
    for what, copy in copies.items():
        rows[what] = _with_copy(rows[what], copy, results, elsewhere)
    asked = jobs_of(subject)
    for what, kind in _KINDS.items():
        product = subject.product(kind)
        if product in asked or product in products:
            card_id = None if card is None else card.id
            rows[what] = _with_product(rows[what], product, products, power, card_id)
        else:
            rows[what] = _without(rows[what], promised[what].reason, promised[what].short)
    modelled = any(row.modelled for row in rows.values())
    drawn = _most_drawn([row for row in rows.values() if row.what is not What.POWER])
    notes = (*rows[What.POWER].notes, *_limited(subject))
    rows[What.POWER] = replace(rows[What.POWER], reached=drawn, watts=drawn, notes=notes)
    return Sheet(
        subject.device,
        subject.label,
        simulated,
        modelled,
        tuple(rows.values()),
        table.cards(this),
        tuple(table.troubles),
    )


def _title(what: What, subject: Subject, across: CopyJob | None) -> Message:
    if what is What.PEER and across is not None:
        return Message("Peer link, one way to {device}", device=across.target)
    if what is What.MEMORY and subject.is_host:
        return Message("Memory bandwidth, by the processor")
    return Message(_TITLES[what])


def _with_copy(
    row: Row, job: CopyJob | None, results: Mapping[CopyJob, CopyResult], why_not: Message
) -> Row:
    """For memory reading and writing are counted each for itself, as it is sold."""
    if job is None:
        return _without(row, why_not)
    result = results.get(job)
    if result is None:
        return row
    told = result.measured
    if told is None:
        return _without(row, result.why)
    if result.wrong or result.rate is None:
        missing = Figure.missing(_WRONG_COPY)
        return replace(
            row, reached=missing, watts=missing, wrong=result.wrong, modelled=told.modelled
        )
    if result.in_cache:
        return _without(row, _CACHED)
    factor = 2.0 if row.what is What.MEMORY else 1.0
    rates = [factor * result.bytes / each for each in told.samples_s]
    source = Message("measured here: the median of {count}", count=len(rates))
    reached = Figure(factor * result.rate, source)
    watts = Figure.missing(_TOO_SHORT)
    if told.modelled:
        wires = Message("modelled from its wires")
        reached = Figure(factor * result.rate, wires, origin=Origin.MODELLED)
        nothing = Message("modelled: nothing was copied")
        watts = Figure.missing(nothing, origin=Origin.MODELLED)
    traffic = (_TRAFFIC,) if row.what is What.MEMORY else ()
    return replace(
        row,
        reached=reached,
        watts=watts,
        lowest=min(rates),
        highest=max(rates),
        variation=result.variation,
        modelled=told.modelled,
        notes=(*row.notes, *traffic, *told.notes, *_busy(result)),
    )


def _with_product(
    row: Row,
    job: ProductJob,
    products: Mapping[ProductJob, ProductResult],
    power: PowerLog | None,
    card: CardId | None,
) -> Row:
    result = products.get(job)
    if result is None:
        return row
    told = result.measured
    if told is None:
        return _without(row, result.why)
    if result.rate is None:
        missing = Figure.missing(_WRONG_PRODUCT)
        notes = (*row.notes, *told.notes)
        return replace(row, reached=missing, watts=missing, wrong=True, notes=notes)
    source = Message(
        "measured here: the median of {count}, {size} x {size}",
        count=len(result.rates),
        size=job.size,
    )
    reached = Figure(result.rate, source)
    if told.modelled:
        could = Message("modelled from what the card could do")
        reached = Figure(result.rate, could, origin=Origin.MODELLED)
    promised = row.promised.value
    above = (_ABOVE,) if promised and result.rate > promised else ()
    return replace(
        row,
        reached=reached,
        watts=_watts(result, power, card),
        lowest=min(result.rates),
        highest=max(result.rates),
        variation=result.variation,
        modelled=told.modelled,
        notes=(*row.notes, *told.notes, *_busy(result), *above),
    )


def _without(row: Row, reason: str, short: str = "") -> Row:
    missing = Figure.missing(reason, short)
    return replace(row, reached=missing, watts=missing)


def _most_drawn(rows: Sequence[Row]) -> Figure:
    """Of all that was measured."""
    drawn = [row.watts for row in rows if row.watts.value is not None]
    if not drawn:
        return Figure.missing(Message("no power was read while it was measured"))
    return max(drawn, key=lambda watts: watts.value or 0.0)


def _watts(result: ProductResult, power: PowerLog | None, card: CardId | None) -> Figure:
    if result.watts is not None:
        limit = Message("modelled from its power limit")
        return Figure(result.watts, limit, origin=Origin.MODELLED)
    if card is None:
        return Figure.missing(Message("it is not known what the processor draws"))
    if power is None or result.loaded is None:
        return Figure.missing(Message("the power was not read while it was measured"))
    return power.mean(card, *result.loaded)


def _busy(result: CopyResult | ProductResult) -> tuple[Message, ...]:
    return tuple(each.sentence for each in result.busy)


def _limited(subject: Subject) -> tuple[Message, ...]:
    """Where somebody set the limit lower, or higher, than the card comes with."""
    usual = subject.values.get(POWER_LIMIT_DEFAULT)
    now = subject.values.get(POWER_LIMIT)
    if usual is None or now is None or abs(usual - now) < 1.0:
        return ()
    return (Message("Its power limit is set to {limit} now.", limit=str(in_watts(now))),)
