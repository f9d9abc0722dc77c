"""Which devices a line of the lab had to do with, by what came of it and by its own words."""

import re

from gpuexplorer.lab.events import Failed, Finished, Memory
from gpuexplorer.lab.ledger import Entry, Ledger

_NAMED = re.compile(r"\bcuda:(\d+)")
_SHORT = re.compile(r"""(?:\.cuda|\bgpu|\btry_gpu)\(\s*(\d*)\s*\)|["']cuda["']""")
# PyTorch's own words where a card is full.
_FULL = re.compile(r"\bGPU (\d+)\b")


def touched_devices(entry: Entry, ledger: Ledger) -> frozenset[str]:
    """As PyTorch names them: "cuda:0". Of a line that is not done, what it speaks of."""
    found = {each for copy in entry.transfers for each in (copy.source, copy.target)}
    found |= _of_things(entry.placed, ledger)
    if entry.finished is not None:
        found |= _of_finished(entry, entry.finished)
    else:
        found |= devices_in(entry.code) | _of_things(entry.effects.uses, ledger)
    if entry.failed is not None:
        found |= _of_failed(entry.failed)
    return frozenset(found)


def devices_in(code: str) -> frozenset[str]:
    """The cards that a line names; `"cuda"` is the first."""
    found = {f"cuda:{number}" for number in _NAMED.findall(code)}
    found |= {f"cuda:{number or 0}" for number in _SHORT.findall(code)}
    return frozenset(found)


def _of_finished(entry: Entry, finished: Finished) -> set[str]:
    worked = {device for device, seconds in finished.busy if seconds > 0}
    before, after = entry.memory_before, entry.memory_after
    return worked | {
        device for device in after if _held(before.get(device)) != _held(after[device])
    }


def _of_failed(failed: Failed) -> set[str]:
    named = {f"cuda:{number}" for number in _NAMED.findall(failed.message)}
    return named | {f"cuda:{number}" for number in _FULL.findall(failed.message)}


def _of_things(names: "list[str] | frozenset[str]", ledger: Ledger) -> set[str]:
    found: set[str] = set()
    for name in names:
        thing = ledger.things.get(name)
        if thing is not None:
            found |= {held.device for held in thing.holds} or {thing.device}
    return found


def _held(memory: Memory | None) -> tuple[int, int]:
    if memory is None:
        return 0, 0
    return memory.tensors_bytes or 0, memory.context_bytes or 0
