"""Faults that can be ordered of simulated cards: "lost:1@20s", "driver@30s-45s"."""

import difflib
import math
import re
from dataclasses import dataclass

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.core.words import Message, mark, told

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
    "unlisted:1@20s, refused:1@20s, driver@30s, wrong:1>0, with commas between them; "
    "a time is written 20, 20s, 1.5s or 2m."
)
_TIME = r"([0-9]{1,9}(?:\.[0-9]{1,9})?\s*[sm]?)\s*"
_WRITTEN = re.compile(
    r"[a-z]+\s*(?::\s*([0-9]{1,9})\s*(?:>\s*([0-9]{1,9})\s*)?)?"
    rf"(?:@\s*{_TIME}(?:-\s*{_TIME})?)?"
)


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
        when = Message("It begins at {start:g} s.", start=self.start)
        if math.isfinite(self.end):
            when = Message(
                "It begins at {start:g} s and ends at {end:g} s.",
                start=self.start,
                end=self.end,
            )
        elif self.kind is FaultKind.WRONG and not self.start:
            return what
        return told(what, when)


def parse_faults(text: str, card_count: int) -> tuple[Fault, ...]:
    """Raises Trouble with a sentence that says which part of the text is wrong."""
    parts = text.split(",") if text.strip() else []
    return tuple(_parse_fault(part.strip() or text.strip(), card_count) for part in parts)


def _parse_fault(part: str, card_count: int) -> Fault:
    word = re.split("[:@]", part.lower())[0].strip()
    if word not in _ORDERED:
        raise Trouble(
            "'{part}' names a fault that is not known: '{word}'.",
            did_you_mean(difflib.get_close_matches(word, _ORDERED, n=1), _FORMS),
            part=part,
            word=word,
        )
    kind, written = FaultKind(word), _WRITTEN.fullmatch(part.lower())
    card, to, first, last = written.groups() if written else (None,) * 4
    cards = {FaultKind.DRIVER: 0, FaultKind.WRONG: 2}.get(kind, 1)
    named = [int(number) for number in (card, to) if number is not None]
    lasting = kind is FaultKind.WRONG and "@" not in part
    if len(set(named)) != cards or (first is None and not lasting):
        raise Trouble("'{part}' is not how this fault is written.", _FORMS, part=part)
    for number in named:
        if number >= card_count:
            raise Trouble(
                "'{part}' names card {number}, which is not there.",
                "The last card is number {last}.",
                part=part,
                number=number,
                last=card_count - 1,
            )
    start = _seconds(first or "0")
    end = start + DRIVER_SECONDS if kind is FaultKind.DRIVER else math.inf
    end = _seconds(last) if last else end
    if end <= start:
        raise Trouble("'{part}' ends before it has begun.", _FORMS, part=part)
    card, to = [*named, None, None][:2]
    return Fault(kind, card, start, end, to)


def _seconds(written: str) -> float:
    return float(written.rstrip("sm ")) * (60.0 if written.endswith("m") else 1.0)
