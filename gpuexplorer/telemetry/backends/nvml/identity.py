"""Who the cards are: identity by UUID, and the facts beside it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.catalogue.heat_and_power import MOST_FANS
from gpuexplorer.core.catalogue.links import MOST_NVLINKS
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.calls import FieldBatch
from gpuexplorer.telemetry.cuda_order import Numbered, cuda_numbers
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.pci_bus import plain_bus_id

T = TypeVar("T")

# Begins the id of a card whose UUID could not be asked for.
NAMELESS = "NAMELESS-"

# Chips that borrow the computer's memory and so answer "not supported" for their own.
_SHARING_CHIPS = ("GB10", "Thor", "Orin", "Xavier", "Tegra")


@dataclass(frozen=True, slots=True)
class Found:
    """A card and the handle under which this connection to the driver knows it."""

    card: Card
    handle: object | None  # None: the driver lists it but gives no handle
    hung: bool = False  # without a handle, because it did not answer in time
    mig_on: bool = False
    gpu_instance: int | None = None
    compute_instance: int | None = None


def find_cards(
    environment: Mapping[str, str],
    awake_bus_ids: list[str] | None,
    known: Mapping[int, Card],
    patience: float,
    when_late: Callable[[], None],
) -> list[Found]:
    """All cards and, under each, its MIG instances.

    A card whose driver calls hang is listed without a handle; `when_late` is called, from
    another thread, when it answers after all.

    With `awake_bus_ids` only those are asked for, so that the others go on sleeping. `known`
    names cards of an earlier connection by index, for those that now give no handle.
    """
    found: list[Found] = []
    meetings = [
        Asked(partial(_meet, ask_handle, index), when_late)
        for index, ask_handle in enumerate(_handle_askers(awake_bus_ids))
    ]
    until = time.monotonic() + patience
    for index, asked in enumerate(meetings):
        if not asked.answered_within(max(0.0, until - time.monotonic())):
            why = f"it has not answered for {patience:.0f} s"
            found.append(replace(_silent(index, known, why), hung=True))
            continue
        try:
            found.extend(asked.result())
        except pynvml.NVMLError as error:
            if error.value in library.DRIVER_GONE:
                raise
            found.append(_silent(index, known, library.message_of(error)))
    return _numbered(found, environment)


def _meet(ask_handle: Callable[[], object], index: int) -> list[Found]:
    handle = ask_handle()
    card = _describe(handle, index)
    return [card, *(_instances(handle, card.card) if card.mig_on else ())]


def _handle_askers(awake_bus_ids: list[str] | None) -> list[Callable[[], object]]:
    if awake_bus_ids is not None:
        return [
            lambda bus_id=bus_id: pynvml.nvmlDeviceGetHandleByPciBusId(bus_id)  # type: ignore[misc]  # mypy cannot infer a lambda's default
            for bus_id in awake_bus_ids
        ]
    count = int(pynvml.nvmlDeviceGetCount())
    return [
        lambda index=index: pynvml.nvmlDeviceGetHandleByIndex(index)  # type: ignore[misc]  # as above
        for index in range(count)
    ]


def _silent(index: int, known: Mapping[int, Card], why: str) -> Found:
    """A card that gives no handle: as it was known before, or nameless."""
    card = known.get(index) or Card(
        id=CardId(f"{NAMELESS}{index}"),
        index=index,
        name="NVIDIA card that does not answer",
        memory_bytes=None,
    )
    reason = f"the driver gives no access to it: {why}"
    return Found(replace(card, cuda_index=None, cuda_reason=reason), None)


def _describe(handle: object, index: int) -> Found:
    name = library.text(pynvml.nvmlDeviceGetName.__wrapped__(handle)) or "unnamed NVIDIA card"
    memory, shared = _memory(handle, name)
    bus = _or_none(lambda: library.text(pynvml.nvmlDeviceGetPciInfo_v3(handle).busId))
    capability = _or_none(lambda: tuple(pynvml.nvmlDeviceGetCudaComputeCapability(handle)))
    card = Card(
        id=CardId(library.text(pynvml.nvmlDeviceGetUUID.__wrapped__(handle))),
        index=index,
        name=name,
        memory_bytes=memory,
        bus_id=plain_bus_id(bus) if bus else None,
        compute_capability=capability,
        fans=min(_or_none(lambda: int(pynvml.nvmlDeviceGetNumFans(handle))) or 0, MOST_FANS),
        nvlinks=_nvlinks(handle),
        memory_shared=shared,
    )
    return Found(card, handle, mig_on=_mig_on(handle))


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
    return (total, False) if total else (None, sharing)


def _nvlinks(handle: object) -> int:
    """How many links the card has, up or down."""
    try:
        [count] = FieldBatch(handle, [(pynvml.NVML_FI_DEV_NVLINK_LINK_COUNT, 0)]).read()
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
    try:
        places = int(pynvml.nvmlDeviceGetMaxMigDeviceCount(handle))
    except pynvml.NVMLError:
        return []
    found = []
    for place in range(places):
        # Instances leave gaps when one is taken away, so that a refusal ends nothing.
        try:
            instance = pynvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, place)
            found.append(_describe_instance(instance, place, parent))
        except pynvml.NVMLError:
            continue
    return found


def _describe_instance(handle: object, place: int, parent: Card) -> Found:
    memory = _or_none(lambda: int(pynvml.nvmlDeviceGetMemoryInfo(handle).total))
    name = _or_none(lambda: library.text(pynvml.nvmlDeviceGetName.__wrapped__(handle)))
    card = Card(
        id=CardId(library.text(pynvml.nvmlDeviceGetUUID.__wrapped__(handle))),
        index=place,
        name=name if name and name != parent.name else f"{parent.name}, MIG instance {place}",
        memory_bytes=memory,
        kind=CardKind.MIG,
        parent=parent.id,
        bus_id=parent.bus_id,
        compute_capability=parent.compute_capability,
    )
    return Found(
        card,
        handle,
        gpu_instance=_or_none(lambda: int(pynvml.nvmlDeviceGetGpuInstanceId(handle))),
        compute_instance=_or_none(lambda: int(pynvml.nvmlDeviceGetComputeInstanceId(handle))),
    )


def _numbered(found: list[Found], environment: Mapping[str, str]) -> list[Found]:
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
    numbered = []
    for each in found:
        number = numbers.get(each.card.id)
        if number is None or each.card.cuda_reason:
            numbered.append(each)
            continue
        card = replace(each.card, cuda_index=number.index, cuda_reason=number.reason)
        numbered.append(replace(each, card=card))
    return numbered


def _or_none(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except pynvml.NVMLError:
        return None
