"""Out of memory: what was wanted, what is free, and who holds the rest."""

import re

from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.lab.amounts import bytes_words, listed
from gpuexplorer.gui.wording.lab.meaning.about_failure import AboutFailure
from gpuexplorer.lab.events import Memory

_SIZE = r"([\d.]+ (?:bytes|[KMGT]iB))"
_WANTED = re.compile(rf"Tried to allocate {_SIZE}")
_CARD = re.compile(rf"GPU (\d+) has a total capacity of {_SIZE} of which {_SIZE} is free")
_ALLOWED = re.compile(rf"{_SIZE} allowed")
_HOST = re.compile(r"tried to allocate (\d+) bytes")
_AS_IT_WAS = "Nothing was created, and the shelf is as it was."


def room_meaning(about: AboutFailure) -> str:
    host = _HOST.search(about.message)
    if host is not None:
        wanted = bytes_words(int(host[1]), about.units)
        return f"The line wanted {wanted} of the host's memory, which is not free. {_AS_IT_WAS}"
    wanted_match, card = _WANTED.search(about.message), _CARD.search(about.message)
    if card is None:
        return tr(about.failed.told)
    device = f"cuda:{card[1]}"
    wants = f"The line wanted {_read(wanted_match[1])} on {device}" if wanted_match else ""
    allowed = _ALLOWED.search(about.message)
    # A card may well have had room, were it not for the cap.
    only = "" if allowed is not None else "only "
    free = f"of its {_read(card[2])} {only}{_read(card[3])} are free"
    if allowed is not None:
        free += f", but the cap that was set allows this program {_read(allowed[1])}"
    parts = [f"{wants}; {free}." if wants else f"{free[:1].upper()}{free[1:]}."]
    parts += _holders(about, device)
    return " ".join((*parts, _AS_IT_WAS))


def _holders(about: AboutFailure, device: str) -> list[str]:
    memory = next((each for each in about.failed.memory if each.device == device), None)
    memory = memory or about.ledger.memory.get(device)
    said = []
    if memory is not None:
        said = _counted(about, memory)
    largest = sorted(
        (each for each in about.ledger.things.values() if each.device == device),
        key=lambda each: -each.bytes,
    )
    parts = [f"Of the rest {listed(said)}."] if said else []
    if largest and memory is not None and (memory.tensors_bytes or 0) > largest[0].bytes / 2:
        size = bytes_words(largest[0].bytes, about.units)
        parts.append(f"The largest on the shelf there is {largest[0].name} with {size}.")
    return parts


def _counted(about: AboutFailure, memory: Memory) -> list[str]:
    units = about.units
    tensors, reserved = memory.tensors_bytes or 0, memory.reserved_bytes or 0
    context = memory.context_bytes or 0
    found = []
    if memory.total_bytes is not None and memory.free_bytes is not None:
        others = memory.total_bytes - memory.free_bytes - reserved - context
        if others > 0:
            found.append(f"other programs and the driver hold {bytes_words(others, units)}")
    found.append(f"your tensors {bytes_words(tensors, units)}")
    if reserved > tensors:
        found.append(f"PyTorch's cache {bytes_words(reserved - tensors, units)}")
    if context:
        found.append(f"the context {bytes_words(context, units)}")
    if not found[0].startswith("other"):
        found[0] = found[0].replace("your tensors", "your tensors hold")
    return found


def _read(size: str) -> str:
    """ "24.00 GiB" as "24 GiB"."""
    number, unit = size.split()
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {'B' if unit == 'bytes' else unit}"
