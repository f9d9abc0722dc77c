"""CellFlags: at which moment each cell of the lab had to do with which card."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.lab.cell_source import names_read
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Hello, Memory
from gpuexplorer.lab.ledger import Cell, Ledger


@dataclass(frozen=True, slots=True)
class CellFlag:
    """One cell on the time axis of the cards it had to do with."""

    cell: int  # the number of its command, as the selection names it
    number: int  # as it stands before the cell
    at: float  # on the steady clock of the plots
    code: str
    cards: frozenset[CardId]
    failed: bool = False


class CellFlags:
    """Kept as things happen: the next worker may give the same cards other numbers."""

    def __init__(
        self,
        ledger: Ledger,
        began_at: Callable[[int], float | None],
        devices: Callable[[], Sequence[BenchDevice]],
    ) -> None:
        self._ledger = ledger
        self._began_at = began_at
        self._devices = devices
        self.cards: dict[str, CardId] = {}  # by the UUIDs that the workers said
        self._cards: Mapping[str, CardId] = {}
        self._flags: dict[int, CellFlag] = {}

    def show(self, other: "CellFlags") -> None:
        """From now on what that one knows: who draws flags keeps to this one."""
        vars(self).update(vars(other))

    def of(self, card: CardId, start: float, end: float) -> Sequence[CellFlag]:
        """Those of a stretch of time, in their order."""
        found = []
        for each in reversed(self._flags.values()):
            if each.at < start:
                break
            if each.at <= end and card in each.cards:
                found.append(each)
        return found[::-1]

    def note(self, event: Event) -> None:
        """When the ledger knows of it."""
        match event:
            case Hello():
                named = {each.name: each.card for each in self._devices() if each.usable}
                self._cards = {name: card for name, card in named.items() if card is not None}
                of_uuid = ((each.uuid, self._cards.get(each.name)) for each in event.devices)
                self.cards |= {
                    uuid: card for uuid, card in of_uuid if uuid and card is not None
                }
            case Began() | Finished() | Failed():
                self._note_cell(event.id, failed=isinstance(event, Failed))
            case _:
                pass

    def _note_cell(self, command: int, *, failed: bool) -> None:
        cell, at = self._ledger.cell(command), self._began_at(command)
        if cell is None or at is None:
            return
        devices = touched_devices(cell, self._ledger)
        cards = frozenset(self._cards[each] for each in devices if each in self._cards)
        before = self._flags.get(command)
        if before is not None:
            self._flags[command] = replace(before, cards=cards, failed=failed)
        else:
            self._flags[command] = CellFlag(cell.id, cell.number, at, cell.code, cards, failed)


_NAMED = re.compile(r"\bcuda:(\d+)")
_SHORT = re.compile(r"""(?:\.cuda|\bgpu|\btry_gpu)\(\s*(\d*)\s*\)|["']cuda["']""")
# PyTorch's own words where a card is full.
_FULL = re.compile(r"\bGPU (\d+)\b")


def touched_devices(cell: Cell, ledger: Ledger) -> frozenset[str]:
    """As PyTorch names them: "cuda:0". Of a cell that is not done, what it speaks of."""
    found = {each for copy in cell.transfers for each in (copy.source, copy.target)}
    found |= _of_things(cell.placed, ledger)
    if cell.finished is not None:
        found |= _of_finished(cell, cell.finished)
    else:
        found |= devices_in(cell.code) | _of_things(names_read(cell.code), ledger)
    if cell.failed is not None:
        found |= _of_failed(cell.failed)
    return frozenset(found)


def devices_in(code: str) -> frozenset[str]:
    """The cards that a cell names; `"cuda"` is the first."""
    found = {f"cuda:{number}" for number in _NAMED.findall(code)}
    found |= {f"cuda:{number or 0}" for number in _SHORT.findall(code)}
    return frozenset(found)


def _of_finished(cell: Cell, finished: Finished) -> set[str]:
    worked = {device for device, seconds in finished.busy if seconds > 0}
    before, after = cell.memory_before, cell.memory_after
    return worked | {
        device for device in after if _held(before.get(device)) != _held(after[device])
    }


def _of_failed(failed: Failed) -> set[str]:
    named = {f"cuda:{number}" for number in _NAMED.findall(failed.message)}
    return named | {f"cuda:{number}" for number in _FULL.findall(failed.message)}


def _of_things(names: Iterable[str], ledger: Ledger) -> set[str]:
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


def strip_order(
    devices: Sequence[BenchDevice], memory: Mapping[str, Memory], room: int
) -> Sequence[BenchDevice]:
    """In PyTorch's order; where not all have room, those that hold something come first."""
    cards = [each for each in devices if each.is_card and each.name]
    if len(cards) <= room:
        return cards
    return sorted(cards, key=lambda each: not _holds(memory.get(each.name)))


def _holds(memory: Memory | None) -> bool:
    return memory is not None and bool(memory.reserved_bytes or memory.context_bytes)
