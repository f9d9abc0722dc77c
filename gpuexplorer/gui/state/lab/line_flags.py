"""LineFlags: at which moment each line of the lab had to do with which card."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.strips.merged_flags import touched_devices
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Hello
from gpuexplorer.lab.ledger import Entry, Ledger, event_id


@dataclass(frozen=True, slots=True)
class LineFlag:
    """One line on the time axis of the cards it had to do with."""

    line: int  # the number of its command, as the selection names it
    number: int  # as it stands before the line
    at: float  # on the steady clock of the plots
    code: str
    cards: frozenset[CardId]
    failed: bool = False


class LineFlags(QObject):
    """Kept as things happen: the next worker may give the same cards other numbers."""

    def __init__(
        self,
        ledger: Ledger,
        began_at: Callable[[int], float | None],
        devices: Callable[[], Sequence[BenchDevice]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._ledger = ledger
        self._began_at = began_at
        self._devices = devices
        self._cards: Mapping[str, CardId] = {}
        self._flags: dict[int, LineFlag] = {}

    def of(self, card: CardId, start: float, end: float) -> Sequence[LineFlag]:
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
            case Began() | Finished() | Failed():
                self._note_line(event_id(event), failed=isinstance(event, Failed))
            case _:
                pass

    def _note_line(self, command: int, *, failed: bool) -> None:
        entry, at = self._ledger.entry(command), self._began_at(command)
        if entry is None or at is None:
            return
        devices = touched_devices(entry, self._ledger)
        cards = frozenset(self._cards[each] for each in devices if each in self._cards)
        before = self._flags.get(command)
        if before is not None:
            self._flags[command] = replace(before, cards=cards, failed=failed)
        else:
            number = self._number(entry)
            self._flags[command] = LineFlag(entry.id, number, at, entry.code, cards, failed)

    def _number(self, entry: Entry) -> int:
        entries = self._ledger.entries
        last = len(entries) - 1
        back = next((at for at in range(last, -1, -1) if entries[at] is entry), last)
        return back + 1
