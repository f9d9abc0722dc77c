"""nvidia-smi of a machine that is simulated: its cards, in the form that nvidia-smi has."""

import difflib
import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardState, Sample
from gpuexplorer.core.metrics import METRICS, Metric, Unit, metrics_of
from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.core.words import mark
from gpuexplorer.simulation.models import MIB
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure

_FORMS = mark(
    "On simulated cards there are nvidia-smi, nvidia-smi -L, and "
    "nvidia-smi --query-gpu=name,memory.used --format=csv."
)
_ABSENT = "[N/A]"
# In what unit nvidia-smi says a figure, and what of ours makes one of it.
_UNITS = dict.fromkeys(Unit, ("", 1.0)) | {
    Unit.RATIO: ("%", 0.01),
    Unit.BYTES: ("MiB", float(MIB)),
    Unit.WATTS: ("W", 1.0),
    Unit.HERTZ: ("MHz", 1e6),
}
_ALIASES = {
    "clocks.current.graphics": "clocks.gr",
    "clocks.current.memory": "clocks.mem",
    "clocks.current.sm": "clocks.sm",
    "clocks.max.graphics": "clocks.max.gr",
    "clocks.max.memory": "clocks.max.mem",
    "gpu_bus_id": "pci.bus_id",
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "pcie.link.gen.current": "pcie.link.gen.gpucurrent",
    "power.limit": "enforced.power.limit",
}
_METRICS: dict[str, Metric] = {
    metric.smi: metric
    for metric in METRICS.values()
    if metric.smi and " " not in metric.smi and not metric.smi.startswith("-")
}
_FIELD_UNITS = {
    field: unit for field, metric in _METRICS.items() if (unit := _UNITS[metric.unit][0])
}


def nvidia_smi(arguments: str, backend: SimulatedBackend, now: datetime) -> str:
    """What it prints. Raises Trouble for what is not offered here."""
    refused = Trouble(
        "Simulated cards have no `nvidia-smi {arguments}`.", _FORMS, arguments=arguments
    )
    try:
        words = shlex.split(arguments)
    except ValueError:
        raise refused from None
    asked = {option: value for option, _, value in (word.partition("=") for word in words)}
    cards = backend.cards()
    if asked.keys() in ({"-L"}, {"--list-gpus"}):
        return "\n".join(f"GPU {c.index}: {c.name} (UUID: {c.id})" for c in cards)
    query = asked.keys() == {"--query-gpu", "--format"} and "csv" in _split(asked["--format"])
    if asked and not query:
        raise refused
    samples = [backend.now(card.id, metrics_of(card)) for card in cards]
    figures = [_figures(*each) for each in zip(cards, samples, strict=True)]
    if query:
        stamp = f"{now:%Y/%m/%d %H:%M:%S}.{now.microsecond // 1000:03}"
        more = {"count": str(len(cards)), "driver_version": _ABSENT, "timestamp": stamp}
        rows = [each | more for each in figures]
        return _query(_split(asked["--query-gpu"]), _split(asked["--format"]), rows)
    processes = [(card, each) for card in cards for each in backend.processes(card.id) or ()]
    lines = [
        f"{now:%a %b %e %H:%M:%S %Y}",
        # Nobody made up a driver, or a CUDA version, for simulated cards.
        _HEAD.format(program="simulated", driver="N/A"),
        *map(_card_rows, samples, figures),
        _PROCESSES,
        *(_process_row(*each) for each in processes),
        *([] if processes else [_NO_PROCESS]),
        f"+{'-' * 89}+",
    ]
    return "\n".join(lines)


def _split(text: str) -> list[str]:
    return [each.strip() for each in text.split(",")]


def _figures(card: Card, sample: Sample) -> dict[str, str]:
    """All that can be asked for of a card, by its fields, in nvidia-smi's words."""
    figures = {
        name: _figure(each, sample.values.get(each.id)) for name, each in _METRICS.items()
    }
    return figures | {
        "index": str(card.index),
        "name": card.name,
        "uuid": card.id,
        # Eight digits of the domain, where the kernel writes four.
        "pci.bus_id": f"0000{card.bus_id}".upper() if card.bus_id else _ABSENT,
        "compute_cap": ".".join(map(str, card.compute_capability or ())),
    }


def _figure(metric: Metric, value: float | None) -> str:
    if value is None:
        return _ABSENT
    if metric.id == m.PERFORMANCE_STATE:
        return f"P{value:.0f}"
    if metric.id == m.COMPUTE_MODE:
        return ("Default", "E. Thread", "Prohibited", "E. Process")[int(value)]
    match metric.unit:
        case Unit.FLAG:
            return "Active" if value else "Not Active"
        case Unit.STATE:
            return "Enabled" if value else "Disabled"
        case Unit.WATTS:
            return f"{value:.2f}"
    return str(round(value / _UNITS[metric.unit][1]))


def _query(
    fields: Sequence[str], style: Sequence[str], rows: Sequence[Mapping[str, str]]
) -> str:
    units = {} if "nounits" in style else _FIELD_UNITS
    heads, cells = [], []
    for asked in fields:
        field = _ALIASES.get(asked, asked)
        if field not in rows[0]:
            near = difflib.get_close_matches(asked, (*rows[0], *_ALIASES), n=1)
            raise Trouble(
                "Simulated cards have no field {field!r}.",
                did_you_mean(near, _FORMS),
                field=asked,
            )
        unit = _FIELD_UNITS.get(field)
        heads.append(f"{asked} [{unit}]" if unit else asked)
        texts = [row[field] for row in rows]
        if field in units:
            texts = [each if each == _ABSENT else f"{each} {units[field]}" for each in texts]
        cells.append(texts)
    lines = [*zip(*cells, strict=True)]
    return "\n".join(map(", ".join, lines if "noheader" in style else [heads, *lines]))


_HEAD = """\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI {program:<22} Driver Version: {driver:<14} CUDA Version: {driver:<9}|
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|"""
_CARD = """\
| {0[index]:>3}  {0[name]:<27.27} {0[persistence_mode]:>6} |   {0[pci.bus_id]:>16} {0[display_active]:>3} | {0[ecc.errors.uncorrected.volatile.total]:>20} |
| {0[fan.speed]:>3}{0[temperature.gpu]:>6}{0[pstate]:>6}{0[power.draw]:>15} / {0[enforced.power.limit]:>6} |{0[memory.used]:>11} / {0[memory.total]:>9} |{0[utilization.gpu]:>8}{0[compute_mode]:>13} |
|                                         |                        | {0[mig.mode.current]:>20} |
+-----------------------------------------+------------------------+----------------------+"""  # noqa: E501 - the fields are as wide as they are filled in
_LOST = "| {index:>3}  {name:<26.26} {why:>55} |\n" + f"+{'-' * 89}+"
_PROCESSES = """\

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|"""
_NO_PROCESS = f"| {' No running processes found':<87} |"
_PROCESS = "| {index:>4}   N/A  N/A {pid:>15}{use:>7}   {name:<34.34} {memory:>11} |"
_SWITCHES = {"Disabled": "Off", "Enabled": "On"}


def _card_rows(sample: Sample, figures: Mapping[str, str]) -> str:
    if sample.state is not CardState.WORKING:
        return _LOST.format(**figures, why="ERR!")
    cells = {}
    for field, text in figures.items():
        unit = "C" if field.startswith("temperature.") else _FIELD_UNITS.get(field, "")
        whole = f"{float(text):.0f}" if unit == "W" and text != _ABSENT else text
        cells[field] = "N/A" if text == _ABSENT else whole + unit
    for field in ("persistence_mode", "display_active"):
        cells[field] = _SWITCHES.get(figures[field], "N/A")
    return _CARD.format(cells)


def _process_row(card: Card, process: CardProcess) -> str:
    name = process.simulated_command or "[Not Found]"
    held = process.values.get(ProcessFigure.MEMORY)
    return _PROCESS.format(
        index=card.index,
        pid=process.pid,
        use=process.use,
        name=name if len(name) <= 34 else f"...{name[-31:]}",
        memory="N/A" if held is None else f"{round(held / MIB)}MiB",
    )
