"""Promises: what a device says it can do, and the table for what it does not tell."""

from collections.abc import Mapping

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.datasheet.figure import Figure, What
from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.copies.datasheet.subject import Subject
from gpuexplorer.copies.datasheet.words import in_words
from gpuexplorer.core.catalogue.clocks import CLOCK_MEMORY_MAX, CLOCK_SM_MAX
from gpuexplorer.core.catalogue.heat_and_power import POWER_LIMIT, POWER_LIMIT_DEFAULT
from gpuexplorer.core.metrics import MetricId

# What has to be read of a card beforehand.
ASKED = (CLOCK_MEMORY_MAX, CLOCK_SM_MAX, POWER_LIMIT_DEFAULT, POWER_LIMIT)
_SAYS = "the device says: "
_ALIKE = 0.02
# A slot may have fewer lanes than the card, and a person may choose another limit.
_DECIDED_HERE = (What.TO_CARD, What.FROM_CARD, What.PEER, What.POWER)
_NO_WIRING = "nobody told how this machine is wired"


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


def other_word(what: What, promised: Figure, row: OtherCard | None) -> tuple[str, ...]:
    """What the table has, where the device says something else."""
    if row is None or promised.value is None or not promised.source.startswith(_SAYS):
        return ()
    listed = row.figure(what)
    if listed.value is None or what in _DECIDED_HERE:
        return ()
    if abs(promised.value - listed.value) <= _ALIKE * listed.value:
        return ()
    source = listed.source.removeprefix("table: ")
    return (f"the table has {in_words(what, listed.value)} ({source})",)


def _of_host() -> Mapping[What, Figure]:
    none = Figure.missing
    return {
        What.MEMORY: none("nobody tells how fast the memory of this computer is"),
        What.TO_CARD: none("this is the host itself"),
        What.FROM_CARD: none("this is the host itself"),
        What.PEER: none("this is the host itself"),
        What.FP32: none("nobody tells how much this processor could compute"),
        What.TF32: none("TF32 is a way of tensor cores, and the processor has none"),
        What.BF16: none("nobody tells how much this processor could compute"),
        What.POWER: none("nobody tells what this processor may draw"),
    }


def _or_table(told: Figure, row: OtherCard | None, what: What) -> Figure:
    """The device goes first; where neither tells, the reason names both."""
    if told.value is not None:
        return told
    if row is None:
        return Figure.missing(f"{told.reason}, and the table of cards does not have this card")
    listed = row.figure(what)
    if listed.value is not None:
        return listed
    return Figure.missing(f"{told.reason}, and {listed.reason}")


def _memory(subject: Subject) -> Figure:
    card, clock = subject.card, subject.values.get(CLOCK_MEMORY_MAX)
    if card is None:
        return Figure.missing("the driver tells nothing of this card")
    if card.memory_shared:
        return Figure.missing("this card borrows the computer's memory")
    if card.memory_bus_bits is None:
        return Figure.missing("the driver does not tell how wide the way to its memory is")
    if clock is None:
        return Figure.missing(f"its memory's clock: {_why(subject, CLOCK_MEMORY_MAX)}")
    words = f"{card.memory_bus_bits} bit at {clock / 1e6:.0f} MHz, two transfers a clock"
    return Figure(2 * clock * card.memory_bus_bits / 8, _SAYS + words)


def _route(subject: Subject, source: str, target: str) -> Figure:
    if subject.routes is None or not {source, target} <= {*subject.routes.devices}:
        return Figure.missing(_NO_WIRING)
    route = subject.routes.route(source, target)
    if route.limit is None:
        return Figure.missing(route.limit_reason or "the driver does not tell how fast it is")
    return Figure(route.limit, _SAYS + (route.limit_reason or route.words))


def _peer(subject: Subject) -> Figure:
    if subject.routes is None:
        return Figure.missing(_NO_WIRING)
    peer = subject.peer()
    if peer is None:
        return Figure.missing("there is no other card in this machine")
    return _route(subject, subject.device, peer)


def _single(subject: Subject) -> Figure:
    card, clock = subject.card, subject.values.get(CLOCK_SM_MAX)
    if card is None:
        return Figure.missing("the driver tells nothing of this card")
    if card.cores is None:
        return Figure.missing("the driver does not tell how many cores it has")
    if clock is None:
        return Figure.missing(f"its highest clock: {_why(subject, CLOCK_SM_MAX)}")
    words = f"{card.cores} cores at {clock / 1e6:.0f} MHz at most, two operations a clock"
    return Figure(2.0 * card.cores * clock, _SAYS + words)


def _tensor(subject: Subject, row: OtherCard | None, what: What, kind: str) -> Figure:
    """No driver tells how much tensor cores do in a clock."""
    if subject.has_tensor_kinds() is False:
        card = subject.card
        major, minor = (0, 0) if card is None else card.compute_capability or (0, 0)
        return Figure.missing(
            f"its tensor cores, if it has any, know no {kind}: that begins with compute "
            f"capability 8.0, and this card has {major}.{minor}"
        )
    return _or_table(Figure.missing("no driver tells it"), row, what)


def _power(subject: Subject) -> Figure:
    limit = subject.values.get(POWER_LIMIT_DEFAULT)
    if limit is not None:
        return Figure(limit, _SAYS + "the power limit it starts with")
    limit = subject.values.get(POWER_LIMIT)
    if limit is not None:
        return Figure(limit, _SAYS + "the power limit as it is enforced now")
    return Figure.missing(f"its power limit: {_why(subject, POWER_LIMIT)}")


def _why(subject: Subject, metric: MetricId) -> str:
    absence = subject.missing.get(metric)
    return "it was not read yet" if absence is None else absence.sentence
