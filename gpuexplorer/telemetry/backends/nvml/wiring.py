"""Which card is wired to which, as the driver reports it."""

from collections.abc import Sequence
from itertools import combinations

import pynvml

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.backends.nvml.chip_links import Nvlinks, host_wire, not_told
from gpuexplorer.telemetry.backends.nvml.identity import Found
from gpuexplorer.telemetry.pci_bus import PciBus
from gpuexplorer.telemetry.topology import Link, PathKind, Topology, nvlinks_words

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
_BETWEEN_PROCESSORS = Message("they meet between their processors, at an unknown rate")


class Wiring:
    """Reads the whole wiring once; costly, and the same until cards change."""

    def __init__(self, found: Sequence[Found], bus: PciBus) -> None:
        self._cards = [
            each for each in found if each.card.kind is CardKind.GPU and each.handle is not None
        ]
        self._bus = bus
        self._nvlinks = {each.card.id: Nvlinks(each) for each in self._cards}
        self._host = {each.card.id: host_wire(each, bus) for each in self._cards}

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
            one = self._nvlinks[a.card.id].one
            return Link(
                a.card.id,
                b.card.id,
                PathKind.NVLINK,
                nvlinks=count,
                nvlink_generation=one.generation,
                peer_to_peer=peer,
                peer_reason=why,
                rate=None if one.rate is None else one.rate * count,
                rate_reason=nvlinks_words(count, one),
                pcie_path=_common_path(a, b),
            )
        rate, reason = self._slower(a.card.id, b.card.id)
        return Link(
            a.card.id,
            b.card.id,
            _common_path(a, b),
            peer_to_peer=peer,
            peer_reason=why,
            rate=rate,
            rate_reason=reason,
        )

    def _to_host(self, each: Found) -> Link:
        path, rate, reason = self._host[each.card.id]
        return Link(each.card.id, HOST_ID, path, rate=rate, rate_reason=reason)

    def _slower(self, a: CardId, b: CardId) -> tuple[float | None, Message]:
        """What two cards can do that meet at the host, or on the way to it."""
        (path_a, rate_a, reason_a), (path_b, rate_b, reason_b) = self._host[a], self._host[b]
        if path_a is path_b is PathKind.C2C:
            return None, _BETWEEN_PROCESSORS
        if rate_a is None or rate_b is None:
            return None, reason_a if rate_a is None else reason_b
        return (rate_a, reason_a) if rate_a <= rate_b else (rate_b, reason_b)

    def _joint_nvlinks(self, a: Card, b: Card) -> int:
        ours, theirs = self._nvlinks[a.id], self._nvlinks[b.id]
        direct = min(ours.to.count(b.bus_id or ""), theirs.to.count(a.bus_id or ""))
        return direct or min(ours.to_switch, theirs.to_switch)


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
        return None, not_told(error)
    if status == pynvml.NVML_P2P_STATUS_OK:
        return True, NOTHING
    if status in _PEER_REASONS:
        return False, _PEER_REASONS[status]
    return None, Message("the driver does not say why")
