"""Which card is wired to which, as the driver reports it."""

from collections.abc import Sequence
from itertools import combinations

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardKind
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.calls import FieldBatch
from gpuexplorer.telemetry.backends.nvml.identity import Found
from gpuexplorer.telemetry.pci_bus import PciBus, plain_bus_id
from gpuexplorer.telemetry.topology import (
    Link,
    PathKind,
    Topology,
    nvlink_rate,
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
# NVML numbers the versions 1.0, 2.0, 2.2, 3.0, 3.1, 4.0, 5.0 from 1 on.
_NVLINK_GENERATIONS = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 5}
# The binding's own name for it is a tuple by mistake.
_READING = 0
_PEER_REASONS = {
    1: Message("the chipset of the mainboard does not allow it"),
    2: Message("the driver does not offer it on this card"),
    3: Message("the connection between the processors does not allow it"),
    4: Message("it is switched off in the driver's settings"),
    5: Message("the driver does not offer it"),
}


class Wiring:
    """Reads the whole wiring once; costly, and the same until cards change."""

    def __init__(self, found: Sequence[Found], bus: PciBus) -> None:
        self._cards = [
            each for each in found if each.card.kind is CardKind.GPU and each.handle is not None
        ]
        self._bus = bus
        self._nvlinks = {each.card.id: _Nvlinks(each) for each in self._cards}
        self._pcie = {each.card.id: _pcie_rate(each, bus) for each in self._cards}

    def topology(self) -> Topology:
        links = [self._between(a, b) for a, b in combinations(self._cards, 2)]
        links += [self._to_host(each) for each in self._cards]
        nodes, near = {}, {}
        for each in self._cards:
            node = self._bus.numa_node(each.card.bus_id or "")
            if node is not None:
                nodes[each.card.id] = node
            if processors := self._bus.processors_near(each.card.bus_id or ""):
                near[each.card.id] = processors
        sizes = {node: self._bus.memory_of_node(node) for node in set(nodes.values())}
        memory = {node: size for node, size in sizes.items() if size is not None}
        return Topology([each.card.id for each in self._cards], links, nodes, near, memory)

    def _between(self, a: Found, b: Found) -> Link:
        peer, why = _peer_to_peer(a, b)
        count = self._joint_nvlinks(a.card, b.card)
        if count:
            ours = self._nvlinks[a.card.id]
            rate = None if ours.rate is None else ours.rate * count
            return Link(
                a.card.id,
                b.card.id,
                PathKind.NVLINK,
                nvlinks=count,
                nvlink_generation=ours.generation,
                peer_to_peer=peer,
                peer_reason=why,
                rate=rate,
                rate_reason=_links_in_words(count, ours.generation, known=rate is not None),
                pcie_path=_common_path(a, b),
            )
        rates = (self._pcie[a.card.id], self._pcie[b.card.id])
        known = [rate for rate, _ in rates if rate is not None]
        slower = rates[0] if (rates[0][0] or 0) <= (rates[1][0] or 0) else rates[1]
        return Link(
            a.card.id,
            b.card.id,
            _common_path(a, b),
            peer_to_peer=peer,
            peer_reason=why,
            rate=min(known) if len(known) == 2 else None,
            rate_reason=slower[1],
        )

    def _to_host(self, each: Found) -> Link:
        rate, reason = self._pcie[each.card.id]
        return Link(each.card.id, HOST_ID, PathKind.HOST_BRIDGE, rate=rate, rate_reason=reason)

    def _joint_nvlinks(self, a: Card, b: Card) -> int:
        ours, theirs = self._nvlinks[a.id], self._nvlinks[b.id]
        direct = min(ours.to.count(b.bus_id or ""), theirs.to.count(a.bus_id or ""))
        return direct or min(ours.to_switch, theirs.to_switch)


class _Nvlinks:
    """One card's NVLinks: where each leads, and how fast one is."""

    def __init__(self, found: Found) -> None:
        self.to: list[str] = []
        self.to_switch = 0
        self.generation: int | None = None
        self.rate: float | None = None
        for link in range(found.card.nvlinks):
            self._follow(found.handle, link)

    def _follow(self, handle: object, link: int) -> None:
        try:
            if pynvml.nvmlDeviceGetNvLinkState(handle, link) != 1:
                return
        except pynvml.NVMLError:
            return
        if self.generation is None:
            self._measure(handle, link)
        if _leads_to_switch(handle, link):
            self.to_switch += 1
            return
        try:
            remote = pynvml.nvmlDeviceGetNvLinkRemotePciInfo(handle, link)
        except pynvml.NVMLError:
            return
        self.to.append(plain_bus_id(library.text(remote.busId)))

    def _measure(self, handle: object, link: int) -> None:
        try:
            version = int(pynvml.nvmlDeviceGetNvLinkVersion(handle, link))
            self.generation = _NVLINK_GENERATIONS.get(version)
        except pynvml.NVMLError:
            self.generation = None
        speed: float | Absence = Absence.NOT_IN_DRIVER
        try:
            [speed] = FieldBatch(handle, [(pynvml.NVML_FI_DEV_NVLINK_GET_SPEED, link)]).read()
        except pynvml.NVMLError:
            speed = Absence.NOT_IN_DRIVER
        if not isinstance(speed, Absence) and 0 < speed < 1e6:
            self.rate = speed * 1e6  # the driver reports MB/s
        elif self.generation is not None:
            self.rate = nvlink_rate(self.generation)


def _links_in_words(count: int, generation: int | None, *, known: bool) -> Message:
    if known:
        return nvlinks_words(count, generation)
    if generation is None:
        return Message.counted(
            "{count} NVLink of unknown speed", "{count} NVLinks of unknown speed", count
        )
    return Message.counted(
        "{count} NVLink of generation {generation}, of unknown speed",
        "{count} NVLinks of generation {generation}, of unknown speed",
        count,
        generation=generation,
    )


def _leads_to_switch(handle: object, link: int) -> bool:
    try:
        kind = pynvml.nvmlDeviceGetNvLinkRemoteDeviceType(handle, link)
    except pynvml.NVMLError:
        return False
    return bool(kind == pynvml.NVML_NVLINK_DEVICE_TYPE_SWITCH)


def _common_path(a: Found, b: Found) -> PathKind:
    try:
        level = pynvml.nvmlDeviceGetTopologyCommonAncestor(a.handle, b.handle)
    except pynvml.NVMLError:
        return PathKind.UNKNOWN
    return _PATHS.get(level, PathKind.UNKNOWN)


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


def _pcie_rate(found: Found, bus: PciBus) -> tuple[float | None, Message]:
    """The fastest the card and its slot can do together, whatever they sleep at now."""
    if found.card.memory_shared:
        return None, Message("the card is part of the processor's chip")
    try:
        generation = int(pynvml.nvmlDeviceGetMaxPcieLinkGeneration(found.handle))
        lanes = int(pynvml.nvmlDeviceGetMaxPcieLinkWidth(found.handle))
    except pynvml.NVMLError as error:
        return None, _not_told(error)
    slot_generation, slot_lanes = bus.slot(found.card.bus_id or "")
    generation = min(generation, slot_generation or generation)
    lanes = min(lanes, slot_lanes or lanes)
    rate = pcie_rate(generation, lanes)
    if rate is None:
        return None, Message(
            "PCIe generation {generation} is not known to this program", generation=generation
        )
    return rate, pcie_words(generation, lanes)


def _not_told(error: pynvml.NVMLError) -> Message:
    reason = library.absence_of(error.value).sentence
    return Message("not reported: {reason}", reason=reason)
