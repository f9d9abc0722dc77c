"""Plausible: what another machine tells, held against what a machine can be. More cards, words
or figures than that are its mistake, or meant to do harm.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeVar

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, Sample
from gpuexplorer.core.harmless import FEW_LIMITS, LATEST, Limits, clean
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.tagged import kinds, record_in
from gpuexplorer.remote.wire import (
    CheckedUp,
    Faulted,
    Hello,
    Listed,
    Sampled,
    Taken,
    Told,
    Used,
    Wired,
)
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure
from gpuexplorer.telemetry.topology import Topology

MOST_CARDS = 256
_LONGEST_COMMAND, _LONGEST_SENTENCE = 8192, 2000
_LONGEST_REPORT = 2_000_000
_MOST_PARTS = 64  # fans of a card, or NVLinks; and sentences
_MOST_BYTES = 1 << 50
_MOST_PIDS = 1 << 31
_MOST_CORES = 1 << 20
_MOST_NODES = 1024
_LIMITS = Limits(
    letters={
        **FEW_LIMITS.letters,
        **dict.fromkeys(("python", "system", "computer", "container"), 200),
        **dict.fromkeys(("command", "simulated_command"), _LONGEST_COMMAND),
        **dict.fromkeys(("path", "prefix"), _LONGEST_COMMAND),
    },
    many={
        **dict.fromkeys(("attempts", "notes", "found", "facts"), _MOST_PARTS),
        **dict.fromkeys(("cards", "samples"), MOST_CARDS),
        "processes": 4096,  # of one card
        "ancestors": 8,
    },
    figures={
        **dict.fromkeys(("index", "cuda_index"), _MOST_PIDS),
        **dict.fromkeys(("fans", "nvlinks"), _MOST_PARTS),
        **dict.fromkeys(("cores", "cpu", "memory_bus_bits"), _MOST_CORES),
        **dict.fromkeys(("wall", "started_at"), LATEST),
        "memory_bytes": _MOST_BYTES,
        "compute_capability": 1000,
    },
    text=_LONGEST_SENTENCE,
    sentence=_LONGEST_SENTENCE,
)
_KNOWN_SOURCES = frozenset({"nvml", "simulated", "none"})
_TOLD = kinds(Told)

T = TypeVar("T")


def told_of(line: bytes) -> Told:
    """Raises UnreadableError, whatever the line is. A report is JSON of its own, for whoever
    reads that.
    """
    told: Told = record_in(line, _TOLD, _LIMITS, as_they_are={"report"})
    return told


def plausible(told: Told, listed: Set[CardId]) -> Told:
    """The same, or as much of it as can be. Raises UnreadableError where nothing can."""
    match told:
        case Hello():
            _sure_of(told.cards, told.source)
            host = replace(told.host, id=HOST_ID, kind=CardKind.HOST, parent=None)
            return replace(told, host=host)
        case Listed():
            _sure_of(told.cards, told.source)
        case Sampled():
            return Sampled(_sample(told.sample, {*listed, HOST_ID}))
        case Taken():
            return Taken(told.id, [_sample(each, listed) for each in told.samples])
        case Used():
            _sure(told.card in listed)
            some = None if told.processes is None else tuple(map(_named, told.processes))
            _sure(all(each.process.card == told.card for each in some or ()))
            return Used(told.card, some)
        case Faulted():
            _sure(told.fault.card is None or told.fault.card in listed)
        case Wired():
            return Wired(told.id, _topology(told.topology, listed))
        case CheckedUp():
            _sure(len(told.report) <= _LONGEST_REPORT)
    return told


def _sure(condition: bool) -> None:
    if not condition:
        raise UnreadableError


def _sure_of(cards: Sequence[Card], source: Source) -> None:
    _sure(source.name in _KNOWN_SOURCES)
    ids = {card.id for card in cards}
    _sure(len(ids) == len(cards) and not {HOST_ID, ""} & ids)
    whole = {card.id for card in cards if card.parent is None}
    for card in cards:
        _sure(card.kind is not CardKind.HOST and (card.parent is None or card.parent in whole))


def _sample(told: Sample, listed: Set[CardId]) -> Sample:
    """Metrics that nobody here knows are left out; they are a newer program's."""
    _sure(told.card in listed)
    values = {id_: value for id_, value in told.values.items() if id_ in METRICS}
    wrong = [id_ for id_, value in values.items() if not METRICS[id_].plausible(value)]
    missing = {id_: why for id_, why in told.missing.items() if id_ in METRICS}
    for each in wrong:
        del values[each]
        missing[each] = Absence.IMPOSSIBLE
    return told._replace(values=values, missing=missing)


def _named(told: NamedProcess) -> NamedProcess:
    _sure(0 < told.process.pid < _MOST_PIDS)
    ancestors = tuple(
        each._replace(command=clean(each.command, _LONGEST_SENTENCE)) for each in told.ancestors
    )
    return replace(told, process=_process(told.process), ancestors=ancestors)


def _process(told: CardProcess) -> CardProcess:
    most = {each: _MOST_BYTES if each is ProcessFigure.MEMORY else 1.0 for each in told.values}
    wrong = [each for each, value in told.values.items() if not 0 <= value <= most[each]]
    return told._replace(
        values={each: value for each, value in told.values.items() if each not in wrong},
        missing={**told.missing, **dict.fromkeys(wrong, Absence.IMPOSSIBLE)},
    )


def _topology(told: Topology, listed: Set[CardId]) -> Topology:
    there = {*listed, HOST_ID}
    return Topology(
        tuple(dict.fromkeys(card for card in told.cards if card in listed)),
        [
            link
            for link in told.links
            if {link.a, link.b} <= there
            and link.a != link.b
            and (link.rate is None or 0 < link.rate <= _MOST_BYTES)
        ],
        {
            card: node
            for card, node in _of(told.numa_nodes, listed).items()
            if 0 <= node < _MOST_NODES
        },
        _of(told.cpu_affinity, listed),
        {
            node: size
            for node, size in told.node_memory.items()
            if 0 <= node < _MOST_NODES and 0 <= size <= _MOST_BYTES
        },
    )


def _of(told: Mapping[CardId, T], listed: Set[CardId]) -> dict[CardId, T]:
    return {card: each for card, each in told.items() if card in listed}
