"""MemoryParts: a card's memory as one stacked bar: whose it is, as far as that can be told."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.catalogue import health, memory
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import Quantity, Units, quantity
from gpuexplorer.gui.wording.reasons import as_sentence
from gpuexplorer.telemetry.latest import Reading

_NAMES_SAID = 3
# Readings of programs and of the whole are not of the same instant.
_SAME = 1 / 1000


class PartKind(Enum):
    """What a part is, and so how it is drawn."""

    PROGRAMS = "programs"  # used by programs that name themselves
    USED = "used"  # used, and nobody told by whom
    RESERVED = "reserved"
    FREE = "free"
    UNEXPLAINED = "unexplained"  # in none of the driver's figures


@dataclass(frozen=True, slots=True)
class Program:
    """One program on the card; None where its memory is not told."""

    name: str
    memory_bytes: float | None


@dataclass(frozen=True, slots=True)
class Slice:
    """What one program has of a part."""

    name: str
    share: float
    amount: Quantity


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """One stretch of the bar with its entry below it. Shares are of the whole bar."""

    kind: PartKind
    label: str
    amount: Quantity
    share: float
    remark: str
    meaning: str
    slices: tuple[Slice, ...] = ()

    @property
    def spoken(self) -> str:
        return f"{self.label} {self.amount}, {self.remark}"


@dataclass(frozen=True, slots=True)
class MemoryPicture:
    """The bar and its words. Without a figure, `sentence` says why there is none."""

    used: Quantity | None
    whole: str  # "of 24 GiB used"
    parts: tuple[MemoryPart, ...]
    sentence: str = ""

    @property
    def spoken(self) -> str:
        said = [] if self.used is None else [f"{self.used} {self.whole}"]
        said += [part.spoken for part in self.parts]
        if self.sentence:
            said.append(self.sentence.rstrip("."))
        return ". ".join(said) + "."


def memory_picture(
    card: Card, reading: Reading, programs: Sequence[Program] | None, units: Units
) -> MemoryPicture:
    """`programs` is None where nobody can tell who uses the card. The driver's figures are
    drawn as they are told: where they do not add up, nothing is made up to fill the gap.
    """
    values = reading.values
    total = values.get(memory.MEMORY_TOTAL) or card.memory_bytes
    used, free = values.get(memory.MEMORY_USED), values.get(memory.MEMORY_FREE)
    if used is None or not total:
        return MemoryPicture(None, "", (), _why_not(card, reading))
    reserved = values.get(memory.MEMORY_RESERVED)
    told = used + (free or 0.0) + (reserved or 0.0)
    scale = max(total, told)
    make = _Maker(scale, units)
    parts = _used_parts(make, used, programs)
    if reserved is not None:
        parts.append(make.part(PartKind.RESERVED, "Reserved", reserved, "by the driver"))
    sentence = ""
    if free is not None:
        parts.append(make.part(PartKind.FREE, "Free", free, "for anyone"))
    left = total - told
    if left > total * _SAME:
        remark = "in no figure of the driver"
        parts.append(make.part(PartKind.UNEXPLAINED, "Not explained", left, remark))
    elif left < -total * _SAME:
        sentence = "The driver's figures add up to more than the card has."
    if card.kind is not CardKind.MIG and values.get(health.MIG_MODE):
        sentence = sentence or "MIG is on: its instances have shares of this memory."
    return MemoryPicture(*_headline(used, total, units), tuple(parts), sentence)


def shared_memory_picture(host: Reading, units: Units) -> MemoryPicture:
    """For a chip that works in the computer's memory: the computer's, and said to be so."""
    used, total = host.values.get(memory.MEMORY_USED), host.values.get(memory.MEMORY_TOTAL)
    shared = as_sentence(Absence.SHARED_MEMORY.sentence)
    if used is None or not total:
        return MemoryPicture(None, "", (), shared)
    make = _Maker(total, units)
    parts = (
        make.part(PartKind.USED, "Used", used, "by the computer and the card"),
        make.part(PartKind.FREE, "Free", total - used, "for either"),
    )
    return MemoryPicture(*_headline(used, total, units), parts, shared)


@dataclass(frozen=True, slots=True)
class _Maker:
    scale: float
    units: Units

    def part(
        self,
        kind: PartKind,
        label: str,
        size: float,
        remark: str,
        slices: Sequence[Program] = (),
    ) -> MemoryPart:
        return MemoryPart(
            kind,
            label,
            self.amount(size),
            size / self.scale,
            remark,
            _MEANING[kind],
            tuple(
                Slice(each.name, each.memory_bytes / self.scale, self.amount(each.memory_bytes))
                for each in slices
                if each.memory_bytes
            ),
        )

    def amount(self, size: float) -> Quantity:
        return quantity(METRICS[memory.MEMORY_USED], size, self.units)


_MEANING = {
    PartKind.PROGRAMS: "Memory of programs that the driver names, each a slice of the bar.",
    PartKind.USED: METRICS[memory.MEMORY_USED].meaning,
    PartKind.RESERVED: METRICS[memory.MEMORY_RESERVED].meaning,
    PartKind.FREE: METRICS[memory.MEMORY_FREE].meaning,
    PartKind.UNEXPLAINED: "The rest of the card's memory: neither used, reserved nor free.",
}


def _used_parts(
    make: _Maker, used: float, programs: Sequence[Program] | None
) -> list[MemoryPart]:
    """Programs, and what is left of what is used: contexts of others, the driver's own."""
    if programs is None:
        remark = "by whom is not told"
        return [make.part(PartKind.USED, "Used", used, remark)]
    sized = sorted(
        (each for each in programs if each.memory_bytes),
        key=lambda each: each.memory_bytes or 0.0,
        reverse=True,
    )
    named = sum(each.memory_bytes or 0.0 for each in sized)
    if not sized:
        remark = "by programs whose share is not told" if programs else "no program is listed"
        return [make.part(PartKind.USED, "Used", used, remark)]
    if named > used:
        # They share some of it, or were read a moment later: they cannot be told apart.
        return [make.part(PartKind.PROGRAMS, "Programs", used, _names(sized))]
    parts = [make.part(PartKind.PROGRAMS, "Programs", named, _names(sized), sized)]
    rest = used - named
    if rest > 0:
        parts.append(make.part(PartKind.USED, "Other used", rest, "by no named program"))
    return parts


def _names(programs: Sequence[Program]) -> str:
    """ "train.py, Xorg and 2 more", the largest first, each once."""
    names = list(dict.fromkeys(each.name for each in programs))
    said = ", ".join(names[:_NAMES_SAID])
    more = len(names) - _NAMES_SAID
    return f"{said} and {more} more" if more > 0 else said


def _headline(used: float, total: float, units: Units) -> tuple[Quantity, str]:
    """ "19.5" and "of 24 GiB used"; where the units differ, "512 MiB" and "of 24 GiB used"."""
    metric = METRICS[memory.MEMORY_TOTAL]
    amount, whole = quantity(metric, used, units), quantity(metric, total, units)
    number = whole.number.rstrip("0").rstrip(".") if "." in whole.number else whole.number
    # Of nothing nobody asks in which unit.
    alike = amount.unit == whole.unit or not used
    shown = Quantity(amount.number) if alike else amount
    return shown, f"of {number} {whole.unit} used"


def _why_not(card: Card, reading: Reading) -> str:
    absence = reading.missing.get(memory.MEMORY_USED, Absence.NOT_YET)
    return as_sentence(f"How full its memory is: {absence.sentence}")
