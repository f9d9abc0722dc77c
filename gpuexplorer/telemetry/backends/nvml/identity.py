"""Who the cards are: identity by UUID, the facts beside it, and the number CUDA gives each; and
which is wired to which, and to its processor.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, NAMELESS, Card, CardId, CardKind
from gpuexplorer.core.metrics import MEMORY_TOTAL, METRICS, MOST_FANS, MOST_NVLINKS
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.backend import ASK_THE_DOCTOR, BEHIND_A_LOST_ONE, FASTEST_FIRST
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import LANES, Figure, fields
from gpuexplorer.telemetry.looked_for import PciBus, plain_bus_id
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

# How long all cards together may take to say who they are: whoever opens this does not wait for
# ever either. Without persistence mode the driver starts each in 1 to 3 s. The rest are taken
# in when they answer.
MEETING_PATIENCE = 4.0
# More is no number of such things, whatever the driver says.
_MOST_CARDS = 256
_MOST_INSTANCES = 64
_MOST_MEMORY = int(METRICS[MEMORY_TOTAL].highest)
_MOST_C2C = 32
_NEWEST_PCIE = 15  # far beyond the generations there are
_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
# Begins the id of a card that has no UUID, and so is known by its bus address.
_UNNAMED = "BUS-"
# Chips that borrow the computer's memory and so answer "not supported" for their own.
_SHARING_CHIPS = ("GB10", "Thor", "Orin", "Xavier", "Tegra")

_WHY_REFUSED = {
    Absence.NO_ANSWER: Message(
        "it has not answered for {seconds:.0f} s", seconds=MEETING_PATIENCE
    ),
    Absence.LOST: Message("the driver has lost it"),
    Absence.NO_PERMISSION: Message("no permission for this user, container or job"),
    Absence.NOT_SUPPORTED: Message("the driver says that it does not support it"),
}
_MIG = Message(
    "with MIG on, CUDA offers a program only one instance or card; "
    "choose it by its UUID in CUDA_VISIBLE_DEVICES"
)
_HIDDEN = Message("hidden from CUDA by CUDA_VISIBLE_DEVICES")
_TWICE = Message("CUDA_VISIBLE_DEVICES names a card twice, so CUDA sees none")
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
# By NVML's number of what it says of two cards.
_PEER_REASONS = {
    pynvml.NVML_P2P_STATUS_OK: NOTHING,
    1: Message("the chipset of the mainboard does not allow it"),
    2: Message("the driver does not offer it on this card"),
    3: Message("the connection between the processors does not allow it"),
    4: Message("it is switched off in the driver's settings"),
    5: Message("the driver does not offer it"),
}
# NVML numbers the versions 1.0, 2.0, 2.2, 3.0, 3.1, 4.0, 5.0, 6.0 from 1 on.
_GENERATIONS = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 5, 8: 6}


class Found(NamedTuple):
    """A card and the handle under which this connection to the driver knows it."""

    card: Card
    handle: object | None  # None: the driver lists it but gives no handle
    place: int = 0  # by which the driver is asked for it
    mig_on: bool = False
    parent_handle: object | None = None  # of the card a MIG instance is a part of
    gpu_instance: int | None = None
    compute_instance: int | None = None


AskHandle = Callable[[], object]


def handle_askers(awake_bus_ids: list[str] | None) -> list[AskHandle]:
    """A way to each card's handle. With bus addresses only these, so that others sleep on."""
    if awake_bus_ids is not None:
        return [partial(pynvml.nvmlDeviceGetHandleByPciBusId, bus) for bus in awake_bus_ids]
    return [partial(pynvml.nvmlDeviceGetHandleByIndex, index) for index in range(card_count())]


def card_count() -> int:
    """Raises Trouble where it is no number of cards."""
    count = int(pynvml.nvmlDeviceGetCount())
    if count > _MOST_CARDS:
        raise Trouble(
            "The NVIDIA driver says that there are {count} cards, which cannot be.",
            ASK_THE_DOCTOR,
            count=count,
        )
    return count


def meet(ask_handle: AskHandle, place: int) -> list[Found]:
    """A card, and its MIG instances after it. Raises NVMLError; may hang with the card."""
    handle, uuid, name = ask_handle(), "", ""
    # Not every driver or card has one.
    with suppress(
        pynvml.NVMLError_NotSupported, pynvml.NVMLError_FunctionNotFound, UnicodeDecodeError
    ):
        uuid = library.text(pynvml.nvmlDeviceGetUUID(handle))
    with suppress(UnicodeDecodeError):  # one that does not even say its name gives no access
        name = library.text(pynvml.nvmlDeviceGetName(handle))
    bus = plain_bus_id(answer(lambda: pynvml.nvmlDeviceGetPciInfo_v3(handle).busId) or "")
    bus = bus if _ADDRESS.fullmatch(bus) else ""
    index = answer(pynvml.nvmlDeviceGetIndex, handle, most=_MOST_CARDS - 1)
    major, minor = answer(pynvml.nvmlDeviceGetCudaComputeCapability, handle) or (0, 0)
    [links] = _fields(handle, pynvml.NVML_FI_DEV_NVLINK_LINK_COUNT, [0])
    memory = _memory(handle)
    card = Card(
        id=CardId(uuid or f"{_UNNAMED}{bus or place}"),
        index=place if index is None else index,
        name=name or Message("unnamed NVIDIA card"),
        memory_bytes=memory,
        bus_id=bus or None,
        compute_capability=(major, minor) if 0 < major < 100 and 0 <= minor < 100 else None,
        fans=answer(pynvml.nvmlDeviceGetNumFans, handle, most=MOST_FANS) or 0,
        nvlinks=_whole_number(links, MOST_NVLINKS),
        cores=answer(pynvml.nvmlDeviceGetNumGpuCores, handle, most=10**6) or None,
        memory_bus_bits=answer(pynvml.nvmlDeviceGetMemoryBusWidth, handle, most=10**5) or None,
        memory_shared=not memory and any(chip in name for chip in _SHARING_CHIPS),
    )
    mig_on = (answer(pynvml.nvmlDeviceGetMigMode, handle) or (0,))[0] == 1
    whole = Found(card, handle, place, mig_on)
    return [whole, *(_instances(whole) if mig_on else ())]


def silent(place: int, known: Card | None, said: int | None) -> Found:
    """A card that gives no handle: as it was known before, or nameless. `said` is what the
    driver answers instead; None as long as it does not.
    """
    denied = Absence.NO_ANSWER if said is None else library.absence_of(said)
    reason = _WHY_REFUSED.get(denied)
    if reason is None:
        words = library.message_of(pynvml.NVMLError(said))
        reason = Message("the driver gives no access to it ({said})", said=words)
    name = Message("NVIDIA card without access")
    if denied in (Absence.LOST, Absence.NO_ANSWER):
        name = Message("NVIDIA card that does not answer")
    card = known or Card(CardId(f"{NAMELESS}{place}"), place, name, None)
    return Found(replace(card, cuda_index=None, cuda_reason=reason, denied=denied), None, place)


def told_apart(found: list[Found]) -> list[Found]:
    """The same, where no two cards have one UUID, whatever the driver says."""
    cards: dict[CardId, Found] = {}
    for place, each in enumerate(found):
        id_ = CardId(f"{each.card.id}-{place}") if each.card.id in cards else each.card.id
        cards[id_] = each._replace(card=replace(each.card, id=id_))
    return list(cards.values())


def numbered(found: Sequence[Found], environment: Mapping[str, str]) -> list[Found]:
    """The same, each with the number CUDA gives it here and now, or why there is none.

    A program asks CUDA itself only by starting it, which costs memory on every card, so this
    follows CUDA's documented rules, and says so where they leave the answer open.
    """
    there = [each.card for each in found if each.handle is not None]
    whole = sorted((x for x in there if x.kind is CardKind.GPU), key=lambda x: x.bus_id or "")
    by_number = {str(number): card.id for number, card in enumerate(whole)}
    visible = environment.get("CUDA_VISIBLE_DEVICES", ",".join(by_number))
    entries = [entry.strip() for entry in visible.split(",")]
    # Cards of one model are equally fast, which CUDA's own order depends on.
    by_bus = environment.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    in_order = by_bus or len({card.name for card in whole}) <= 1
    why = _HIDDEN
    if not by_number.keys().isdisjoint(entries):
        if any(each.mig_on for each in found):
            entries, why = [], _MIG
        elif not in_order:  # then no card can be called hidden either
            entries, why = [], FASTEST_FIRST
    named: list[CardId] = []
    for entry in entries:
        meant = [card.id for card in there if entry and card.id.startswith(entry)]
        meant = [by_number[entry]] if entry in by_number else meant
        if len(meant) != 1:  # CUDA ignores the first that it does not know, and all after it
            break
        named += meant
    if len(set(named)) < len(named):
        named, why = [], _TWICE
    lost = [each.card.index for each in found if each.card.denied is Absence.LOST]
    first_lost = math.inf if "GPU-" in visible else min(lost, default=math.inf)
    result = []
    for each in found:
        card, reason = each.card, NOTHING
        if each.handle is None:
            reason = card.cuda_reason
        elif card.id not in named:
            reason = why
        elif first_lost < card.index:
            reason = BEHIND_A_LOST_ONE
        number = None if reason else named.index(card.id)
        card = replace(card, cuda_index=number, cuda_reason=reason)
        result.append(each._replace(card=card))
    return result


def _memory(handle: object) -> int | None:
    told = answer(pynvml.nvmlDeviceGetMemoryInfo, handle)
    return told.total if told and 0 < told.total <= _MOST_MEMORY else None


def instance_handles(handle: object) -> list[tuple[int, str, object]]:
    """Each with its place and its UUID. Instances leave gaps when one is taken away, so that a
    refusal ends nothing.
    """
    most = answer(pynvml.nvmlDeviceGetMaxMigDeviceCount, handle, most=_MOST_INSTANCES) or 0
    ask, found = pynvml.nvmlDeviceGetMigDeviceHandleByIndex, []
    for place in range(most):
        instance = answer(ask, handle, place)
        uuid = None if instance is None else answer(pynvml.nvmlDeviceGetUUID, instance)
        if uuid is not None:
            found.append((place, uuid, instance))
    return found


def _instances(whole: Found) -> list[Found]:
    found, parent = [], whole.card
    for place, uuid, instance in instance_handles(whole.handle):
        name = answer(pynvml.nvmlDeviceGetName, instance)
        if not name or name == parent.name:
            name = Message("{card}, MIG instance {number}", card=parent.name, number=place)
        card = Card(
            id=CardId(uuid or f"{parent.id}-{place}"),
            index=place,
            name=name,
            memory_bytes=_memory(instance),
            kind=CardKind.MIG,
            parent=parent.id,
            bus_id=parent.bus_id,
            compute_capability=parent.compute_capability,
        )
        slices = (pynvml.nvmlDeviceGetGpuInstanceId, pynvml.nvmlDeviceGetComputeInstanceId)
        numbers = [answer(ask, instance) for ask in slices]
        found.append(Found(card, instance, whole.place, False, whole.handle, *numbers))  # noqa: FBT003 - MIG is on for whole cards
    return found


# Any: what the binding hands back is a number, a text, or a structure; here and below.
def asked(ask: Callable[..., Any], *about: object) -> Any:
    """Or why it is not told."""
    try:
        told = ask(*about)
    except pynvml.NVMLError as error:
        return library.absence_of(error.value)
    except UnicodeDecodeError:  # the binding decodes texts
        return Absence.IMPOSSIBLE
    return library.text(told) if isinstance(told, str) else told


def answer(ask: Callable[..., Any], *about: object, most: int | None = None) -> Any:
    """None where it is refused, or is no number or text of such things."""
    told = asked(ask, *about)
    if isinstance(told, Absence):
        return None
    return told if most is None or 0 <= told <= most else None


class _Wires(NamedTuple):
    """What leads away from one card."""

    host: Link
    nvlinks_to: list[str]  # bus addresses; empty ones for a switch
    one_nvlink: OneNvlink


def wiring(found: Sequence[Found], bus: PciBus) -> Topology:
    """Costly, and the same until cards change."""
    cards = [x for x in found if x.card.kind is CardKind.GPU and x.handle is not None]
    wires = {each.card.id: _wires(each, bus) for each in cards}
    links = [
        _between(a, b, wires[a.card.id], wires[b.card.id]) for a, b in combinations(cards, 2)
    ]
    at = {each.card.id: each.card.bus_id or "" for each in cards}
    nodes = {card: node for card in at if (node := bus.numa_node(at[card])) is not None}
    sizes = {node: bus.memory_of_node(node) for node in nodes.values()}
    return Topology(
        list(wires),
        [*links, *(each.host for each in wires.values())],
        nodes,
        {card: near for card in at if (near := bus.processors_near(at[card]))},
        {node: size for node, size in sizes.items() if size is not None},
    )


def _between(a: Found, b: Found, ours: _Wires, theirs: _Wires) -> Link:
    level = answer(pynvml.nvmlDeviceGetTopologyCommonAncestor, a.handle, b.handle)
    path = _PATHS.get(level, PathKind.UNKNOWN)
    status = asked(pynvml.nvmlDeviceGetP2PStatus, a.handle, b.handle, _READING)
    peer = status == pynvml.NVML_P2P_STATUS_OK if status in _PEER_REASONS else None
    why = _PEER_REASONS.get(status, Message("the driver does not say why"))
    if isinstance(status, Absence):
        why = _not_reported(status)
    link = Link(a.card.id, b.card.id, path, peer_to_peer=peer, peer_reason=why)
    direct = min(
        ours.nvlinks_to.count(b.card.bus_id or "?"),
        theirs.nvlinks_to.count(a.card.bus_id or "?"),
    )
    if count := direct or min(ours.nvlinks_to.count(""), theirs.nvlinks_to.count("")):
        one = ours.one_nvlink
        return link._replace(
            path=PathKind.NVLINK,
            nvlinks=count,
            nvlink_generation=one.generation,
            rate=None if one.rate is None else one.rate * count,
            rate_reason=nvlinks_words(count, one),
            pcie_path=path,
        )
    hosts = (ours.host, theirs.host)
    if all(each.path is PathKind.C2C for each in hosts):
        unknown = Message("they meet between their processors, at an unknown rate")
        return link._replace(rate_reason=unknown)
    # They meet at the host, or on the way to it: the slower one counts.
    slower = min(hosts, key=lambda each: -1.0 if each.rate is None else each.rate)
    return link._replace(rate=slower.rate, rate_reason=slower.rate_reason)


def _wires(found: Found, bus: PciBus) -> _Wires:
    handle, links = found.handle, range(found.card.nvlinks)
    states = _fields(handle, pynvml.NVML_FI_DEV_NVLINK_GET_STATE, links)
    up = [link for link in links if states[link] == 1]
    to, one = [], OneNvlink(None, None)
    for link in up:
        kind = answer(pynvml.nvmlDeviceGetNvLinkRemoteDeviceType, handle, link)
        remote = answer(pynvml.nvmlDeviceGetNvLinkRemotePciInfo, handle, link)
        if kind == pynvml.NVML_NVLINK_DEVICE_TYPE_SWITCH:
            to.append("")
        elif remote:  # by its numbers: the text may be no text
            to.append(f"{remote.domain:04x}:{remote.bus:02x}:{remote.device:02x}.0")
    if up:
        version = answer(pynvml.nvmlDeviceGetNvLinkVersion, handle, up[0])
        [speed] = _speeds(handle, pynvml.NVML_FI_DEV_NVLINK_GET_SPEED, up[:1])
        one = nvlink_of(_GENERATIONS.get(version), speed)
    return _Wires(_to_host(found, bus), to, one)


def _to_host(found: Found, bus: PciBus) -> Link:
    """The fastest the card and its slot can do together, whatever it sleeps at now."""
    card, handle = found.card, found.handle
    way = Link(card.id, HOST_ID, PathKind.HOST_BRIDGE)
    if card.memory_shared:
        part = Message("the card is part of the processor's chip")
        return way._replace(rate_reason=part)
    [count] = _fields(handle, pynvml.NVML_FI_DEV_C2C_LINK_COUNT, [0])
    links = range(_whole_number(count, _MOST_C2C))
    states = _fields(handle, pynvml.NVML_FI_DEV_C2C_LINK_GET_STATUS, links)
    if up := [link for link in links if states[link] == 1]:
        speeds = _speeds(handle, pynvml.NVML_FI_DEV_C2C_LINK_GET_MAX_BW, up)
        known = [rate for rate in speeds if rate is not None]
        rate = sum(known) if len(known) == len(up) else None
        words = c2c_words(len(up), known=rate is not None)
        return way._replace(path=PathKind.C2C, rate=rate, rate_reason=words)
    generation = asked(pynvml.nvmlDeviceGetMaxPcieLinkGeneration, handle)
    lanes = asked(pynvml.nvmlDeviceGetMaxPcieLinkWidth, handle)
    for told, possible in ((generation, range(1, _NEWEST_PCIE + 1)), (lanes, LANES)):
        if told not in possible:
            why = told if isinstance(told, Absence) else Absence.IMPOSSIBLE
            return way._replace(rate_reason=_not_reported(why))
    # The driver counts the slot in, but for its lanes where it is wired with fewer. That of a
    # virtual machine may have fewer than the card uses: it is made up.
    _, slot = bus.slot(card.bus_id or "")
    now = answer(pynvml.nvmlDeviceGetCurrPcieLinkWidth, handle)
    if slot is not None and slot >= (now if now in LANES else 0):
        lanes = min(lanes, slot)
    rate, words = pcie_rate(generation, lanes), pcie_words(generation, lanes)
    if rate is None:
        words = Message(
            "PCIe generation {generation} is not known to this program", generation=generation
        )
    return way._replace(rate=rate, rate_reason=words)


def _not_reported(why: Absence) -> Message:
    return Message("not reported: {reason}", reason=why.sentence)


def _fields(handle: object, field: int, scopes: Sequence[int]) -> list[Figure]:
    told = asked(fields, handle, [(field, scope) for scope in scopes])
    if isinstance(told, Absence):
        return [told] * len(scopes)
    return [each if isinstance(each, Absence) else each[0] for each in told]


def _whole_number(told: Figure, most: int) -> int:
    """0 where it is no number of such things."""
    return int(told) if not isinstance(told, Absence) and 0 < told <= most else 0


def _speeds(handle: object, field: int, scopes: Sequence[int]) -> list[float | None]:
    """The driver reports MB/s; what is beyond any link there is counts as not reported."""
    return [
        None if isinstance(speed, Absence) or not 1e4 < speed < 2e5 else speed * 1e6
        for speed in _fields(handle, field, scopes)
    ]
