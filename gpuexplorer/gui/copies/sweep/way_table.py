"""WayTable: the ways that are compared, one per row with its figures; one of them is chosen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView

from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.sweep.model import SweepRow
from gpuexplorer.gui.copies.sweep.rate_labels import CHOSEN_PEN, ink_of
from gpuexplorer.gui.copies.sweep.words import figures_of, row_said
from gpuexplorer.gui.copies.sweep_ways import SweepWay
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.plots.curves import line_pen
from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone

_REMOVE = "remove"


class WayTable(Table[SweepRow]):
    """As high as its rows. Arrow keys choose one, Delete takes it out."""

    way_chosen = Signal(object)  # SweepWay
    way_removed = Signal(object)

    def __init__(self) -> None:
        self._model = TableModel(self._columns(), lambda row: row.way)
        super().__init__(tr("Ways that are compared"), self._model)
        self._chosen: SweepWay | None = None
        self._measuring = False
        self._keys = [column.key for column in self._model.columns]
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.picked_changed.connect(self._on_picked_changed)
        self.clicked.connect(self._on_clicked)

    def show_ways(
        self, rows: Sequence[SweepRow], chosen: SweepWay | None, *, measuring: bool
    ) -> None:
        self._chosen, self._measuring = chosen, measuring
        self.show_rows(rows)
        self.show_all_rows()
        self.pick(chosen, scroll=False)
        said = next((row_said(row) for row in rows if row.way == chosen), "")
        self.setAccessibleDescription(said)

    def row_heights(self) -> list[float]:
        """Where the middle of each row is, from the top."""
        top = self.columns.height()
        rows = range(self._model.rowCount())
        places = (self.visualRect(self._model.index(row, 0)) for row in rows)
        return [top + QRectF(place).center().y() for place in places]

    def _columns(self) -> list[Column[SweepRow]]:
        return [
            Column("sample", "", _sample, width=38, spoken=row_said),
            Column("way", tr("Way"), _name, width=120, stretches=True, spoken=row_said),
            Column("top", tr("top GB/s"), self._figure(0), width=66, right=True),
            Column("share", tr("of limit"), self._figure(1), width=58, right=True),
            Column("half", tr("half at"), self._figure(2), width=68, right=True, kept=2),
            Column("floor", tr("floor"), self._figure(3), width=62, right=True, kept=1),
            Column(
                _REMOVE,
                "",
                lambda _: Cell(icon=Icon.CLOSE, tone=Tone.FAINT, hint=tr("Take this way out")),
                name=tr("Take this way out"),
                width=36,
                copied=False,
            ),
        ]

    def _figure(self, at: int) -> Callable[[SweepRow], Cell]:
        def cell(row: SweepRow) -> Cell:
            if row.curve is None and row.wrong:
                return Cell(tr("WRONG"), wrong=True, hint=row.trouble) if at == 0 else Cell()
            figure, why = figures_of(row)[at]
            if figure is not None:
                return Cell(figure.number, unit=figure.unit)
            if row.curve is not None or row.trouble:
                return Cell(absent=("–",), hint=why)
            state = tr("measuring") if self._measuring else tr("not yet")
            return Cell(absent=(state, "…"), hint=why)

        return cell

    def _on_picked_changed(self) -> None:
        picked = self.picked()
        if picked and picked[0].way != self._chosen:
            self.way_chosen.emit(picked[0].way)

    def _on_clicked(self, index: QModelIndex) -> None:
        row = self._model.thing(index)
        if row is not None and self._keys[index.column()] == _REMOVE:
            self.way_removed.emit(row.way)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        delete = event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
        if delete and self._chosen is not None:
            self.way_removed.emit(self._chosen)
        else:
            super().keyPressEvent(event)


@dataclass(frozen=True, eq=False)
class _Sample:
    """A piece of the row's curve, to know it by."""

    row: SweepRow

    def draw(self, drawing: Drawing, place: QRectF) -> None:
        pen = line_pen(ink_of(drawing.theme, self.row), CHOSEN_PEN, self.row.dash)
        drawing.painter.setPen(pen)
        y = place.center().y()
        drawing.painter.drawLine(QLineF(place.left(), y, place.right(), y))


def _sample(row: SweepRow) -> Cell:
    return Cell(drawn=_Sample(row))


def _name(row: SweepRow) -> Cell:
    """Where not all sizes have a time, a sign says so."""
    if row.curve is None or not row.trouble:
        return Cell(row.words, hint=row.trouble)
    return Cell(
        row.words,
        icon=Icon.WARNING,
        tone=Tone.BAD if row.wrong else Tone.TEXT,
        hint=row.trouble,
    )
