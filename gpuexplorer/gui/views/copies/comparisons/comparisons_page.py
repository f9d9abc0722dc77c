"""ComparisonsPage: ways of copying beside each other, measured when somebody asks for it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.plan import USUAL_BYTES
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.copies.comparisons.comparison_bars import ComparisonBars
from gpuexplorer.gui.views.copies.comparisons.pair_chooser import PairChooser
from gpuexplorer.gui.views.copies.copies_page import CopiesPage, Heard, PageCommand
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.plots.note import PlotNote
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.results_saving import ResultsSaving
from gpuexplorer.gui.widgets.scrolled import scrolled
from gpuexplorer.gui.wording.copies.comparisons.comparison import (
    NOTHING,
    Comparison,
    Pair,
    Setup,
    unsaid,
)
from gpuexplorer.gui.wording.copies.comparisons.comparisons import COMPARISONS
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.copy_job import CopyJob

_TWO_COLUMNS, _GAP = 960, 12


class ComparisonPanel(Panel):
    """`measure_wanted` brings the jobs that are to be measured."""

    measure_wanted = Signal(object)  # Sequence[CopyJob]

    def __init__(
        self, look: Look, comparison: Comparison, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, tr(comparison.title), parent=parent)
        self.comparison = comparison
        self._setup = Setup()
        self._pair = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._measure = WordButton(look, Icon.PLAY, tr("Measure"))
        self._measure.clicked.connect(self._on_measure_clicked)
        self.head.addWidget(self._pair)
        self.head.addWidget(self._measure)
        self._question = wrapped_label(look, tr(comparison.question), Tone.QUIET)
        self._bars = ComparisonBars(look)
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        self._sentence.setFont(look.letters.strong.font)
        self._nothing = wrapped_label(look, tr(NOTHING), Tone.QUIET)
        self._remark = ElidedLabel(look.letters.caption, Tone.QUIET)
        self.body.addWidget(self._question)
        self.body.addSpacing(10)
        self.body.addWidget(self._bars)
        self.body.addSpacing(10)
        self.body.addWidget(self._sentence)
        self.body.addWidget(self._nothing)
        self.body.addWidget(self._remark)
        self.body.addStretch(1)

    @property
    def sentence(self) -> str:
        """What follows from the figures that are there."""
        return self._sentence.text() or tr(NOTHING)

    @property
    def jobs(self) -> Sequence[CopyJob]:
        return self._setup.jobs

    def show_comparison(
        self,
        setup: Setup,
        found: Sequence[CopyResult | None],
        pair_words: str,
        colour: int | None,
        running: CopyJob | None,
        *,
        of_host: bool,
        modelled: bool,
        busy: bool,
    ) -> None:
        """`running` is the job that is measured now; `busy`: something is."""
        self._setup = setup
        bars = self.comparison.bars(setup, found) if setup.trials else ()
        self._bars.show_bars(bars, colour, running, of_host=of_host)
        self._bars.setVisible(bool(bars))
        told = any(each is not None for each in found)
        said = setup.refusal or (self._concluded(found) if told else "")
        if said != self._sentence.text():
            self._sentence.setText(said)
        self._sentence.setVisible(bool(said))
        self._nothing.setVisible(not said)
        words = tr("{pair}, modelled", pair=pair_words) if modelled and told else pair_words
        self._pair.show_text("" if setup.refusal else words)
        self._remark.show_text(setup.remark)
        self._remark.setVisible(bool(setup.remark))
        complete = bool(found) and all(each is not None for each in found)
        title = tr(self.comparison.title)
        if complete:
            self._measure.setText(tr("Measure again"))
            self._measure.setAccessibleName(tr("Measure again: {comparison}", comparison=title))
        else:
            self._measure.setText(tr("Measure"))
            self._measure.setAccessibleName(tr("Measure: {comparison}", comparison=title))
        self._measure.updateGeometry()
        self._measure.setEnabled(bool(setup.trials) and not busy)

    def _concluded(self, found: Sequence[CopyResult | None]) -> str:
        return self.comparison.conclude(found) or unsaid(found)

    def _on_measure_clicked(self) -> None:
        self.measure_wanted.emit(self._setup.jobs)


class ComparisonsPage(CopiesPage):
    """A panel for each comparison; all are about the pair that is chosen above them."""

    def __init__(self, look: Look, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(look, copies, parent)
        self._source = self._target = ""
        self._size = USUAL_BYTES
        self._devices: Sequence[BenchDevice] = ()
        self._columns = 0
        self._shown_running: tuple[bool, CopyJob | None] = (False, None)
        self._chooser = PairChooser(look)
        self._chooser.chosen.connect(self.choose)
        self._panels = [ComparisonPanel(look, each) for each in COMPARISONS]
        for panel in self._panels:
            panel.measure_wanted.connect(copies.measure)
        self._grid = QGridLayout()
        self._grid.setSpacing(_GAP)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._content = QWidget()
        self._content.setProperty("panel", "page")
        self._measure = QPushButton(tr("Measure all"))
        self._measure.setFont(look.letters.body.font)
        self._measure.setProperty("kind", "primary")
        self._measure.clicked.connect(self.measure)
        self._measure.setToolTip(tr("Measure what has no figure here yet"))
        self._saving = ResultsSaving(
            look,
            copies.lab.machine,
            "comparisons",
            tr("Comparisons"),
            tr("comparisons"),
            self._results,
            self._content,
        )
        self.tools = (self._saving.button, self._measure)
        self._note = PlotNote(look, self)
        self._saving.done.connect(self._note.show_done)
        self._saving.refused.connect(self._note.show_refused)
        self._lay_out()

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
        jobs = self._jobs()
        left = [job for job in jobs if job not in self.copies.results]
        self.copies.measure(left or jobs)

    def heard(self) -> Sequence[Heard]:
        return (
            (self.copies.changed, self._on_changed),
            (self.copies.progressed, self._on_progressed),
        )

    def begin(self) -> None:
        self._show()

    def _jobs(self) -> Sequence[CopyJob]:
        return list(dict.fromkeys(job for panel in self._panels for job in panel.jobs))

    def _results(self) -> Sequence[CopyResult]:
        results = self.copies.results
        return [results[job] for job in self._jobs() if job in results]

    def _show(self) -> None:
        copies = self.copies
        self._chooser.show_pair(self._devices, self._source, self._target, self._size)
        pair = Pair(
            self._source,
            self._target,
            self._size,
            [each.name for each in self._devices],
            {each.name: each.chip for each in self._devices},
        )
        self._shown_running = self._running()
        _, running = self._shown_running
        for panel in self._panels:
            setup = panel.comparison.set_up(pair) if self._source else Setup()
            self._show_one(panel, setup, pair, running)
        jobs = self._jobs()
        left = [job for job in jobs if job not in copies.results]
        self._measure.setText(
            tr("Measure all") if left or not jobs else tr("Measure all again")
        )
        self._measure.setEnabled(bool(jobs) and not copies.running)
        self._saving.button.setEnabled(bool(self._results()))

    def _show_one(
        self, panel: ComparisonPanel, setup: Setup, pair: Pair, running: CopyJob | None
    ) -> None:
        found = [self.copies.result(job) for job in setup.jobs]
        device = next((each for each in self._devices if each.name == setup.source), None)
        panel.show_comparison(
            setup,
            found,
            pair.words(setup.source, setup.target) if setup.trials else "",
            None if device is None else device.colour,
            running,
            of_host=device is not None and device.is_host,
            modelled=self.copies.modelled,
            busy=self.copies.running,
        )

    def _running(self) -> tuple[bool, CopyJob | None]:
        progress = self.copies.progress
        return self.copies.running, None if progress is None else progress.copy

    def _on_changed(self) -> None:
        self._show()

    def _on_progressed(self) -> None:
        # Told for every sample, of which nothing is seen here.
        if self._running() != self._shown_running:
            self._show()

    def _lay_out(self) -> None:
        inner = QVBoxLayout(self._content)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(_GAP)
        inner.addWidget(self._chooser)
        inner.addLayout(self._grid)
        inner.addStretch(1)
        area = scrolled(self._content, "page")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(area)
        self._arrange(2)

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for at, panel in enumerate(self._panels):
            self._grid.addWidget(panel, at // columns, at % columns)
        for column in range(2):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(2 if self.width() >= _TWO_COLUMNS else 1)


def _face(device: BenchDevice) -> tuple[object, ...]:
    return device.name, device.chip, device.colour, device.label
