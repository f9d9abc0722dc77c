"""The columns of the cards that are idle, with how much memory."""

from collections.abc import Sequence
from functools import partial

from gpuexplorer.core.metrics import METRICS, TEMPERATURE
from gpuexplorer.core.units import GIB, Units, quantity
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import short_name
from gpuexplorer.gui.cards.programs import GB, gigabyte, gigabytes
from gpuexplorer.gui.machines.host_columns import PLACE
from gpuexplorer.gui.machines.model import FreeCard, natural
from gpuexplorer.gui.machines.words import age_words, users_words
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.theme.palette import Tone


def free_columns(units: Units, *, placed: bool) -> Sequence[Column[FreeCard]]:
    """`placed`: machines may tell where they stand."""
    size = gigabyte(units)
    columns: Sequence[Column[FreeCard]] = (
        Column("machine", tr("Machine"), _machine, lambda f: natural(f.group.name), width=130,
               stretches=True, share=0.25),
        Column("card", tr("Card"), lambda f: Cell(f.cell.number),
               lambda f: natural(f.cell.number), width=60, right=True),
        Column("name", tr("Model"), _name, lambda f: f.cell.name, width=130, kept=3),
        Column("free", tr("Free, {unit}", unit=size), partial(_free, units=units),
               lambda f: f.free_bytes, width=140, right=True, largest_first=True,
               meaning=tr("Memory of the card that nobody holds.")),
        Column("whole", tr("Whole, {unit}", unit=size), partial(_whole, units=units),
               lambda f: f.cell.memory_total, width=76, right=True, largest_first=True,
               kept=4, meaning=tr("The whole memory of the card.")),
        Column("held", tr("Held by"), _held, lambda f: users_words(f.cell), width=140,
               stretches=True, meaning=tr("Whose programs are on it, though it is idle.")),
        Column("temperature", tr("Temp."), partial(_temperature, units=units),
               lambda f: f.cell.values.get(TEMPERATURE), width=76, right=True, kept=1),
        Column(PLACE, tr("Place"), lambda f: Cell(f.group.place, tone=Tone.QUIET),
               lambda f: natural(f.group.place), width=90, kept=2,
               meaning=tr("The rack, or what else machines are grouped by.")),
    )  # fmt: skip
    return [each for each in columns if placed or each.key != PLACE]


def _machine(free: FreeCard) -> Cell:
    late = free.group.late
    marks = [tr("simulated")] if free.group.simulated else []
    marks += [] if late is None else [age_words(late)]
    return Cell(free.group.name, mark=", ".join(marks))


def _name(free: FreeCard) -> Cell:
    return Cell(short_name(free.cell.name), tone=Tone.QUIET, hint=free.cell.name)


def _free(free: FreeCard, units: Units) -> Cell:
    total = free.cell.memory_total
    if free.free_bytes is None or not total:
        return Cell(absent=(tr("not reported"), "–"))
    return Cell(gigabytes(free.free_bytes, units), gauge=Gauge(free.free_bytes / total, None))


def _whole(free: FreeCard, units: Units) -> Cell:
    total = free.cell.memory_total
    size = GB if units.decimal_memory else GIB
    return Cell(f"{total / size:.0f}") if total else Cell(absent=("–",))


def _held(free: FreeCard) -> Cell:
    cell = free.cell
    taken = cell.processes or cell.users
    words = users_words(cell)
    return Cell(words, tone=Tone.TEXT if taken else Tone.FAINT, hint=words)


def _temperature(free: FreeCard, units: Units) -> Cell:
    value = free.cell.values.get(TEMPERATURE)
    if value is None:
        return Cell(absent=(tr("not reported"), "–"))
    read = quantity(METRICS[TEMPERATURE], value, units)
    return Cell(read.number, unit=read.unit)
