"""A card's datasheet: what is promised beside what was reached here, row by row. The device
goes first, then the table of cards; what there is not has a reason in its place.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from gpuexplorer.copies.datasheet.cards_table import (
    PRODUCTS,
    CardsTable,
    Figure,
    Origin,
    OtherCard,
    What,
    in_words,
)
from gpuexplorer.copies.datasheet.products import PowerLog, ProductResult
from gpuexplorer.copies.jobs import HOST, Kind, job_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import watts as in_watts
from gpuexplorer.core.words import Message
from gpuexplorer.lab.wire import NOT_OF_HOST, TENSOR_SINCE, CopyJob, ProductJob

# What has to be read of a card beforehand.
ASKED = (m.CLOCK_MEMORY_MAX, m.CLOCK_SM_MAX, m.POWER_LIMIT_DEFAULT, m.POWER_LIMIT)
COPIES = (What.MEMORY, What.TO_CARD, What.FROM_CARD, What.PEER)
_ALIKE = 0.02
_SMALL_CARD = 8 << 30
_NOT_YET = Figure.missing(Message("it was not measured yet"), origin=Origin.NOT_YET)
_NO_WIRING = Message("it is not known how the cards are wired")
_NO_CARD = Message("the driver reports nothing about this card")
_ONE_CARD = Message("there is no other card")
_IS_HOST = Message("this is the host itself")
_COMPUTING = Message("it is not known how much this processor could compute")
_OF_HOST = {
    What.MEMORY: Message("it is not known how fast the memory of the computer is"),
    **dict.fromkeys((What.TO_CARD, What.FROM_CARD, What.PEER), _IS_HOST),
    **dict.fromkeys((What.FP32, What.BF16), _COMPUTING),
    What.TF32: Message("TF32 is a way of tensor cores, and the processor has none"),
    What.FP16: Message("products of FP16 are measured on cards only"),
    What.POWER: Message("it is not known what this processor may draw"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the sheet. `what.unit` counts promised and reached alike."""

    what: What
    title: Message  # "Memory bandwidth", "Peer link, one way to cuda:1"
    promised: Figure
    reached: Figure = _NOT_YET
    watts: Figure = _NOT_YET  # the mean while it was measured
    lowest: float | None = None  # of the samples, as `reached` counts
    highest: float | None = None
    variation: float | None = None  # standard deviation as a share of the mean
    wrong: bool = False  # what came of it was wrong, so it has no figure
    notes: tuple[Message, ...] = ()  # sentences
    modelled: bool = False

    @property
    def all_notes(self) -> tuple[Message, ...]:
        """Also that it is modelled, where it is."""
        if not self.modelled:
            return self.notes
        copied = Message("Modelled: no bytes were moved.")
        multiplied = Message("Modelled: nothing was multiplied.")
        return (multiplied if self.what in PRODUCTS else copied, *self.notes)

    @property
    def share(self) -> float | None:
        """Of what is promised, what was reached."""
        if self.reached.value is None or not self.promised.value:
            return None
        return self.reached.value / self.promised.value

    def without(self, reason: str, short: str = "") -> "Row":
        missing = Figure.missing(reason, short)
        return replace(self, reached=missing, watts=missing)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Of one card, at one moment; `modelled`: what was reached is a model's, not measured."""

    device: str  # "cuda:0"
    card: str  # "NVIDIA TITAN RTX"
    simulated: bool
    modelled: bool
    rows: tuple[Row, ...]
    beside: tuple[OtherCard, ...] = ()
    notes: tuple[Message, ...] = ()  # sentences, such as that the table could not be read

    def row(self, what: What) -> Row | None:
        return next((row for row in self.rows if row.what is what), None)


@dataclass(frozen=True, slots=True)
class Subject:
    """The device that a sheet is about. `values` and `missing` are its newest reading."""

    device: str  # "cpu", "cuda:0"
    card: Card | None  # None: the processor, or a card that the driver does not tell of
    routes: Routes | None = None  # None: nobody told how the machine is wired
    values: Mapping[MetricId, float] = field(default_factory=dict)
    missing: Mapping[MetricId, Absence] = field(default_factory=dict)
    name: str = ""  # what PyTorch calls it, where no card is known

    @property
    def is_host(self) -> bool:
        return self.device == HOST

    @property
    def label(self) -> str:
        if self.card is not None:
            return self.card.name
        return self.name or (Message("the processor") if self.is_host else self.device)

    def without_tensor_cores(self, kind: str) -> str:
        """Its compute capability, where that is too little for these numbers; else empty."""
        had = None if self.card is None else self.card.compute_capability
        lacks = had is not None and had < TENSOR_SINCE.get(kind, (0, 0))
        return "{}.{}".format(*had) if had is not None and lacks else ""

    def peer(self) -> str | None:
        """The card that is reached fastest from here, in theory."""
        if self.is_host or self.routes is None:
            return None
        found = {
            each: self.routes.route(self.device, each)
            for each in self.routes.devices
            if each not in (HOST, self.device)
        }

        def fast(name: str) -> tuple[bool, float]:
            return bool(found[name].direct), found[name].limit or 0.0

        return max(found, key=fast, default=None)

    def copies(self) -> tuple[CopyJob | None, CopyJob | None, CopyJob | None, CopyJob | None]:
        """Within the device, from the host, to the host, to the best other card."""
        one_way, peer = Kind.ONE_WAY, self.peer()
        local = job_of(one_way, self.device, self.device, fit=True)
        if self.is_host:
            return local, None, None, None
        return (
            local,
            job_of(one_way, HOST, self.device, fit=True),
            job_of(one_way, self.device, HOST, fit=True),
            None if peer is None else job_of(one_way, self.device, peer, fit=True),
        )

    def product(self, kind: str) -> ProductJob:
        """So large that the device is at full work, and its memory is not."""
        if self.is_host:
            return ProductJob(self.device, kind, 1024)
        memory = None if self.card is None else self.card.memory_bytes
        small = memory is not None and memory <= _SMALL_CARD
        return ProductJob(self.device, kind, 4096 if small else 8192)


def jobs_of(subject: Subject) -> tuple[CopyJob | ProductJob, ...]:
    """All that a sheet shows, in the order of its rows. What cannot be is left out."""
    out = set(NOT_OF_HOST if subject.is_host else ())
    if subject.without_tensor_cores("tf32"):
        out.add("tf32")
    copies = [job for job in subject.copies() if job is not None]
    return (*copies, *(subject.product(kind) for kind in PRODUCTS.values() if kind not in out))


def row_of(subject: Subject, job: CopyJob | ProductJob) -> What | None:
    """Where on the sheet it stands."""
    of_product = {subject.product(kind): what for what, kind in PRODUCTS.items()}
    if isinstance(job, ProductJob):
        return of_product.get(job)
    own = zip(subject.copies(), COPIES, strict=True)
    return next((what for copy, what in own if copy == job), None)


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
    rows = {
        what: Row(
            what, _title(what, subject), promised, notes=_other_word(what, promised, this)
        )
        for what, promised in promises_of(subject, this).items()
    }
    elsewhere = _IS_HOST if subject.is_host else _ONE_CARD
    for what, copy in zip(COPIES, subject.copies(), strict=True):
        if copy is None:
            rows[what] = rows[what].without(elsewhere)
        elif copy in results:
            rows[what] = _with_result(rows[what], results[copy], subject, power)
    asked = jobs_of(subject)
    for what, kind in PRODUCTS.items():
        row, product = rows[what], subject.product(kind)
        if product in products:
            rows[what] = _with_result(row, products[product], subject, power)
        elif product not in asked:
            rows[what] = row.without(row.promised.reason, row.promised.short)
    drawn = [row.watts for row in rows.values() if row.watts.value is not None]
    none = Figure.missing(Message("no power was read while it was measured"))
    most = max(drawn, key=lambda watts: watts.value or 0.0, default=none)
    board = rows[What.POWER]
    notes = (*board.notes, *_limited(subject))
    rows[What.POWER] = replace(board, reached=most, watts=most, notes=notes)
    return Sheet(
        subject.device,
        subject.label,
        simulated,
        any(row.modelled for row in rows.values()),
        tuple(rows.values()),
        table.cards(this),
        tuple(table.troubles),
    )


def promises_of(subject: Subject, row: OtherCard | None) -> Mapping[What, Figure]:
    """`row`: the card's own in the table, where it is there."""
    if subject.is_host:
        return {what: Figure.missing(_OF_HOST[what]) for what in What}
    told = {
        What.MEMORY: _memory(subject),
        What.TO_CARD: _route(subject, HOST, subject.device),
        What.FROM_CARD: _route(subject, subject.device, HOST),
        What.FP32: _single(subject),
        What.POWER: _power(subject),
    }
    return {what: _promised(what, told.get(what), subject, row) for what in What}


def _promised(
    what: What, told: Figure | None, subject: Subject, row: OtherCard | None
) -> Figure:
    """The device goes first; where neither tells, the reason names both."""
    if what is What.PEER:
        return _peer(subject)
    kind = PRODUCTS.get(what, "")
    if had := subject.without_tensor_cores(kind):
        return Figure.missing(
            Message(
                "its tensor cores, if any, do not support {kind}: that starts with compute "
                "capability {first}, and this card has {capability}",
                kind=kind.upper(),
                first="{}.{}".format(*TENSOR_SINCE[kind]),
                capability=had,
            ),
            Message("its tensor cores, if any, do not support {kind}", kind=kind.upper()),
        )
    # No driver tells how much tensor cores do in a clock.
    told = told or Figure.missing(Message("no driver reports it"))
    if told.value is not None:
        return told
    if row is None:
        reason = Message(
            "{reason}, and the table of cards does not have this card", reason=told.reason
        )
        return Figure.missing(reason, told.short)
    listed = row.figure(what)
    if listed.value is not None:
        return listed
    both = Message("{one}, and {other}", one=told.reason, other=listed.reason)
    return Figure.missing(both, told.short or told.reason)


def _memory(subject: Subject) -> Figure:
    card, clock = subject.card, subject.values.get(m.CLOCK_MEMORY_MAX)
    if card is None:
        return Figure.missing(_NO_CARD)
    if card.memory_shared:
        return Figure.missing(Message("this card borrows the computer's memory"))
    if card.memory_bus_bits is None:
        return Figure.missing(
            Message("the driver does not report how wide the way to its memory is")
        )
    if clock is None:
        reason = Message("its memory's clock: {why}", why=_why(subject, m.CLOCK_MEMORY_MAX))
        return Figure.missing(reason, Message("its memory's clock"))
    words = Message(
        "{bits} bit at {clock:.0f} MHz, two transfers a clock",
        bits=card.memory_bus_bits,
        clock=clock / 1e6,
    )
    return Figure(2 * clock * card.memory_bus_bits / 8, words, origin=Origin.DEVICE)


def _route(subject: Subject, source: str, target: str) -> Figure:
    if subject.routes is None or not {source, target} <= {*subject.routes.devices}:
        return Figure.missing(_NO_WIRING)
    route = subject.routes.route(source, target)
    if route.limit is None:
        unknown = Message("the driver does not report how fast it is")
        return Figure.missing(route.limit_reason or unknown)
    return Figure(route.limit, route.limit_reason or route.words, origin=Origin.DEVICE)


def _peer(subject: Subject) -> Figure:
    if subject.routes is None:
        return Figure.missing(_NO_WIRING)
    peer = subject.peer()
    return Figure.missing(_ONE_CARD) if peer is None else _route(subject, subject.device, peer)


def _single(subject: Subject) -> Figure:
    card, clock = subject.card, subject.values.get(m.CLOCK_SM_MAX)
    if card is None:
        return Figure.missing(_NO_CARD)
    if card.cores is None:
        return Figure.missing(Message("the driver does not report how many cores it has"))
    if clock is None:
        reason = Message("its highest clock: {why}", why=_why(subject, m.CLOCK_SM_MAX))
        return Figure.missing(reason, Message("its highest clock"))
    words = Message(
        "{cores} cores at {clock:.0f} MHz at most, two operations a clock",
        cores=card.cores,
        clock=clock / 1e6,
    )
    return Figure(2.0 * card.cores * clock, words, origin=Origin.DEVICE)


def _power(subject: Subject) -> Figure:
    for metric, words in (
        (m.POWER_LIMIT_DEFAULT, Message("the power limit it starts with")),
        (m.POWER_LIMIT, Message("the power limit as it is enforced now")),
    ):
        if (limit := subject.values.get(metric)) is not None:
            return Figure(limit, words, origin=Origin.DEVICE)
    reason = Message("its power limit: {why}", why=_why(subject, m.POWER_LIMIT))
    return Figure.missing(reason, Message("its power limit"))


def _why(subject: Subject, metric: MetricId) -> str:
    absence = subject.missing.get(metric)
    return Message("it was not read yet") if absence is None else absence.sentence


def _other_word(what: What, promised: Figure, row: OtherCard | None) -> tuple[Message, ...]:
    """What the table has, where the device says something else. Lanes depend on the slot, and
    limits of power on a person.
    """
    if what not in (What.MEMORY, *PRODUCTS) or promised.origin is not Origin.DEVICE:
        return ()
    listed = None if row is None else row.figure(what)
    if listed is None or listed.value is None or promised.value is None:
        return ()
    if abs(promised.value - listed.value) <= _ALIKE * listed.value:
        return ()
    value = in_words(what, listed.value)
    return (Message("The table has {value} ({source}).", value=value, source=listed.detail),)


def _title(what: What, subject: Subject) -> Message:
    if what is What.PEER and (peer := subject.peer()) is not None:
        return Message("Peer link, one way to {device}", device=peer)
    if what is What.MEMORY and subject.is_host:
        return Message("Memory bandwidth, by the processor")
    return what.words


def _with_result(
    row: Row, result: CopyResult | ProductResult, subject: Subject, power: PowerLog | None
) -> Row:
    """For memory reading and writing are counted each for itself, as it is sold."""
    told = result.measured
    if told is None:
        return row.without(result.why)
    row = replace(row, modelled=told.modelled)
    if isinstance(result, ProductResult):
        wrong = Message("what came out was WRONG, and a wrong product has no rate")
        could = Message("modelled from what the card could do")
        source = Message(
            "measured here: the median of {count}, {size} x {size}",
            count=len(told.samples_s),
            size=result.job.size,
        )
        factor, each, watts = 1.0, result.job.operations, _watts(result, power, subject.card)
    else:
        wrong = Message("what arrived was WRONG, and a wrong copy has no rate")
        could = Message("modelled from its wires")
        source = Message("measured here: the median of {count}", count=len(told.samples_s))
        factor, each = 2.0 if row.what is What.MEMORY else 1.0, float(result.bytes)
        why = Message("a copy is over too soon for its power to be read")
        watts = Figure.missing(why)
        if told.modelled:
            why = Message("modelled: nothing was copied")
            watts = Figure.missing(why, origin=Origin.MODELLED)
        if result.in_cache:
            why = Message(
                "so few bytes as fit into the free memory fit into the card's cache, too"
            )
            return row.without(why)
    if result.wrong or result.rate is None:
        return replace(row.without(wrong), wrong=result.wrong, notes=(*row.notes, *told.notes))
    reached = Figure(factor * result.rate, source)
    if told.modelled:
        reached = Figure(factor * result.rate, could, origin=Origin.MODELLED)
    row = replace(row, reached=reached, watts=watts, variation=result.variation)
    notes = [*row.notes]
    if row.what is What.MEMORY:
        notes.append(Message("Each byte is read and written, so it counts twice."))
    notes += (*told.notes, *(busy.sentence for busy in result.busy))
    if row.what in PRODUCTS and (row.share or 0.0) > 1.0:
        notes.append(
            Message(
                "More than promised: the card ran above the clock that its maker counts with."
            )
        )
    rates = [factor * each / seconds for seconds in told.samples_s]
    return replace(row, lowest=min(rates), highest=max(rates), notes=tuple(notes))


def _watts(result: ProductResult, power: PowerLog | None, card: Card | None) -> Figure:
    if result.watts is not None:
        limit = Message("modelled from its power limit")
        return Figure(result.watts, limit, origin=Origin.MODELLED)
    if card is None:
        return Figure.missing(Message("it is not known what the processor draws"))
    if power is None or result.loaded is None:
        return Figure.missing(Message("the power was not read while it was measured"))
    return power.mean(card.id, *result.loaded)


def _limited(subject: Subject) -> Iterator[Message]:
    """Where somebody set the limit lower, or higher, than the card comes with."""
    usual, now = (subject.values.get(e) for e in (m.POWER_LIMIT_DEFAULT, m.POWER_LIMIT))
    if usual is not None and now is not None and abs(usual - now) >= 1.0:
        yield Message("Its power limit is set to {limit} now.", limit=str(in_watts(now)))
