"""gpuexplorer snapshot: every reading of every card, once or again and again, for people
(snapshot_table.py) and for programs: as JSON, schema 1, and as CSV.
"""

import argparse
import csv
import itertools
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial

from gpuexplorer.commands.arguments import (
    CARDS,
    HOST,
    JSON,
    OK,
    SOURCE,
    TROUBLE,
    Option,
    WrongArgumentsError,
    add_options,
    in_the_words,
    number,
    whole_number,
)
from gpuexplorer.commands.source import opened, wiring_of
from gpuexplorer.commands.terminal import write_json
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import HOST_ID, Card, CardState
from gpuexplorer.core.harmless import harmless
from gpuexplorer.core.metrics import METRICS, MetricId, metrics_of
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.telemetry.card_course import HARMFUL, state_of
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.local import PATIENCE, Local
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure
from gpuexplorer.telemetry.session import Session, card_numbers, check_interval
from gpuexplorer.telemetry.system import processor_time
from gpuexplorer.telemetry.topology import Link, Topology

# Columns of the table: how much each matters, and whose reason stands for a dash in it.
COLUMNS: Mapping[str, tuple[int, Sequence[MetricId]]] = {
    Message("Busy"): (99, (m.GPU_UTILIZATION, m.CPU_UTILIZATION)),
    Message("Memory"): (94, (m.MEMORY_USED,)),
    Message("Temp"): (80, (m.TEMPERATURE,)),
    Message("Power"): (75, (m.POWER_DRAW, m.POWER_LIMIT)),
    Message("SM clock"): (50, (m.CLOCK_SM,)),
    Message("Fan"): (45, (m.FAN_SPEED,)),
    "PCIe": (30, (m.PCIE_GENERATION,)),
    Message("In, out"): (20, (m.PCIE_RECEIVE,)),
}
_IN_THE_TABLE = {
    *(each for _, metrics in COLUMNS.values() for each in metrics),
    *(m.MEMORY_TOTAL, m.PCIE_WIDTH, m.PCIE_TRANSMIT, m.MIG_MODE),
    *HARMFUL,
}
# Once, a slow driver is given time; in a loop the next picture is better than a late one.
_PATIENCE_ONCE = 2.0
_FIRST_ANSWERS = 20.0  # a card that hangs says so sooner; one that is slow may take so long
_FOR_THE_PROCESSOR = 0.06  # its share of work is noise over less
_CARD_FACTS = ("index", "id", "name", "kind", "parent", "bus_id", "cuda_index")
_LINK_FACTS = ("a", "b", "nvlinks", "nvlink_generation", "peer_to_peer")
_PROCESS_FACTS = ("resolved", "user", "command", "container", "ours", "started_at")
_MEMORY = ProcessFigure.MEMORY
Json = dict[str, object]
Show = Callable[["Picture"], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr("Read everything of every card, once or again and again.")
    again = {
        "--csv": Option("", "as CSV, one row per card"),
        "--loop": Option("SECONDS", "again and again, 0.1 to 60 s apart", number),
        "--count": Option("N", "stop after N pictures", whole_number),
    }
    add_options(parser, {**JSON, **again, **CARDS, **SOURCE, **HOST})


def run(arguments: argparse.Namespace) -> int:
    count = 1 if arguments.loop is None else arguments.count
    if count is not None and count < 1:
        raise WrongArgumentsError(
            "--count {count} is not a number of pictures.", "It may be 1 or more.", count=count
        )
    with in_the_words():
        interval = check_interval(1.0 if arguments.loop is None else arguments.loop)
    # The processor's share takes two looks; what lies between is the snapshot's own work.
    before, looked = processor_time(), time.monotonic()
    again = count != 1
    source = opened(arguments)
    here, stream = source.far is None, source.stream
    if here:
        stream = Local(
            source.backend,
            source.attempts,
            patience=PATIENCE if again else _PATIENCE_ONCE,
            processor_before=before,
            faults=False,
        )
    session = Session(stream, interval, host=not here)  # here it is read at once
    for_programs = arguments.json or arguments.csv
    # Nothing costlier is asked for than what is shown.
    wanted = METRICS if for_programs else _IN_THE_TABLE
    session.want_metrics(wanted, processes=not arguments.csv)
    session.start()
    with ExitStack() as leaving:
        leaving.callback(session.stop)
        # The first rates take two looks at counters: meanwhile the rest is imported and asked.
        show: Show = partial(_show_json, line=again)
        topology, left_out = wiring_of(source) if arguments.json else (None, NOTHING)
        if not for_programs:
            from gpuexplorer.commands.snapshot_table import table  # noqa: PLC0415 - as just said

            show = leaving.enter_context(table(again=again))
        session.wait_for_sweeps(1, _FIRST_ANSWERS)
        source.check()
        chosen = source.chosen(session.cards(), arguments.cards)
        if arguments.csv:
            show = _csv_rows(chosen)
        if here:  # where nobody was waited for long, it would be too soon
            time.sleep(max(0.0, looked + _FOR_THE_PROCESSOR - time.monotonic()))
        for number in itertools.count(1):
            there = {card.id: card for card in session.cards()}
            cards = [there.get(card.id, card) for card in chosen]
            if arguments.cards is None:  # newcomers too
                cards += [card for card in there.values() if card not in cards]
            picture = Picture(session, cards, topology, left_out)
            show(picture)
            if number == count:
                break
            # Until all were asked once more; a driver that hangs delays it by one interval.
            session.wait_for_sweeps(number + 1, interval + PATIENCE, fast=True)
    well = (CardState.WORKING, CardState.ASLEEP)
    read = any(state_of(each) in well for each in picture.readings.values())
    return OK if read or not picture.cards else TROUBLE


class Picture:
    """The machine at one moment, for table, JSON and CSV alike. Asks no driver."""

    def __init__(
        self, session: Session, cards: Sequence[Card], topology: Topology | None, note: Message
    ) -> None:
        self.taken_at = datetime.now(UTC).astimezone()
        self.moment = self.taken_at.isoformat(timespec="milliseconds")
        self.session, self.cards, self.topology = session, cards, topology
        self.host_reading = session.stream.host_now()
        self.numbers = card_numbers(session.cards())
        self.readings = {
            card.id: session.reading(card.id)
            or Reading(card.id, 0.0, {}, {}, CardState.NO_ANSWER)
            for card in cards
        }
        self.states = {card.id: session.state_sentence(card.id) for card in cards}
        place = {card: number for number, card in enumerate(self.readings)}
        self.processes = sorted(
            (each for each in session.process_book.living() if each.process.card in place),
            key=lambda each: (place[each.process.card], -each.process.values.get(_MEMORY, 0.0)),
        )
        unknown = session.processes_unknown()
        self.processes_unknown = [card for card in unknown if card in self.readings]
        tried = [attempt.note for attempt in session.stream.attempts]
        self.notes = [each for each in (*tried, *session.notes(), note) if each]


def _show_json(picture: Picture, *, line: bool) -> None:
    session, topology, source = picture.session, picture.topology, picture.session.source
    wires = topology.links if topology is not None else ()
    told = {
        "schema": 1,
        "taken_at": picture.moment,
        "source": source.name,
        "simulated": source.simulated,
        "driver": {
            "label": None if session.bare else source.label,
            "version": source.driver_version,
            "cuda_version": source.cuda_version,
        },
        "host": {
            "host_name": session.computer,
            "name": session.host.name,
            **_figures(picture.host_reading),
        },
        "cards": [
            {
                **{name: getattr(card, name) for name in _CARD_FACTS},
                "number": picture.numbers[card.id],
                "cuda_reason": card.cuda_reason or None,
                "simulated": card.simulated,
                "compute_capability": ".".join(map(str, card.compute_capability or ())) or None,
                "numa_node": topology and topology.numa_nodes.get(card.id),
                "state": state_of(picture.readings[card.id]),
                "state_sentence": picture.states[card.id],
                **_figures(picture.readings[card.id]),
            }
            for card in picture.cards
        ],
        "processes": [_process(picture, named) for named in picture.processes],
        "links": [
            link_as_json(each)
            for each in wires
            if {each.a, each.b} <= {HOST_ID, *picture.readings}
        ],
        "notes": picture.notes,
    }
    write_json(told, line=line)


def _figures(reading: Reading) -> Json:
    values, missing = reading.values, reading.missing
    there = [each for each in METRICS.values() if each.id in values]
    return {
        "values": {e.id: _measured(values[e.id], e.unit, e.text_of) for e in there},
        "missing": {e: missing[e].sentence for e in METRICS if e in missing},
    }


def _measured(
    value: float, unit: str, text_of: Callable[[float], str | None] = lambda _: None
) -> Json:
    """Whole numbers without a point, ratios without the noise of division."""
    tidy, text = int(value) if float(value).is_integer() else round(value, 9), text_of(value)
    return {"value": tidy, "unit": unit, **({} if text is None else {"text": text})}


def _process(picture: Picture, named: NamedProcess) -> Json:
    process, cpu, memory = named.process, named.cpu, named.memory_bytes
    values, missing = process.values, process.missing
    return {
        "card": process.card,
        "number": picture.numbers.get(process.card),
        "pid": process.pid,
        "type": process.use,
        **{name: getattr(named, name) for name in _PROCESS_FACTS},
        "reason": named.reason or None,
        "cpu": None if cpu is None else _measured(round(cpu, 4), "cores"),
        "host_memory": None if memory is None else _measured(memory, "B"),
        "values": {
            each: _measured(values[each], "B" if each is _MEMORY else "ratio")
            for each in ProcessFigure
            if each in values
        },
        "missing": {e: missing[e].sentence for e in ProcessFigure if e in missing},
    }


def link_as_json(link: Link) -> Json:
    kind = {"kind": "theoretical, each direction"}
    return {
        **{name: getattr(link, name) for name in _LINK_FACTS},
        "path": link.letters,
        "path_sentence": link.path.sentence,
        "peer_to_peer_reason": link.peer_reason or None,
        "rate": None if link.rate is None else _measured(link.rate, "B/s") | kind,
        "rate_reason": link.rate_reason or None,
    }


def _csv_rows(cards: Sequence[Card]) -> Show:
    """A row per card, a column per metric that one of them can be asked for. The last column
    says for each blank why, so that no blank is a riddle.
    """
    asked = frozenset().union(*map(metrics_of, cards))
    metrics = {
        each: f"{each} [{metric.unit}]" for each, metric in METRICS.items() if each in asked
    }
    writer = csv.writer(sys.stdout, lineterminator="\n")
    heads = ("taken_at", "simulated", *_CARD_FACTS, "state", *metrics.values(), "missing")
    writer.writerow(heads)

    def show(picture: Picture) -> None:
        for card in picture.cards:
            reading = picture.readings[card.id]
            values, missing = reading.values, reading.missing
            facts = (getattr(card, name) for name in _CARD_FACTS)
            row = [
                picture.moment,
                "yes" if card.simulated else "no",
                *(harmless("" if each is None else str(each)) for each in facts),
                state_of(reading),
                *(f"{values[each]:.12g}" if each in values else "" for each in metrics),
                "; ".join(f"{e}: {missing[e].sentence}" for e in metrics if e in missing),
            ]
            writer.writerow(row)
        sys.stdout.flush()

    return show
