"""Values: what the lab and the cards said, as JSON for the expressions of a lesson.

An object with the key "is" is a record, of which the worker makes one with attributes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuexplorer.copies.benches import names_by_uuid
from gpuexplorer.copies.routes import HOST, device_names
from gpuexplorer.core.cards import Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Memory, Printed, Transferred
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lessons.vocabulary import UNITS

Limit = Callable[[str, str], float | None]  # bytes per second from one device to another
_NOT_TIMED = Message("The device did not say how long this copy took.")
_NO_WIRE = Message("It is not known what the wires of this way can carry.")
_NO_HOST_TIME = Message("It was not seen for how long this copy kept the host.")
_UNTOLD = Message("PyTorch does not tell it of this device.")


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
        "cells": [_cell(each) for each in ran],
        "copies": [
            _copy(copy, limit)
            for each in ran
            for copy in each.transfers
            if not copy.already_there
        ],
    }


def _read(readings: Readings, ledger: Ledger, limit: Limit) -> dict[str, object]:
    devices = _devices(readings, ledger)
    return {
        "cards": [
            _card(each, place, devices.get(each.card.id, ""), limit)
            for place, each in enumerate(_in_order(readings.cards, devices))
        ],
        "host": _card(readings.host, 0, HOST, limit),
        "memory": {name: _memory(each) for name, each in readings.memory.items()},
    }


def _devices(readings: Readings, ledger: Ledger) -> Mapping[CardId, str]:
    """What PyTorch calls each card; before a worker has said it, by CUDA's numbers."""
    cards = [each.card for each in readings.cards]
    if ledger.hello is None:
        named = device_names(cards)
    else:
        named = names_by_uuid(ledger.hello.devices, cards)
    return {card: name for name, card in named.items()}


def _in_order(cards: Sequence[Read], devices: Mapping[CardId, str]) -> Sequence[Read]:
    """As PyTorch counts them, and then those that it does not see."""
    places = {name: place for place, name in enumerate(sorted(devices.values(), key=_number))}
    last = len(places)
    return sorted(cards, key=lambda each: places.get(devices.get(each.card.id, ""), last))


def _number(device: str) -> int:
    return int(device.partition(":")[2])


def _card(read: Read, place: int, device: str, limit: Limit) -> Mapping[str, object]:
    card, sample = read.card, read.sample
    name = Message("{device}, {name}", device=device or f"card {place}", name=card.name)
    has: dict[str, object] = {"index": place, "name": card.name, "uuid": str(card.id)}
    has |= {"device": device, "simulated": card.simulated}
    has["lost"] = sample.state in (CardState.LOST, CardState.UNLISTED)
    if card.memory_bytes is not None:
        has["memory_total"] = card.memory_bytes
    has |= {str(metric): value for metric, value in sample.values.items()}
    lacks = {
        str(metric): Message(
            "{figure} of {card} is missing: {reason}.",
            figure=METRICS[metric].label,
            card=name,
            reason=absence.sentence,
        )
        for metric, absence in sample.missing.items()
        if str(metric) not in has
    }
    if device != HOST:
        peak = limit(HOST, device) if device else None
        _put("pcie_peak", peak, _NO_WIRE, has, lacks)
    return _record(name, has, lacks)


def _cell(cell: Cell) -> Mapping[str, object]:
    done, failed = cell.finished, cell.failed
    ended = done or failed
    printed = [each for each in cell.outputs if isinstance(each, Printed)]
    values = [each.text for each in printed if each.stream == "value"]
    return _record(
        Message("cell {number}", number=cell.number),
        {
            "code": cell.code,
            "printed": "".join(each.text for each in printed if each.stream in ("out", "err")),
            "value": values[-1] if values else "",
            "seconds": ended.host_seconds if ended is not None else None,
            "device_seconds": done.device_seconds if done is not None else None,
            "failed": failed is not None,
            "error": failed.error if failed is not None else "",
            "message": failed.message if failed is not None else "",
            "modelled": ended is not None and ended.modelled,
        },
    )


def _copy(copy: Transferred, limit: Limit) -> Mapping[str, object]:
    has: dict[str, object] = {
        name: getattr(copy, name)
        for name in (
            "source", "target", "bytes", "copies", "pinned", "blocking", "asked", "what",
            "line", "modelled",
        )
    }  # fmt: skip
    lacks: dict[str, Message] = {}
    seconds = copy.seconds or None
    _put("seconds", seconds, _NOT_TIMED, has, lacks)
    _put("rate", copy.bytes / seconds if seconds else None, _NOT_TIMED, has, lacks)
    _put("host_seconds", copy.host_seconds, _NO_HOST_TIME, has, lacks)
    _put("limit", limit(copy.source, copy.target), _NO_WIRE, has, lacks)
    name = Message("the copy from {one} to {other}", one=copy.source, other=copy.target)
    return _record(name, has, lacks)


def _memory(memory: Memory) -> Mapping[str, object]:
    has: dict[str, object] = {}
    lacks: dict[str, Message] = {}
    for name in ("tensors", "reserved", "context", "free", "total"):
        _put(name, getattr(memory, f"{name}_bytes"), _UNTOLD, has, lacks)
    return _record(Message("the memory of {device}", device=memory.device), has, lacks)


def _put(
    name: str,
    value: float | None,
    why_not: Message,
    has: dict[str, object],
    lacks: dict[str, Message],
) -> None:
    if value is None:
        lacks[name] = why_not
    else:
        has[name] = value


def _record(
    name: Message, has: Mapping[str, object], lacks: Mapping[str, Message] | None = None
) -> Mapping[str, object]:
    reasons = {each: why.as_json() for each, why in (lacks or {}).items()}
    return {"is": str(name), "has": has, "lacks": reasons}


def with_memory(readings: Readings, ledger: Ledger) -> Readings:
    return replace(readings, memory=dict(ledger.memory))
