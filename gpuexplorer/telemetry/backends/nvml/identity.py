"""Who the cards are: identity by UUID, and the facts beside it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeVar

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import NAMELESS, Card, CardId, CardKind
from gpuexplorer.core.catalogue.heat_and_power import MOST_FANS
from gpuexplorer.core.catalogue.links import MOST_NVLINKS
from gpuexplorer.core.catalogue.memory import MEMORY_TOTAL
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import ASK_THE_DOCTOR
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import fields
from gpuexplorer.telemetry.cuda_order import CudaNumber, Numbered, cuda_numbers
from gpuexplorer.telemetry.pci_bus import plain_bus_id

T = TypeVar("T")

# More is no number of cards, whatever the driver says.
_MOST_CARDS = 256
_MOST_INSTANCES = 64
_MOST_MEMORY = int(METRICS[MEMORY_TOTAL].highest)

_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")

# Begins the id of a card that has no UUID, and so is known by its bus address.
_UNNAMED = "BUS-"

# Chips that borrow the computer's memory and so answer "not supported" for their own.
_SHARING_CHIPS = ("GB10", "Thor", "Orin", "Xavier", "Tegra")


LOST = Message("the driver has lost it")
_BEHIND_A_LOST_ONE = Message("whether CUDA still counts the lost card before it is not known")
_WHY_REFUSED = {
    Absence.LOST: LOST,
    Absence.NO_PERMISSION: Message("no permission for this user, container or job"),
    Absence.NOT_SUPPORTED: Message("the driver says that it does not support it"),
}


class Found(NamedTuple):
    """A card and the handle under which this connection to the driver knows it."""

    card: Card
    handle: object | None  # None: the driver lists it but gives no handle
    hung: bool = False  # without a handle, because it did not answer in time
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
    handle = ask_handle()
    found = _describe(handle, place)
    return [found, *(_instances(handle, found.card) if found.mig_on else ())]


def why_refused(denied: Absence, said: str) -> Message:
    """`said` is what the driver calls it."""
    known = _WHY_REFUSED.get(denied)
    return known or Message("the driver gives no access to it ({said})", said=said)


def silent(
    place: int, known: Card | None, denied: Absence, why: Message, *, hung: bool
) -> Found:
    """A card that gives no handle: as it was known before, or nameless."""
    name = Message("NVIDIA card without access")
    if denied in (Absence.LOST, Absence.NO_ANSWER):
        name = Message("NVIDIA card that does not answer")
    card = known or Card(
        id=CardId(f"{NAMELESS}{place}"),
        index=place,
        name=name,
        memory_bytes=None,
    )
    card = replace(card, cuda_index=None, cuda_reason=why, denied=denied)
    return Found(card, None, hung)


def instance_ids(handle: object) -> set[str]:
    """The UUIDs of the MIG instances that a card has now, as far as it says them."""
    found = set()
    for _, instance in _instance_handles(handle):
        try:
            found.add(library.text(pynvml.nvmlDeviceGetUUID.__wrapped__(instance)))
        except pynvml.NVMLError:
            continue
    return found


def _describe(handle: object, place: int) -> Found:
    told = library.text(pynvml.nvmlDeviceGetName.__wrapped__(handle))
    name = told or Message("unnamed NVIDIA card")
    memory, shared = _memory(handle, name)
    bus = _bus_id(handle)
    uuid = _uuid(handle)
    index = _number(lambda: pynvml.nvmlDeviceGetIndex(handle), _MOST_CARDS - 1)
    card = Card(
        id=CardId(uuid or f"{_UNNAMED}{bus or place}"),
        index=place if index is None else index,
        name=name,
        memory_bytes=memory,
        bus_id=bus,
        compute_capability=_capability(handle),
        fans=_number(lambda: pynvml.nvmlDeviceGetNumFans(handle), MOST_FANS) or 0,
        nvlinks=_nvlinks(handle),
        cores=_number(lambda: pynvml.nvmlDeviceGetNumGpuCores(handle), 10**6) or None,
        memory_bus_bits=_number(lambda: pynvml.nvmlDeviceGetMemoryBusWidth(handle), 10**5)
        or None,
        memory_shared=shared,
    )
    return Found(card, handle, mig_on=_mig_on(handle))


def _uuid(handle: object) -> str:
    """Empty where this driver or card has none."""
    try:
        return library.text(pynvml.nvmlDeviceGetUUID.__wrapped__(handle))
    except (pynvml.NVMLError_NotSupported, pynvml.NVMLError_FunctionNotFound):
        return ""


def _bus_id(handle: object) -> str | None:
    try:
        told = library.text(pynvml.nvmlDeviceGetPciInfo_v3(handle).busId)
    except (pynvml.NVMLError, UnicodeDecodeError):  # the binding decodes it
        return None
    plain = plain_bus_id(told)
    return plain if _ADDRESS.fullmatch(plain) else None


def _capability(handle: object) -> tuple[int, int] | None:
    told = _or_none(lambda: pynvml.nvmlDeviceGetCudaComputeCapability(handle))
    if told is None or not (0 < told[0] < 100 and 0 <= told[1] < 100):
        return None
    return told[0], told[1]


def _mig_on(handle: object) -> bool:
    return _or_none(lambda: pynvml.nvmlDeviceGetMigMode(handle)[0]) == 1


def _memory(handle: object, name: str) -> tuple[int | None, bool]:
    sharing = any(chip in name for chip in _SHARING_CHIPS)
    try:
        total = int(pynvml.nvmlDeviceGetMemoryInfo(handle).total)
    except pynvml.NVMLError_NotSupported:
        return None, sharing
    except pynvml.NVMLError:
        return None, False
    if not total:
        return None, sharing
    return (total if total <= _MOST_MEMORY else None), False


def _nvlinks(handle: object) -> int:
    """How many links the card has, up or down."""
    try:
        [(count, _)] = fields(handle, [(pynvml.NVML_FI_DEV_NVLINK_LINK_COUNT, 0)])
    except pynvml.NVMLError:
        count = Absence.NOT_IN_DRIVER
    if not isinstance(count, Absence) and 0 <= count <= MOST_NVLINKS:
        return int(count)
    if count is Absence.NOT_SUPPORTED:
        return 0
    # Older drivers do not tell the number, but the state of each.
    links = 0
    for link in range(MOST_NVLINKS):
        try:
            pynvml.nvmlDeviceGetNvLinkState(handle, link)
        except pynvml.NVMLError:
            break
        links = link + 1
    return links


def _instances(handle: object, parent: Card) -> list[Found]:
    found = []
    for place, instance in _instance_handles(handle):
        try:
            found.append(_describe_instance(handle, instance, place, parent))
        except pynvml.NVMLError:
            continue
    return found


def _instance_handles(handle: object) -> list[tuple[int, object]]:
    """Instances leave gaps when one is taken away, so that a refusal ends nothing."""
    places = _number(lambda: pynvml.nvmlDeviceGetMaxMigDeviceCount(handle), _MOST_INSTANCES)
    handles = []
    for place in range(places or 0):
        try:
            instance = pynvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, place)
        except pynvml.NVMLError:
            continue
        handles.append((place, instance))
    return handles


def _describe_instance(whole: object, handle: object, place: int, parent: Card) -> Found:
    memory = _number(lambda: pynvml.nvmlDeviceGetMemoryInfo(handle).total, _MOST_MEMORY)
    told = _or_none(lambda: library.text(pynvml.nvmlDeviceGetName.__wrapped__(handle)))
    uuid = library.text(pynvml.nvmlDeviceGetUUID.__wrapped__(handle))
    card = Card(
        id=CardId(uuid or f"{parent.id}-{place}"),
        index=place,
        name=told
        if told and told != parent.name
        else Message("{card}, MIG instance {number}", card=parent.name, number=place),
        memory_bytes=memory or None,
        kind=CardKind.MIG,
        parent=parent.id,
        bus_id=parent.bus_id,
        compute_capability=parent.compute_capability,
    )
    return Found(
        card,
        handle,
        parent_handle=whole,
        gpu_instance=_or_none(lambda: int(pynvml.nvmlDeviceGetGpuInstanceId(handle))),
        compute_instance=_or_none(lambda: int(pynvml.nvmlDeviceGetComputeInstanceId(handle))),
    )


def told_apart(found: list[Found]) -> list[Found]:
    """The same, where no two cards have one UUID or one number, whatever the driver says."""
    ids: set[CardId] = set()
    numbers: set[int] = set()
    result = []
    whole: CardId | None = None  # the card under which instances stand just now
    for place, each in enumerate(found):
        card = each.card
        if card.id in ids:
            card = replace(card, id=CardId(f"{card.id}-{place}"))
        ids.add(card.id)
        if card.kind is CardKind.MIG:
            card = replace(card, parent=whole)
        else:
            whole = card.id
            if card.index in numbers:
                card = replace(card, index=min(set(range(len(found))) - numbers))
            numbers.add(card.index)
        result.append(each._replace(card=card))
    return result


def numbered(found: list[Found], environment: Mapping[str, str]) -> list[Found]:
    """The same, each with the number CUDA gives it here and now."""
    whole = [
        each.card
        for each in found
        if each.card.kind is CardKind.GPU and each.handle is not None
    ]
    instances = {
        card.id: [each.card.id for each in found if each.card.parent == card.id]
        for card in whole
    }
    cut = {each.card.id for each in found if each.mig_on}
    in_bus_order = sorted(whole, key=lambda card: card.bus_id or "")
    numbers = cuda_numbers(
        [
            Numbered(card.id, card.name, card.id in cut, instances[card.id])
            for card in in_bus_order
        ],
        environment,
    )
    lost = [each.card for each in found if each.card.denied is Absence.LOST]
    by_name = "GPU-" in environment.get("CUDA_VISIBLE_DEVICES", "")
    result = []
    for each in found:
        number = numbers.get(each.card.id)
        if number is None or each.handle is None:
            result.append(each)
            continue
        behind = [other.index for other in lost if other.index < each.card.index]
        if number.cuda_index is not None and behind and not by_name:
            number = CudaNumber(None, _BEHIND_A_LOST_ONE)
        card = replace(each.card, cuda_index=number.cuda_index, cuda_reason=number.reason)
        result.append(each._replace(card=card))
    return result


def _or_none(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except pynvml.NVMLError:
        return None


def _number(ask: Callable[[], int], most: int) -> int | None:
    """None where it is refused, or is no number of such things."""
    told = _or_none(ask)
    return told if told is not None and 0 <= told <= most else None
