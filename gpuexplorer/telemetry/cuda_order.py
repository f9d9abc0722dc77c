"""Which number CUDA gives each card under CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.words import NOTHING, Message

FASTEST_FIRST = Message(
    "CUDA sorts cards of different models by speed; set CUDA_DEVICE_ORDER=PCI_BUS_ID to be sure"
)
_MIG = Message(
    "with MIG on, CUDA offers a program only one instance or card; "
    "choose it by its UUID in CUDA_VISIBLE_DEVICES"
)
_HIDDEN = Message("hidden from CUDA by CUDA_VISIBLE_DEVICES")
_TWICE = Message("CUDA_VISIBLE_DEVICES names a card twice, so CUDA sees none")


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
    by_bus = environment.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    order_known = by_bus or len({card.model for card in cards}) <= 1
    every = [uuid for card in cards for uuid in (card.uuid, *card.instances)]
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        if any(card.mig for card in cards):
            return {uuid: CudaNumber(None, _MIG) for uuid in every}
        if not order_known:
            return {card.uuid: CudaNumber(None, FASTEST_FIRST) for card in cards}
        return {card.uuid: CudaNumber(number) for number, card in enumerate(cards)}
    entries = [entry.strip() for entry in visible.split(",")]
    # Which card a number means may be open: then none can be called hidden either.
    is_open = not order_known and any(map(_is_number, entries))
    numbers = {uuid: CudaNumber(None, FASTEST_FIRST if is_open else _HIDDEN) for uuid in every}
    seen = set()
    for position, entry in enumerate(entries):
        if _is_number(entry):
            named = [card.uuid for card in cards[int(entry) :][:1]]
        else:
            whole = entry.startswith(("GPU-", "MIG-"))
            named = [uuid for uuid in every if whole and uuid.startswith(entry)]
        if len(named) != 1:
            break  # CUDA ignores the first entry it does not know, and all that follow
        if named[0] in seen:
            return {uuid: CudaNumber(None, _TWICE) for uuid in every}
        seen.add(named[0])
        if order_known or not _is_number(entry):
            numbers[named[0]] = CudaNumber(position)
    return numbers


def _is_number(entry: str) -> bool:
    return entry.isascii() and entry.isdigit()
