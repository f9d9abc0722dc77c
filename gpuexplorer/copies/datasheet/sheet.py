"""A card's datasheet: what is promised beside what was reached here, row by row. The device
goes first, then the table of cards; what there is not has a reason in its place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gpuexplorer.copies.datasheet.cards_table import (
    Figure,
    Origin,
    OtherCard,
    What,
    in_words,
    listed,
)
from gpuexplorer.copies.datasheet.products import PowerLog, ProductResult
from gpuexplorer.copies.jobs import HOST, Kind, job_of
from gpuexplorer.copies.result import CopyResult, variation_of
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import watts as in_watts
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.wire import NOT_OF_HOST, TENSOR_SINCE, CopyJob, ProductJob

# What has to be read of a card beforehand.
ASKED = (m.CLOCK_MEMORY_MAX, m.CLOCK_SM_MAX, m.POWER_LIMIT_DEFAULT, m.POWER_LIMIT)
_ALIKE = 0.02
_SMALL_CARD = 8 << 30
_NOT_YET = Figure.missing(Message("not measured yet"), Origin.NOT_YET)
_NO_WIRING = Message("it is not known how the cards are wired")
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
Job = CopyJob | ProductJob
Result = CopyResult | ProductResult


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
        return (multiplied if self.what.kind else copied, *self.notes)

    @property
    def share(self) -> float | None:
        """Of what is promised, what was reached."""
        if self.reached.value is None or not self.promised.value:
            return None
        return self.reached.value / self.promised.value

    def without(self, reason: str) -> "Row":
        missing = Figure.missing(reason)
        return replace(self, reached=missing, watts=missing)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Of one card, at one moment."""

    device: str  # "cuda:0"
    card: str  # "NVIDIA TITAN RTX"
    simulated: bool
    rows: tuple[Row, ...]  # one for each What
    listed: OtherCard | None = None  # the same model in the table

    @property
    def modelled(self) -> bool:
        """What was reached is a model's, not measured."""
        return any(row.modelled for row in self.rows)

    @property
    def measured(self) -> bool:
        """Whether anything of it is."""
        return any(row.reached.value is not None or row.wrong for row in self.rows)

    def row(self, what: What) -> Row:
        return next(row for row in self.rows if row.what is what)


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
    def peer(self) -> str | None:
        """The card that is reached fastest from here, in theory."""
        if self.is_host or self.routes is None:
            return None
        others = (each for each in self.routes.devices if each not in (HOST, self.device))
        found = {each: self.routes.route(self.device, each) for each in others}
        speeds = {
            each: (bool(route.direct), route.limit or 0.0) for each, route in found.items()
        }
        return max(speeds, key=speeds.__getitem__, default=None)

    @property
    def jobs(self) -> dict[What, Job]:
        """All that a sheet shows, in the order of its rows; what cannot be is left out.
        Products are so large that the device is at full work, and its memory is not.
        """
        paths = {What.MEMORY: (self.device, self.device)}
        if not self.is_host:
            paths[What.TO_CARD] = HOST, self.device
            paths[What.FROM_CARD] = self.device, HOST
        if (peer := self.peer) is not None:
            paths[What.PEER] = self.device, peer
        found: dict[What, Job] = {}
        for what, (source, target) in paths.items():
            if (copy := job_of(Kind.ONE_WAY, source, target, fit=True)) is not None:
                found[what] = copy
        memory = None if self.card is None else self.card.memory_bytes
        small = memory is not None and memory <= _SMALL_CARD
        size = 1024 if self.is_host else 4096 if small else 8192
        for what in What:
            older = what is What.TF32 and self.without_tensor_cores(what.kind)
            cannot = older or (self.is_host and what.kind in NOT_OF_HOST)
            if what.kind and not cannot:
                found[what] = ProductJob(self.device, what.kind, size)
        return found

    def without_tensor_cores(self, kind: str) -> str:
        """Its compute capability, where that is too little for these numbers; else empty."""
        had = None if self.card is None else self.card.compute_capability
        lacks = had is not None and had < TENSOR_SINCE.get(kind, (0, 0))
        return "{}.{}".format(*had) if had is not None and lacks else ""


def sheet_of(
    subject: Subject,
    results: Mapping[CopyJob, CopyResult],
    products: Mapping[ProductJob, ProductResult],
    power: PowerLog | None = None,
    *,
    simulated: bool = False,
) -> Sheet:
    """Whatever was measured until now; what was not has a reason in its place."""
    card, rows, jobs = subject.card, list[Row](), subject.jobs
    own = None if card is None else listed(card.name, card.memory_bytes)
    for what in What:
        job, promised, title = jobs.get(what), _promise(subject, what, own), Message(what.words)
        if what is What.PEER and subject.peer is not None:
            title = Message("Peer link, one way to {device}", device=subject.peer)
        elif what is What.MEMORY and subject.is_host:
            title = Message("Memory bandwidth, by the processor")
        row = Row(what, title, promised, notes=_other_word(what, promised, own))
        copied = results.get(job) if isinstance(job, CopyJob) else None
        result = products.get(job) if isinstance(job, ProductJob) else copied
        if what is What.POWER:
            row = _drawn(row, rows, subject)
        elif job is None:
            row = row.without(promised.reason)
        elif result is not None:
            row = _with_result(row, result, subject, power)
        rows.append(row)
    host = Message("the processor") if subject.is_host else subject.device
    name = (subject.name or host) if card is None else card.name
    return Sheet(subject.device, name, simulated, tuple(rows), own)


def _promise(subject: Subject, what: What, own: OtherCard | None) -> Figure:
    """The device goes first; where neither tells, the reason names both."""
    if subject.is_host:
        return Figure.missing(_OF_HOST[what])
    if what is What.PEER:
        if subject.peer is not None:
            return _route(subject, subject.device, subject.peer)
        alone = Message("there is no other card")
        return Figure.missing(_NO_WIRING if subject.routes is None else alone)
    if had := subject.without_tensor_cores(what.kind):
        why = Message(
            "its tensor cores, if any, do not support {kind}: that starts with compute "
            "capability {first}, and this card has {capability}",
            kind=what.kind.upper(),
            first="{}.{}".format(*TENSOR_SINCE[what.kind]),
            capability=had,
        )
        return Figure.missing(why)
    told = _by_device(subject, what)
    if told.value is not None:
        return told
    if own is None:
        unlisted = mark("{reason}, and the table of cards does not have this card")
        return Figure.missing(Message(unlisted, reason=told.reason))
    other = own.figures[what]
    if other.value is not None:
        return other
    return Figure.missing(Message("{one}, and {other}", one=told.reason, other=other.reason))


def _by_device(subject: Subject, what: What) -> Figure:
    card, values = subject.card, subject.values
    if what is What.TO_CARD:
        return _route(subject, HOST, subject.device)
    if what is What.FROM_CARD:
        return _route(subject, subject.device, HOST)
    if what is What.POWER:
        for metric, words in (
            (m.POWER_LIMIT_DEFAULT, Message("the power limit it starts with")),
            (m.POWER_LIMIT, Message("the power limit as it is enforced now")),
        ):
            if (limit := values.get(metric)) is not None:
                return Figure(limit, words, origin=Origin.DEVICE)
        return _unread(subject, m.POWER_LIMIT, mark("its power limit: {why}"))
    if what not in (What.MEMORY, What.FP32):
        # No driver tells how much tensor cores do in a clock.
        return Figure.missing(Message("no driver reports it"))
    if card is None:
        return Figure.missing(Message("the driver reports nothing about this card"))
    if what is What.FP32:
        if card.cores is None:
            return Figure.missing(Message("the driver does not report how many cores it has"))
        if (clock := values.get(m.CLOCK_SM_MAX)) is None:
            return _unread(subject, m.CLOCK_SM_MAX, mark("its highest clock: {why}"))
        said = mark("{cores} cores at {clock:.0f} MHz at most, two operations a clock")
        detail = Message(said, cores=card.cores, clock=clock / 1e6)
        return Figure(2.0 * card.cores * clock, detail, origin=Origin.DEVICE)
    if card.memory_shared:
        return Figure.missing(Message("this card borrows the computer's memory"))
    if card.memory_bus_bits is None:
        why = Message("the driver does not report how wide the way to its memory is")
        return Figure.missing(why)
    if (clock := values.get(m.CLOCK_MEMORY_MAX)) is None:
        return _unread(subject, m.CLOCK_MEMORY_MAX, mark("its memory's clock: {why}"))
    said = mark("{bits} bit at {clock:.0f} MHz, two transfers a clock")
    detail = Message(said, bits=card.memory_bus_bits, clock=clock / 1e6)
    return Figure(2 * clock * card.memory_bus_bits / 8, detail, origin=Origin.DEVICE)


def _route(subject: Subject, source: str, target: str) -> Figure:
    if subject.routes is None or not {source, target} <= {*subject.routes.devices}:
        return Figure.missing(_NO_WIRING)
    route = subject.routes.route(source, target)
    if route.limit is None:
        unknown = Message("the driver does not report how fast it is")
        return Figure.missing(route.limit_reason or unknown)
    return Figure(route.limit, route.limit_reason or route.words, origin=Origin.DEVICE)


def _unread(subject: Subject, metric: MetricId, words: str) -> Figure:
    absence = subject.missing.get(metric)
    why = Message("it was not read yet") if absence is None else absence.sentence
    return Figure.missing(Message(words, why=why))


def _other_word(what: What, promised: Figure, own: OtherCard | None) -> tuple[Message, ...]:
    """What the table has, where the device says something else. Lanes depend on the slot, and
    limits of power on a person.
    """
    other = None if own is None else own.figures[what]
    if other is None or other.value is None or promised.value is None:
        return ()
    near = abs(promised.value - other.value) <= _ALIKE * other.value
    if near or what not in (What.MEMORY, What.FP32) or promised.origin is Origin.TABLE:
        return ()
    value = in_words(what, other.value)
    return (Message("The table has {value} ({source}).", value=value, source=other.detail),)


def _with_result(row: Row, result: Result, subject: Subject, power: PowerLog | None) -> Row:
    """For memory reading and writing are counted each for itself, as it is sold."""
    told = result.measured
    if told is None:
        return row.without(result.why)
    row, count = replace(row, modelled=told.modelled), len(told.samples_s)
    factor, notes = 1.0, list(row.notes)
    if isinstance(result, ProductResult):
        wrong = Message("what came out was WRONG, and a wrong product has no rate")
        could = Message("modelled from what the card could do")
        median = mark("measured here: the median of {count}, {size} x {size}")
        source = Message(median, count=count, size=result.job.size)
        each, watts = result.job.operations, _watts(result, power, subject.card)
    else:
        wrong = Message("what arrived was WRONG, and a wrong copy has no rate")
        could = Message("modelled from its wires")
        source = Message("measured here: the median of {count}", count=count)
        each = float(result.bytes)
        watts = Figure.missing(Message("a copy is over too soon for its power to be read"))
        if told.modelled:
            watts = Figure.missing(Message("modelled: nothing was copied"), Origin.MODELLED)
        if result.in_cache:
            few = mark(
                "so few bytes as fit into the free memory fit into the card's cache, too"
            )
            return row.without(Message(few))
        if row.what is What.MEMORY:
            factor = 2.0
            notes.append(Message("Each byte is read and written, so it counts twice."))
    if result.wrong or result.rate is None:
        return replace(row.without(wrong), wrong=result.wrong, notes=(*row.notes, *told.notes))
    origin = Origin.MODELLED if told.modelled else Origin.MEASURED
    reached = Figure(factor * result.rate, could if told.modelled else source, origin=origin)
    row = replace(row, reached=reached, watts=watts, variation=variation_of(told.samples_s))
    notes += (*told.notes, *(busy.sentence for busy in result.busy))
    if row.what.kind and (row.share or 0.0) > 1.0:
        above = mark("the card ran above the clock that its maker counts with")
        notes.append(Message("More than promised: {why}.", why=Message(above)))
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


def _drawn(board: Row, rows: list[Row], subject: Subject) -> Row:
    """The most that it drew; and where somebody set the limit lower, or higher, than the card
    comes with.
    """
    drawn = [row.watts for row in rows if row.watts.value is not None]
    most = max(drawn, key=lambda each: each.value or 0.0, default=_NOT_YET)
    if not drawn and all(row.reached.origin is not Origin.NOT_YET for row in rows):
        most = Figure.missing(Message("no power was read while it was measured"))
    usual, now = (subject.values.get(e) for e in (m.POWER_LIMIT_DEFAULT, m.POWER_LIMIT))
    notes = board.notes
    if usual is not None and now is not None and abs(usual - now) >= 1.0:
        set_to = Message("Its power limit is set to {limit} now.", limit=str(in_watts(now)))
        notes = (*notes, set_to)
    return replace(board, reached=most, watts=most, notes=notes)
