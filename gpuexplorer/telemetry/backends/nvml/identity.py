"""Who the cards are: identity by UUID, the facts beside it, and the number CUDA gives each; and
which is wired to which, and to its processor.
"""

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
    told = answer(lambda: pynvml.nvmlDeviceGetPciInfo_v3(handle).busId) or ""
    bus = plain_bus_id(told) if _ADDRESS.fullmatch(plain_bus_id(told)) else None
    index = answer(pynvml.nvmlDeviceGetIndex, handle, most=_MOST_CARDS - 1)
    major, minor = answer(pynvml.nvmlDeviceGetCudaComputeCapability, handle) or (0, 0)
    with suppress(UnicodeDecodeError):  # one that does not even say its name gives no access
        name = library.text(pynvml.nvmlDeviceGetName(handle))
    memory = _memory(handle)
    card = Card(
        id=CardId(uuid or f"{_UNNAMED}{bus or place}"),
        index=place if index is None else index,
        name=name or Message("unnamed NVIDIA card"),
        memory_bytes=memory,
        bus_id=bus,
        compute_capability=(major, minor) if 0 < major < 100 and 0 <= minor < 100 else None,
        fans=answer(pynvml.nvmlDeviceGetNumFans, handle, most=MOST_FANS) or 0,
        nvlinks=_nvlinks(handle),
        cores=answer(pynvml.nvmlDeviceGetNumGpuCores, handle, most=10**6) or None,
        memory_bus_bits=answer(pynvml.nvmlDeviceGetMemoryBusWidth, handle, most=10**5) or None,
        memory_shared=not memory and any(chip in name for chip in _SHARING_CHIPS),
    )
    mig_on = (answer(pynvml.nvmlDeviceGetMigMode, handle) or (0,))[0] == 1
    return [Found(card, handle, mig_on), *(_instances(handle, card) if mig_on else ())]


def silent(place: int, known: Card | None, denied: Absence, said: str) -> Found:
    """A card that gives no handle: as it was known before, or nameless. `said` is what the
    driver calls the reason, or for how long it was waited for.
    """
    why = _WHY_REFUSED.get(denied)
    if why is None:
        why = Message("the driver gives no access to it ({said})", said=said)
        if denied is Absence.NO_ANSWER:
            why = Message("it has not answered for {seconds} s", seconds=said)
    name = Message("NVIDIA card without access")
    if denied in (Absence.LOST, Absence.NO_ANSWER):
        name = Message("NVIDIA card that does not answer")
    card = known or Card(CardId(f"{NAMELESS}{place}"), place, name, None)
    return Found(replace(card, cuda_index=None, cuda_reason=why, denied=denied), None)


def instance_ids(handle: object) -> set[str]:
    """The UUIDs of the MIG instances that a card has now, as far as it says them."""
    told = [answer(pynvml.nvmlDeviceGetUUID, each) for _, each in _instance_handles(handle)]
    return {each for each in told if each is not None}


def told_apart(found: list[Found]) -> list[Found]:
    """The same, where no two cards have one UUID, whatever the driver says."""
    cards: dict[CardId, Found] = {}
    whole: CardId | None = None  # the card under which instances stand just now
    for place, each in enumerate(found):
        id_ = CardId(f"{each.card.id}-{place}") if each.card.id in cards else each.card.id
        whole = id_ if each.card.kind is CardKind.GPU else whole
        parent = None if whole == id_ else whole
        cards[id_] = each._replace(card=replace(each.card, id=id_, parent=parent))
    return list(cards.values())


def numbered(found: Sequence[Found], environment: Mapping[str, str]) -> list[Found]:
    """The same, each with the number CUDA gives it here and now, or why there is none.

    A program asks CUDA itself only by starting it, which costs memory on every card, so this
    follows CUDA's documented rules, and says so where they leave the answer open.
    """
    there = [each for each in found if each.handle is not None]
    whole = [each for each in there if each.card.kind is CardKind.GPU]
    whole.sort(key=lambda each: each.card.bus_id or "")
    ids = [each.card.id for each in there]
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    # Cards of one model are equally fast, which CUDA's own order depends on.
    order_known = (
        environment.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
        or len({each.card.name for each in whole}) <= 1
    )
    entries = [] if visible is None else [entry.strip() for entry in visible.split(",")]
    numbers: dict[CardId, int] = {}
    # Which card a number means may be open: then none can be called hidden either.
    is_open = not order_known and (visible is None or any(map(_is_number, entries)))
    why = FASTEST_FIRST if is_open else _HIDDEN
    if visible is None and any(each.mig_on for each in whole):
        why = _MIG
    elif visible is None and order_known:
        numbers = {each.card.id: number for number, each in enumerate(whole)}
    named: list[CardId] = []
    for position, entry in enumerate(entries):
        by_name = entry.startswith(("GPU-", "MIG-"))
        meant = [id_ for id_ in ids if by_name and id_.startswith(entry)]
        if _is_number(entry):
            meant = [each.card.id for each in whole[int(entry) :][:1]]
        if len(meant) != 1:
            break  # CUDA ignores the first entry it does not know, and all that follow
        if meant[0] in named:
            numbers, why = {}, _TWICE
            break
        named += meant
        if order_known or by_name:
            numbers[meant[0]] = position
    lost = [each.card.index for each in found if each.card.denied is Absence.LOST]
    result = []
    for each in found:
        number, reason = numbers.get(each.card.id), why
        behind = any(index < each.card.index for index in lost)
        if number is not None and behind and "GPU-" not in (visible or ""):
            number, reason = None, BEHIND_A_LOST_ONE
        card = each.card
        if each.handle is not None:
            reason = NOTHING if number is not None else reason
            card = replace(card, cuda_index=number, cuda_reason=reason)
        result.append(each._replace(card=card))
    return result


def _is_number(entry: str) -> bool:
    return entry.isascii() and entry.isdigit()


def _memory(handle: object) -> int | None:
    told = answer(pynvml.nvmlDeviceGetMemoryInfo, handle)
    return told.total if told and 0 < told.total <= _MOST_MEMORY else None


def _nvlinks(handle: object) -> int:
    """How many links the card has, up or down."""
    [count] = _fields(handle, pynvml.NVML_FI_DEV_NVLINK_LINK_COUNT, [0])
    if not isinstance(count, Absence) and 0 <= count <= MOST_NVLINKS:
        return int(count)
    if count is Absence.NOT_SUPPORTED:
        return 0
    # Older drivers do not tell the number, but the state of each.
    links = range(MOST_NVLINKS)
    states = (answer(pynvml.nvmlDeviceGetNvLinkState, handle, link) for link in links)
    return next((link for link, state in enumerate(states) if state is None), MOST_NVLINKS)


def _instance_handles(handle: object) -> list[tuple[int, object]]:
    """Instances leave gaps when one is taken away, so that a refusal ends nothing."""
    most = answer(pynvml.nvmlDeviceGetMaxMigDeviceCount, handle, most=_MOST_INSTANCES) or 0
    ask = pynvml.nvmlDeviceGetMigDeviceHandleByIndex
    found = [(place, answer(ask, handle, place)) for place in range(most)]
    return [(place, instance) for place, instance in found if instance is not None]


def _instances(handle: object, parent: Card) -> list[Found]:
    found = []
    for place, instance in _instance_handles(handle):
        uuid = answer(pynvml.nvmlDeviceGetUUID, instance)
        if uuid is None:
            continue
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
        found.append(Found(card, instance, False, handle, *numbers))  # noqa: FBT003 - MIG is on for whole cards
    return found


# Any: what the binding hands back is a number, a text, or a structure.
def answer(ask: Callable[..., Any], *about: object, most: int | None = None) -> Any:
    """None where it is refused, or is no number or text of such things."""
    try:
        told = ask(*about)
    except (pynvml.NVMLError, UnicodeDecodeError):  # the binding decodes texts
        return None
    if isinstance(told, str):
        return library.text(told)
    return None if most is not None and not 0 <= told <= most else told


class _Wires(NamedTuple):
    """What leads away from one card."""

    path: PathKind  # to its processor
    rate: float | None
    reason: Message  # what the rate follows from, or why there is none
    nvlinks_to: list[str]  # bus addresses; empty ones for a switch
    one_nvlink: OneNvlink


def wiring(found: Sequence[Found], bus: PciBus) -> Topology:
    """Costly, and the same until cards change."""
    cards = [x for x in found if x.card.kind is CardKind.GPU and x.handle is not None]
    wires = {each.card.id: _wires(each, bus) for each in cards}
    links = [
        *(
            _between(a, b, wires[a.card.id], wires[b.card.id])
            for a, b in combinations(cards, 2)
        ),
        *(
            Link(a, HOST_ID, x.path, rate=x.rate, rate_reason=x.reason)
            for a, x in wires.items()
        ),
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
    if status not in _PEER_REASONS:
        return None, Message("the driver does not say why")
    return status == pynvml.NVML_P2P_STATUS_OK, _PEER_REASONS[status]


def _wires(found: Found, bus: PciBus) -> _Wires:
    handle, one = found.handle, OneNvlink(None, None)
    to: list[str] = []
    for link in range(found.card.nvlinks):
        if answer(pynvml.nvmlDeviceGetNvLinkState, handle, link) != 1:
            continue
        if not to:
            version = answer(pynvml.nvmlDeviceGetNvLinkVersion, handle, link)
            [speed] = _fields(handle, pynvml.NVML_FI_DEV_NVLINK_GET_SPEED, [link])
            one = nvlink_of(_GENERATIONS.get(version), _per_second(speed))
        kind = answer(pynvml.nvmlDeviceGetNvLinkRemoteDeviceType, handle, link)
        remote = answer(pynvml.nvmlDeviceGetNvLinkRemotePciInfo, handle, link)
        if kind == pynvml.NVML_NVLINK_DEVICE_TYPE_SWITCH:
            to.append("")
        elif remote:  # by its numbers: the text may be no text
            to.append(f"{remote.domain:04x}:{remote.bus:02x}:{remote.device:02x}.0")
    host = _c2c(found) or (PathKind.HOST_BRIDGE, *_pcie(found, bus))
    return _Wires(*host, to, one)


def _c2c(found: Found) -> tuple[PathKind, float | None, Message] | None:
    """None for a card without it, or where no link of it is up."""
    handle = found.handle
    [count] = _fields(handle, pynvml.NVML_FI_DEV_C2C_LINK_COUNT, [0])
    if found.card.memory_shared or isinstance(count, Absence) or not 0 < count <= _MOST_C2C:
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
    if lanes not in LANES or not 0 < generation <= _NEWEST_PCIE:
        return None, Message("not reported: {reason}", reason=Absence.IMPOSSIBLE.sentence)
    # The driver counts the slot in, but for its lanes where it is wired with fewer. That of a
    # virtual machine may have fewer than the card uses: it is made up.
    _, slot = bus.slot(found.card.bus_id or "")
    now = answer(pynvml.nvmlDeviceGetCurrPcieLinkWidth, found.handle)
    if slot is not None and slot >= (now if now in LANES else 0):
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


def _fields(handle: object, field: int, scopes: Sequence[int]) -> list[Figure]:
    told = answer(fields, handle, [(field, scope) for scope in scopes])
    return [figure for figure, _ in told or [(Absence.NOT_IN_DRIVER, 0.0)] * len(scopes)]


def _per_second(speed: Figure) -> float | None:
    """The driver reports MB/s; what is beyond any link there is counts as not reported."""
    return None if isinstance(speed, Absence) or not 1e4 < speed < 2e5 else speed * 1e6
