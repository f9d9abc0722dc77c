"""FreeList: the cards that are idle, with how much memory, and the way to each of them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import USUAL, Units, quantity
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import short_name
from gpuexplorer.gui.cards.moments import span_words
from gpuexplorer.gui.cards.process_words import gigabyte, gigabytes
from gpuexplorer.gui.machines.model import FreeCard, natural
from gpuexplorer.gui.machines.words import age_words, held_words, users_words
from gpuexplorer.gui.state.groups.group import GroupSource
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.cell import Cell, Gauge
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row

_MOMENT = 5.0  # seconds
PLACE, IDLE = "place", "idle"


class FreeList(QWidget):
    """`placed`: machines tell where they stand, and there is a column for it."""

    card_opened = Signal(object)  # CellKey

    def __init__(
        self,
        look: Look,
        settings: Settings,
        clock: Clock,
        source: GroupSource,
        *,
        placed: bool,
    ) -> None:
        super().__init__()
        self._columns = FreeColumns(source, placed=placed)
        self._model = TableModel(self._columns.all(), lambda free: free.cell.key, parent=self)
        self._table = Table(look, tr("Free cards"), self._model, clock)
        self._table.setObjectName("machines.free")
        self._table.columns.remember_in(
            settings, f"machines/free_columns/{placed:d}{source.keeps_past:d}"
        )
        self._said = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._open = QPushButton(tr("Open card"))
        self._open.setEnabled(False)
        self._open.clicked.connect(self._on_open_asked)
        self._table.activated.connect(self._on_open_asked)
        self._table.picked_changed.connect(self._show_picked)
        self.setFocusProxy(self._table)
        column(self._table, GROWS, row(self._said, GROWS, self._open, gap=16), within=self)

    def show_cards(self, free: Sequence[FreeCard], said: str, units: Units) -> None:
        """`said` is what it means to be free."""
        if units != self._columns.units:
            self._columns.units = units
            self._model.show_columns(self._columns.all())
        self._table.show_rows(free, in_order=False)
        self._said.show_text(said)
        self._show_picked()

    def _show_picked(self) -> None:
        self._open.setEnabled(len(self._table.picked()) == 1)

    def _on_open_asked(self) -> None:
        for free in self._table.picked()[:1]:
            self.card_opened.emit(free.cell.key)


class FreeColumns:
    """Cells are made of what is known when they are asked for."""

    def __init__(self, source: GroupSource, *, placed: bool) -> None:
        self._idle_for = source.idle_for
        self.units: Units = USUAL
        told = {PLACE: placed, IDLE: source.keeps_past}
        self._hidden = {key for key, shown in told.items() if not shown}

    def all(self) -> Sequence[Column[FreeCard]]:
        size = gigabyte(self.units)
        columns: Sequence[Column[FreeCard]] = (
            Column("machine", tr("Machine"), self._machine, lambda f: natural(f.group.name),
                   width=130, stretches=True, share=0.2),
            Column("card", tr("Card"), lambda f: Cell(f.cell.number),
                   lambda f: natural(f.cell.number), width=60, right=True),
            Column("name", tr("Model"), self._name, lambda f: f.cell.name, width=130, kept=3),
            Column("free", tr("Free, {unit}", unit=size), self._free, lambda f: f.free_bytes,
                   width=140, right=True, largest_first=True,
                   meaning=tr("Memory of the card that nobody holds.")),
            Column("whole", tr("Whole, {unit}", unit=size), self._whole,
                   lambda f: f.cell.memory_total, width=76, right=True, largest_first=True,
                   kept=4, meaning=tr("The whole memory of the card.")),
            Column("held", tr("Held by"), self._held, lambda f: held_words(f.cell), width=140,
                   stretches=True, meaning=tr("Whose programs are on it, though it is idle.")),
            Column(IDLE, tr("Idle for"), self._idle, self._idle_seconds, width=96, right=True,
                   largest_first=True, kept=5,
                   meaning=tr("So long it has computed nothing, as far as it was read.")),
            Column("temperature", tr("Temp."), self._temperature,
                   lambda f: f.cell.values.get(heat.TEMPERATURE), width=76, right=True, kept=1),
            Column(PLACE, tr("Place"), lambda f: Cell(f.group.place, tone=Tone.QUIET),
                   lambda f: f.group.place, width=90, kept=2,
                   meaning=tr("The rack, or what else machines are grouped by.")),
        )  # fmt: skip
        return [each for each in columns if each.key not in self._hidden]

    def _machine(self, free: FreeCard) -> Cell:
        late, marks = free.group.late, [tr("simulated")] if free.group.simulated else []
        if late is not None:
            marks.append(age_words(late))
        return Cell(free.group.name, mark=" · ".join(marks))

    def _name(self, free: FreeCard) -> Cell:
        return Cell(short_name(free.cell.name), tone=Tone.QUIET, hint=free.cell.name)

    def _free(self, free: FreeCard) -> Cell:
        total = free.cell.memory_total
        if free.free_bytes is None or not total:
            return Cell(absent=(tr("not reported"), "–"))
        share = free.free_bytes / total
        return Cell(gigabytes(free.free_bytes, self.units), gauge=Gauge(share, None))

    def _whole(self, free: FreeCard) -> Cell:
        total = free.cell.memory_total
        if not total:
            return Cell(absent=("–",))
        return Cell(f"{float(gigabytes(total, self.units)):.0f}")

    def _idle(self, free: FreeCard) -> Cell:
        idle = self._idle_for(free.cell.key)
        if idle is None:
            return Cell(absent=(tr("not known"), "–"), hint=tr("Its past is not kept here."))
        if idle.seconds < _MOMENT:
            return Cell(tr("a moment"), tone=Tone.FAINT)
        words = span_words(idle.seconds)
        return Cell(f"> {words}" if idle.more else words)

    def _idle_seconds(self, free: FreeCard) -> float | None:
        idle = self._idle_for(free.cell.key)
        return None if idle is None else idle.seconds

    def _held(self, free: FreeCard) -> Cell:
        said = held_words(free.cell)
        taken = free.cell.processes or free.cell.users
        return Cell(said, tone=Tone.TEXT if taken else Tone.FAINT, hint=users_words(free.cell))

    def _temperature(self, free: FreeCard) -> Cell:
        value = free.cell.values.get(heat.TEMPERATURE)
        if value is None:
            return Cell(absent=(tr("not reported"), "–"))
        read = quantity(METRICS[heat.TEMPERATURE], value, self.units)
        return Cell(read.number, unit=read.unit)
