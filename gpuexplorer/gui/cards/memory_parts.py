"""MemoryParts: a card's memory as one stacked bar: whose it is, as far as that can be told."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import Quantity, Units, bytes_words, part_of_memory
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.reasons import explained_absence
from gpuexplorer.telemetry.facts import Reading

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
class MemoryUser:
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
    shorter: tuple[str, ...] = ()  # the remark where it has less room, at falling length

    @property
    def spoken(self) -> str:
        return tr(
            "{label} {amount}, {remark}",
            label=self.label,
            amount=self.amount,
            remark=self.remark,
        )


@dataclass(frozen=True, slots=True)
class MemoryPicture:
    """The bar and its words. Without a figure, `sentence` says why there is none."""

    used: Quantity | None
    whole: str  # "24 GiB"
    parts: tuple[MemoryPart, ...]
    sentence: str = ""

    @property
    def headline(self) -> str:
        """ "19.5 of 24 GiB used"."""
        if self.used is None:
            return ""
        return tr("{used} of {whole} used", used=self.used, whole=self.whole)

    @property
    def around_used(self) -> tuple[str, str]:
        """What stands before the amount and after it. They are drawn smaller."""
        lead, _, rest = tr("{used} of {whole} used", used="\0", whole=self.whole).partition(
            "\0"
        )
        return lead, rest

    @property
    def spoken(self) -> str:
        said = [f"{self.headline}."] if self.headline else []
        said += [f"{part.spoken}." for part in self.parts]
        return " ".join([*said, self.sentence]).rstrip()


def memory_picture(
    card: Card, reading: Reading, programs: Sequence[MemoryUser] | None, units: Units
) -> MemoryPicture:
    """`programs` is None where nobody can tell who uses the card. The driver's figures are
    drawn as they are: where they do not add up, nothing is made up to fill the gap.
    """
    values = reading.values
    total = values.get(m.MEMORY_TOTAL) or card.memory_bytes
    used, free = values.get(m.MEMORY_USED), values.get(m.MEMORY_FREE)
    if used is None or not total:
        return MemoryPicture(None, "", (), _why_not(reading))
    reserved = values.get(m.MEMORY_RESERVED)
    told = used + (free or 0.0) + (reserved or 0.0)
    scale = max(total, told)
    make = _Maker(scale, total, units)
    parts = _used_parts(make, used, programs)
    if reserved is not None:
        parts.append(make.part(PartKind.RESERVED, reserved, tr("by the driver")))
    sentence = ""
    if free is not None:
        parts.append(make.part(PartKind.FREE, free, tr("for anyone")))
    left = total - told
    if left > total * _SAME:
        remark = tr("in no figure of the driver")
        parts.append(make.part(PartKind.UNEXPLAINED, left, remark))
    elif left < -total * _SAME:
        sentence = tr("The driver's figures add up to more than the card has.")
    if card.kind is not CardKind.MIG and values.get(m.MIG_MODE):
        sentence = sentence or tr("MIG is on: its instances have shares of this memory.")
    return MemoryPicture(*_headline(used, total, units), tuple(parts), sentence)


def host_memory_picture(host: Reading, units: Units, *, shared: bool) -> MemoryPicture:
    """The computer's. `shared`: shown for a chip that works in it, and said to be so."""
    used, total = host.values.get(m.MEMORY_USED), host.values.get(m.MEMORY_TOTAL)
    used_by, free_for = tr("by programs and the system"), tr("for anyone, caches included")
    sentence = ""
    if shared:
        used_by, free_for = tr("by the computer and the card"), tr("for either")
        sentence = tr("The card uses the computer's memory and has none of its own.")
    if used is None or not total:
        return MemoryPicture(None, "", (), sentence or _why_not(host))
    make = _Maker(total, total, units)
    parts = (
        make.part(PartKind.USED, used, used_by),
        make.part(PartKind.FREE, total - used, free_for),
    )
    return MemoryPicture(*_headline(used, total, units), parts, sentence)


@dataclass(frozen=True, slots=True)
class _Maker:
    scale: float  # how much the whole bar is
    total: float  # in whose unit all amounts are
    units: Units

    def part(
        self,
        kind: PartKind,
        size: float,
        remark: str,
        slices: Sequence[MemoryUser] = (),
        label: str = "",
        shorter: tuple[str, ...] = (),
    ) -> MemoryPart:
        return MemoryPart(
            kind,
            tr(label or _LABEL[kind]),
            self.amount(size),
            size / self.scale,
            remark,
            tr(_MEANING[kind]),
            tuple(
                Slice(each.name, each.memory_bytes / self.scale, self.amount(each.memory_bytes))
                for each in slices
                if each.memory_bytes
            ),
            shorter,
        )

    def amount(self, size: float) -> Quantity:
        return part_of_memory(size, self.total, self.units)


_LABEL = {
    PartKind.PROGRAMS: mark("Programs"),
    PartKind.USED: mark("Used"),
    PartKind.RESERVED: mark("Reserved"),
    PartKind.FREE: mark("Free"),
    PartKind.UNEXPLAINED: mark("Not explained"),
}
_MEANING = {
    PartKind.PROGRAMS: mark(
        "Memory of programs that the driver names, each a slice of the bar."
    ),
    PartKind.USED: METRICS[m.MEMORY_USED].meaning,
    PartKind.RESERVED: METRICS[m.MEMORY_RESERVED].meaning,
    PartKind.FREE: METRICS[m.MEMORY_FREE].meaning,
    PartKind.UNEXPLAINED: mark(
        "The rest of the card's memory: neither used, reserved nor free."
    ),
}


def _used_parts(
    make: _Maker, used: float, programs: Sequence[MemoryUser] | None
) -> list[MemoryPart]:
    """Programs, and what is left of what is used: contexts of others, the driver's own."""
    if programs is None:
        return [make.part(PartKind.USED, used, tr("by whom is not reported"))]
    sized = sorted(
        (each for each in programs if each.memory_bytes),
        key=lambda each: each.memory_bytes or 0.0,
        reverse=True,
    )
    named = sum(each.memory_bytes or 0.0 for each in sized)
    if not sized:
        untold, nobody = (
            tr("by programs whose share is not reported"),
            tr("no program is listed"),
        )
        return [make.part(PartKind.USED, used, untold if programs else nobody)]
    names, *shorter = _names(sized)
    if named > used:
        # They share some of it, or were read a moment later: they cannot be told apart.
        return [make.part(PartKind.PROGRAMS, used, names, shorter=tuple(shorter))]
    parts = [make.part(PartKind.PROGRAMS, named, names, sized, shorter=tuple(shorter))]
    rest = used - named
    if rest > 0:
        remark, label = tr("by no named program"), mark("Other used")
        parts.append(make.part(PartKind.USED, rest, remark, label=label))
    return parts


def _names(programs: Sequence[MemoryUser]) -> list[str]:
    """ "train.py, Xorg and 2 more", the largest first, each once; then with fewer names."""
    names = list(dict.fromkeys(each.name for each in programs))
    listings = [
        tr("{names} and {count} more", names=", ".join(names[:said]), count=len(names) - said)
        if said < len(names)
        else ", ".join(names)
        for said in range(min(_NAMES_SAID, len(names)), 0, -1)
    ]
    return [*listings, trn("{count} program", "{count} programs", len(names))]


def _headline(used: float, total: float, units: Units) -> tuple[Quantity, str]:
    """ "19.5" and "24 GiB"."""
    number = Quantity(part_of_memory(used, total, units).number)
    return number, bytes_words(total, units)


def _why_not(reading: Reading) -> str:
    either = (m.MEMORY_USED, m.MEMORY_TOTAL)
    whys = [reading.missing[each] for each in either if each in reading.missing]
    return explained_absence(tr("How full its memory is"), next(iter(whys), Absence.NOT_YET))
