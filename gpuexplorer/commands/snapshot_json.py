"""A picture as JSON, schema 1: numbers with their unit, or a reason in words."""

import json
import sys
from collections.abc import Iterator
from typing import TypeAlias

from gpuexplorer.commands.picture import Picture
from gpuexplorer.core.cards import HOST_ID, Card
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure
from gpuexplorer.telemetry.topology import Link

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

SCHEMA = 1
_PROCESS_UNITS = dict.fromkeys(ProcessFigure, "ratio") | {ProcessFigure.MEMORY: "B"}


def show(pictures: Iterator[Picture], *, again: bool) -> None:
    """Again and again, one line each; once, a line for each card, process and link."""
    for picture in pictures:
        written = as_json(picture)
        text = json.dumps(written) if again else _laid_out(written)
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def _laid_out(written: dict[str, Json]) -> str:
    members = []
    for name, member in written.items():
        if isinstance(member, list) and member:
            entries = ",\n".join(json.dumps(entry) for entry in member)
            members.append(f'"{name}": [\n{entries}\n]')
        else:
            members.append(f'"{name}": {json.dumps(member)}')
    return "{\n" + ",\n".join(members) + "\n}"


def as_json(picture: Picture) -> dict[str, Json]:
    source = picture.source
    shown = {card.id for card in picture.cards} | {HOST_ID}
    return {
        "schema": SCHEMA,
        "taken_at": picture.taken_at.isoformat(timespec="milliseconds"),
        "source": source.name if source is not None else "none",
        "simulated": picture.simulated,
        "driver": {
            "label": source.label if source is not None else None,
            "version": source.driver_version if source is not None else None,
            "cuda_version": source.cuda_version if source is not None else None,
        },
        "host": {
            "host_name": picture.host_name,
            "name": picture.host.name,
            **_figures(picture.host_reading),
        },
        "cards": [_card(picture, card) for card in picture.cards],
        "processes": [_process(picture, named) for named in picture.processes],
        "links": [
            link_as_json(link)
            for link in (picture.topology.links if picture.topology else ())
            if {link.a, link.b} <= shown
        ],
        "notes": [*(each.note for each in picture.attempts), *picture.notes],
    }


def _card(picture: Picture, card: Card) -> dict[str, Json]:
    reading = picture.readings[card.id]
    described: dict[str, Json] = {
        "index": card.index,
        "number": picture.numbers[card.id],
        "id": card.id,
        "name": card.name,
        "kind": card.kind.value,
        "parent": card.parent,
        "bus_id": card.bus_id,
        "cuda_index": card.cuda_index,
        "cuda_reason": card.cuda_reason or None,
        "simulated": card.simulated,
        "compute_capability": (
            ".".join(str(part) for part in card.compute_capability)
            if card.compute_capability
            else None
        ),
        "numa_node": picture.topology.numa_nodes.get(card.id) if picture.topology else None,
        "state": reading.state.value if reading is not None else "no answer",
        "state_sentence": picture.states[card.id],
    }
    return described | _figures(reading)


def _figures(reading: Reading | None) -> dict[str, Json]:
    if reading is None:
        return {"values": {}, "missing": {}}
    values: dict[str, Json] = {}
    missing: dict[str, Json] = {}
    for metric in METRICS.values():
        if metric.id in reading.values:
            value = reading.values[metric.id]
            figure: dict[str, Json] = {"value": _tidy(value), "unit": metric.unit.value}
            word = metric.text_of(value)
            if word is not None:
                figure["text"] = word
            values[metric.id] = figure
        elif metric.id in reading.missing:
            missing[metric.id] = reading.missing[metric.id].sentence
    return {"values": values, "missing": missing}


def _process(picture: Picture, named: NamedProcess) -> dict[str, Json]:
    process = named.process
    figures: dict[str, Json] = {}
    reasons: dict[str, Json] = {}
    for figure, unit in _PROCESS_UNITS.items():
        if figure in process.values:
            figures[figure.value] = {"value": _tidy(process.values[figure]), "unit": unit}
        elif figure in process.missing:
            reasons[figure.value] = process.missing[figure].sentence
    return {
        "card": process.card,
        "number": picture.numbers.get(process.card),
        "pid": process.pid,
        "type": process.use.value,
        "resolved": named.resolved,
        "reason": named.reason or None,
        "user": named.user,
        "command": named.command,
        "container": named.container,
        "ours": named.ours,
        "cpu": None if named.cpu is None else {"value": round(named.cpu, 4), "unit": "cores"},
        "host_memory": (
            None if named.memory_bytes is None else {"value": named.memory_bytes, "unit": "B"}
        ),
        "started_at": named.started_at,
        "values": figures,
        "missing": reasons,
    }


def link_as_json(link: Link) -> dict[str, Json]:
    return {
        "a": link.a,
        "b": link.b,
        "path": link.letters,
        "path_sentence": link.path.sentence,
        "nvlinks": link.nvlinks,
        "nvlink_generation": link.nvlink_generation,
        "peer_to_peer": link.peer_to_peer,
        "peer_to_peer_reason": link.peer_reason or None,
        "rate": (
            None
            if link.rate is None
            else {
                "value": _tidy(link.rate),
                "unit": "B/s",
                "kind": "theoretical, each direction",
            }
        ),
        "rate_reason": link.rate_reason or None,
    }


def _tidy(value: float) -> int | float:
    """Whole numbers without a point, ratios without the noise of division."""
    return int(value) if float(value).is_integer() else round(value, 9)
