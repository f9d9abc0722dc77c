"""Makes a sheet: promises beside what was reached, row by row."""

from collections.abc import Mapping

from gpuexplorer.copies.datasheet.cards_table import CardsTable
from gpuexplorer.copies.datasheet.figure import Figure, What
from gpuexplorer.copies.datasheet.power_log import PowerLog
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.datasheet.promises import other_word, promises_of
from gpuexplorer.copies.datasheet.reached import (
    Reached,
    copy_reached,
    most_drawn,
    product_reached,
)
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.copies.datasheet.subject import Subject, jobs_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.catalogue.heat_and_power import POWER_LIMIT, POWER_LIMIT_DEFAULT
from gpuexplorer.core.units import watts as in_watts
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.product_job import ProductJob

_TITLES = {
    What.MEMORY: mark("Memory bandwidth"),
    What.TO_CARD: mark("Host link, to the card"),
    What.FROM_CARD: mark("Host link, from the card"),
    What.PEER: mark("Peer link"),
    What.FP32: mark("FP32 products"),
    What.TF32: mark("TF32 products"),
    What.BF16: mark("BF16 products"),
    What.POWER: mark("Power"),
}
_KINDS = {What.FP32: "fp32", What.TF32: "tf32", What.BF16: "bf16"}
_ONE_CARD = Message("there is no other card in this machine")
_IS_HOST = Message("this is the host itself")


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
    reached: dict[object, Reached] = {}
    local, coming, going, across = subject.copies()
    elsewhere = _IS_HOST if subject.is_host else _ONE_CARD
    copies = ((What.MEMORY, local), (What.TO_CARD, coming), (What.FROM_CARD, going))
    for what, copy in (*copies, (What.PEER, across)):
        reached[what] = copy_reached(copy, results, elsewhere, traffic=what is What.MEMORY)
    asked = jobs_of(subject)
    for what, kind in _KINDS.items():
        product = subject.product(kind)
        if product in asked or product in products:
            reached[what] = product_reached(
                product, products, promised[what], power, None if card is None else card.id
            )
        else:
            missing = Figure.missing(promised[what].reason, promised[what].short)
            reached[what] = Reached(missing, missing)
    modelled = any(each.modelled for each in reached.values())
    drawn = most_drawn(reached)
    reached[What.POWER] = Reached(drawn, drawn, notes=_limited(subject))
    rows = tuple(
        _row(
            what,
            _title(what, subject, across),
            promised[what],
            reached[what],
            other_word(what, promised[what], this),
        )
        for what in What
    )
    return Sheet(
        subject.device,
        subject.label,
        simulated,
        modelled,
        rows,
        table.cards(this),
        tuple(table.troubles),
    )


def _row(
    what: What, title: Message, promised: Figure, reached: Reached, notes: tuple[Message, ...]
) -> Row:
    return Row(
        what,
        title,
        promised,
        reached.figure,
        reached.watts,
        reached.lowest,
        reached.highest,
        reached.variation,
        reached.wrong,
        (*notes, *reached.notes),
        reached.modelled,
    )


def _title(what: What, subject: Subject, across: CopyJob | None) -> Message:
    if what is What.PEER and across is not None:
        return Message("Peer link, to {device}", device=across.target)
    if what is What.MEMORY and subject.is_host:
        return Message("Memory bandwidth, by the processor")
    return Message(_TITLES[what])


def _limited(subject: Subject) -> tuple[Message, ...]:
    """Where somebody set the limit lower, or higher, than the card comes with."""
    usual = subject.values.get(POWER_LIMIT_DEFAULT)
    now = subject.values.get(POWER_LIMIT)
    if usual is None or now is None or abs(usual - now) < 1.0:
        return ()
    return (Message("Its power limit is set to {limit} now.", limit=str(in_watts(now))),)
