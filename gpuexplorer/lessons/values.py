"""Values: what the lab and the cards said, as JSON for the expressions of a lesson.

An object with the key "is" is a record, of which the worker makes one with attributes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.copies.benches import names_by_uuid
from gpuexplorer.copies.routes import HOST, device_names
from gpuexplorer.core.cards import Card, CardState, Sample
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Memory, Printed, Transferred
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lessons.expressions import FIELDS, UNITS

Record = Mapping[str, object]
Limit = Callable[[str, str], float | None]  # bytes per second from one device to another
_NOT_TIMED = Message("The device did not say how long this copy took.")
_NO_WIRE = Message("It is not known what the wires of this way can carry.")


@dataclass(frozen=True)
class Read:
    """One card, or the host, and all that it said."""

    card: Card
    sample: Sample


@dataclass(frozen=True)
class Readings:
    """All cards and the host at one moment; and what PyTorch held then, by device."""

    cards: Sequence[Read]
    host: Read
    memory: Mapping[str, Memory] = field(default_factory=dict)  # filled in by the player


def values_of(
    ledger: Ledger,
    cells: Iterable[Cell],
    now: Readings,
    before: Readings,
    limit: Limit,
    *,
    simulated: bool,
) -> Mapping[str, object]:
    """All that a check or a prediction may name beside the session's own names. `cells`: those
    of its step that have run.
    """
    ran = list(cells)
    return {
        **UNITS,
        "simulated": simulated,
        **_read(now, ledger, limit),
        "before": _record(Message("before"), _read(before, ledger, limit)),
        "cells": [
            _record(Message("cell {number}", number=each.number), cell_fields(each))
            for each in ran
        ],
        "copies": [
            _copy(copy, limit)
            for each in ran
            for copy in each.transfers
            if not copy.already_there
        ],
    }


def _read(readings: Readings, ledger: Ledger, limit: Limit) -> dict[str, object]:
    """Cards as PyTorch counts them, and then those that it does not see."""
    cards = [each.card for each in readings.cards]
    # What PyTorch calls each; before a worker has said it, by CUDA's numbers.
    hello = ledger.hello
    named = device_names(cards) if hello is None else names_by_uuid(hello.devices, cards)
    devices = {card: name for name, card in named.items()}
    unseen = f"cuda:{len(cards)}"
    ordered = sorted(
        readings.cards,
        key=lambda each: int(devices.get(each.card.id, unseen).partition(":")[2]),
    )
    return {
        "cards": [
            _card(each, place, devices.get(each.card.id, ""), limit)
            for place, each in enumerate(ordered)
        ],
        "host": _card(readings.host, 0, HOST, limit),
        "memory": {name: _memory(each) for name, each in readings.memory.items()},
    }


def _card(read: Read, place: int, device: str, limit: Limit) -> Record:
    card, sample = read.card, read.sample
    name = Message("{device}, {name}", device=device or f"card {place}", name=card.name)
    has: dict[str, object] = {
        "index": place, "name": card.name, "uuid": str(card.id), "device": device,
        "simulated": card.simulated,
        "lost": sample.state in (CardState.LOST, CardState.UNLISTED),
    }  # fmt: skip
    if card.memory_bytes is not None:
        has["memory_total"] = card.memory_bytes
    lacks = {
        str(metric): Message(
            "{figure} of {card} is missing: {reason}.",
            figure=METRICS[metric].label,
            card=name,
            reason=absence.sentence,
        )
        for metric, absence in sample.missing.items()
    }
    if device != HOST:
        has["pcie_peak"] = limit(HOST, device) if device else None
        lacks["pcie_peak"] = _NO_WIRE
    has |= {str(metric): value for metric, value in sample.values.items()}
    return _record(name, has, **lacks)


def cell_fields(cell: Cell) -> dict[str, object]:
    """What a lesson knows of a cell, and a report of one tells."""
    done, failed = cell.finished, cell.failed
    ended = done or failed
    printed = [each for each in cell.outputs if isinstance(each, Printed)]
    values = [each.text for each in printed if each.stream == "value"]
    return {
        "code": cell.code,
        "printed": "".join(each.text for each in printed if each.stream in ("out", "err")),
        "value": values[-1] if values else "",
        "seconds": ended.host_seconds if ended is not None else None,
        "device_seconds": done.device_seconds if done is not None else None,
        "failed": failed is not None,
        "error": failed.error if failed is not None else "",
        "message": failed.message if failed is not None else "",
        "modelled": ended is not None and ended.modelled,
    }


def _copy(copy: Transferred, limit: Limit) -> Record:
    has = {name: getattr(copy, name, None) for name in FIELDS["copy"]}
    has["seconds"] = copy.seconds or None
    has["rate"] = copy.bytes / copy.seconds if copy.seconds else None
    has["limit"] = limit(copy.source, copy.target)
    name = Message("the copy from {one} to {other}", one=copy.source, other=copy.target)
    unseen = Message("It was not seen for how long this copy kept the host.")
    timed = {"seconds": _NOT_TIMED, "rate": _NOT_TIMED}
    return _record(name, has, **timed, host_seconds=unseen, limit=_NO_WIRE)


def _memory(memory: Memory) -> Record:
    has = {name: getattr(memory, f"{name}_bytes") for name in FIELDS["held"]}
    name = Message("the memory of {device}", device=memory.device)
    untold = Message("PyTorch does not tell it of this device.")
    return _record(name, has, **dict.fromkeys(has, untold))


def _record(name: Message, values: Mapping[str, object], **reasons: Message) -> Record:
    """`reasons`: told of a value that is not there. Without one, None is a value too."""
    lacks = {each: why.as_json() for each, why in reasons.items() if values.get(each) is None}
    has = {each: value for each, value in values.items() if each not in lacks}
    return {"is": str(name), "has": has, "lacks": lacks}
