"""Plausible: what another machine tells, held against what a machine can be. More cards, words
or figures than that are its mistake, or meant to do harm.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeVar

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, Sample
from gpuexplorer.core.harmless import LATEST, clean
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.words import Message
from gpuexplorer.remote.wire import (
    CheckedUp,
    Done,
    Facts,
    Faulted,
    Hello,
    Knocked,
    Listed,
    Noted,
    Pythons,
    Sampled,
    Told,
    Used,
    Wired,
)
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure
from gpuexplorer.telemetry.topology import Topology

MOST_CARDS = 256
_MOST_PROCESSES = 4096  # of one card
_MOST_NOTES = 64
_MOST_ANCESTORS = 8
_LONGEST_NAME, _LONGEST_COMMAND, _LONGEST_SENTENCE = 200, 8192, 2000
_LONGEST_REPORT = 2_000_000
_MOST_PARTS = 64  # fans of a card, or NVLinks
_MOST_BYTES = 1 << 50
_MOST_PIDS = 1 << 31
_MOST_CORES = 1 << 20
_MOST_NODES = 1024
_KNOWN_SOURCES = frozenset({"nvml", "simulated", "none"})

T = TypeVar("T")


def plausible(told: Told, listed: Set[CardId]) -> Told:
    """The same, or as much of it as can be. Raises UnreadableError where nothing can."""
    match told:
        case Hello():
            _sure(0 <= told.wall <= LATEST)
            return replace(
                told,
                python=clean(told.python, _LONGEST_NAME),
                system=clean(told.system, _LONGEST_NAME),
                computer=clean(told.computer, _LONGEST_NAME),
                user=clean(told.user, _LONGEST_NAME),
                source=_source(told.source),
                host=_host(told.host),
                cards=_cards(told.cards),
                attempts=_sentences(told.attempts),
            )
        case Listed():
            return Listed(_cards(told.cards), _source(told.source))
        case Noted():
            return Noted(_sentences(told.notes))
        case Sampled():
            _sure(told.sample.card in listed or told.sample.card == HOST_ID)
            return Sampled(_sample(told.sample))
        case Used():
            _sure(told.card in listed)
            return _used(told)
        case Faulted():
            fault = told.fault
            _sure(fault.card is None or fault.card in listed)
            return Faulted(fault._replace(sentence=_sentence(fault.sentence)))
        case Wired():
            return Wired(told.id, _topology(told.topology, listed))
        case Pythons():
            found = _at_most(_MOST_NOTES, told.found)
            return Pythons(
                told.id, [replace(each, reason=_sentence(each.reason)) for each in found]
            )
        case Knocked():
            _sure(0 <= told.wall <= LATEST)
        case CheckedUp():
            _sure(len(told.report) <= _LONGEST_REPORT)
        case Done():
            return Done(told.id, _sentence(told.trouble), _sentence(told.hint))
    return told


def _sure(condition: bool) -> None:
    if not condition:
        raise UnreadableError


def _at_most(many: int, told: Sequence[T]) -> Sequence[T]:
    _sure(len(told) <= many)
    return told


def _sentence(said: Message) -> Message:
    if len(said) <= _LONGEST_SENTENCE and len(said.template) <= _LONGEST_SENTENCE:
        return said
    return Message("{text}", text=clean(str(said), _LONGEST_SENTENCE))


def _sentences(said: Sequence[Message]) -> Sequence[Message]:
    return tuple(_sentence(each) for each in _at_most(_MOST_NOTES, said))


def _source(told: Source) -> Source:
    _sure(told.name in _KNOWN_SOURCES and len(told.facts) <= _MOST_NOTES)
    return told._replace(label=_sentence(told.label))


def _host(told: Card) -> Card:
    return replace(_card(told), id=HOST_ID, kind=CardKind.HOST, parent=None)


def _cards(told: Sequence[Card]) -> Sequence[Card]:
    ids = {card.id for card in _at_most(MOST_CARDS, told)}
    _sure(len(ids) == len(told) and HOST_ID not in ids)
    whole = {card.id for card in told if card.parent is None}
    for card in told:
        _sure(card.kind is not CardKind.HOST and (card.parent is None or card.parent in whole))
    return tuple(map(_card, told))


def _card(told: Card) -> Card:
    _sure(0 < len(told.id) <= _LONGEST_NAME)
    within = (
        (told.index, _MOST_PIDS),
        (told.cuda_index or 0, _MOST_PIDS),
        (told.memory_bytes or 0, _MOST_BYTES),
        (told.fans, _MOST_PARTS),
        (told.nvlinks, _MOST_PARTS),
        (told.cores or 0, _MOST_CORES),
        (told.memory_bus_bits or 0, _MOST_CORES),
        *((each, 1000) for each in told.compute_capability or ()),
    )
    _sure(all(0 <= figure <= most for figure, most in within))
    return replace(
        told,
        name=_name(told.name),
        cuda_reason=_sentence(told.cuda_reason),
    )


def _name(told: str) -> str:
    """A message stays one: a processor that says no name has words for that."""
    return _sentence(told) if isinstance(told, Message) else clean(told, _LONGEST_NAME)


def _sample(told: Sample) -> Sample:
    """Metrics that nobody here knows are left out; they are a newer program's."""
    values = {id_: value for id_, value in told.values.items() if id_ in METRICS}
    wrong = [id_ for id_, value in values.items() if not METRICS[id_].plausible(value)]
    missing = {id_: why for id_, why in told.missing.items() if id_ in METRICS}
    for each in wrong:
        del values[each]
        missing[each] = Absence.IMPOSSIBLE
    return told._replace(values=values, missing=missing)


def _used(told: Used) -> Used:
    if told.processes is None:
        return told
    processes = _at_most(_MOST_PROCESSES, told.processes)
    return Used(told.card, [_facts(each, told.card) for each in processes])


def _facts(told: Facts, card: CardId) -> Facts:
    _sure(told.process.card == card and 0 < told.process.pid < _MOST_PIDS)
    within = (
        (told.cpu, _MOST_CORES),
        (told.memory_bytes, _MOST_BYTES),
        (told.started_at, LATEST),
    )
    _sure(all(figure is None or 0 <= figure <= most for figure, most in within))
    ancestors = [
        (pid, clean(command, _LONGEST_SENTENCE))
        for pid, command in _at_most(_MOST_ANCESTORS, told.ancestors)
    ]
    return replace(
        told,
        process=_process(told.process),
        reason=_sentence(told.reason),
        command=None if told.command is None else clean(told.command, _LONGEST_COMMAND),
        container=None if told.container is None else clean(told.container, _LONGEST_NAME),
        ancestors=ancestors,
    )


def _process(told: CardProcess) -> CardProcess:
    values: dict[ProcessFigure, float] = {}
    missing: dict[ProcessFigure, Absence] = dict(told.missing)
    for figure, value in told.values.items():
        most = _MOST_BYTES if figure is ProcessFigure.MEMORY else 1.0
        if 0 <= value <= most:
            values[figure] = value
        else:
            missing[figure] = Absence.IMPOSSIBLE
    command = told.simulated_command
    return told._replace(
        values=values,
        missing=missing,
        simulated_command=None if command is None else clean(command, _LONGEST_COMMAND),
    )


def _topology(told: Topology, listed: Set[CardId]) -> Topology:
    there = {*listed, HOST_ID}
    links = [
        link._replace(
            peer_reason=_sentence(link.peer_reason), rate_reason=_sentence(link.rate_reason)
        )
        for link in told.links
        if link.a in there
        and link.b in there
        and link.a != link.b
        and 0 <= link.nvlinks <= _MOST_PARTS
        and (link.rate is None or 0 < link.rate <= _MOST_BYTES)
    ]
    return Topology(
        tuple(dict.fromkeys(card for card in told.cards if card in listed)),
        links,
        {
            card: node
            for card, node in _of(told.numa_nodes, listed).items()
            if 0 <= node < _MOST_NODES
        },
        {
            card: clean(each, _LONGEST_SENTENCE)
            for card, each in _of(told.cpu_affinity, listed).items()
        },
        {
            node: size
            for node, size in told.node_memory.items()
            if 0 <= node < _MOST_NODES and 0 <= size <= _MOST_BYTES
        },
    )


def _of(told: Mapping[CardId, T], listed: Set[CardId]) -> dict[CardId, T]:
    return {card: each for card, each in told.items() if card in listed}
