"""ComparisonsPage: ways of copying beside each other, measured when somebody asks for it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QGridLayout, QWidget

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.plan import USUAL_BYTES
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import Quantity
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.comparisons.comparisons import COMPARISONS
from gpuexplorer.gui.copies.comparisons.model import (
    ComparedWay,
    Comparison,
    Found,
    Pair,
    Setup,
)
from gpuexplorer.gui.copies.comparisons.pair_chooser import PairChooser
from gpuexplorer.gui.copies.comparisons.words import unsaid
from gpuexplorer.gui.copies.copies_page import CopiesPage, Heard, PageCommand
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import FREE, Space, add, column, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel, scrolled
from gpuexplorer.lab.wire import CopyJob

_TWO_COLUMNS, _GAP, _ROW = 960, 12, 40
_NOTHING = mark("Nothing has been measured yet.")
_WORDS_SHARE = 0.42  # of the width of a table


class ComparisonTable(Table[ComparedWay]):
    """As high as its rows. A stroke on a bar is what the wire could carry; the highest rate
    stands in full colour.
    """

    def __init__(self) -> None:
        self._colour: int | None = None
        self._best: float | None = None
        self._measuring: CopyJob | None = None
        columns = [
            Column(
                "way",
                tr("Way"),
                lambda way: Cell(way.words, below=way.code, mono=bool(way.code)),
                width=180,
                stretches=True,
                share=_WORDS_SHARE,
                spoken=lambda way: way.said,
            ),
            Column("bar", "", self._bar, width=120, right=True, copied=False, stretches=True),
            Column(
                "rate", tr("One way"), lambda way: _figure(way.first, way), width=82, right=True
            ),
            Column(
                "time",
                tr("Time"),
                lambda way: _figure(way.second, way, Tone.QUIET),
                width=78,
                right=True,
            ),
        ]
        super().__init__("", TableModel(columns, lambda way: way.words), row_height=_ROW)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_ways(
        self, ways: Sequence[ComparedWay], colour: int | None, measuring: CopyJob | None
    ) -> None:
        """`colour` is the card's whose data it is; `measuring` the job that runs, or None."""
        self._colour, self._measuring = colour, measuring
        shares = [way.share for way in ways if way.first is not None and way.share is not None]
        self._best = max(shares, default=None)
        self.columns.show_column("rate", shown=bool(shares))
        self.setAccessibleName("; ".join(way.said for way in ways))
        self.show_rows(ways)
        self.show_all_rows()
        self.setVisible(bool(ways))

    def _bar(self, way: ComparedWay) -> Cell:
        if way.wrong:
            return Cell(tr("WRONG"), wrong=True, hint=way.trouble)
        if way.share is None:
            running = way.job is not None and way.job == self._measuring
            why = tr("measuring") if running else way.trouble
            return Cell(absent=(why, "–"), hint=way.trouble)
        full = self._best in (None, way.share)
        gauge = Gauge(way.share, self._colour, way.limit, full=full)
        return Cell(gauge=gauge, hint=way.limit_words)


def _figure(figure: Quantity | None, way: ComparedWay, tone: Tone = Tone.TEXT) -> Cell:
    if figure is None:
        return Cell(hint=way.trouble)
    return Cell(figure.number, unit=figure.unit, tone=tone, hint=way.limit_words)


class ComparisonPanel(Panel):
    """`measure_wanted` brings the jobs that are to be measured."""

    measure_wanted = Signal(object)  # Sequence[CopyJob]

    def __init__(self, comparison: Comparison) -> None:
        super().__init__(tr(comparison.title))
        self.comparison = comparison
        self.setup = Setup()
        self._pair = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._measure = ToolButton("word", Icon.PLAY, tr("Measure"))
        self._measure.clicked.connect(lambda: self.measure_wanted.emit(self.jobs))
        self.head.addWidget(self._pair)
        self.head.addWidget(self._measure)
        self._bars = ComparisonTable()
        self._sentence = wrapped_label("", Tone.TEXT)
        self._sentence.setFont(look().letters.strong.font)
        self._nothing = wrapped_label(tr(_NOTHING), Tone.QUIET)
        self._remark = ElidedLabel(look().letters.caption, Tone.QUIET)
        add(
            self.body,
            wrapped_label(tr(comparison.question), Tone.QUIET),
            Space(10),
            self._bars,
            Space(10),
        )
        for each in (self._sentence, self._nothing, self._remark):
            self.body.addWidget(each)
        self.body.addStretch(1)

    @property
    def sentence(self) -> str:
        """What follows from the figures that are there."""
        return self._sentence.text() or tr(_NOTHING)

    @property
    def jobs(self) -> Sequence[CopyJob]:
        return self.setup.jobs

    def show_comparison(
        self,
        setup: Setup,
        found: Found,
        pair_words: str,
        colour: int | None,
        running: CopyJob | None,
        *,
        modelled: bool,
        busy: bool,
    ) -> None:
        """`running` is the job that is measured now; `busy`: something is."""
        self.setup = setup
        bars = self.comparison.bars(setup, found) if setup.trials else ()
        self._bars.show_ways(bars, colour, running)
        told = any(each is not None for each in found)
        concluded = (self.comparison.conclude(found) or unsaid(found)) if told else ""
        said = setup.refusal or concluded
        self._sentence.setText(said)
        self._sentence.setVisible(bool(said))
        self._nothing.setVisible(not said)
        words = tr("{pair}, modelled", pair=pair_words) if modelled and told else pair_words
        self._pair.show_text("" if setup.refusal else words)
        self._remark.show_text(setup.remark)
        self._remark.setVisible(bool(setup.remark))
        title = tr(self.comparison.title)
        self._measure.setText(tr("Measure"))
        self._measure.setAccessibleName(tr("Measure: {comparison}", comparison=title))
        if found and all(each is not None for each in found):
            self._measure.setText(tr("Measure again"))
            self._measure.setAccessibleName(tr("Measure again: {comparison}", comparison=title))
        self._measure.updateGeometry()
        self._measure.setEnabled(bool(setup.trials) and not busy)


class ComparisonsPage(CopiesPage):
    """A panel for each comparison; all are about the pair that is chosen above them."""

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(copies, parent)
        self._source = self._target = ""
        self._size = USUAL_BYTES
        self._devices: Sequence[BenchDevice] = ()
        self._columns = 0
        self._shown_running: tuple[bool, CopyJob | None] = (False, None)
        self._chooser = PairChooser()
        self._chooser.chosen.connect(self.choose)
        self._panels = [ComparisonPanel(each) for each in COMPARISONS]
        for panel in self._panels:
            panel.measure_wanted.connect(copies.measure)
        self._grid = QGridLayout()
        self._grid.setSpacing(_GAP)
        content = QWidget()
        content.setProperty("panel", "page")
        column(self._chooser, self._grid, FREE, within=content, gap=_GAP)
        column(scrolled(content, "page"), within=self)
        self._measure = self.primary_button(tr("Measure all"), self.measure)
        self._measure.setToolTip(tr("Measure what has no figure here yet"))
        title, what = tr("Comparisons"), tr("comparisons")
        self._saving = self.saved_as("comparisons", title, what, self._results, content)
        self.tools = (self._saving.button, self._measure)
        self._arrange(2)

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("Measure all comparisons"), "Ctrl+Return", self.measure),
            *self._saving.commands(),
        )

    def pull(self) -> None:
        devices = self.copies.devices()
        if [_face(each) for each in devices] != [_face(each) for each in self._devices]:
            self._devices = devices
            names = [each.name for each in devices]
            if self._source not in names or self._target not in names:
                cards = [each.name for each in devices if each.is_card]
                self._source = HOST if HOST in names else (names[0] if names else "")
                self._target = cards[0] if cards else self._source
            self._show()

    def choose(self, source: str, target: str, size: int) -> None:
        """What the comparisons are about, from now on."""
        self._source, self._target, self._size = source, target, size
        self._show()

    def measure(self) -> None:
        """What has no figure yet; all where nothing is left."""
        self.copies.measure(self._left() or self._jobs())

    def heard(self) -> Sequence[Heard]:
        return (
            (self.copies.changed, self._show),
            (self.copies.progressed, self._on_progressed),
        )

    def begin(self) -> None:
        self._show()

    def _jobs(self) -> Sequence[CopyJob]:
        return list(dict.fromkeys(job for panel in self._panels for job in panel.jobs))

    def _left(self) -> Sequence[CopyJob]:
        return [job for job in self._jobs() if job not in self.copies.results]

    def _results(self) -> Sequence[CopyResult]:
        results = self.copies.results
        return [results[job] for job in self._jobs() if job in results]

    def _show(self) -> None:
        self._chooser.show_pair(self._devices, self._source, self._target, self._size)
        names = [each.name for each in self._devices]
        chips = {each.name: each.chip for each in self._devices}
        pair = Pair(self._source, self._target, self._size, names, chips)
        self._shown_running = self._running()
        for panel in self._panels:
            self._show_one(panel, pair)
        again = bool(self._jobs()) and not self._left()
        self._measure.setText(tr("Measure all again") if again else tr("Measure all"))
        self._measure.setEnabled(bool(self._jobs()) and not self.copies.running)
        self._saving.button.setEnabled(bool(self._results()))

    def _show_one(self, panel: ComparisonPanel, pair: Pair) -> None:
        setup = panel.comparison.set_up(pair) if self._source else Setup()
        device = next((each for each in self._devices if each.name == setup.source), None)
        panel.show_comparison(
            setup,
            [self.copies.result(job) for job in setup.jobs],
            pair.words(setup.source, setup.target) if setup.trials else "",
            None if device is None else device.colour,
            self._shown_running[1],
            modelled=self.copies.modelled,
            busy=self.copies.running,
        )

    def _running(self) -> tuple[bool, CopyJob | None]:
        progress = self.copies.progress
        return self.copies.running, None if progress is None else progress.copy

    def _on_progressed(self) -> None:
        # Told for every sample, of which nothing is seen here.
        if self._running() != self._shown_running:
            self._show()

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for at, panel in enumerate(self._panels):
            self._grid.addWidget(panel, at // columns, at % columns)
        for at in range(2):
            self._grid.setColumnStretch(at, int(at < columns))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(2 if self.width() >= _TWO_COLUMNS else 1)


def _face(device: BenchDevice) -> tuple[object, ...]:
    return device.name, device.chip, device.colour, device.label
