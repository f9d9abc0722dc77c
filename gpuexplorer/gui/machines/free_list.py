"""FreeList: the cards that are idle, with how much memory, and the way to each of them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.machines.free_columns import FreeColumns
from gpuexplorer.gui.machines.model import FreeCard
from gpuexplorer.gui.state.groups.group import GroupSource
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row


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
