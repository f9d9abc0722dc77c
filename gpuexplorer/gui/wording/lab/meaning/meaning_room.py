"""Out of memory: what was wanted, what is free, and who holds the rest."""

import re

from gpuexplorer.core.words import Message, mark
from gpuexplorer.gui.wording.lab.amounts import bytes_words
from gpuexplorer.gui.wording.lab.meaning.about_failure import AboutFailure
from gpuexplorer.lab.events import Memory

_SIZE = r"([\d.]+ (?:bytes|[KMGT]iB))"
_WANTED = re.compile(rf"Tried to allocate {_SIZE}")
_CARD = re.compile(rf"GPU (\d+) has a total capacity of {_SIZE} of which {_SIZE} is free")
_ALLOWED = re.compile(rf"{_SIZE} allowed")
_HOST = re.compile(r"tried to allocate (\d+) bytes")
_AS_IT_WAS = Message("Nothing was created, and the shelf is as it was.")


def room_meaning(about: AboutFailure) -> list[Message]:
    host = _HOST.search(about.message)
    if host is not None:
        wanted = bytes_words(int(host[1]), about.units)
        wants = Message(
            "The line wanted {wanted} of the host's memory, which is not free.", wanted=wanted
        )
        return [wants, _AS_IT_WAS]
    wanted_match, card = _WANTED.search(about.message), _CARD.search(about.message)
    if card is None:
        return [about.failed.told]
    device = f"cuda:{card[1]}"
    said = []
    if wanted_match:
        wanted = _read(wanted_match[1])
        said.append(
            Message("The line wanted {wanted} on {device}.", wanted=wanted, device=device)
        )
    total, free = _read(card[2]), _read(card[3])
    allowed = _ALLOWED.search(about.message)
    # A card may well have had room, were it not for the cap.
    if allowed is not None:
        room = Message(
            "{free} of its {total} are free, but the cap that was set allows this program "
            "{allowed}.",
            total=total,
            free=free,
            allowed=_read(allowed[1]),
        )
    else:
        room = Message("Only {free} of its {total} are free.", total=total, free=free)
    return [*said, room, *_holders(about, device), _AS_IT_WAS]


def _holders(about: AboutFailure, device: str) -> list[Message]:
    memory = next((each for each in about.failed.memory if each.device == device), None)
    memory = memory or about.ledger.memory.get(device)
    said = [] if memory is None else _counted(about, memory)
    largest = sorted(
        (each for each in about.ledger.things.values() if each.device == device),
        key=lambda each: -each.bytes,
    )
    if largest and memory is not None and (memory.tensors_bytes or 0) > largest[0].bytes / 2:
        size = bytes_words(largest[0].bytes, about.units)
        said.append(
            Message(
                "The largest on the shelf there is {name} with {size}.",
                name=largest[0].name,
                size=size,
            )
        )
    return said


def _counted(about: AboutFailure, memory: Memory) -> list[Message]:
    """Who holds the rest."""
    tensors, reserved = memory.tensors_bytes or 0, memory.reserved_bytes or 0
    context = memory.context_bytes or 0
    others = 0
    if memory.total_bytes is not None and memory.free_bytes is not None:
        others = memory.total_bytes - memory.free_bytes - reserved - context

    def sentence(template: str, size: int) -> Message:
        return Message(template, size=bytes_words(size, about.units))

    found = [sentence(_TENSORS, tensors)]
    if others > 0:
        found.insert(0, sentence(_OTHERS, others))
    if reserved > tensors:
        found.append(sentence(_CACHE, reserved - tensors))
    if context:
        found.append(sentence(_CONTEXT, context))
    return found


_OTHERS = mark("Other programs and the driver hold {size}.")
_TENSORS = mark("Your tensors hold {size}.")
_CACHE = mark("PyTorch's cache holds {size}.")
_CONTEXT = mark("The context holds {size}.")


def _read(size: str) -> str:
    """ "24.00 GiB" as "24 GiB"."""
    number, unit = size.split()
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {'B' if unit == 'bytes' else unit}"
