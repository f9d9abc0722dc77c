"""Who the cards are: identity by UUID, the facts beside it, and the number CUDA gives each."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import NAMELESS, Card, CardId, CardKind
from gpuexplorer.core.metrics import MEMORY_TOTAL, METRICS, MOST_FANS, MOST_NVLINKS
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.backend import ASK_THE_DOCTOR, BEHIND_A_LOST_ONE, FASTEST_FIRST
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import fields
from gpuexplorer.telemetry.looked_for import plain_bus_id

# More is no number of such things, whatever the driver says.
_MOST_CARDS = 256
_MOST_INSTANCES = 64
_MOST_MEMORY = int(METRICS[MEMORY_TOTAL].highest)
_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
# Begins the id of a card that has no UUID, and so is known by its bus address.
_UNNAMED = "BUS-"
# Chips that borrow the computer's memory and so answer "not supported" for their own.
_SHARING_CHIPS = ("GB10", "Thor", "Orin", "Xavier", "Tegra")

_LOST = Message("the driver has lost it")
_WHY_REFUSED = {
    Absence.LOST: _LOST,
    Absence.NO_PERMISSION: Message("no permission for this user, container or job"),
    Absence.NOT_SUPPORTED: Message("the driver says that it does not support it"),
}
_MIG = Message(
    "with MIG on, CUDA offers a program only one instance or card; "
    "choose it by its UUID in CUDA_VISIBLE_DEVICES"
)
_HIDDEN = Message("hidden from CUDA by CUDA_VISIBLE_DEVICES")
_TWICE = Message("CUDA_VISIBLE_DEVICES names a card twice, so CUDA sees none")


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
    handle = ask_handle()
    name = _text(pynvml.nvmlDeviceGetName, handle) or Message("unnamed NVIDIA card")
    bus = _bus_id(handle)
    index = answer(pynvml.nvmlDeviceGetIndex, handle, most=_MOST_CARDS - 1)
    capability = answer(pynvml.nvmlDeviceGetCudaComputeCapability, handle)
    if capability is not None and not (0 < capability[0] < 100 and 0 <= capability[1] < 100):
        capability = None
    memory = answer(pynvml.nvmlDeviceGetMemoryInfo, handle)
    mode = answer(pynvml.nvmlDeviceGetMigMode, handle)
    card = Card(
        id=CardId(_uuid(handle) or f"{_UNNAMED}{bus or place}"),
        index=place if index is None else index,
        name=name,
        memory_bytes=memory.total if memory and 0 < memory.total <= _MOST_MEMORY else None,
        bus_id=bus,
        compute_capability=capability and tuple(capability),
        fans=answer(pynvml.nvmlDeviceGetNumFans, handle, most=MOST_FANS) or 0,
        nvlinks=_nvlinks(handle),
        cores=answer(pynvml.nvmlDeviceGetNumGpuCores, handle, most=10**6) or None,
        memory_bus_bits=answer(pynvml.nvmlDeviceGetMemoryBusWidth, handle, most=10**5) or None,
        memory_shared=not (memory and memory.total)
        and any(chip in name for chip in _SHARING_CHIPS),
    )
    if not mode or mode[0] != 1:
        return [Found(card, handle)]
    return [Found(card, handle, mig_on=True), *_instances(handle, card)]


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
    told = [
        answer(_text, pynvml.nvmlDeviceGetUUID, each) for _, each in _instance_handles(handle)
    ]
    return {each for each in told if each is not None}


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


def numbered(found: Sequence[Found], environment: Mapping[str, str]) -> list[Found]:
    """The same, each with the number CUDA gives it here and now, or why there is none.

    A program asks CUDA itself only by starting it, which costs memory on every card, so this
    follows CUDA's documented rules, and says so where they leave the answer open.
    """
    there = [each for each in found if each.handle is not None]
    whole = [each for each in there if each.card.kind is CardKind.GPU]
    whole.sort(key=lambda each: each.card.bus_id or "")
    every = [
        each.card.id
        for one in whole
        for each in (one, *(x for x in there if x.card.parent == one.card.id))
    ]
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    # Cards of one model are equally fast, which CUDA's own order depends on.
    order_known = (
        environment.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
        or len({each.card.name for each in whole}) <= 1
    )
    numbers: dict[str, int] = {}
    entries = [entry.strip() for entry in (visible or "").split(",")]
    # Which card a number means may be open: then none can be called hidden either.
    is_open = not order_known and (visible is None or any(map(_is_number, entries)))
    why = FASTEST_FIRST if is_open else _HIDDEN
    if visible is None:
        if any(each.mig_on for each in whole):
            why = _MIG
        elif order_known:
            numbers = {each.card.id: number for number, each in enumerate(whole)}
        entries = []
    named: list[str] = []
    for position, entry in enumerate(entries):
        if _is_number(entry):
            meant = [each.card.id for each in whole[int(entry) :][:1]]
        else:
            by_name = entry.startswith(("GPU-", "MIG-"))
            meant = [id_ for id_ in every if by_name and id_.startswith(entry)]
        if len(meant) != 1:
            break  # CUDA ignores the first entry it does not know, and all that follow
        if meant[0] in named:
            numbers, why = {}, _TWICE
            break
        named += meant
        if order_known or not _is_number(entry):
            numbers[meant[0]] = position
    lost = [each.card.index for each in found if each.card.denied is Absence.LOST]
    result = []
    for each in found:
        number, reason = numbers.get(each.card.id), why
        behind = any(index < each.card.index for index in lost)
        if number is not None and behind and "GPU-" not in (visible or ""):
            number, reason = None, BEHIND_A_LOST_ONE
        if each.card.id in every:
            reason = NOTHING if number is not None else reason
            each = each._replace(  # noqa: PLW2901
                card=replace(each.card, cuda_index=number, cuda_reason=reason)
            )
        result.append(each)
    return result


def _is_number(entry: str) -> bool:
    return entry.isascii() and entry.isdigit()


def _uuid(handle: object) -> str:
    """Empty where this driver or card has none."""
    try:
        return _text(pynvml.nvmlDeviceGetUUID, handle)
    except (pynvml.NVMLError_NotSupported, pynvml.NVMLError_FunctionNotFound):
        return ""


def _bus_id(handle: object) -> str | None:
    try:
        told = library.text(pynvml.nvmlDeviceGetPciInfo_v3(handle).busId)
    except (pynvml.NVMLError, UnicodeDecodeError):  # the binding decodes it
        return None
    plain = plain_bus_id(told)
    return plain if _ADDRESS.fullmatch(plain) else None


def _nvlinks(handle: object) -> int:
    """How many links the card has, up or down."""
    told = answer(fields, handle, [(pynvml.NVML_FI_DEV_NVLINK_LINK_COUNT, 0)])
    count = told[0][0] if told else Absence.NOT_IN_DRIVER
    if not isinstance(count, Absence) and 0 <= count <= MOST_NVLINKS:
        return int(count)
    if count is Absence.NOT_SUPPORTED:
        return 0
    # Older drivers do not tell the number, but the state of each.
    links = range(MOST_NVLINKS)
    states = (answer(pynvml.nvmlDeviceGetNvLinkState, handle, link) for link in links)
    return next((link for link, state in zip(links, states) if state is None), MOST_NVLINKS)  # noqa: B905


def _instance_handles(handle: object) -> list[tuple[int, object]]:
    """Instances leave gaps when one is taken away, so that a refusal ends nothing."""
    most = answer(pynvml.nvmlDeviceGetMaxMigDeviceCount, handle, most=_MOST_INSTANCES) or 0
    ask = pynvml.nvmlDeviceGetMigDeviceHandleByIndex
    found = [(place, answer(ask, handle, place)) for place in range(most)]
    return [(place, instance) for place, instance in found if instance is not None]


def _instances(handle: object, parent: Card) -> list[Found]:
    found = []
    for place, instance in _instance_handles(handle):
        uuid = answer(_text, pynvml.nvmlDeviceGetUUID, instance)
        if uuid is None:
            continue
        name = answer(_text, pynvml.nvmlDeviceGetName, instance)
        if not name or name == parent.name:
            name = Message("{card}, MIG instance {number}", card=parent.name, number=place)
        memory = answer(pynvml.nvmlDeviceGetMemoryInfo, instance)
        card = Card(
            id=CardId(uuid or f"{parent.id}-{place}"),
            index=place,
            name=name,
            memory_bytes=memory.total if memory and 0 < memory.total <= _MOST_MEMORY else None,
            kind=CardKind.MIG,
            parent=parent.id,
            bus_id=parent.bus_id,
            compute_capability=parent.compute_capability,
        )
        slices = (pynvml.nvmlDeviceGetGpuInstanceId, pynvml.nvmlDeviceGetComputeInstanceId)
        found.append(
            Found(
                card,
                instance,
                False,  # noqa: FBT003 - MIG is on for whole cards
                handle,
                *(answer(ask, instance) for ask in slices),
            )
        )
    return found


# Any: what the binding hands back is a number, a text, or a structure.
def answer(ask: Callable[..., Any], *about: object, most: int | None = None) -> Any:
    """None where it is refused, or is no number of such things."""
    try:
        told = ask(*about)
    except pynvml.NVMLError:
        return None
    return None if most is not None and not 0 <= told <= most else told


def _text(ask: Callable[..., Any], handle: object) -> str:
    """What the driver wrote: the binding would decode it."""
    return library.text(ask.__wrapped__(handle))  # type: ignore[attr-defined]
