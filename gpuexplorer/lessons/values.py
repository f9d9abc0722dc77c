"""Values: what the lab and the cards said, as JSON for the expressions of a lesson; and what
these gave, held against what somebody predicted and what must be true.

An object with the key "is" is a record, of which the worker makes one with attributes.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gpuexplorer.copies.benches import names_by_uuid
from gpuexplorer.copies.routes import HOST, device_names
from gpuexplorer.core.cards import Card, CardState, Sample
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import figure
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.events import Memory, Printed, Transferred, Worth
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lessons.lesson import Check, Predict

_UNITS = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_UNITS |= {"ms": 1e-3, "us": 1e-6}
_OF_A_COPY = (
    *("source", "target", "bytes", "seconds", "host_seconds", "pinned", "blocking", "asked"),
    *("what", "line", "copies", "modelled"),
)
_OF_MEMORY = ("tensors", "reserved", "context", "free", "total")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d\d?)?")
_NO_WIRE = Message("It is not known what the wires of this way can carry.")

_Read = tuple[Card, Sample]  # one card, or the host, and all that it said


@dataclass(frozen=True)
class Readings:
    """All cards and the host at one moment; and what PyTorch held then, by device."""

    cards: Sequence[_Read]
    host: _Read
    memory: Mapping[str, Memory] = field(default_factory=dict)  # filled in by the player


class Rig(Protocol):
    """The lab in which a lesson is played. Numbers are those of commands: what comes of them
    arrives by `Player.apply`.
    """

    @property
    def ledger(self) -> Ledger: ...

    @property
    def simulated(self) -> bool: ...

    def run(self, code: str) -> int: ...

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int: ...

    def measure(self, then: Callable[[Readings], None]) -> None:
        """All cards and the host, read after now; `then` may be called at once."""
        ...

    def limit(self, source: str, target: str) -> float | None:
        """Bytes per second of the narrowest wire between two devices; None: not known."""
        ...


def values_of(
    rig: Rig, cells: Sequence[Cell], now: Readings, before: Readings
) -> Mapping[str, object]:
    """All that a check or a prediction may name beside the session's own names. `cells`: those
    of its step that have run.
    """
    copies = [each for cell in cells for each in cell.transfers if not each.already_there]
    return {
        **_UNITS,
        "simulated": rig.simulated,
        **_figures(now, rig),
        "before": _record(Message("before"), _figures(before, rig)),
        "cells": [
            _record(Message("cell {number}", number=each.number), cell_fields(each))
            for each in cells
        ],
        "copies": [_copy(each, rig) for each in copies],
    }


def _figures(readings: Readings, rig: Rig) -> Mapping[str, object]:
    """Cards as PyTorch counts them, and then those that it does not see."""
    cards, hello = [card for card, _ in readings.cards], rig.ledger.hello
    # What PyTorch calls each; before a worker has said it, by CUDA's numbers.
    named = device_names(cards) if hello is None else names_by_uuid(hello.devices, cards)
    devices = {card: name for name, card in named.items()}
    reads = {read[0].id: read for read in readings.cards}
    order = dict.fromkeys([*devices, *reads])
    return {
        "cards": [
            _card(reads[card], place, devices.get(card, ""), rig)
            for place, card in enumerate(order)
        ],
        "host": _card(readings.host, 0, HOST, rig),
        "memory": {
            device: _record(
                Message("the memory of {device}", device=device),
                {name: getattr(each, f"{name}_bytes") for name in _OF_MEMORY},
            )
            for device, each in readings.memory.items()
        },
    }


def _card(read: _Read, place: int, device: str, rig: Rig) -> Mapping[str, object]:
    card, sample = read
    name = Message("{device}, {name}", device=device or f"card {place}", name=card.name)
    has: dict[str, object] = {
        "index": place,
        "name": card.name,
        "uuid": str(card.id),
        "device": device,
        "simulated": card.simulated,
        "lost": sample.state in (CardState.LOST, CardState.UNLISTED),
        "memory_total": card.memory_bytes,
        **{str(metric): value for metric, value in sample.values.items()},
    }
    for metric, absence in sample.missing.items():
        has[str(metric)] = Message(
            "{figure} of {card} is missing: {reason}.",
            figure=METRICS[metric].label,
            card=name,
            reason=absence.sentence,
        )
    if device != HOST:
        has["pcie_peak"] = (rig.limit(HOST, device) if device else None) or _NO_WIRE
    return _record(name, has)


def _copy(copy: Transferred, rig: Rig) -> Mapping[str, object]:
    one, other = copy.source, copy.target
    has = {name: getattr(copy, name) for name in _OF_A_COPY}
    has["rate"] = copy.bytes / copy.seconds if copy.seconds else None
    has["limit"] = rig.limit(one, other) or _NO_WIRE
    return _record(Message("the copy from {one} to {other}", one=one, other=other), has)


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


def _record(name: Message, values: Mapping[str, object]) -> Mapping[str, object]:
    """A message says why a value is not there."""
    usual = Message("This was not measured of {what}.", what=name)
    has, lacks = {}, {}
    for each, value in values.items():
        if value is None or isinstance(value, Message):
            lacks[each] = (value or usual).as_json()
        else:
            has[each] = value
    return {"is": str(name), "has": has, "lacks": lacks}


@dataclass(frozen=True)
class Prediction:
    """As it was typed, or the choice's words; and its number, or the choice's place."""

    said: str
    value: float


@dataclass(frozen=True)
class Revealed:
    """What came of a Predict. `right` is None: nobody predicted, or nothing was measured."""

    measured: float | None = None
    limit: float | None = None
    right: bool | None = None
    modelled: bool = False
    reason: Message = NOTHING  # why nothing was measured, or why there is no limit
    fault: int = 0  # the line of the lesson that Python refused


@dataclass(frozen=True)
class Checked:
    """What came of a Check: of its first condition that does not hold, or of the last."""

    held: bool
    line: int
    told: str = ""  # the lesson's words for what does not hold
    error: Message = NOTHING  # it could not be worked out
    found: Message = NOTHING  # what it compared


def revealed(
    part: Predict, said: Prediction | None, worths: Sequence[Worth], *, modelled: bool
) -> Revealed:
    if part.number is None:
        return Revealed(right=None if said is None else int(said.value) == part.right)
    measured, limit = worths[0], worths[1] if part.limit else Worth()
    if measured.number is None:
        why = measured.error or Message("What the lesson measures here gives no number.")
        return Revealed(reason=why, fault=part.number.line if measured.fault else 0)
    right = None
    if said is not None:
        within = part.within * abs(measured.number)
        right = abs(said.value - measured.number) <= within
        if part.factor:
            ends = measured.number / part.factor, measured.number * part.factor
            right = min(ends) <= said.value <= max(ends)
    line = part.limit.line if part.limit and limit.fault else 0
    return Revealed(measured.number, limit.number, right, modelled, limit.error, line)


def checked(part: Check, worths: Sequence[Worth]) -> Checked:
    for condition, worth in zip(part.conditions, worths, strict=True):
        if not worth.truth:
            words = condition.words
            found = {"error": worth.error, "found": worth.found}
            return Checked(held=False, line=condition.line, told=words, **found)
    return Checked(held=True, line=part.line)


def predicted(part: Predict, said: str) -> Prediction:
    """Raises Trouble where it is neither a number nor one of the choices."""
    text = said.strip()
    if part.choices:  # by its words, or by its number from 1
        for place, choice in enumerate(part.choices):
            if text.casefold() in (choice.casefold(), str(place + 1)):
                return Prediction(choice, float(place))
        raise Trouble(
            "{said!r} is none of the answers.",
            "Type the number of one: 1 to {last}.",
            said=text,
            last=len(part.choices),
        )
    number = re.sub(r"[\s_']", "", text.removesuffix(part.unit))
    number = number.replace(",", "" if _THOUSANDS.fullmatch(number) else ".")
    if not _NUMBER.fullmatch(number):
        raise Trouble("{said!r} is no number.", "Type one, such as 1500 or 2.5.", said=text)
    return Prediction(text, float(number))


def how_far(part: Predict, said: Prediction | None, shown: Revealed) -> Message:
    """Empty where nobody predicted, or nothing was measured."""
    if said is None or shown.right is None:
        return NOTHING
    if part.choices and shown.right:
        return Message("You were right.")
    if part.choices:
        return Message("Another one is right: it is marked.")
    if shown.measured is None:
        return NOTHING
    near = f"{figure(part.within * 100)} %"
    if part.factor:
        near = Message("a factor of {factor}", factor=figure(part.factor))
    counts = Message("Up to {range} off counts as right.", range=near)
    factor = said.value / shown.measured if shown.measured else 0.0
    if said.value == shown.measured:
        return told(Message("Exactly what was measured."), counts)
    if factor <= 0:
        return told(Message("Not what was measured."), counts)
    far = f"{figure(float(f'{abs(factor - 1) * 100:.2g}'))} %"
    if not 0.5 <= factor <= 2:
        times = figure(float(f"{max(factor, 1 / factor):.2g}"))
        far = Message("{times} times", times=times)
    if factor > 1:
        return told(Message("{share} too much.", share=far), counts)
    return told(Message("{share} too little.", share=far), counts)
