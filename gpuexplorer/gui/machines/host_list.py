"""HostList: all machines as rows."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.machines.host_columns import STATE, HostColumns
from gpuexplorer.gui.state.groups.group import HostGroup
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.laid_out import column


class HostList(QWidget):
    """`placed`: machines tell where they stand, and there is a column for it."""

    machine_opened = Signal(str)

    def __init__(
        self, look: Look, settings: Settings, clock: Clock, *, placed: bool, worst_first: bool
    ) -> None:
        super().__init__()
        self._columns = HostColumns(placed=placed)
        self._model = TableModel(self._columns.all(), lambda group: group.key, parent=self)
        self._table = Table(look, tr("Machines"), self._model, clock)
        self._table.setObjectName("machines.list")
        if worst_first:
            self._table.columns.sort_by(STATE, falling=False)
        self._table.columns.remember_in(settings, f"machines/columns/{placed:d}")
        self._table.activated.connect(self._on_activated)
        self.setFocusProxy(self._table)
        column(self._table, within=self)

    def show_groups(self, groups: Sequence[HostGroup], units: Units) -> None:
        if units != self._columns.units:
            self._columns.units = units
            self._model.show_columns(self._columns.all())
        self._table.show_rows(groups, in_order=False)

    def _on_activated(self, index: QModelIndex) -> None:
        group = self._model.thing(index)
        if group is not None:
            self.machine_opened.emit(group.key)
