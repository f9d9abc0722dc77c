"""Out of memory: what was wanted, what is free, and who holds the rest."""

import re

from gpuexplorer.core.units import bytes_words, trimmed
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.about_failure import AboutFailure
from gpuexplorer.lab.events import Memory

_SIZE = r"([\d.]+ (?:bytes|[KMGT]iB))"
_WANTED = re.compile(rf"Tried to allocate {_SIZE}")
_CARD = re.compile(rf"GPU (\d+) has a total capacity of {_SIZE} of which {_SIZE} is free")
_ALLOWED = re.compile(rf"{_SIZE} allowed")
_HOST = re.compile(r"tried to allocate (\d+) bytes")


def room_meaning(about: AboutFailure) -> list[Message]:
    host = _HOST.search(about.failed.message)
    if host is not None:
        wanted = bytes_words(int(host[1]), about.units)
        wants = Message(
            "The cell wanted {wanted} of the host's memory, which is not free.", wanted=wanted
        )
        return [wants, about.ending]
    wanted_match, card = (
        _WANTED.search(about.failed.message),
        _CARD.search(about.failed.message),
    )
    if card is None:
        return [about.failed.told]
    device = f"cuda:{card[1]}"
    said = []
    if wanted_match:
        wanted = _read(wanted_match[1])
        said.append(
            Message("The cell wanted {wanted} on {device}.", wanted=wanted, device=device)
        )
    total, free = _read(card[2]), _read(card[3])
    allowed = _ALLOWED.search(about.failed.message)
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
    return [*said, room, *_holders(about, device), about.ending]


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
    known = about.ledger.memory.get(memory.device, memory)  # real cards do not tell it
    context = memory.context_bytes or known.context_bytes or 0
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
    return f"{trimmed(number)} {'B' if unit == 'bytes' else unit}"
