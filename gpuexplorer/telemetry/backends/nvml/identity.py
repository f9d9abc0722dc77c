"""Who the cards are: identity by UUID, and the facts beside it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import pynvml

from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.catalogue.heat_and_power import MOST_FANS
from gpuexplorer.core.catalogue.links import MOST_NVLINKS
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.cuda_order import Numbered, cuda_numbers
from gpuexplorer.telemetry.pci_bus import plain_bus_id

T = TypeVar("T")

# Chips that borrow the computer's memory and so answer "not supported" for their own.
_SHARING_CHIPS = ("GB10", "Thor", "Orin", "Xavier", "Tegra")


@dataclass(frozen=True, slots=True)
class Found:
    """A card and the handle under which this connection to the driver knows it."""

    card: Card
    handle: object | None  # None: the driver lists it but gives no handle (lost)
    mig_on: bool = False
    gpu_instance: int | None = None
    compute_instance: int | None = None


def find_cards(
    environment: Mapping[str, str],
    awake_bus_ids: list[str] | None,
    known: Mapping[int, Card],
) -> list[Found]:
    """All cards and, under each, its MIG instances.

    With `awake_bus_ids` only those are asked for, so that the others go on sleeping. `known`
    names cards of an earlier connection by index, for those that now give no handle.
    """
    found: list[Found] = []
    for index, ask_handle in enumerate(_handle_askers(awake_bus_ids)):
        try:
            handle = ask_handle()
            found.append(_describe(handle, index))
        except pynvml.NVMLError as error:
            found.append(_lost(index, known, library.message_of(error)))
            continue
        if found[-1].mig_on:
            found.extend(_instances(handle, found[-1].card))
    return _numbered(found, environment)


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


def _lost(index: int, known: Mapping[int, Card], why: str) -> Found:
    card = known.get(index)
    if card is None:
        card = Card(
            id=CardId(f"LOST-{index}"),
            index=index,
            name="NVIDIA card that does not answer",
            memory_bytes=None,
            cuda_reason=f"the driver gives no access to it: {why}",
        )
    return Found(card, None)


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
    return Found(card, handle, _mig_on(handle))


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
    """How many links the card has, up or down: those whose state the driver tells."""
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
    whole = [each.card for each in found if each.card.kind is CardKind.GPU]
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
