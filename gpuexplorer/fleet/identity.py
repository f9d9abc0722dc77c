"""FleetCard: who a card is among thousands, by the labels of whoever tells of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from gpuexplorer.core.cards import CardId, CardKind
from gpuexplorer.fleet.answers import Labels
from gpuexplorer.fleet.refusals import plain
from gpuexplorer.telemetry.exporter_names import (
    HOST_LABELS,
    MODEL_LABELS,
    NUMBER_LABELS,
    UUID_LABELS,
)

INSTANCE = "GPU_I_ID"  # the DCGM exporter's for a part of a card, which has the card's UUID
_PROFILE = "GPU_I_PROFILE"
_OWN_INSTANCE = "mig"  # of ours, where each part has a UUID of its own
RACK = "rack"
JOB = "job"
_TARGET, _SIMULATED, _BUS = "instance", "simulated", "pci_bus_id"
_OF_OURS = "SIM-"  # our simulated cards' UUIDs, should the label have been taken away
# What a host engine elsewhere calls its computer is nobody's name.
_NO_NAMES = ("localhost", "localhost.localdomain", "127.0.0.1", "::1", "")
_PORT = re.compile(r"(?<=[^:]):\d{1,5}$|(?<=\]):\d{1,5}$", re.ASCII)
_LONGEST = 200

WANTED = (
    *UUID_LABELS,
    *HOST_LABELS,
    *NUMBER_LABELS,
    *MODEL_LABELS,
    *(INSTANCE, _PROFILE, _OWN_INSTANCE, JOB, _TARGET, _SIMULATED, _BUS, RACK),
)
KEYS = (*UUID_LABELS, INSTANCE)
T = TypeVar("T")


class Chosen(NamedTuple):
    """By which labels a person wants hosts and racks; empty: the likeliest."""

    host: str = ""
    rack: str = ""


class FleetCard(NamedTuple):
    """What labels say of a card. All of it is a stranger's text, made plain."""

    id: CardId
    uuid: str  # as it stands in the label: to ask for it
    host: str
    rack: str
    number: str
    name: str
    kind: CardKind = CardKind.GPU
    bus_id: str | None = None
    simulated: bool = False
    targets: frozenset[tuple[str, str]] = frozenset()  # job and instance: who was read
    exporters: frozenset[str] = frozenset()  # titles of who tells of it

    @property
    def jobs(self) -> frozenset[str]:
        return frozenset(job for job, _ in self.targets)


def key_of(labels: Labels) -> tuple[str, str]:
    """UUID and part; without a UUID nobody knows which card it is."""
    uuid = next((labels[each] for each in UUID_LABELS if labels.get(each)), "")
    return uuid, labels.get(INSTANCE, "")


def card_id(key: tuple[str, str]) -> CardId:
    uuid, part = key
    return CardId(plain(f"{uuid}/{part}" if part else uuid, _LONGEST))


def identified(
    rows: Iterable[tuple[str, Labels]], chosen: Chosen
) -> Mapping[CardId, FleetCard]:
    """Of the title of an exporter and the labels of a card, as often as it is told. Who comes
    first gives the names; targets and exporters are put together.
    """
    found: dict[CardId, FleetCard] = {}
    for title, labels in rows:
        key = key_of(labels)
        if not key[0]:
            continue
        card = _card(key, labels, chosen, title)
        before = found.get(card.id)
        found[card.id] = card if before is None else _both(before, card)
    return found


def _card(key: tuple[str, str], labels: Labels, chosen: Chosen, title: str) -> FleetCard:
    part = key[1] or labels.get(_OWN_INSTANCE, "")
    number = _first(labels, NUMBER_LABELS)
    return FleetCard(
        card_id(key),
        key[0],
        host_of(labels, chosen),
        _plain(labels.get(chosen.rack or RACK, "")),
        f"{number}.{_plain(part)}" if part else number,
        _first(labels, MODEL_LABELS) or _plain(labels.get(_PROFILE, "")),
        CardKind.MIG if part else CardKind.GPU,
        _bus(labels.get(_BUS, "")),
        labels.get(_SIMULATED) == "true" or key[0].startswith(_OF_OURS),
        _one((labels.get(JOB, ""), labels.get(_TARGET, ""))),
        _one(title),
    )


@lru_cache(10_000)
def _one(thing: T) -> frozenset[T]:
    """One for all cards of a host, of which there are thousands."""
    return frozenset((thing,))


def _both(first: FleetCard, other: FleetCard) -> FleetCard:
    return first._replace(
        rack=first.rack or other.rack,
        number=first.number or other.number,
        name=first.name or other.name,
        bus_id=first.bus_id or other.bus_id,
        simulated=first.simulated or other.simulated,
        targets=first.targets | other.targets,
        exporters=first.exporters | other.exporters,
    )


def host_of(labels: Labels, chosen: Chosen) -> str:
    """Also for labels of other things, such as alerts."""
    tried: Sequence[str] = (chosen.host, *HOST_LABELS) if chosen.host else HOST_LABELS
    for label in tried:
        value = labels.get(label, "").strip()
        if label == _TARGET:
            value = _PORT.sub("", value)
        if value not in _NO_NAMES:
            return _plain(value)
    return _plain(labels.get(_TARGET, ""))


def _first(labels: Labels, names: Sequence[str]) -> str:
    return _plain(next((labels[each] for each in names if labels.get(each)), ""))


def _bus(text: str) -> str | None:
    """Exporters write eight figures before the first colon, and the kernel four."""
    found = re.fullmatch(r"[0-9a-fA-F]{0,4}([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F.]+)", text)
    return found[1].lower() if found else None


def _plain(text: str) -> str:
    return plain(text, _LONGEST)
