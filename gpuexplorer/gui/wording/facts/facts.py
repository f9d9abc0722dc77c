"""Facts: all that can be told of a card beside its plots, in groups, as nvidia-smi -q would."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.catalogue import links, memory
from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Unit, metrics_of
from gpuexplorer.core.units import Units, quantity, rate
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.pcie import (
    LinkSpeed,
    link_now,
    link_of_card,
    link_of_slot,
    link_words,
)
from gpuexplorer.gui.wording.facts import fact_groups as groups
from gpuexplorer.gui.wording.facts.fact import Fact, FactGroup
from gpuexplorer.gui.wording.facts.plot_families import PCIE
from gpuexplorer.gui.wording.reasons import HARMFUL, as_sentence, short_reasons
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.latest import Reading

# The compute capability says which family of chips it is.
_ARCHITECTURES = {
    (3, None): "Kepler",
    (5, None): "Maxwell",
    (6, None): "Pascal",
    (7, 5): "Turing",
    (7, None): "Volta",
    (8, 9): "Ada Lovelace",
    (8, None): "Ampere",
    (9, None): "Hopper",
    (10, None): "Blackwell",
    (11, None): "Blackwell",
    (12, None): "Blackwell",
}
_UNIT_WORDS = {
    Unit.RATIO: "in %",
    Unit.BYTES: "in bytes, shown in KiB to TiB or in kB to TB as chosen",
    Unit.CELSIUS: "in degrees",
    Unit.WATTS: "in watts",
    Unit.JOULES: "in joules and watt-hours",
    Unit.HERTZ: "in MHz",
    Unit.BYTES_PER_SECOND: "in bytes per second, 1 GB/s is 10⁹ of them",
    Unit.TURNS_PER_MINUTE: "in turns per minute",
    Unit.SECONDS: "in seconds to days",
    Unit.COUNT: "a count",
    Unit.LANES: "a number of lanes",
    Unit.GENERATION: "a generation of PCIe",
    Unit.FLAG: "yes or no",
    Unit.STATE: "a state",
}
_TOLD_TOGETHER = frozenset(PCIE) - {
    links.PCIE_RECEIVE,
    links.PCIE_TRANSMIT,
    links.PCIE_REPLAYS,
}


@dataclass(frozen=True, slots=True)
class Who:
    """What is told of a card besides its readings."""

    card: Card
    number: str
    source: Source
    instances: int = 0
    parent: str = ""  # the number of the card an instance is a part of


def card_facts(
    who: Who, reading: Reading, units: Units, of_the_past: Sequence[Fact]
) -> Sequence[FactGroup]:
    """Each metric of this card once. `of_the_past` is what history tells of its health."""
    card = who.card
    reading = _with_size(card, reading)
    found: dict[str, list[Fact]] = {title: [] for title in groups.ORDER}
    found[groups.SILICON] += _silicon(who)
    found[groups.PLACE] += _place(who)
    found[groups.HEALTH] += of_the_past
    found[groups.SOFTWARE] += _software(who)
    if not card.memory_shared:
        found[groups.PCIE] += _link(reading)
    hidden = PCIE if card.memory_shared else _TOLD_TOGETHER
    for metric in _listed(card):
        if metric not in hidden:
            found[groups.group_of(metric)].append(metric_fact(reading, metric, units))
    words = link_words(card, reading)
    return [
        FactGroup(
            title,
            tuple(facts),
            note=words.sentence if title == groups.PCIE else None,
            note_tone=words.tone,
            folded=title == groups.EACH_NVLINK,
        )
        for title, facts in found.items()
        if facts or title == groups.PCIE
    ]


def metric_fact(reading: Reading, metric: MetricId, units: Units) -> Fact:
    known = METRICS[metric]
    value = reading.values.get(metric)
    if value is not None:
        read = quantity(known, value, units)
        held = metric in HARMFUL and value > 0
        return Fact(
            metric,
            known.label,
            read.number,
            read.unit,
            hint=explained(known),
            tone=Tone.WARN if held else Tone.TEXT,
            metrics=(metric,),
        )
    absence = reading.missing.get(metric, Absence.NOT_YET)
    return Fact(
        metric,
        known.label,
        absent=short_reasons(absence),
        hint=f"{as_sentence(absence.sentence)}\n{explained(known)}",
        metrics=(metric,),
    )


def explained(metric: Metric) -> str:
    """What it means, its unit, and where nvidia-smi shows the same."""
    said = [metric.meaning, f"Unit: {_UNIT_WORDS[metric.unit]}."]
    if metric.smi:
        said.append(f"nvidia-smi: {metric.smi}")
    return "\n".join(said)


def architecture(capability: tuple[int, int]) -> str | None:
    """None for a chip nobody knew when this was written."""
    major, minor = capability
    return _ARCHITECTURES.get((major, minor)) or _ARCHITECTURES.get((major, None))


def _with_size(card: Card, reading: Reading) -> Reading:
    """How much memory it has was told when it was met, and is so while it is silent."""
    total = reading.values.get(memory.MEMORY_TOTAL)
    if total is not None or not card.memory_bytes:
        return reading
    values = {**reading.values, memory.MEMORY_TOTAL: float(card.memory_bytes)}
    return replace(reading, values=values)


def _listed(card: Card) -> Sequence[MetricId]:
    own = metrics_of(card)
    order = {metric: at for at, metric in enumerate(METRICS)}
    return sorted(own, key=lambda metric: (groups.place_in_group(metric), order[metric]))


def _silicon(who: Who) -> list[Fact]:
    card = who.card
    nameless = ("it never told its name", "not told")
    facts = [_told("name", "Model", "" if card.nameless else card.name, nameless)]
    capability = card.compute_capability
    family = None if capability is None else architecture(capability)
    unknown = ("not told by the driver", "not told")
    hint = "The family of chips, as its compute capability tells."
    facts.append(_told("architecture", "Architecture", family or "", unknown, hint))
    facts.append(
        _told(
            "compute_capability",
            "Compute capability",
            "" if capability is None else f"{capability[0]}.{capability[1]}",
            unknown,
            "Which instructions the chip knows; PyTorch's builds name it sm_75 for 7.5.\n"
            "nvidia-smi: compute_cap",
        )
    )
    return facts


def _place(who: Who) -> list[Fact]:
    card = who.card
    reason = card.cuda_reason.rstrip(".")
    cuda = "" if card.cuda_index is None else f"cuda:{card.cuda_index}"
    instance = card.kind is CardKind.MIG
    facts = [
        _told(
            "cuda",
            "CUDA number",
            cuda,
            tuple(part for part in (reason, "none") if part),
            "The number CUDA and PyTorch give it here and now; it depends on "
            "CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER."
            + (f"\nNone: {reason}." if reason and not cuda else ""),
        ),
        _told(
            "index",
            "Number in its card" if instance else "Driver's number",
            str(card.index),
            (),
            "The driver counts cards in the order of the PCIe bus; it may change at the next "
            "start of the computer.\nnvidia-smi: index",
        ),
    ]
    if instance:
        facts.append(_told("parent", "Part of", f"card {who.parent}", ()))
    if who.instances:
        facts.append(
            _told("instances", "MIG instances", str(who.instances), (), "Cut out of this card.")
        )
    facts.append(
        _told(
            "bus",
            "PCI address",
            card.bus_id or "",
            ("that of its card", "of its card")
            if instance
            else ("not told by the driver", "not told"),
            "Domain, bus, device and function.\nnvidia-smi: pci.bus_id",
        )
    )
    facts.append(
        _told(
            "uuid",
            "UUID",
            "" if card.nameless else card.id,
            ("it could not be asked for it", "not told"),
            "Its lasting name, the same after every restart and in every slot.\n"
            "nvidia-smi: uuid",
        )
    )
    return facts


def _software(who: Who) -> list[Fact]:
    source = who.source
    made_up = ("none: simulated", "simulated")
    absent = made_up if source.simulated else ("not told", "not told")
    newest = "The newest CUDA that this driver can run; PyTorch brings its own, up to this one."
    return [
        _told("source", "Read through", source.label, (), "Who answers for this card."),
        _told(
            "driver",
            "Driver",
            source.driver_version or "",
            absent,
            "nvidia-smi: driver_version",
        ),
        _told("cuda_version", "CUDA of the driver", source.cuda_version or "", absent, newest),
        *(_told(f"source.{name}", name, value, absent) for name, value in source.facts.items()),
    ]


def _link(reading: Reading) -> list[Fact]:
    return [
        _speed(
            reading,
            "link_now",
            "Link now",
            link_now(reading),
            (links.PCIE_GENERATION, links.PCIE_WIDTH),
        ),
        _speed(
            reading,
            "link_here",
            "Highest here",
            LinkSpeed(_whole(reading, links.PCIE_GENERATION_MAX), None),
            (links.PCIE_GENERATION_MAX,),
        ),
        _speed(
            reading,
            "link_card",
            "The card could",
            link_of_card(reading),
            (links.PCIE_GENERATION_CARD, links.PCIE_WIDTH_MAX),
        ),
        _speed(
            reading,
            "link_slot",
            "The slot could",
            link_of_slot(reading),
            (links.PCIE_GENERATION_SLOT, links.PCIE_WIDTH_SLOT),
        ),
    ]


def _speed(
    reading: Reading, key: str, label: str, speed: LinkSpeed, metrics: tuple[MetricId, ...]
) -> Fact:
    hint = "\n".join(explained(METRICS[metric]) for metric in metrics)
    missing = [metric for metric in metrics if metric not in reading.values]
    reasons = [reading.missing.get(metric, Absence.NOT_YET) for metric in missing]
    why = "".join(
        f"{METRICS[metric].label}: {reason.sentence}.\n"
        for metric, reason in zip(missing, reasons, strict=True)
    )
    if not speed.text:
        return Fact(
            key, label, absent=short_reasons(reasons[0]), hint=why + hint, metrics=metrics
        )
    if speed.rate is not None:
        could = rate(speed.rate)
        hint = f"{could} each way in theory.\n{hint}"
    generation = "generation" if speed.lanes is None else ""
    value = f"{generation} {speed.generation}" if generation else speed.text
    return Fact(key, label, value, hint=why + hint, metrics=metrics)


def _whole(reading: Reading, metric: MetricId) -> int | None:
    value = reading.values.get(metric)
    return None if value is None else int(value)


def _told(key: str, label: str, value: str, absent: tuple[str, ...], hint: str = "") -> Fact:
    return Fact(key, label, value, absent=() if value else absent, hint=hint)
