"""Which card is wired to which, and to its processor, as the driver reports it."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardKind
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import fields
from gpuexplorer.telemetry.backends.nvml.identity import Found, answer
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.topology import (
    Link,
    OneNvlink,
    PathKind,
    Topology,
    c2c_words,
    nvlink_of,
    nvlinks_words,
    pcie_rate,
    pcie_words,
)

_PATHS = {
    pynvml.NVML_TOPOLOGY_INTERNAL: PathKind.BOARD,
    pynvml.NVML_TOPOLOGY_SINGLE: PathKind.SWITCH,
    pynvml.NVML_TOPOLOGY_MULTIPLE: PathKind.SWITCHES,
    pynvml.NVML_TOPOLOGY_HOSTBRIDGE: PathKind.HOST_BRIDGE,
    pynvml.NVML_TOPOLOGY_NODE: PathKind.NODE,
    pynvml.NVML_TOPOLOGY_SYSTEM: PathKind.SYSTEM,
}
# The binding's own name for it is a tuple by mistake.
_READING = 0
_PEER_REASONS = {
    1: Message("the chipset of the mainboard does not allow it"),
    2: Message("the driver does not offer it on this card"),
    3: Message("the connection between the processors does not allow it"),
    4: Message("it is switched off in the driver's settings"),
    5: Message("the driver does not offer it"),
}
# NVML numbers the versions 1.0, 2.0, 2.2, 3.0, 3.1, 4.0, 5.0, 6.0 from 1 on.
_GENERATIONS = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 5, 8: 6}
_MOST_C2C = 32  # more than any chip has: beyond it the count is garbage
_LANES = frozenset({1, 2, 4, 8, 12, 16, 32})  # all that PCIe has
_NEWEST_PCIE = 15  # far beyond the generations there are


class _Wires(NamedTuple):
    """What leads away from one card."""

    path: PathKind  # to its processor
    rate: float | None
    reason: Message  # what the rate follows from, or why there is none
    nvlinks_to: list[str]  # bus addresses
    nvlinks_to_switch: int
    one_nvlink: OneNvlink


def wiring(found: Sequence[Found], bus: PciBus) -> Topology:
    """Costly, and the same until cards change."""
    cards = [
        each for each in found if each.card.kind is CardKind.GPU and each.handle is not None
    ]
    wires = {each.card.id: _wires(each, bus) for each in cards}
    links = [
        _between(a, b, wires[a.card.id], wires[b.card.id]) for a, b in combinations(cards, 2)
    ]
    links += [
        Link(card, HOST_ID, each.path, rate=each.rate, rate_reason=each.reason)
        for card, each in wires.items()
    ]
    addresses = {each.card.id: each.card.bus_id or "" for each in cards}
    nodes = {card: bus.numa_node(at) for card, at in addresses.items()}
    numa = {card: node for card, node in nodes.items() if node is not None}
    near = {card: bus.processors_near(at) for card, at in addresses.items()}
    sizes = {node: bus.memory_of_node(node) for node in set(numa.values())}
    return Topology(
        list(wires),
        links,
        numa,
        {card: processors for card, processors in near.items() if processors},
        {node: size for node, size in sizes.items() if size is not None},
    )


def _between(a: Found, b: Found, ours: _Wires, theirs: _Wires) -> Link:
    level = answer(pynvml.nvmlDeviceGetTopologyCommonAncestor, a.handle, b.handle)
    path = _PATHS.get(level, PathKind.UNKNOWN)
    peer, why = _peer_to_peer(a, b)
    link = Link(a.card.id, b.card.id, path, peer_to_peer=peer, peer_reason=why)
    direct = min(
        ours.nvlinks_to.count(b.card.bus_id or ""), theirs.nvlinks_to.count(a.card.bus_id or "")
    )
    if count := direct or min(ours.nvlinks_to_switch, theirs.nvlinks_to_switch):
        one = ours.one_nvlink
        return link._replace(
            path=PathKind.NVLINK,
            nvlinks=count,
            nvlink_generation=one.generation,
            rate=None if one.rate is None else one.rate * count,
            rate_reason=nvlinks_words(count, one),
            pcie_path=path,
        )
    if ours.path is theirs.path is PathKind.C2C:
        unknown = Message("they meet between their processors, at an unknown rate")
        return link._replace(rate_reason=unknown)
    # They meet at the host, or on the way to it: the slower one counts.
    slower = min(ours, theirs, key=lambda each: -1.0 if each.rate is None else each.rate)
    return link._replace(rate=slower.rate, rate_reason=slower.reason)


def _peer_to_peer(a: Found, b: Found) -> tuple[bool | None, Message]:
    try:
        status = pynvml.nvmlDeviceGetP2PStatus(a.handle, b.handle, _READING)
    except pynvml.NVMLError as error:
        return None, _not_told(error)
    if status == pynvml.NVML_P2P_STATUS_OK:
        return True, NOTHING
    if status in _PEER_REASONS:
        return False, _PEER_REASONS[status]
    return None, Message("the driver does not say why")


def _wires(found: Found, bus: PciBus) -> _Wires:
    handle, to, to_switch, one = found.handle, [], 0, None
    for link in range(found.card.nvlinks):
        if answer(pynvml.nvmlDeviceGetNvLinkState, handle, link) != 1:
            continue
        if one is None:
            version = answer(pynvml.nvmlDeviceGetNvLinkVersion, handle, link)
            speed = _fields(handle, pynvml.NVML_FI_DEV_NVLINK_GET_SPEED, [link])[0]
            one = nvlink_of(_GENERATIONS.get(version), _per_second(speed))
        kind = answer(pynvml.nvmlDeviceGetNvLinkRemoteDeviceType, handle, link)
        if kind == pynvml.NVML_NVLINK_DEVICE_TYPE_SWITCH:
            to_switch += 1
        elif remote := answer(pynvml.nvmlDeviceGetNvLinkRemotePciInfo, handle, link):
            # By its numbers: the text may be no text.
            to.append(f"{remote.domain:04x}:{remote.bus:02x}:{remote.device:02x}.0")
    host = _c2c(found) or (PathKind.HOST_BRIDGE, *_pcie(found, bus))
    return _Wires(*host, to, to_switch, one or OneNvlink(None, None))


def _c2c(found: Found) -> tuple[PathKind, float | None, Message] | None:
    """None for a card without it, or where no link of it is up."""
    if found.card.memory_shared:
        return None
    handle = found.handle
    count = _fields(handle, pynvml.NVML_FI_DEV_C2C_LINK_COUNT, [0])[0]
    if isinstance(count, Absence) or not 0 < count <= _MOST_C2C:
        return None
    links = range(int(count))
    states = _fields(handle, pynvml.NVML_FI_DEV_C2C_LINK_GET_STATUS, links)
    up = [link for link, state in zip(links, states, strict=True) if state == 1]
    speeds = _fields(handle, pynvml.NVML_FI_DEV_C2C_LINK_GET_MAX_BW, up)
    known = [rate for rate in map(_per_second, speeds) if rate is not None]
    rate = sum(known) if len(known) == len(up) else None
    return (PathKind.C2C, rate, c2c_words(len(up), known=rate is not None)) if up else None


def _pcie(found: Found, bus: PciBus) -> tuple[float | None, Message]:
    """The fastest the card and its slot can do together, whatever it sleeps at now."""
    if found.card.memory_shared:
        return None, Message("the card is part of the processor's chip")
    try:
        generation = int(pynvml.nvmlDeviceGetMaxPcieLinkGeneration(found.handle))
        lanes = int(pynvml.nvmlDeviceGetMaxPcieLinkWidth(found.handle))
    except pynvml.NVMLError as error:
        return None, _not_told(error)
    if lanes not in _LANES or not 0 < generation <= _NEWEST_PCIE:
        return None, Message("not reported: {reason}", reason=Absence.IMPOSSIBLE.sentence)
    # The driver counts the slot in, but for its lanes where it is wired with fewer. That of a
    # virtual machine may have fewer than the card uses: it is made up.
    _, slot = bus.slot(found.card.bus_id or "")
    now = answer(pynvml.nvmlDeviceGetCurrPcieLinkWidth, found.handle)
    if slot is not None and slot >= (now if now in _LANES else 0):
        lanes = min(lanes, slot)
    rate = pcie_rate(generation, lanes)
    if rate is None:
        return None, Message(
            "PCIe generation {generation} is not known to this program", generation=generation
        )
    return rate, pcie_words(generation, lanes)


def _not_told(error: pynvml.NVMLError) -> Message:
    reason = library.absence_of(error.value).sentence
    return Message("not reported: {reason}", reason=reason)


def _fields(handle: object, field: int, scopes: Sequence[int]) -> list[float | Absence]:
    told: Any = answer(fields, handle, [(field, scope) for scope in scopes])
    return [figure for figure, _ in told or [(Absence.NOT_IN_DRIVER, 0.0)] * len(scopes)]


def _per_second(speed: float | Absence) -> float | None:
    """The driver reports MB/s; what is beyond any link there is counts as not reported."""
    return None if isinstance(speed, Absence) or not 1e4 < speed < 2e5 else speed * 1e6
