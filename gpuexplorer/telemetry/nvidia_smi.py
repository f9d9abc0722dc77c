"""nvidia-smi of a machine that is simulated: its cards, in the form that nvidia-smi has."""

import argparse
import difflib
import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple, NoReturn, TypeVar

from gpuexplorer.core.cards import Card, CardState, Sample
from gpuexplorer.core.catalogue.clocks import PERFORMANCE_STATE
from gpuexplorer.core.catalogue.health import COMPUTE_MODE
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
_FIELD_UNITS = {
    field: unit for field, metric in _METRICS.items() if (unit := _UNITS[metric.unit][0])
} | dict.fromkeys(_HELD, "MiB")
_Row = TypeVar("_Row")


class _CardNow(NamedTuple):
    """A card with what it says at this instant."""

    card: Card
    sample: Sample
    processes: Sequence[CardProcess]


def nvidia_smi(arguments: str, backend: SimulatedBackend, now: datetime) -> str:
    """What it prints. Raises Trouble for what is not offered here."""
    asked = _asked(arguments)
    cards = [
        _CardNow(card, backend.now(card.id, metrics_of(card)), backend.processes(card.id) or ())
        for card in backend.cards()
    ]
    if asked.id is not None:
        cards = [_named(word, cards) for word in asked.id.split(",")]
    processes = [(each.card, process) for each in cards for process in each.processes]
    if asked.list_gpus:
        lines = [
            f"GPU {c.index}: {c.name} (UUID: {c.id})" for c in (each.card for each in cards)
        ]
    elif asked.query_gpu:
        lines = _query(asked.query_gpu, asked.format, _card_fields(now, len(cards)), cards)
    elif asked.apps:
        lines = _query(asked.apps, asked.format, _app_fields(), processes)
    else:
        lines = [
            f"{now:%a %b %e %H:%M:%S %Y}",
            # Nobody made up a driver, or a CUDA version, for simulated cards.
            _HEAD.format(program="simulated", driver="N/A"),
            *map(_card_rows, cards),
            _PROCESSES,
            *(_process_row(card, process) for card, process in processes),
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


def _named(word: str, cards: Sequence[_CardNow]) -> _CardNow:
    for each in cards:
        if word in (str(each.card.index), each.card.id, each.card.bus_id):
            return each
    raise Trouble("There is no card {word} here.", _FORMS, word=word)


_HEAD = """\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI {program:<22} Driver Version: {driver:<14} CUDA Version: {driver:<9}|
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|"""
_CARD = """\
| {index:>3}  {name:<27.27} {persistence:>6} |   {bus:>16} {display:>3} | {ecc:>20} |
| {fan:>3}{temperature:>6}{state:>6}{power:>15} / {limit:>6} |{used:>11} / {total:>9} |{busy:>8}{mode:>13} |
|                                         |                        | {mig:>20} |
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


def _card_rows(now: _CardNow) -> str:
    card = now.card
    if now.sample.state is not CardState.WORKING:
        return _LOST.format(index=card.index, name=card.name, why="ERR!")

    def cell(field: str, unit: str = "") -> str:
        text = _figure(_METRICS[field], now)
        return "N/A" if text == _ABSENT else f"{text}{unit}"

    def switch(field: str) -> str:
        return {"Disabled": "Off", "Enabled": "On"}.get(cell(field), "N/A")

    def watts(field: str) -> str:
        value = now.sample.values.get(_METRICS[field].id)
        return "N/A" if value is None else f"{value:.0f}W"

    return _CARD.format(
        index=card.index,
        name=card.name,
        persistence=switch("persistence_mode"),
        bus=_bus(card),
        display=switch("display_active"),
        ecc=cell("ecc.errors.uncorrected.volatile.total"),
        fan=cell("fan.speed", "%"),
        temperature=cell("temperature.gpu", "C"),
        state=cell("pstate"),
        power=watts("power.draw"),
        limit=watts("power.limit"),
        used=cell("memory.used", "MiB"),
        total=cell("memory.total", "MiB"),
        busy=cell("utilization.gpu", "%"),
        mode=cell("compute_mode"),
        mig=cell("mig.mode.current"),
    )


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


def _query(
    names: str,
    form: str | None,
    known: Mapping[str, Callable[[_Row], str]],
    rows: Sequence[_Row],
) -> list[str]:
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
        f"{each} [{_FIELD_UNITS[each]}]" if each in _FIELD_UNITS else each for each in fields
    ]
    lines = [] if "noheader" in style else [", ".join(heads)]
    for row in rows:
        cells = []
        for field in fields:
            text = known[field](row)
            bare = field not in _FIELD_UNITS or "nounits" in style or text == _ABSENT
            cells.append(text if bare else f"{text} {_FIELD_UNITS[field]}")
        lines.append(", ".join(cells))
    return lines


def _card_fields(now: datetime, count: int) -> Mapping[str, Callable[[_CardNow], str]]:
    fields: dict[str, Callable[[_CardNow], str]] = {
        field: partial(_figure, metric) for field, metric in _METRICS.items()
    }
    fields |= dict.fromkeys(("name", "gpu_name"), lambda each: each.card.name)
    fields |= dict.fromkeys(("uuid", "gpu_uuid"), lambda each: each.card.id)
    fields |= dict.fromkeys(("pci.bus_id", "gpu_bus_id"), lambda each: _bus(each.card))
    return fields | {
        "index": lambda each: str(each.card.index),
        "compute_cap": lambda each: ".".join(map(str, each.card.compute_capability or ())),
        "count": lambda _: str(count),
        "driver_version": lambda _: _ABSENT,
        "timestamp": lambda _: f"{now:%Y/%m/%d %H:%M:%S}.{now.microsecond // 1000:03}",
    }


def _app_fields() -> Mapping[str, Callable[[tuple[Card, CardProcess]], str]]:
    def memory(app: tuple[Card, CardProcess]) -> str:
        held = app[1].values.get(ProcessFigure.MEMORY)
        return _ABSENT if held is None else str(round(held / MIB))

    def name(app: tuple[Card, CardProcess]) -> str:
        return app[1].simulated_command or _ABSENT

    return dict.fromkeys(_HELD, memory) | {
        "pid": lambda app: str(app[1].pid),
        "process_name": name,
        "name": name,
        "gpu_name": lambda app: app[0].name,
        "gpu_uuid": lambda app: app[0].id,
        "gpu_bus_id": lambda app: _bus(app[0]),
    }


def _figure(metric: Metric, now: _CardNow) -> str:
    """In nvidia-smi's words, which are not the window's."""
    value = now.sample.values.get(metric.id)
    if value is None:
        return _ABSENT
    if metric.id == PERFORMANCE_STATE:
        return f"P{value:.0f}"
    if metric.id == COMPUTE_MODE:
        return ("Default", "E. Thread", "Prohibited", "E. Process")[int(value)]
    match metric.unit:
        case Unit.FLAG:
            return "Active" if value else "Not Active"
        case Unit.STATE:
            return "Enabled" if value else "Disabled"
        case Unit.WATTS:
            return f"{value:.2f}"
    return str(round(value / _UNITS[metric.unit][1]))


def _bus(card: Card) -> str:
    """Eight digits of the domain, where the kernel writes four."""
    return f"0000{card.bus_id}".upper() if card.bus_id else _ABSENT
