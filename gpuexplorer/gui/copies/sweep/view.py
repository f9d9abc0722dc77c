"""SweepPage: rate over size for chosen ways, and the question how long a copy will take."""

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from gpuexplorer.copies.jobs import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.copies.copies_page import SWEEP_KEYS, CopiesPage, Heard, PageCommand
from gpuexplorer.gui.copies.sweep.guess_panel import GuessPanel
from gpuexplorer.gui.copies.sweep.model import SweepRow, rows_of
from gpuexplorer.gui.copies.sweep.rate_plot import RatePlot
from gpuexplorer.gui.copies.sweep.way_chooser import WayChooser
from gpuexplorer.gui.copies.sweep.way_table import WayTable
from gpuexplorer.gui.copies.sweep_ways import SweepWay, jobs_of, next_way, proposed
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, add, column, row
from gpuexplorer.gui.widgets.live_view import Panel, scrolled
from gpuexplorer.gui.widgets.sheets.sheet import line_between

_REMARK = mark("GB/s one way, each dot a median of 7")
_MODELLED = mark("GB/s one way, modelled: no bytes are moved")
_SIDE = 468
_WIDE = 900
_NARROW_PLOT = 264


class SweepPage(CopiesPage):
    """The curves, their table, and the prediction."""

    key_groups = SWEEP_KEYS

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(copies, parent)
        self._ways: list[SweepWay] | None = None  # None: nobody chose any yet
        self._chosen: SweepWay | None = None
        self._shown: tuple[object, ...] = ()
        self._stale = True
        remark = _MODELLED if copies.modelled else _REMARK
        self._panel = Panel(tr("Rate over size"), tr(remark))
        self._plot = RatePlot()
        self._table = WayTable()
        self._chooser = WayChooser()
        self._guess = GuessPanel()
        self._measure = self.primary_button(tr("Measure"), self.measure)
        title, what = tr("Size sweep"), tr("size sweep")
        self._saving = self.saved_as("size-sweep", title, what, self._results, self._panel)
        self.tools = (self._saving.button, self._measure)
        self._lay_out()
        self._table.way_chosen.connect(self.choose)
        self._plot.way_chosen.connect(self.choose)
        self._table.way_removed.connect(self.remove)
        self._chooser.added.connect(self.add)
        self._chooser.changed.connect(self._on_chooser_changed)
        self._guess.measure_wanted.connect(self._on_measure_wanted)

    @property
    def ways(self) -> Sequence[SweepWay]:
        return () if self._ways is None else tuple(self._ways)

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("Measure rates over size"), "Ctrl+Return", self.measure),
            (tr("Propose ways for rates over size"), "", self.propose),
            *self._saving.commands(),
        )

    def pull(self) -> None:
        devices = self.copies.devices()
        if self._ways is None and devices:
            routes = {
                (one.name, other.name): self.copies.route(one.name, other.name)
                for one, other in _first_cards(devices)
            }
            if self.copies.ways.routes is not None or not any(d.is_card for d in devices):
                self._begin_with(proposed(devices, routes), devices)
        faces = [(each.name, each.chip, each.colour) for each in devices]
        shown = (faces, self.copies.ways.routes, self.copies.running)
        if shown != self._shown:
            self._shown = shown
            self._stale = True
        if self._stale:
            self._show()

    def measure(self) -> None:
        """What of the ways was not measured yet; all of it where nothing is left."""
        jobs = jobs_of(self.ways)
        left = [job for job in jobs if job not in self.copies.results]
        self.copies.measure(left or jobs)

    def propose(self) -> None:
        """Begin anew with the ways that show most."""
        self._ways = None
        self.pull()

    def choose(self, way: SweepWay) -> None:
        """The way of which figures are shown in the plot, and the question is asked."""
        if way != self._chosen:
            self._chosen = way
            self._show()

    def add(self, way: SweepWay) -> None:
        if self._ways is None or way in self._ways:
            return
        self._ways.append(way)
        self._chosen = way
        self._chooser.show_way(next_way(self._ways, self.copies.devices()), known=False)
        self._show()

    def remove(self, way: SweepWay) -> None:
        """Its results stay, should it come back."""
        if self._ways is None or way not in self._ways:
            return
        at = self._ways.index(way)
        self._ways.remove(way)
        if way == self._chosen:
            self._chosen = self._ways[min(at, len(self._ways) - 1)] if self._ways else None
        self._show()

    def heard(self) -> Sequence[Heard]:
        return (
            (self.copies.changed, self._show),
            (self.copies.progressed, self._on_progressed),
        )

    def begin(self) -> None:
        self._stale = True

    def _begin_with(self, ways: Sequence[SweepWay], devices: Sequence[BenchDevice]) -> None:
        self._ways = list(ways)
        self._chosen = ways[0] if ways else None
        self._chooser.show_way(next_way(ways, devices), known=False)
        self._stale = True

    def _show(self) -> None:
        self._stale = False
        copies, devices = self.copies, self.copies.devices()
        rows = self._rows(devices)
        chosen = next((row for row in rows if row.way == self._chosen), None)
        measuring = copies.running
        self._chooser.show_devices(devices)
        self._table.show_ways(rows, self._chosen, measuring=measuring)
        ends = self._table.row_heights() if self._is_wide() else None
        self._plot.show_rows(rows, self._chosen, ends)
        self._guess.show_rows(
            chosen, rows, devices, modelled=copies.modelled, measuring=measuring
        )
        jobs = jobs_of(self.ways)
        left = sum(job not in copies.results for job in jobs)
        again = bool(jobs) and not left
        self._measure.setText(tr("Measure again") if again else tr("Measure"))
        self._measure.setEnabled(bool(jobs) and not measuring)
        self._measure.setToolTip(_measures(len(jobs)) if again else _measures_rest(left))
        self._saving.button.setEnabled(any(row.results for row in rows))

    def _rows(self, devices: Sequence[BenchDevice]) -> list[SweepRow]:
        chips = {each.name: each.chip for each in devices}
        colours = {each.name: each.colour for each in devices}
        return rows_of(self.ways, self.copies.results, chips, colours, self._route)

    def _route(self, way: SweepWay) -> Route | None:
        if way.kind is Kind.STAGED:
            return self.copies.ways.staged(way.source, way.target)
        return self.copies.route(way.source, way.target)

    def _results(self) -> Sequence[CopyResult]:
        results = self.copies.results
        return [results[job] for job in jobs_of(self.ways) if job in results]

    def _is_wide(self) -> bool:
        return self.width() >= _WIDE

    def _on_progressed(self) -> None:
        if self._shown and self._shown[-1] is not self.copies.running:
            self.pull()

    def _on_chooser_changed(self) -> None:
        way = self._chooser.way
        self._chooser.show_way(way, known=way in self.ways)

    def _on_measure_wanted(self, way: SweepWay, size: int) -> None:
        job = way.job(size)
        if job is not None:
            self.copies.measure([job])
        if not self.copies.running:  # why not, the strip above says
            self._show()

    def _lay_out(self) -> None:
        line = line_between()
        self._aside = QWidget()
        parts = (self._table, self._chooser, Space(8), line, Space(4), self._guess, FREE)
        column(*parts, within=self._aside, gap=12)
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._beside.setSpacing(0)
        add(self._beside, self._plot, GROWS, self._aside)
        self._panel.body.addLayout(self._beside, 1)
        row(scrolled(self._panel, "page"), within=self)
        self._arrange()

    def _arrange(self) -> None:
        wide = self._is_wide()
        direction = QBoxLayout.Direction
        self._beside.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self._beside.setSpacing(0 if wide else 12)
        self._plot.setMinimumHeight(0 if wide else _NARROW_PLOT)
        if wide:
            self._aside.setFixedWidth(_SIDE)
        else:
            self._aside.setMinimumWidth(0)
            self._aside.setMaximumWidth(16_777_215)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        before = event.oldSize().width() >= _WIDE
        if before is not self._is_wide() or event.oldSize().width() < 0:
            self._arrange()
            self._show()


def _measures(count: int) -> str:
    return trn(
        "Measure {count} copy, from 4 B to 1 GiB",
        "Measure {count} copies, from 4 B to 1 GiB",
        count,
    )


def _measures_rest(count: int) -> str:
    return trn(
        "Measure the {count} copy that has no figure yet, from 4 B to 1 GiB",
        "Measure the {count} copies that have no figure yet, from 4 B to 1 GiB",
        count,
    )


def _first_cards(devices: Sequence[BenchDevice]) -> Sequence[tuple[BenchDevice, BenchDevice]]:
    cards = [each for each in devices if each.is_card][:2]
    return [(cards[0], cards[1])] if len(cards) == 2 else []
