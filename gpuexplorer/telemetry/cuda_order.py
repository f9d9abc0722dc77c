"""Which number CUDA gives each card under CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.words import NOTHING, Message


class Numbered(NamedTuple):
    """A card as CUDA's numbering sees it."""

    uuid: str
    model: str  # cards of one model are equally fast, which CUDA's own order depends on
    mig: bool = False
    instances: Sequence[str] = ()  # UUIDs of its MIG instances


class CudaNumber(NamedTuple):
    """A number, or the reason why there is none."""

    cuda_index: int | None
    reason: Message = NOTHING


def cuda_numbers(
    cards: Sequence[Numbered], environment: Mapping[str, str]
) -> dict[str, CudaNumber]:
    """By UUID. The cards come in the order of the PCI bus.

    A program asks CUDA itself only by starting it, which costs memory on every card, so this
    follows CUDA's documented rules, and says so where they leave the answer open.
    """
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    by_bus = environment.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    order_known = by_bus or len({card.model for card in cards}) <= 1
    if visible is None:
        return _all_visible(cards, order_known)
    return _chosen(cards, visible, order_known)


def _all_visible(cards: Sequence[Numbered], order_known: bool) -> dict[str, CudaNumber]:
    numbers = {}
    position = 0
    for card in cards:
        if any(other.mig for other in cards):
            for uuid in (card.uuid, *card.instances):
                numbers[uuid] = CudaNumber(None, _MIG)
        elif order_known:
            numbers[card.uuid] = CudaNumber(position)
            position += 1
        else:
            numbers[card.uuid] = CudaNumber(None, FASTEST_FIRST)
    return numbers


FASTEST_FIRST = Message(
    "CUDA sorts cards of different models by speed; set CUDA_DEVICE_ORDER=PCI_BUS_ID to be sure"
)
_MIG = Message(
    "with MIG on, CUDA offers a program only one instance or card; "
    "choose it by its UUID in CUDA_VISIBLE_DEVICES"
)
_HIDDEN = Message("hidden from CUDA by CUDA_VISIBLE_DEVICES")


def _chosen(
    cards: Sequence[Numbered], visible: str, order_known: bool
) -> dict[str, CudaNumber]:
    numbers = {
        uuid: CudaNumber(None, _HIDDEN)
        for card in cards
        for uuid in (card.uuid, *card.instances)
    }
    seen: set[str] = set()
    for position, entry in enumerate(part.strip() for part in visible.split(",")):
        uuid = _resolve(entry, cards)
        if uuid is None:
            break  # CUDA ignores the first entry it does not know, and all that follow
        if uuid in seen:
            # CUDA then offers no card at all.
            twice = Message("CUDA_VISIBLE_DEVICES names a card twice, so CUDA sees none")
            return {each: CudaNumber(None, twice) for each in numbers}
        seen.add(uuid)
        if _is_number(entry) and not order_known:
            numbers[uuid] = CudaNumber(None, FASTEST_FIRST)
        else:
            numbers[uuid] = CudaNumber(position)
    if not order_known and any(_is_number(entry.strip()) for entry in visible.split(",")):
        # Which card a number means is open, so that none can be called hidden either.
        return {
            uuid: number if number.cuda_index is not None else CudaNumber(None, FASTEST_FIRST)
            for uuid, number in numbers.items()
        }
    return numbers


def _resolve(entry: str, cards: Sequence[Numbered]) -> str | None:
    if _is_number(entry):
        return cards[int(entry)].uuid if int(entry) < len(cards) else None
    if not entry.startswith(("GPU-", "MIG-")):
        return None
    names = [uuid for card in cards for uuid in (card.uuid, *card.instances)]
    matches = [uuid for uuid in names if uuid.startswith(entry)]
    return matches[0] if len(matches) == 1 else None


def _is_number(entry: str) -> bool:
    return entry.isascii() and entry.isdigit()
