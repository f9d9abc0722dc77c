"""Facts: all that is known of a card beside its plots, in groups, as in nvidia-smi -q."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Unit, metrics_of
from gpuexplorer.core.units import Units, part_of_memory, quantity, rate
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.fact import Fact, FactGroup
from gpuexplorer.gui.cards.pcie import link_speed, link_words
from gpuexplorer.gui.cards.plot_families import PCIE_METRICS
from gpuexplorer.gui.cards.reasons import HARMFUL, explained_absence, short_reasons
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.facts import Reading

# Keys of the groups, as metrics.csv has them; translated, their titles.
PCIE = mark("PCIe")
_SILICON, _PLACE, _HEALTH = mark("Silicon"), mark("Place"), mark("Health")
_SOFTWARE, _EACH_NVLINK = mark("Software"), mark("Each NVLink")
_ORDER = (
    _SILICON,
    _PLACE,
    PCIE,
    mark("Limits"),
    _HEALTH,
    _SOFTWARE,
    mark("Utilisation"),
    mark("Memory"),
    mark("Temperature and fans"),
    mark("Power"),
    mark("Clocks"),
    mark("Why clocks are lower"),
    mark("NVLink"),
    _EACH_NVLINK,
    mark("Other"),
)
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
    Unit.RATIO: mark("Unit: %."),
    Unit.BYTES: mark("Unit: bytes, shown in KiB to TiB or in kB to TB as chosen."),
    Unit.CELSIUS: mark("Unit: degrees."),
    Unit.WATTS: mark("Unit: watts."),
    Unit.JOULES: mark("Unit: joules and watt-hours."),
    Unit.HERTZ: mark("Unit: MHz."),
    Unit.BYTES_PER_SECOND: mark("Unit: bytes per second, 1 GB/s is 10⁹ of them."),
    Unit.TURNS_PER_MINUTE: mark("Unit: turns per minute."),
    Unit.SECONDS: mark("Unit: seconds to days."),
    Unit.COUNT: mark("Unit: a count."),
    Unit.LANES: mark("Unit: a number of lanes."),
    Unit.GENERATION: mark("Unit: a generation of PCIe."),
    Unit.FLAG: mark("Unit: yes or no."),
    Unit.STATE: mark("Unit: a state."),
}
# What is a part of another stands in its unit: "0.35 GiB" beside "24.0 GiB".
_WHOLES = {
    m.MEMORY_USED: m.MEMORY_TOTAL,
    m.MEMORY_FREE: m.MEMORY_TOTAL,
    m.MEMORY_RESERVED: m.MEMORY_TOTAL,
    m.BAR1_USED: m.BAR1_TOTAL,
    m.SWAP_USED: m.SWAP_TOTAL,
}
_TOLD_TOGETHER = frozenset(each for each in PCIE_METRICS if METRICS[each].group != PCIE)


def card_facts(
    card: Card,
    source: Source,
    reading: Reading,
    units: Units,
    of_the_past: Sequence[Fact] = (),
    *,
    instances: int = 0,
    parent: str = "",
) -> Sequence[FactGroup]:
    """Each metric of this card once. `of_the_past` is what history says of its health, and
    `parent` the number of the card that an instance is a part of.
    """
    reading = _with_size(card, reading)
    found: dict[str, list[Fact]] = {key: [] for key in _ORDER}
    found[_SILICON] += _silicon(card)
    found[_PLACE] += _place(card, instances, parent)
    found[_HEALTH] += of_the_past
    found[_SOFTWARE] += _software(source)
    if not card.memory_shared:
        found[PCIE] += _link(reading)
    for key, metrics in _listed(card).items():
        found[key] += (metric_fact(reading, metric, units) for metric in metrics)
    words = link_words(card, reading)
    return [
        FactGroup(
            key,
            tr(key),
            tuple(facts),
            note=words.sentence if key == PCIE else None,
            note_tone=words.tone,
            folded=key == _EACH_NVLINK,
        )
        for key, facts in found.items()
        if facts or key == PCIE
    ]


def metric_fact(reading: Reading, metric: MetricId, units: Units) -> Fact:
    value = reading.values.get(metric)
    if value is not None:
        whole = reading.values.get(_WHOLES[metric]) if metric in _WHOLES else None
        return _read(metric, value, units, whole)
    return _absent(metric, reading.missing.get(metric, Absence.NOT_YET))


@lru_cache(4096)
def _read(metric: MetricId, value: float, units: Units, whole: float | None) -> Fact:
    known = METRICS[metric]
    read = quantity(known, value, units)
    if whole:
        read = part_of_memory(value, whole, units)
    held = metric in HARMFUL and value > 0
    return Fact(
        metric,
        tr(known.label),
        read.number,
        read.unit,
        hint=_explained(metric),
        tone=Tone.WARN if held else Tone.TEXT,
        metrics=(metric,),
    )


@lru_cache(4096)
def _absent(metric: MetricId, absence: Absence) -> Fact:
    known = METRICS[metric]
    return Fact(
        metric,
        tr(known.label),
        absent=short_reasons(absence),
        hint=f"{explained_absence(tr(known.label), absence)}\n{_explained(metric)}",
        metrics=(metric,),
    )


def explained(metric: Metric) -> str:
    """What it means, its unit, and where nvidia-smi shows the same."""
    return _explained(metric.id)


@lru_cache(4096)
def _explained(of: MetricId) -> str:
    metric = METRICS[of]
    said = [tr(metric.meaning), tr(_UNIT_WORDS[metric.unit])]
    return "\n".join([*said, *([_smi(metric.smi)] if metric.smi else [])])


def _smi(field: str) -> str:
    """Where nvidia-smi shows the same; its own words, which have no other language."""
    return f"nvidia-smi: {field}"


def architecture(capability: tuple[int, int]) -> str | None:
    """None for a chip nobody knew when this was written."""
    major, minor = capability
    return _ARCHITECTURES.get((major, minor)) or _ARCHITECTURES.get((major, None))


def _with_size(card: Card, reading: Reading) -> Reading:
    """How much memory it has was reported when it was met, and holds while it is silent."""
    total = reading.values.get(m.MEMORY_TOTAL)
    if total is not None or not card.memory_bytes:
        return reading
    values = {**reading.values, m.MEMORY_TOTAL: float(card.memory_bytes)}
    return reading._replace(values=values)


@lru_cache(64)
def _listed(card: Card) -> Mapping[str, Sequence[MetricId]]:
    """Its metrics, group by group."""
    own = metrics_of(card) - (PCIE_METRICS if card.memory_shared else _TOLD_TOGETHER)
    listed: dict[str, list[MetricId]] = {}
    for metric in METRICS.values():
        if metric.id in own:
            listed.setdefault(metric.group, []).append(metric.id)
    return listed


@lru_cache(4096)
def _silicon(card: Card) -> Sequence[Fact]:
    nameless = (tr("it never reported its name"), tr("not reported"))
    capability = card.compute_capability
    family = None if capability is None else architecture(capability)
    return [
        _told("name", tr("Model"), "" if card.nameless else card.name, nameless),
        _told(
            "architecture",
            tr("Architecture"),
            family or "",
            _unreported(),
            tr("The family of chips, as its compute capability says."),
        ),
        _told(
            "compute_capability",
            tr("Compute capability"),
            "" if capability is None else f"{capability[0]}.{capability[1]}",
            _unreported(),
            tr("Which instructions the chip knows; PyTorch's builds name it sm_75 for 7.5."),
            "compute_cap",
        ),
    ]


@lru_cache(4096)
def _place(card: Card, instances: int, parent: str) -> Sequence[Fact]:
    instance = card.kind is CardKind.MIG
    facts = [_cuda(card)]
    facts.append(
        _told(
            "index",
            tr("Number in its card") if instance else tr("Driver's number"),
            str(card.index),
            (),
            tr(
                "The driver counts cards in the order of the PCIe bus; it may change at the "
                "next start of the computer."
            ),
            "index",
        )
    )
    if instance:
        whole = tr("card {number}", number=parent)
        facts.append(_told("parent", tr("Part of"), whole, ()))
    if instances:
        hint = tr("Cut out of this card.")
        facts.append(_told("instances", tr("MIG instances"), str(instances), (), hint))
    facts.append(
        _told(
            "bus",
            tr("PCI address"),
            card.bus_id or "",
            (tr("that of its card"), tr("of its card")) if instance else _unreported(),
            tr("Domain, bus, device and function."),
            "pci.bus_id",
        )
    )
    facts.append(
        _told(
            "uuid",
            tr("UUID"),
            "" if card.nameless else card.id,
            (tr("it could not be asked for it"), tr("not reported")),
            tr("Its permanent name, the same after every restart and in every slot."),
            "uuid",
        )
    )
    return facts


def _cuda(card: Card) -> Fact:
    hint = tr(
        "The number CUDA and PyTorch give it here and now; it depends on "
        "CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER."
    )
    if card.cuda_index is not None:
        return _told("cuda", tr("CUDA number"), f"cuda:{card.cuda_index}", (), hint)
    reason = tr(card.cuda_reason)
    absent = (reason, tr("none")) if reason else (tr("none"),)
    why = tr("No CUDA number: {reason}.", reason=reason) if reason else ""
    return Fact("cuda", tr("CUDA number"), absent=absent, hint=f"{hint}\n{why}".rstrip())


def _software(source: Source) -> list[Fact]:
    absent = (tr("not reported"), tr("not reported"))
    if source.simulated:
        absent = (tr("none: simulated"), tr("simulated"))
    newest = tr(
        "The newest CUDA that this driver can run; PyTorch brings its own, up to this one."
    )
    driver, cuda = source.driver_version or "", source.cuda_version or ""
    label, answers = tr(source.label), tr("What answers for this card.")
    return [
        _told("source", tr("Read through"), label, (), answers),
        _told("driver", tr("Driver"), driver, absent, "", "driver_version"),
        _told("cuda_version", tr("CUDA of the driver"), cuda, absent, newest),
        *(
            _told(f"source.{name}", tr(name), tr(value), absent)
            for name, value in source.facts.items()
        ),
    ]


def _link(reading: Reading) -> list[Fact]:
    card = (m.PCIE_GENERATION_CARD, m.PCIE_WIDTH_MAX)
    slot = (m.PCIE_GENERATION_SLOT, m.PCIE_WIDTH_SLOT)
    return [
        _speed(reading, "link_now", tr("Link now"), m.PCIE_GENERATION, m.PCIE_WIDTH),
        _speed(reading, "link_here", tr("Highest here"), m.PCIE_GENERATION_MAX),
        _speed(reading, "link_card", tr("The card could"), *card),
        _speed(reading, "link_slot", tr("The slot could"), *slot),
    ]


def _speed(reading: Reading, key: str, label: str, *metrics: MetricId) -> Fact:
    """A generation, and lanes where they are told too."""
    speed = link_speed(reading, *metrics)
    hint = "\n".join(_explained(metric) for metric in metrics)
    missing = [metric for metric in metrics if metric not in reading.values]
    reasons = [reading.missing.get(metric, Absence.NOT_YET) for metric in missing]
    why = "".join(
        f"{explained_absence(tr(METRICS[metric].label), reason)}\n"
        for metric, reason in zip(missing, reasons, strict=True)
    )
    if not speed.text:
        return Fact(
            key, label, absent=short_reasons(reasons[0]), hint=why + hint, metrics=metrics
        )
    if speed.rate is not None:
        hint = f"{tr('{rate} each way in theory.', rate=rate(speed.rate))}\n{hint}"
    value = speed.text
    if speed.lanes is None:
        value = tr("generation {generation}", generation=speed.generation)
    return Fact(key, label, value, hint=why + hint, metrics=metrics)


def _unreported() -> tuple[str, str]:
    return tr("not reported by the driver"), tr("not reported")


def _told(
    key: str, label: str, value: str, absent: tuple[str, ...], hint: str = "", smi: str = ""
) -> Fact:
    hint = "\n".join(each for each in (hint, _smi(smi) if smi else "") if each)
    return Fact(key, label, value, absent=() if value else absent, hint=hint)
