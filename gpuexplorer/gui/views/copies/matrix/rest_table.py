"""RestTable: what nothing is to be said about, summed up by kind."""

import statistics
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView

from gpuexplorer.copies.kin import Kin
from gpuexplorer.core.units import gigabytes_per_second, ratio
from gpuexplorer.core.words import tr
from gpuexplorer.gui.tables.cell import Cell
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone

_SHARE = "share"
_NOTHING = Cell(absent=("–",))


class RestTable(Table[Kin]):
    """A row each, with the median of its figures."""

    def __init__(self, look: Look) -> None:
        self._model = TableModel(_columns("", latency=False), lambda kin: kin.words)
        super().__init__(look, "", self._model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.headings.setSectionsMovable(False)

    def show_kin(self, heading: str, kin: Sequence[Kin], *, latency: bool) -> None:
        self.setAccessibleName(heading)
        self._model.show_columns(_columns(heading, latency=latency))
        self.columns.show_column(_SHARE, shown=not latency)
        self.show_rows(kin)
        self.show_all_rows()
        self.setVisible(bool(kin))


def _columns(heading: str, *, latency: bool) -> list[Column[Kin]]:
    unit, figure = ("µs", _microseconds) if latency else ("GB/s", _rate)
    return [
        Column("kind", heading, _kind, width=100, stretches=True),
        Column("figure", unit, figure, width=62, right=True),
        Column(_SHARE, tr("of limit"), _share, width=66, right=True, kept=1),
    ]


def _kind(kin: Kin) -> Cell:
    return Cell(tr(kin.words), tone=Tone.QUIET)


def _rate(kin: Kin) -> Cell:
    return _NOTHING if kin.rate is None else Cell(gigabytes_per_second(kin.rate))


def _microseconds(kin: Kin) -> Cell:
    times = [each.seconds for each in kin.results if each.seconds is not None]
    return Cell(f"{statistics.median(times) * 1e6:.1f}") if times else _NOTHING


def _share(kin: Kin) -> Cell:
    if kin.share is None:
        return _NOTHING
    share = ratio(kin.share)
    return Cell(share.number, unit=share.unit)
