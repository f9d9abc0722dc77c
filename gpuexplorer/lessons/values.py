"""Values: what the lab and the cards said, as JSON for the expressions of a lesson; and what
these gave, held against what somebody predicted and what must be true.

An object with the key "is" is a record, of which the worker makes one with attributes.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.copies.benches import names_by_uuid
from gpuexplorer.copies.routes import HOST, device_names
from gpuexplorer.core.cards import Card, CardState, Sample
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import figure
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.events import Memory, Printed, Transferred, Worth
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lessons.expressions import FIELDS, UNITS
from gpuexplorer.lessons.lesson import Check, Predict

Record = Mapping[str, object]
Limit = Callable[[str, str], float | None]  # bytes per second from one device to another
AT_FAULT = "Line {line} of the lesson is at fault."
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_SPACES = str.maketrans("\u2212", "-", " _'\u00a0\u202f\u2009")
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

    @property
    def why(self) -> Message:
        """The reason, with the line that is at fault."""
        return told(Message(AT_FAULT, line=self.fault) if self.fault else NOTHING, self.reason)


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
    measured, *more = worths
    if measured.number is None:
        why = measured.error or Message("What the lesson measures here gives no number.")
        return Revealed(reason=why, fault=part.number.line if measured.fault else 0)
    right = None if said is None else _is_near(part, said.value, measured.number)
    limit = more[0] if more else Worth()
    line = part.limit.expression.line if part.limit is not None and limit.fault else 0
    return Revealed(measured.number, limit.number, right, modelled, limit.error, line)


def checked(part: Check, worths: Sequence[Worth]) -> Checked:
    for condition, worth in zip(part.conditions, worths, strict=True):
        if not worth.truth:
            line, otherwise = condition.expression.line, condition.otherwise
            return Checked(
                held=False, line=line, told=otherwise, error=worth.error, found=worth.found
            )
    return Checked(held=True, line=part.line)


def predicted(part: Predict, said: str) -> Prediction:
    """Raises Trouble where it is neither a number nor one of the choices."""
    text = said.strip()
    if part.choices:  # by its words, or by its number from 1
        words = [each.casefold() for each in part.choices]
        numbers = [str(at) for at in range(1, len(words) + 1)]
        for way, word in ((words, text.casefold()), (numbers, text)):
            if word in way:
                place = way.index(word)
                return Prediction(part.choices[place], float(place))
        raise Trouble(
            "{said!r} is none of the answers.",
            "Type the number of one: 1 to {last}.",
            said=text,
            last=len(words),
        )
    if not text:
        raise Trouble("Type a number first, such as 1500 or 2.5.")
    number = text.removesuffix(part.unit).translate(_SPACES)
    number = number.replace(",", "" if _THOUSANDS.fullmatch(number) else ".")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Trouble("{said!r} is no number.", "Type one, such as 1500 or 2.5.", said=text)
    return Prediction(text, value)


def _is_near(part: Predict, predicted: float, measured: float) -> bool:
    if not part.factor:
        return abs(predicted - measured) <= part.within * abs(measured)
    low, high = sorted((measured / part.factor, measured * part.factor))
    return low <= predicted <= high


def how_far(part: Predict, said: Prediction | None, shown: Revealed) -> Message:
    """Empty where nobody predicted, or nothing was measured."""
    if said is None or shown.right is None:
        return NOTHING
    if part.choices:
        if shown.right:
            return Message("You were right.")
        return Message("Another one is right: it is marked.")
    if shown.measured is None:
        return NOTHING
    near = Message("{share} %", share=figure(part.within * 100))
    if part.factor:
        near = Message("a factor of {factor}", factor=figure(part.factor))
    counts = Message("Up to {range} off counts as right.", range=near)
    return told(_distance(said.value, shown.measured), counts)


def _distance(said: float, measured: float) -> Message:
    if said == measured:
        return Message("Exactly what was measured.")
    if said * measured <= 0:
        return Message("Not what was measured.")
    factor = said / measured
    if 0.5 <= factor <= 2:
        share = f"{figure(float(f'{abs(factor - 1) * 100:.2g}'))} %"
        if factor > 1:
            return Message("{share} too much.", share=share)
        return Message("{share} too little.", share=share)
    times = figure(float(f"{max(factor, 1 / factor):.2g}"))
    if factor > 1:
        return Message("{times} times too much.", times=times)
    return Message("{times} times too little.", times=times)
