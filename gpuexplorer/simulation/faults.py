"""Faults that can be ordered of simulated cards: "lost:1@20s", "driver@30s-45s"."""

import difflib
import math
import re
from dataclasses import dataclass

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.core.words import Message, mark

SLOW_SECONDS = 1.0
DRIVER_SECONDS = 10.0


class FaultKind(StrEnum):
    """What goes wrong, by the word it is ordered with."""

    LOST = "lost"
    UNLISTED = "unlisted"
    REFUSED = "refused"
    SLOW = "slow"
    HUNG = "hung"
    DRIVER = "driver"
    GARBAGE = "garbage"
    WRONG = "wrong"


_ORDERED = {
    FaultKind.LOST: mark("Card {card} is lost, as ordered."),
    FaultKind.UNLISTED: mark("The driver no longer lists card {card}, as ordered."),
    FaultKind.REFUSED: mark("The driver gives no access to card {card}, as ordered."),
    FaultKind.SLOW: mark("Each reading of card {card} takes {seconds:g} s, as ordered."),
    FaultKind.HUNG: mark("Readings of card {card} do not come back, as ordered."),
    FaultKind.DRIVER: mark("The driver is gone, as ordered."),
    FaultKind.GARBAGE: mark("Card {card} answers with impossible figures, as ordered."),
    FaultKind.WRONG: mark("Copies from card {card} to card {to} arrive wrong, as ordered."),
}
_FORMS = mark(
    "Faults are lost:1@20s, lost:1@20s-40s, slow:0@10s, hung:1@15s, garbage:2@15s, "
    "unlisted:1@20s, refused:1@20s, driver@30s, wrong:1>0, with commas between them."
)
_TIMES = mark("A time is written 20, 20s, 1.5s or 2m, and a span 20s-40s.")


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
    def sentence(self) -> Message:
        """What was ordered, for a person to read."""
        values = {"card": self.card, "to": self.to, "seconds": SLOW_SECONDS}
        what = Message(_ORDERED[self.kind], **values)
        if math.isfinite(self.end):
            when = Message(
                "It begins at {start:g} s and ends at {end:g} s.",
                start=self.start,
                end=self.end,
            )
        elif self.kind is FaultKind.WRONG and not self.start:
            return what
        else:
            when = Message("It begins at {start:g} s.", start=self.start)
        return Message("{what} {when}", what=what, when=when)


def parse_faults(text: str, card_count: int) -> tuple[Fault, ...]:
    """Raises Trouble with a sentence that says which part of the text is wrong."""
    text = text.strip()
    if not text:
        return ()
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise Trouble("'{text}' has a comma with no fault beside it.", _FORMS, text=text)
    return tuple(_parse_fault(part, card_count) for part in parts)


def _parse_fault(part: str, card_count: int) -> Fault:
    what, at, when = part.partition("@")
    word, colon, which = (piece.strip() for piece in what.partition(":"))
    known = [kind.value for kind in FaultKind]
    if word.lower() not in known:
        raise Trouble(
            "'{part}' names a fault that is not known: '{word}'.",
            did_you_mean(difflib.get_close_matches(word.lower(), known, n=1), _FORMS),
            part=part,
            word=word,
        )
    kind = FaultKind(word.lower())
    card, to, start, end = None, None, 0.0, math.inf
    if kind is FaultKind.WRONG:
        one, arrow, other = which.partition(">")
        if not arrow:
            raise Trouble("'{part}' does not say from which card to which.", _FORMS, part=part)
        card, to = (_parse_card(part, each.strip(), card_count) for each in (one, other))
        if card == to:
            raise Trouble("'{part}' names the same card twice.", _FORMS, part=part)
    elif kind is not FaultKind.DRIVER:
        card = _parse_card(part, which, card_count)
    elif colon:
        raise Trouble(
            "'{part}' names a card, but all cards share one driver.", _FORMS, part=part
        )
    if at:
        first, dash, last = when.partition("-")
        start = _parse_seconds(part, first.strip())
        if dash:
            end = _parse_seconds(part, last.strip())
        elif kind is FaultKind.DRIVER:
            end = start + DRIVER_SECONDS
        if end <= start:
            raise Trouble("'{part}' ends before it has begun.", _TIMES, part=part)
    elif kind is not FaultKind.WRONG:
        raise Trouble("'{part}' does not say when it begins.", _FORMS, part=part)
    return Fault(kind, card, start, end, to)


def _parse_card(part: str, text: str, card_count: int) -> int:
    there = Message("Cards are 0 to {last}.", last=card_count - 1)
    if card_count == 1:
        there = Message("There is only card 0.")
    if not text:
        forms = Message("{there} {forms}", there=there, forms=Message(_FORMS))
        raise Trouble("'{part}' does not say which card.", forms, part=part)
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise Trouble(
            "'{part}' names a card by '{text}', which is not a number.",
            there,
            part=part,
            text=text,
        )
    number = int(text)
    if number >= card_count:
        raise Trouble(
            "'{part}' names card {number}, which is not there.",
            there,
            part=part,
            number=number,
        )
    return number


def _parse_seconds(part: str, text: str) -> float:
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*([sm]?)", text, re.IGNORECASE)
    if match is None:
        raise Trouble(
            "'{part}' has a time that cannot be read: '{text}'.", _TIMES, part=part, text=text
        )
    return float(match[1]) * (60.0 if match[2].lower() == "m" else 1.0)
