"""WaysPage: ways of copying beside each other: rates over size, and what comparing them for the
pair of the chosen one comes to.
"""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QLineF, QModelIndex, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QGridLayout,
    QMenu,
    QPushButton,
    QStyleOptionViewItem,
    QWidget,
)

from gpuexplorer.copies.jobs import HOST, USUAL_BYTES, Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.copies.comparison_panel import ComparisonPanel
from gpuexplorer.gui.copies.comparisons_of_copies import COMPARISONS, Pair
from gpuexplorer.gui.copies.copies_page import SWEEP_KEYS, CopiesPage, Heard, PageCommand
from gpuexplorer.gui.copies.rate_plot import RatePlot, ink_of
from gpuexplorer.gui.copies.shared_parts import SizeButton, place_choice
from gpuexplorer.gui.copies.sweep_rows import (
    SweepRow,
    SweepWay,
    ends_words,
    jobs_of,
    proposed,
    rows_of,
    ways_between,
)
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index
from gpuexplorer.gui.plots.curves import line_pen
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, add, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel, scrolled
from gpuexplorer.lab.wire import CopyJob

_SIDE, _WIDE, _ANY_WIDTH, _GAP = 468, 900, 16_777_215, 12
_REMOVE = 6  # the column whose cells take a way out
_SOON = 100  # milliseconds
_SIZES = (1 << 20, 16 << 20, 64 << 20, USUAL_BYTES, 1 << 30)


class WaysPage(CopiesPage):
    """The curves and their table, and below them a panel for each comparison."""

    key_groups = SWEEP_KEYS

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(copies, parent)
        self.ways: list[SweepWay] = []
        self._begun = False  # ways were proposed
        self._chosen: SweepWay | None = None
        self._size = USUAL_BYTES
        self._news: tuple[object, ...] = ()
        # Of many results that come at once one picture is drawn.
        self._soon = QTimer(self, singleShot=True, interval=_SOON)
        self._soon.timeout.connect(self._show)
        content = QWidget()
        content.setProperty("panel", "page")
        self._grid = QGridLayout()
        self._grid.setSpacing(_GAP)
        self._panels = [ComparisonPanel(each, copies) for each in COMPARISONS]
        column(self._rates(), self._head(), self._grid, FREE, within=content, gap=_GAP)
        column(scrolled(content, "page"), within=self)
        self._measure = self.primary_button(tr("Measure"), self.measure)
        title, what = tr("Ways"), tr("ways")
        self._saving = self.saved_as("ways", title, what, self._results, content)
        self.tools = (self._saving.button, self._measure)
        self._table.chosen.connect(self.choose)
        self._plot.way_chosen.connect(self.choose)
        self._table.removed.connect(self.remove)

    def _rates(self) -> Panel:
        remark = mark("GB/s one way, each dot a median of 7")
        modelled = mark("GB/s one way, modelled: no bytes are moved")
        panel = Panel(tr("Rate over size"), tr(modelled if self.copies.modelled else remark))
        self._plot, self._table = RatePlot(), WayTable()
        self._add = MenuButton(tr("Add this way"))
        self._add.show_words(tr("Add a way"))
        self._add.about_to_open.connect(self._fill_sources)
        self._aside = QWidget()
        column(self._table, self._add, FREE, within=self._aside, gap=12)
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        add(self._beside, self._plot, GROWS, self._aside)
        panel.body.addLayout(self._beside, 1)
        return panel

    def _head(self) -> QBoxLayout:
        self._pair = ElidedLabel(look().letters.title, Tone.TEXT)
        self._bytes = SizeButton(tr("Size"), _SIZES)
        self._bytes.chosen.connect(self.choose_size)
        self._compare = QPushButton(tr("Measure all"))
        self._compare.setToolTip(tr("Measure what has no figure here yet"))
        self._compare.clicked.connect(self.measure_comparisons)
        stroke = label(tr("| what the wire could carry"), look().letters.caption, Tone.QUIET)
        stroke.setAccessibleName(tr("what the wire could carry"))
        return row(self._pair, GROWS, stroke, self._bytes, self._compare)

    def commands(self) -> Sequence[PageCommand]:
        compare = tr("Measure all comparisons"), "Ctrl+Shift+Return", self.measure_comparisons
        return (
            (tr("Measure rates over size"), "Ctrl+Return", self.measure),
            compare,
            (tr("Propose ways for rates over size"), "", self.propose),
            *self._saving.commands(),
        )

    def heard(self) -> Sequence[Heard]:
        return ((self.copies.changed, self._on_changed), (self.copies.progressed, self.pull))

    def begin(self) -> None:
        self._show()

    def pull(self) -> None:
        copies, devices = self.copies, self.copies.devices()
        known = copies.ways.routes is not None or not any(each.is_card for each in devices)
        if not self._begun and devices and known:
            self.propose()
        faces = [(each.name, each.chip, each.colour) for each in devices]
        news = faces, copies.ways.routes, self._running()
        if news != self._news:
            self._news = news
            self._on_changed()

    def measure(self) -> None:
        """What of the ways was not measured yet; all of it where nothing is left."""
        self._measure_left(jobs_of(self.ways))

    def measure_comparisons(self) -> None:
        self._measure_left(self._compared())

    def propose(self) -> None:
        """Begin anew with the ways that show most."""
        self._begun = True
        self.ways = proposed(self.copies.devices(), self.copies.route)
        self.choose(self.ways[0] if self.ways else None)

    def choose(self, way: SweepWay | None) -> None:
        """The way of which figures are shown in the plot, and whose pair is compared."""
        self._chosen = way
        self._show()

    def choose_size(self, size: int) -> None:
        """What the comparisons copy, from now on."""
        self._size = size
        self._show()

    def add(self, way: SweepWay) -> None:
        self.ways += [] if way in self.ways else [way]
        self.choose(way)

    def remove(self, way: SweepWay) -> None:
        """Its results stay, should it come back."""
        at = self.ways.index(way)
        self.ways.remove(way)
        left = self.ways[min(at, len(self.ways) - 1)] if self.ways else None
        self.choose(left if way == self._chosen else self._chosen)

    def _on_changed(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _measure_left(self, jobs: Sequence[CopyJob]) -> None:
        self.copies.measure([each for each in jobs if each not in self.copies.results] or jobs)

    def _compared(self) -> Sequence[CopyJob]:
        return list(dict.fromkeys(job for panel in self._panels for job in panel.setup.jobs))

    def _running(self) -> tuple[bool, CopyJob | None]:
        progress = self.copies.progress
        return self.copies.running, None if progress is None else progress.copy

    def _show(self) -> None:
        copies, devices = self.copies, {each.name: each for each in self.copies.devices()}
        chips = {name: each.chip for name, each in devices.items()}
        colours = {name: each.colour for name, each in devices.items()}
        rows = rows_of(self.ways, copies.results, chips, colours, self._route)
        self._table.show_ways(rows, self._chosen, measuring=copies.running)
        self._plot.show_rows(rows, self._chosen)
        jobs = jobs_of(self.ways)
        left = [each for each in jobs if each not in copies.results]
        self._measure.setText(tr("Measure") if left or not jobs else tr("Measure again"))
        self._measure.setEnabled(bool(jobs) and not copies.running)
        one = mark("Measure {count} copy, from 4 B to 1 GiB")
        many = mark("Measure {count} copies, from 4 B to 1 GiB")
        self._measure.setToolTip(trn(one, many, len(left or jobs)))
        way = self._chosen or SweepWay(HOST, HOST)
        self._pair.show_text(ends_words(way.source, way.target, chips))
        self._bytes.show_size(self._size)
        cards = [each for each in devices if each != HOST]
        pair = Pair(way.source, way.target, self._size, cards)
        for panel in self._panels if {way.source, way.target} <= devices.keys() else ():
            panel.show_pair(pair, devices, self._running())
        again = bool(self._compared()) and all(x in copies.results for x in self._compared())
        self._compare.setText(tr("Measure all again") if again else tr("Measure all"))
        self._compare.setEnabled(bool(self._compared()) and not copies.running)
        self._saving.button.setEnabled(bool(self._results()))

    def _route(self, way: SweepWay) -> Route | None:
        find = self.copies.ways.staged if way.kind is Kind.STAGED else self.copies.route
        return find(way.source, way.target)

    def _results(self) -> Sequence[CopyResult]:
        results, jobs = self.copies.results, (*jobs_of(self.ways), *self._compared())
        return [results[job] for job in dict.fromkeys(jobs) if job in results]

    def _fill_sources(self, menu: QMenu) -> None:
        """From where, then to where, then how."""
        for name, words in self._places().items():
            more = menu.addMenu(tr("From {device}", device=words))
            more.aboutToShow.connect(partial(self._fill_targets, more, name))

    def _fill_targets(self, menu: QMenu, source: str) -> None:
        menu.clear()
        for target, words in self._places().items():
            for way in ways_between(source, target):
                said = tr("to {device}", device=words)
                said = f"{said}, {way.how()}" if way.how() else said
                action = menu.addAction(said, partial(self.add, way))
                action.setEnabled(way not in self.ways)

    def _places(self) -> dict[str, str]:
        devices = self.copies.devices()
        choices = [place_choice(devices, each.name) for each in devices]
        return {str(each.key): f"{each.words} {each.chip}" for each in choices}

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide, direction = self.width() >= _WIDE, QBoxLayout.Direction
        self._beside.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self._aside.setMaximumWidth(_SIDE if wide else _ANY_WIDTH)
        self._aside.setMinimumWidth(_SIDE if wide else 0)
        columns = 2 if wide else 1
        for at, panel in enumerate(self._panels):
            self._grid.addWidget(panel, at // columns, at % columns)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)


class WayTable(Table[SweepRow]):
    """As high as its rows. Arrow keys choose one, Delete takes it out."""

    chosen = Signal(object)  # SweepWay
    removed = Signal(object)

    def __init__(self) -> None:
        self._rows_shown = TableModel(self._columns(), lambda row: row.way)
        super().__init__(tr("Ways that are compared"), self._rows_shown)
        self._measuring = False
        self.setItemDelegateForColumn(0, _Sample(self, self._rows_shown))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.columns.setSectionsMovable(False)
        self.picked_changed.connect(self._on_picked_changed)
        self.clicked.connect(self._on_clicked)

    def show_ways(
        self, rows: Sequence[SweepRow], chosen: SweepWay | None, *, measuring: bool
    ) -> None:
        self._measuring = measuring
        self.show_rows(rows)
        self.show_all_rows()
        self.pick(chosen, scroll=False)
        said = next((each.said for each in rows if each.way == chosen), "")
        self.setAccessibleDescription(said)

    def _columns(self) -> list[Column[SweepRow]]:
        def figure(
            key: str, heading: str, at: int, width: int, kept: int = 0
        ) -> Column[SweepRow]:
            cell = partial(self._figure, at)
            return Column(key, heading, cell, width=width, right=True, kept=kept)

        out = tr("Take this way out")
        remove = Cell(icon=Icon.CLOSE, tone=Tone.FAINT, hint=out)
        return [
            Column("sample", "", lambda _: Cell(), width=38, spoken=_said),
            Column("way", tr("Way"), _name, width=120, stretches=True, spoken=_said),
            figure("top", tr("top GB/s"), 0, 66),
            figure("share", tr("of limit"), 1, 58),
            figure("half", tr("half at"), 2, 68, kept=2),
            figure("floor", tr("floor"), 3, 62, kept=1),
            Column("remove", "", lambda _: remove, name=out, width=36, copied=False),
        ]

    def _figure(self, at: int, row: SweepRow) -> Cell:
        figure, why = row.figures[at]
        if figure is not None:
            return Cell(figure.number, unit=figure.unit)
        if row.curve is None and row.wrong:
            return Cell(tr("WRONG"), wrong=True, hint=row.trouble) if at == 0 else Cell()
        if row.curve is not None or row.trouble:
            return Cell(absent=("–",), hint=why)
        return Cell(
            absent=(tr("measuring") if self._measuring else tr("not yet"), "…"), hint=why
        )

    def _on_picked_changed(self) -> None:
        for each in self.picked():
            self.chosen.emit(each.way)

    def _on_clicked(self, index: QModelIndex) -> None:
        row = self._rows_shown.thing(index)
        if row is not None and index.column() == _REMOVE:
            self.removed.emit(row.way)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            super().keyPressEvent(event)
            return
        for each in self.picked():
            self.removed.emit(each.way)


def _said(row: SweepRow) -> str:
    return row.said


def _name(row: SweepRow) -> Cell:
    """Where not all sizes have a time, a sign says so."""
    if row.curve is None or not row.trouble:
        return Cell(row.words, hint=row.trouble)
    tone = Tone.BAD if row.wrong else Tone.TEXT
    return Cell(row.words, icon=Icon.WARNING, tone=tone, hint=row.trouble)


class _Sample(Delegate):
    """A piece of the row's curve, to know it by."""

    def __init__(self, table: WayTable, model: TableModel[SweepRow]) -> None:
        super().__init__(table)
        self._model = model

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        if row := self._model.thing(index):
            drawing.painter.setPen(line_pen(ink_of(drawing.theme, row), 2.0, row.dash))
            y = place.center().y()
            drawing.painter.drawLine(QLineF(place.left() + 8, y, place.right() - 8, y))
