"""Shelves: what the bench shows of the lab, put together whenever something changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, BlockBook
from gpuexplorer.gui.wording.lab.bench.bench_column import ColumnFace, column_face
from gpuexplorer.gui.wording.lab.bench.bench_unnamed import Cause, Causes
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.events import Event, Finished

_MODELLED = (mark("Cards: memory is modelled"), mark("Cards: modelled"))
_Unnamed = tuple[int, Cause | None]  # bytes, and where they came from


@dataclass(frozen=True, slots=True)
class Shelf:
    """One device with all that lies on it."""

    device: BenchDevice
    face: ColumnFace
    blocks: Sequence[Block]

    @property
    def used(self) -> bool:
        """Something of the lab is there, be it only its context."""
        return bool(self.blocks or self.device.context_bytes)


class Shelves:
    """Asked often and answers from what it knows while nothing new was said."""

    def __init__(self, lab: LabState) -> None:
        self._lab = lab
        self._causes = Causes()
        self._blocks: Mapping[str, Sequence[Block]] = {}
        self._made_of: tuple[int, Mapping[str, _Unnamed]] | None = None
        self._book: tuple[Units, BlockBook] | None = None
        self._meta = (-1, False)

    def note(self, event: Event) -> None:
        """Each is heard, seen or not, so that what has no name is put down to its line."""
        ledger = self._lab.ledger
        entry = ledger.entry(event.id) if isinstance(event, Finished) else None
        number = None if entry is None else self._lab.line_number(entry.id)
        if entry is not None and number is not None:
            unnamed = {device: ledger.unnamed_bytes(device) for device in ledger.memory}
            self._causes.note(entry.id, number, unnamed)

    def shelves(self, units: Units, *, anew: bool) -> Sequence[Shelf]:
        """`anew`: the ledger knows of more than the last time."""
        lab = self._lab
        devices = [each for each in lab.devices() if each.name != "meta" or self._on_meta()]
        if self._book is None or self._book[0] != units:
            self._book, self._made_of, anew = (units, BlockBook(units)), None, True
        if anew:
            unnamed = {
                each.name: (each.unnamed_bytes, self._causes.of(each.name)) for each in devices
            }
            # A line that was only sent changes nothing on a shelf.
            if self._made_of != (lab.ledger.shelf, unnamed):
                self._made_of = (lab.ledger.shelf, unnamed)
                self._blocks = self._book[1].by_device(lab.ledger.things, unnamed)
        modelled = any(each.modelled and each.usable for each in devices)
        return [
            Shelf(
                each,
                column_face(
                    each,
                    units,
                    tuple(map(tr, _MODELLED)) if modelled and each.is_host else (),
                ),
                self._blocks.get(each.name, ()) if each.name else (),
            )
            for each in devices
        ]

    def words(self, shelf: Shelf, first: bool, nothing: bool) -> tuple[str, ...]:
        """Where no block lies, at falling length. `nothing`: on no device at all."""
        if nothing:
            return (self._stage_words(),) if first else ()
        short = tr("Nothing here")
        if shelf.device.is_host:
            return (tr("Nothing here. Drop a block to copy it to the host."), short)
        device = shelf.device.name
        return (tr("Nothing here. Drop a block to copy it to {device}.", device=device), short)

    def _stage_words(self) -> str:
        if self._lab.lost:
            return tr("What lay here went with the worker that ended.")
        match self._lab.stage:
            case Stage.RESTING:
                if self._lab.ledger.entries:
                    return tr("All was given back: the next line starts PyTorch again.")
                return tr("Nothing was started yet: the first line starts PyTorch.")
            case Stage.SEARCHING:
                return tr("Looking for a Python with PyTorch.")
            case Stage.STARTING:
                return tr("PyTorch starts.")
            case Stage.FAILED:
                return tr("PyTorch could not be started.")
            case _:
                return tr("Nothing here yet.")

    def _on_meta(self) -> bool:
        ledger = self._lab.ledger
        if self._meta[0] != ledger.shelf:
            there = any(each.device == "meta" for each in ledger.things.values())
            self._meta = (ledger.shelf, there)
        return self._meta[1]
