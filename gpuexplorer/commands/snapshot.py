"""gpuexplorer snapshot: every reading of every card, once or again and again, for people
(snapshot_table.py) and for programs: as JSON, schema 1, and as CSV.
"""

import argparse
import csv
import datetime
import itertools
import json
import sys
import time
from collections.abc import Iterator, Sequence

from gpuexplorer.commands.arguments import (
    HOST,
    OK,
    SOURCE,
    TROUBLE,
    WrongArgumentsError,
    add_options,
    in_the_words,
    number,
    whole_number,
)
from gpuexplorer.commands.source import opened, wiring_of
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import HOST_ID, Card, CardState
from gpuexplorer.core.metrics import METRICS, metrics_of
from gpuexplorer.core.spreadsheet import harmless
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.telemetry.card_course import HARMFUL, state_of
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.local import PATIENCE
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure
from gpuexplorer.telemetry.session import Session, card_numbers, check_interval
from gpuexplorer.telemetry.system import processor_time
from gpuexplorer.telemetry.topology import Link, Topology

# Figures of the table, each by the title of the column in which it would stand.
IN_THE_TABLE = {
    m.GPU_UTILIZATION: Message("Busy"),
    m.CPU_UTILIZATION: Message("Busy"),
    m.MEMORY_USED: Message("Memory"),
    m.TEMPERATURE: Message("Temp"),
    m.POWER_DRAW: Message("Power"),
    m.POWER_LIMIT: Message("Power limit"),
    m.CLOCK_SM: Message("SM clock"),
    m.FAN_SPEED: Message("Fan"),
    m.PCIE_GENERATION: "PCIe",
    m.PCIE_RECEIVE: Message("In, out"),
}
_BESIDE_THEM = (m.MEMORY_TOTAL, m.PCIE_WIDTH, m.PCIE_TRANSMIT, m.MIG_MODE)
# Once, a slow driver is given time; in a loop the next picture is better than a late one.
_PATIENCE_ONCE = 2.0
_FIRST_ANSWERS = 20.0  # a card that hangs says so sooner; one that is slow may take so long
_FOR_THE_PROCESSOR = 0.06  # its share of work is noise over less
_CARD_FACTS = ("index", "id", "name", "kind", "parent", "bus_id", "cuda_index")
_LINK_FACTS = ("a", "b", "nvlinks", "nvlink_generation", "peer_to_peer")
_PROCESS_FACTS = ("resolved", "user", "command", "container", "ours", "started_at")
_PROCESS_UNITS = dict.fromkeys(ProcessFigure, "ratio") | {ProcessFigure.MEMORY: "B"}
Json = dict[str, object]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr("Read everything of every card, once or again and again.")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=tr("as JSON, schema 1"))
    form.add_argument("--csv", action="store_true", help=tr("as CSV, one row per card"))
    parser.add_argument(
        "--loop",
        type=number,
        metavar=tr("SECONDS"),
        help=tr("again and again, 0.1 to 60 s apart"),
    )
    parser.add_argument(
        "--count", type=whole_number, metavar="N", help=tr("stop after N pictures")
    )
    parser.add_argument(
        "--cards", metavar=tr("LIST"), help=tr("only these: numbers, UUIDs or bus addresses")
    )
    add_options(parser, SOURCE | HOST)


def run(arguments: argparse.Namespace) -> int:
    count, loop = arguments.count, arguments.loop
    if count is not None and count < 1:
        raise WrongArgumentsError(
            "--count {count} is not a number of pictures.", "It may be 1 or more.", count=count
        )
    if loop is None and count not in (None, 1):
        raise WrongArgumentsError(
            "--count needs to know how far apart the pictures are.",
            "Add --loop SECONDS, such as --loop 1.",
        )
    with in_the_words():
        interval = 1.0 if loop is None else check_interval(loop)
    return _show(arguments, interval, 1 if loop is None else count)


def _show(arguments: argparse.Namespace, interval: float, count: int | None) -> int:
    """So many pictures, or as many as the person likes."""
    # The processor's share takes two looks; what lies between is the snapshot's own work.
    before, looked = processor_time(), time.monotonic()
    for_programs, again = arguments.json or arguments.csv, count != 1
    source = opened(arguments)
    patience = PATIENCE if again else _PATIENCE_ONCE
    stream = source.stream(patience, before, faults=False)
    session = Session(stream, interval, host=source.far is not None)  # here it is read at once
    # Nothing costlier is asked for than what is shown.
    wanted = METRICS if for_programs else {*IN_THE_TABLE, *_BESIDE_THEM, *HARMFUL}
    session.want_metrics(wanted, processes=not arguments.csv)
    session.start()
    try:
        # The first rates take two looks at counters: meanwhile the rest is imported and asked.
        show = show_json if arguments.json else show_csv
        if not for_programs:
            from gpuexplorer.commands import snapshot_table  # noqa: PLC0415 - as just said

            show = snapshot_table.show
        topology, left_out = wiring_of(source) if arguments.json else (None, NOTHING)
        session.wait_for_sweeps(1, _FIRST_ANSWERS)
        source.check()
        chosen = source.chosen(session.cards(), arguments.cards)
        if source.far is None:  # where nobody was waited for long, it would be too soon
            time.sleep(max(0.0, looked + _FOR_THE_PROCESSOR - time.monotonic()))
        told: list[Picture] = []  # the newest

        def pictures() -> Iterator[Picture]:
            for shown in itertools.count(1):
                there = {card.id: card for card in session.cards()}
                cards = [there.get(card.id, card) for card in chosen]
                if arguments.cards is None:  # newcomers too
                    cards += [card for card in there.values() if card not in cards]
                told[:] = [Picture(session, cards, topology, left_out, again=again)]
                yield told[0]
                if shown == count:
                    return
                # Until all were asked once more; a driver that hangs delays it by one interval.
                session.wait_for_fast_sweep(shown + 1, session.interval + PATIENCE)

        show(pictures(), again=again)
        return TROUBLE if told[0].none_read else OK
    finally:
        session.stop()


class Picture:
    """The machine at one moment, for table, JSON and CSV alike. Asks no driver."""

    def __init__(
        self,
        session: Session,
        cards: Sequence[Card],
        topology: Topology | None,
        left_out: Message,
        *,
        again: bool,
    ) -> None:
        ids = {card.id for card in cards}
        self.taken_at = datetime.datetime.now(datetime.UTC).astimezone()
        self.computer, self.host = session.computer, session.host
        self.source = None if session.bare else session.source  # None: no card's answered
        self.simulated = self.source is not None and self.source.simulated
        self.host_reading = session.read_host()
        self.cards, self.numbers = cards, card_numbers(session.cards())
        self.readings = {card.id: session.reading(card.id) for card in cards}
        self.states = {card.id: session.state_sentence(card.id) for card in cards}
        named = session.named_processes()
        self.processes = [each for each in named if each.process.card in ids]
        unknown = session.processes_unknown()
        self.processes_unknown = [card for card in unknown if card in ids]
        self.topology = topology
        self.tried = [attempt.note for attempt in session.attempts]
        self.notes = [*session.notes(), *([left_out] if left_out else [])]
        self.beats = session.beats() if again else None

    @property
    def none_read(self) -> bool:
        """There are cards, and no figure of any."""
        read = (reading for reading in self.readings.values() if reading is not None)
        well = {CardState.WORKING.value, CardState.ASLEEP.value}
        return bool(self.cards) and not any(state_of(each) in well for each in read)


def show_json(pictures: Iterator[Picture], *, again: bool) -> None:
    """Again and again, one line each; once, a line for each card, process and link."""
    for picture in pictures:
        told = as_json(picture)
        members = []
        for name, member in told.items():
            text = json.dumps(member)
            if isinstance(member, list) and member:
                entries = ",\n".join(map(json.dumps, member))
                text = f"[\n{entries}\n]"
            members.append(f'"{name}": {text}')
        laid_out = "{\n" + ",\n".join(members) + "\n}"
        sys.stdout.write((json.dumps(told) if again else laid_out) + "\n")
        sys.stdout.flush()


def as_json(picture: Picture) -> Json:
    source, topology = picture.source, picture.topology
    shown = {card.id for card in picture.cards} | {HOST_ID}
    wires = topology.links if topology is not None else ()
    return {
        "schema": 1,
        "taken_at": picture.taken_at.isoformat(timespec="milliseconds"),
        "source": source.name if source is not None else "none",
        "simulated": picture.simulated,
        "driver": {
            "label": source.label if source is not None else None,
            "version": source.driver_version if source is not None else None,
            "cuda_version": source.cuda_version if source is not None else None,
        },
        "host": {
            "host_name": picture.computer,
            "name": picture.host.name,
            **_figures(picture.host_reading),
        },
        "cards": [_card(picture, card) for card in picture.cards],
        "processes": [_process(picture, named) for named in picture.processes],
        "links": [link_as_json(each) for each in wires if {each.a, each.b} <= shown],
        "notes": [*picture.tried, *picture.notes],
    }


def _card(picture: Picture, card: Card) -> Json:
    reading, topology = picture.readings[card.id], picture.topology
    capability = card.compute_capability
    return {
        **{name: getattr(card, name) for name in _CARD_FACTS},
        "number": picture.numbers[card.id],
        "cuda_reason": card.cuda_reason or None,
        "simulated": card.simulated,
        "compute_capability": ".".join(map(str, capability)) if capability else None,
        "numa_node": topology.numa_nodes.get(card.id) if topology is not None else None,
        "state": state_of(reading) if reading is not None else "no answer",
        "state_sentence": picture.states[card.id],
        **_figures(reading),
    }


def _figures(reading: Reading | None) -> Json:
    values: Json = {}
    missing: Json = {}
    if reading is None:
        return {"values": values, "missing": missing}
    for metric in METRICS.values():
        if metric.id in reading.values:
            value = reading.values[metric.id]
            word = metric.text_of(value)
            told = {} if word is None else {"text": word}
            values[metric.id] = {"value": _tidy(value), "unit": metric.unit, **told}
        elif metric.id in reading.missing:
            missing[metric.id] = reading.missing[metric.id].sentence
    return {"values": values, "missing": missing}


def _process(picture: Picture, named: NamedProcess) -> Json:
    process = named.process
    cpu, memory = named.cpu, named.memory_bytes
    return {
        "card": process.card,
        "number": picture.numbers.get(process.card),
        "pid": process.pid,
        "type": process.use,
        **{name: getattr(named, name) for name in _PROCESS_FACTS},
        "reason": named.reason or None,
        "cpu": None if cpu is None else {"value": round(cpu, 4), "unit": "cores"},
        "host_memory": None if memory is None else {"value": memory, "unit": "B"},
        "values": {
            figure: {"value": _tidy(process.values[figure]), "unit": unit}
            for figure, unit in _PROCESS_UNITS.items()
            if figure in process.values
        },
        "missing": {
            figure: process.missing[figure].sentence
            for figure in _PROCESS_UNITS
            if figure in process.missing
        },
    }


def link_as_json(link: Link) -> Json:
    kind = {"unit": "B/s", "kind": "theoretical, each direction"}
    return {
        **{name: getattr(link, name) for name in _LINK_FACTS},
        "path": link.letters,
        "path_sentence": link.path.sentence,
        "peer_to_peer_reason": link.peer_reason or None,
        "rate": None if link.rate is None else {"value": _tidy(link.rate), **kind},
        "rate_reason": link.rate_reason or None,
    }


def _tidy(value: float) -> int | float:
    """Whole numbers without a point, ratios without the noise of division."""
    return int(value) if float(value).is_integer() else round(value, 9)


def show_csv(pictures: Iterator[Picture], *, again: bool) -> None:
    """A row per card, a column per metric that one of them can be asked for. The last column
    says for each blank why, so that no blank is a riddle.
    """
    writer = csv.writer(sys.stdout, lineterminator="\n")
    metrics = None
    for picture in pictures:
        if metrics is None:
            asked = {metric for card in picture.cards for metric in metrics_of(card)}
            metrics = [metric for metric in METRICS.values() if metric.id in asked]
            named = [f"{metric.id} [{metric.unit}]" for metric in metrics]
            writer.writerow(["taken_at", "simulated", *_CARD_FACTS, "state", *named, "missing"])
        for card in picture.cards:
            reading = picture.readings[card.id]
            values, missing = (reading.values, reading.missing) if reading else ({}, {})
            facts = (getattr(card, name) for name in _CARD_FACTS)
            why = (f"{e.id}: {missing[e.id].sentence}" for e in metrics if e.id in missing)
            writer.writerow(
                [
                    picture.taken_at.isoformat(timespec="milliseconds"),
                    "yes" if card.simulated else "no",
                    *(harmless("" if each is None else str(each)) for each in facts),
                    state_of(reading) if reading is not None else "no answer",
                    *(f"{values[e.id]:.12g}" if e.id in values else "" for e in metrics),
                    "; ".join(why),
                ]
            )
        sys.stdout.flush()
