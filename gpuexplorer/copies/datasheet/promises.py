"""Promises: what a device says it can do, and the table for what it does not tell."""

from collections.abc import Mapping

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.datasheet.figure import Figure, Origin, What, in_words
from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.copies.datasheet.subject import Subject
from gpuexplorer.core import metrics as m
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message

# What has to be read of a card beforehand.
ASKED = (m.CLOCK_MEMORY_MAX, m.CLOCK_SM_MAX, m.POWER_LIMIT_DEFAULT, m.POWER_LIMIT)
_ALIKE = 0.02
# A slot may have fewer lanes than the card, and a person may choose another limit.
_DECIDED_HERE = (What.TO_CARD, What.FROM_CARD, What.PEER, What.POWER)
_NO_WIRING = Message("it is not known how the cards are wired")
_NO_CARD = Message("the driver reports nothing about this card")


def promises_of(subject: Subject, row: OtherCard | None) -> Mapping[What, Figure]:
    """`row`: the card's own in the table, where it is there."""
    if subject.is_host:
        return _of_host()
    return {
        What.MEMORY: _or_table(_memory(subject), row, What.MEMORY),
        What.TO_CARD: _or_table(_route(subject, HOST, subject.device), row, What.TO_CARD),
        What.FROM_CARD: _or_table(_route(subject, subject.device, HOST), row, What.FROM_CARD),
        What.PEER: _peer(subject),
        What.FP32: _or_table(_single(subject), row, What.FP32),
        What.TF32: _tensor(subject, row, What.TF32, "TF32"),
        What.BF16: _tensor(subject, row, What.BF16, "BF16"),
        What.POWER: _or_table(_power(subject), row, What.POWER),
    }


def other_word(what: What, promised: Figure, row: OtherCard | None) -> tuple[Message, ...]:
    """What the table has, where the device says something else."""
    if row is None or promised.value is None or promised.origin is not Origin.DEVICE:
        return ()
    listed = row.figure(what)
    if listed.value is None or what in _DECIDED_HERE:
        return ()
    if abs(promised.value - listed.value) <= _ALIKE * listed.value:
        return ()
    value = in_words(what, listed.value)
    return (Message("The table has {value} ({source}).", value=value, source=listed.detail),)


def _of_host() -> Mapping[What, Figure]:
    none = Figure.missing
    itself = none(Message("this is the host itself"))
    computing = none(Message("it is not known how much this processor could compute"))
    return {
        What.MEMORY: none(Message("it is not known how fast the memory of the computer is")),
        What.TO_CARD: itself,
        What.FROM_CARD: itself,
        What.PEER: itself,
        What.FP32: computing,
        What.TF32: none(Message("TF32 is a way of tensor cores, and the processor has none")),
        What.BF16: computing,
        What.POWER: none(Message("it is not known what this processor may draw")),
    }


def _or_table(told: Figure, row: OtherCard | None, what: What) -> Figure:
    """The device goes first; where neither tells, the reason names both."""
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
    return _told(2 * clock * card.memory_bus_bits / 8, words)


def _route(subject: Subject, source: str, target: str) -> Figure:
    if subject.routes is None or not {source, target} <= {*subject.routes.devices}:
        return Figure.missing(_NO_WIRING)
    route = subject.routes.route(source, target)
    if route.limit is None:
        unknown = Message("the driver does not report how fast it is")
        return Figure.missing(route.limit_reason or unknown)
    return _told(route.limit, route.limit_reason or route.words)


def _peer(subject: Subject) -> Figure:
    if subject.routes is None:
        return Figure.missing(_NO_WIRING)
    peer = subject.peer()
    if peer is None:
        return Figure.missing(Message("there is no other card"))
    return _route(subject, subject.device, peer)


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
    return _told(2.0 * card.cores * clock, words)


def _tensor(subject: Subject, row: OtherCard | None, what: What, kind: str) -> Figure:
    """No driver tells how much tensor cores do in a clock."""
    if subject.has_tensor_kinds() is False:
        card = subject.card
        major, minor = (0, 0) if card is None else card.compute_capability or (0, 0)
        return Figure.missing(
            Message(
                "its tensor cores, if any, do not support {kind}: that starts with compute "
                "capability 8.0, and this card has {capability}",
                kind=kind,
                capability=f"{major}.{minor}",
            ),
            Message("its tensor cores, if any, do not support {kind}", kind=kind),
        )
    return _or_table(Figure.missing(Message("no driver reports it")), row, what)


def _power(subject: Subject) -> Figure:
    limit = subject.values.get(m.POWER_LIMIT_DEFAULT)
    if limit is not None:
        return _told(limit, Message("the power limit it starts with"))
    limit = subject.values.get(m.POWER_LIMIT)
    if limit is not None:
        return _told(limit, Message("the power limit as it is enforced now"))
    reason = Message("its power limit: {why}", why=_why(subject, m.POWER_LIMIT))
    return Figure.missing(reason, Message("its power limit"))


def _told(value: float, detail: str) -> Figure:
    """By the device itself."""
    return Figure(value, detail, origin=Origin.DEVICE)


def _why(subject: Subject, metric: MetricId) -> str:
    absence = subject.missing.get(metric)
    return Message("it was not read yet") if absence is None else absence.sentence
