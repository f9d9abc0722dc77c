"""Faults that can be ordered of simulated cards: "lost:1@20s", "driver@30s-45s"."""

import difflib
import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from gpuexplorer.core.trouble import Trouble

SLOW_SECONDS = 1.0
DRIVER_SECONDS = 10.0


class FaultKind(StrEnum):
    """What goes wrong, by the word it is ordered with."""

    LOST = "lost"
    SLOW = "slow"
    HUNG = "hung"
    DRIVER = "driver"
    GARBAGE = "garbage"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, in seconds since the machine was started; `card` is None for the driver."""

    kind: FaultKind
    card: int | None
    start: float
    end: float = math.inf
    to: int | None = None  # the other card, where copies arrive wrong

    def covers(self, card: int, t: float) -> bool:
        return self.card in (None, card) and self.start <= t < self.end

    @property
    def sentence(self) -> str:
        """What was ordered, for a person to read."""
        if self.kind is FaultKind.WRONG and not self.start and math.isinf(self.end):
            return f"{_what(self)}, as ordered."
        until = "on" if math.isinf(self.end) else f"to {self.end:g} s"
        return f"{_what(self)} from {self.start:g} s {until}, as ordered."


def parse_faults(text: str, card_count: int) -> tuple[Fault, ...]:
    """Raises Trouble with a sentence that says which part of the text is wrong."""
    text = text.strip()
    if not text:
        return ()
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise Trouble(f"'{text}' has a comma with no fault beside it.", _FORMS)
    return tuple(_parse_fault(part, card_count) for part in parts)


def _parse_fault(part: str, card_count: int) -> Fault:
    what, at, when = part.partition("@")
    word, colon, card_text = (piece.strip() for piece in what.partition(":"))
    known = [kind.value for kind in FaultKind]
    if word.lower() not in known:
        close = difflib.get_close_matches(word.lower(), known, n=1)
        meant = f"Did you mean {close[0]}? " if close else ""
        raise Trouble(f"'{part}' names a fault that is not known: '{word}'.", meant + _FORMS)
    kind = FaultKind(word.lower())
    card = to = None
    if kind is FaultKind.WRONG:
        card, to = _parse_pair(part, card_text, card_count)
    elif kind is not FaultKind.DRIVER:
        card = _parse_card(part, card_text, card_count)
    elif colon:
        raise Trouble(f"'{part}' names a card, but all cards share one driver.", _FORMS)
    if kind is FaultKind.WRONG and not at:
        return Fault(kind, card, 0.0, to=to)
    if not at:
        raise Trouble(f"'{part}' does not say when it begins.", _FORMS)
    first, dash, last = when.partition("-")
    start = _parse_seconds(part, first.strip())
    if dash:
        end = _parse_seconds(part, last.strip())
    else:
        end = start + DRIVER_SECONDS if kind is FaultKind.DRIVER else math.inf
    if end <= start:
        raise Trouble(f"'{part}' ends before it has begun.", _TIMES)
    return Fault(kind, card, start, end, to)


def _parse_pair(part: str, text: str, card_count: int) -> tuple[int, int]:
    one, arrow, other = (piece.strip() for piece in text.partition(">"))
    if not arrow:
        raise Trouble(f"'{part}' does not say from which card to which.", _FORMS)
    source, target = (_parse_card(part, each, card_count) for each in (one, other))
    if source == target:
        raise Trouble(f"'{part}' names the same card twice.", _FORMS)
    return source, target


def _parse_card(part: str, text: str, card_count: int) -> int:
    there = "There is only card 0." if card_count == 1 else f"Cards are 0 to {card_count - 1}."
    if not text:
        raise Trouble(f"'{part}' does not say which card.", f"{there} {_FORMS}")
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise Trouble(f"'{part}' names a card by '{text}', which is not a number.", there)
    if int(text) >= card_count:
        raise Trouble(f"'{part}' names card {int(text)}, which is not there.", there)
    return int(text)


def _parse_seconds(part: str, text: str) -> float:
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*([sm]?)", text, re.IGNORECASE)
    if match is None:
        raise Trouble(f"'{part}' has a time that cannot be read: '{text}'.", _TIMES)
    return float(match[1]) * (60.0 if match[2].lower() == "m" else 1.0)


def _what(fault: Fault) -> str:
    match fault.kind:
        case FaultKind.LOST:
            return f"Card {fault.card} is lost"
        case FaultKind.SLOW:
            return f"Each reading of card {fault.card} takes {SLOW_SECONDS:g} s"
        case FaultKind.HUNG:
            return f"Readings of card {fault.card} do not come back"
        case FaultKind.DRIVER:
            return "The driver is gone"
        case FaultKind.GARBAGE:
            return f"Card {fault.card} answers with impossible figures"
        case FaultKind.WRONG:
            return f"Copies from card {fault.card} to card {fault.to} arrive wrong"
        case _:
            assert_never(fault.kind)


_FORMS = (
    "Faults are lost:1@20s, lost:1@20s-40s, slow:0@10s, hung:1@15s, garbage:2@15s, "
    "driver@30s, wrong:1>0, with commas between them."
)
_TIMES = "A time is written 20, 20s, 1.5s or 2m, and a span 20s-40s."
