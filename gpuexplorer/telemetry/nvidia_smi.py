"""nvidia-smi of a machine that is simulated: its cards, in the form that nvidia-smi has."""

import argparse
import difflib
import shlex
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NoReturn

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardState, Sample
from gpuexplorer.core.metrics import METRICS, Metric, Unit, metrics_of
from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.core.words import mark
from gpuexplorer.simulation.models import MIB
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure

_FORMS = mark(
    "On simulated cards there are nvidia-smi, -L, -i 0, --query-gpu=name,memory.used "
    "--format=csv, and --query-compute-apps=pid,used_memory --format=csv."
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
    "pcie.link.gen.current": "pcie.link.gen.gpucurrent",
    "power.limit": "enforced.power.limit",
}
_METRICS: dict[str, Metric] = {
    metric.smi: metric
    for metric in METRICS.values()
    if metric.smi and " " not in metric.smi and not metric.smi.startswith("-")
}
_METRICS |= {alias: _METRICS[field] for alias, field in _ALIASES.items()}
_HELD = ("used_memory", "used_gpu_memory")  # by a process
_APP_FIELDS = (
    *("pid", "process_name", "name", "gpu_name", "gpu_uuid", "gpu_bus_id", *_HELD),
    *("uuid", "pci.bus_id"),
)
_FIELD_UNITS = {
    field: unit for field, metric in _METRICS.items() if (unit := _UNITS[metric.unit][0])
} | dict.fromkeys(_HELD, "MiB")


def nvidia_smi(arguments: str, backend: SimulatedBackend, now: datetime) -> str:
    """What it prints. Raises Trouble for what is not offered here."""
    asked, cards = _asked(arguments), backend.cards()
    if asked.id is not None:
        cards = [_named(word, cards) for word in asked.id.split(",")]
    processes = [(card, each) for card in cards for each in backend.processes(card.id) or ()]
    if asked.list_gpus:
        return "\n".join(f"GPU {c.index}: {c.name} (UUID: {c.id})" for c in cards)
    if asked.apps:
        return _query(
            asked.apps, asked.format, _APP_FIELDS, [_app(*each) for each in processes]
        )
    samples = [backend.now(card.id, metrics_of(card)) for card in cards]
    figures = [_figures(*each) for each in zip(cards, samples, strict=True)]
    if asked.query_gpu:
        stamp = f"{now:%Y/%m/%d %H:%M:%S}.{now.microsecond // 1000:03}"
        more = {"count": str(len(cards)), "driver_version": _ABSENT, "timestamp": stamp}
        rows = [each | more for each in figures]
        return _query(asked.query_gpu, asked.format, rows[0], rows)
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


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Trouble("nvidia-smi was not understood: {message}.", _FORMS, message=message)


def _asked(arguments: str) -> argparse.Namespace:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("-L", "--list-gpus", action="store_true")
    parser.add_argument("-i", "--id")
    parser.add_argument("-l", "--loop", "-lms", "--loop-ms", nargs="?", const="5")
    parser.add_argument("--query-gpu")
    parser.add_argument("--query-compute-apps", "--query-accounted-apps", dest="apps")
    parser.add_argument("--format")
    try:
        asked, unknown = parser.parse_known_args(shlex.split(arguments))
    except ValueError:
        raise Trouble("A quotation mark of this line is not closed.") from None
    if asked.loop is not None:
        raise Trouble(
            "Asked for again and again, nvidia-smi does not end, and the cell would wait for"
            " ever.",
            "The overview and the plots beside the lab show the same figures live.",
        )
    if unknown:
        raise Trouble(
            "Simulated cards have no `nvidia-smi {option}`.", _FORMS, option=unknown[0]
        )
    return asked


def _named(word: str, cards: Sequence[Card]) -> Card:
    for card in cards:
        if word in (str(card.index), card.id, card.bus_id):
            return card
    raise Trouble("There is no card {word} here.", _FORMS, word=word)


def _figures(card: Card, sample: Sample) -> dict[str, str]:
    """All that can be asked for of a card, by its fields, in nvidia-smi's words."""
    values = sample.values
    known = {name: _figure(each, values.get(each.id)) for name, each in _METRICS.items()}
    capability = ".".join(map(str, card.compute_capability or ()))
    return known | _card(card) | {"index": str(card.index), "compute_cap": capability}


def _card(card: Card) -> dict[str, str]:
    # Eight digits of the domain, where the kernel writes four.
    bus = f"0000{card.bus_id}".upper() if card.bus_id else _ABSENT
    named = dict.fromkeys(("name", "gpu_name"), card.name)
    named |= dict.fromkeys(("uuid", "gpu_uuid"), card.id)
    return named | dict.fromkeys(("pci.bus_id", "gpu_bus_id"), bus)


def _app(card: Card, process: CardProcess) -> dict[str, str]:
    held, name = process.values.get(ProcessFigure.MEMORY), process.simulated_command or _ABSENT
    memory = _ABSENT if held is None else str(round(held / MIB))
    named = dict.fromkeys(("process_name", "name"), name) | {"pid": str(process.pid)}
    return _card(card) | named | dict.fromkeys(_HELD, memory)


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
    names: str, form: str | None, known: Collection[str], rows: Sequence[Mapping[str, str]]
) -> str:
    style = [each.strip() for each in (form or "").split(",")]
    if "csv" not in style:
        raise Trouble("A query needs --format=csv.", _FORMS)
    fields = [each.strip() for each in names.split(",")]
    for field in fields:
        if field not in known:
            raise Trouble(
                "Simulated cards have no field {field!r}.",
                did_you_mean(difflib.get_close_matches(field, known, n=1), _FORMS),
                field=field,
            )
    heads = [
        f"{each} [{unit}]" if (unit := _FIELD_UNITS.get(each)) else each for each in fields
    ]
    units = {} if "nounits" in style else _FIELD_UNITS

    def cell(field: str, text: str) -> str:
        return text if field not in units or text == _ABSENT else f"{text} {units[field]}"

    lines = [[cell(field, row[field]) for field in fields] for row in rows]
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
| {0[fan.speed]:>3}{0[temperature.gpu]:>6}{0[pstate]:>6}{0[power.draw]:>15} / {0[power.limit]:>6} |{0[memory.used]:>11} / {0[memory.total]:>9} |{0[utilization.gpu]:>8}{0[compute_mode]:>13} |
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
    memory = _app(card, process)["used_memory"]
    return _PROCESS.format(
        index=card.index,
        pid=process.pid,
        use=process.use,
        name=name if len(name) <= 34 else f"...{name[-31:]}",
        memory="N/A" if memory == _ABSENT else f"{memory}MiB",
    )
