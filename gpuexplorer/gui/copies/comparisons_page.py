"""ComparisonsPage: ways of copying beside each other, measured when somebody asks for it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QGridLayout, QSizePolicy, QWidget

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.plan import USUAL_BYTES
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import duration
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.comparisons_of_copies import (
    COMPARISONS,
    Bar,
    Comparison,
    Pair,
    Setup,
    unsaid,
)
from gpuexplorer.gui.copies.copies_page import CopiesPage, Heard, PageCommand
from gpuexplorer.gui.copies.shared_parts import SizeButton, place_choice
from gpuexplorer.gui.copies.sweep_rows import ends_words
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.gui.tables.cell import Cell, Gauge
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.controls.choice import Choice
from gpuexplorer.gui.widgets.controls.dropdown import Dropdown
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.laid_out import FREE, Space, add, column, label, row, say
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.scrolled import scrolled
from gpuexplorer.lab.copy_job import CopyJob

_TWO_COLUMNS, _GAP, _ROW, _FIELD, _LIST = 960, 12, 40, 170, 220
_SIZES = (1 << 20, 16 << 20, 64 << 20, USUAL_BYTES, 1 << 30)
_NOTHING = mark("Nothing has been measured yet.")


class ComparisonsPage(CopiesPage):
    """A panel for each comparison; all are about the pair that is chosen above them."""

    def __init__(self, look: Look, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(look, copies, parent)
        self._source = self._target = ""
        self._size = USUAL_BYTES
        self._news: object = None
        self._from = Dropdown(look, tr("From"), self._offer, _LIST)
        self._to = Dropdown(look, tr("To"), self._offer, _LIST)
        self._bytes = SizeButton(tr("Size"), _SIZES)
        self._from.chosen.connect(lambda name: self.choose(name, self._target, self._size))
        self._to.chosen.connect(lambda name: self.choose(self._source, name, self._size))
        self._bytes.chosen.connect(lambda size: self.choose(self._source, self._target, size))
        chooser = row(gap=8)
        for words, field in ((tr("From"), self._from), (tr("To"), self._to)):
            # Of itself it asks for no room, and would get none beside a stretch.
            field.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            field.setFixedWidth(_FIELD)
            caption = label(words, look.letters.body, Tone.QUIET)
            caption.setBuddy(field)
            add(chooser, caption, field)
        stroke = label(tr("| what the wire could carry"), look.letters.caption, Tone.QUIET)
        stroke.setAccessibleName(tr("what the wire could carry"))
        size = label(tr("Size"), look.letters.body, Tone.QUIET)
        add(chooser, size, self._bytes, FREE, stroke)
        self._panels = [ComparisonPanel(look, each, copies) for each in COMPARISONS]
        self._grid = QGridLayout()
        self._grid.setSpacing(_GAP)
        content = QWidget()
        content.setProperty("panel", "page")
        column(chooser, self._grid, FREE, within=content, gap=_GAP)
        column(scrolled(content, "page"), within=self)
        self._measure = self.primary_button(tr("Measure all"), self.measure)
        self._measure.setToolTip(tr("Measure what has no figure here yet"))
        title, what = tr("Comparisons"), tr("comparisons")
        self._saving = self.saved_as("comparisons", title, what, self._results, content)
        self.tools = (self._saving.button, self._measure)

    def commands(self) -> Sequence[PageCommand]:
        all_of_them = (tr("Measure all comparisons"), "Ctrl+Return", self.measure)
        return (all_of_them, *self._saving.commands())

    def heard(self) -> Sequence[Heard]:
        return ((self.copies.changed, self._show), (self.copies.progressed, self.pull))

    def begin(self) -> None:
        self._show()

    def pull(self) -> None:
        faces = [(each.name, each.chip, each.colour) for each in self.copies.devices()]
        if (faces, self._running()) != self._news:
            self._news = faces, self._running()
            self._show()

    def choose(self, source: str, target: str, size: int) -> None:
        """What the comparisons are about, from now on."""
        self._source, self._target, self._size = source, target, size
        self._show()

    def measure(self) -> None:
        """What has no figure yet; all where nothing is left."""
        left = [job for job in self._jobs() if job not in self.copies.results]
        self.copies.measure(left or self._jobs())

    def _jobs(self) -> Sequence[CopyJob]:
        return list(dict.fromkeys(job for panel in self._panels for job in panel.setup.jobs))

    def _results(self) -> Sequence[CopyResult]:
        results = self.copies.results
        return [results[job] for job in self._jobs() if job in results]

    def _running(self) -> tuple[bool, CopyJob | None]:
        progress = self.copies.progress
        return self.copies.running, None if progress is None else progress.copy

    def _show(self) -> None:
        devices = {each.name: each for each in self.copies.devices()}
        cards = [each for each in devices if each != HOST]
        if not {self._source, self._target} <= devices.keys():
            self._source = next(iter(devices), "")
            self._target = next(iter(cards), self._source)
        there = list(devices.values())
        for field, name in ((self._from, self._source), (self._to, self._target)):
            field.show_choice(place_choice(there, name) if name else None)
        self._bytes.show_size(self._size)
        pair = Pair(self._source, self._target, self._size, cards)
        for panel in self._panels if devices else ():
            panel.show_pair(pair, devices, self._running())
        again = bool(self._jobs()) and len(self._results()) == len(self._jobs())
        self._measure.setText(tr("Measure all again") if again else tr("Measure all"))
        self._measure.setEnabled(bool(self._jobs()) and not self.copies.running)
        self._saving.button.setEnabled(bool(self._results()))

    def _offer(self) -> Sequence[Choice]:
        devices = self.copies.devices()
        return [place_choice(devices, each.name) for each in devices]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        columns = 2 if self.width() >= _TWO_COLUMNS else 1
        for at, panel in enumerate(self._panels):
            self._grid.addWidget(panel, at // columns, at % columns)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)


class ComparisonPanel(Panel):
    """One comparison: its question, its bars, and what follows from them."""

    def __init__(self, look: Look, comparison: Comparison, copies: CopiesState) -> None:
        super().__init__(look, tr(comparison.title))
        self.comparison, self.setup, self._copies = comparison, Setup(), copies
        self._pair = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._measure = WordButton(look, Icon.PLAY, tr("Measure"))
        self._measure.clicked.connect(lambda: copies.measure(self.setup.jobs))
        self._bars = ComparisonTable(look)
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        self._sentence.setFont(look.letters.strong.font)
        self._nothing = wrapped_label(look, tr(_NOTHING), Tone.QUIET)
        self._remark = label("", look.letters.caption, Tone.QUIET)
        question = wrapped_label(look, tr(comparison.question), Tone.QUIET)
        add(self.head, self._pair, self._measure)
        add(self.body, question, Space(10), self._bars, Space(10))
        add(self.body, self._sentence, self._nothing, self._remark, FREE)

    @property
    def sentence(self) -> str:
        """What follows from the figures that are there."""
        return self._sentence.text() or tr(_NOTHING)

    def show_pair(
        self,
        pair: Pair,
        devices: dict[str, BenchDevice],
        running: tuple[bool, CopyJob | None],
    ) -> None:
        comparison, setup = self.comparison, self.comparison.set_up(pair)
        self.setup = setup
        found = [self._copies.result(job) for job in setup.jobs]
        bars = comparison.bars(setup.trials, found) if setup.trials else ()
        told = any(each is not None for each in found)
        said = (comparison.conclude(found) or unsaid(found)) if told else setup.refusal
        say(self._sentence, said)
        self._nothing.setVisible(not said)
        say(self._remark, setup.remark)
        words, source = "", None
        if setup.jobs:
            source, chips = setup.jobs[0].source, {n: each.chip for n, each in devices.items()}
            words = ends_words(source, setup.jobs[0].target, chips)
        if words and told and self._copies.modelled:
            words = tr("{pair}, modelled", pair=words)
        self._pair.show_text(words)
        self._bars.show_bars(bars, devices[source].colour if source else None, running[1])
        again = bool(found) and None not in found
        name = mark("Measure again: {comparison}") if again else mark("Measure: {comparison}")
        self._measure.setText(tr("Measure again") if again else tr("Measure"))
        self._measure.setAccessibleName(tr(name, comparison=tr(comparison.title)))
        self._measure.setEnabled(bool(setup.trials) and not running[0])


class ComparisonTable(Table[Bar]):
    """As high as its rows. A stroke on a bar is what the wire could carry; the highest rate
    stands in full colour.
    """

    def __init__(self, look: Look) -> None:
        self._colour: int | None = None
        self._longest, self._best = 0.0, 0.0
        self._measuring: CopyJob | None = None
        columns = [
            Column("way", tr("Way"), _way, width=180, stretches=True, share=0.42, spoken=_said),
            Column("bar", "", self._bar, width=120, right=True, copied=False, stretches=True),
            Column("rate", tr("One way"), _rate, width=82, right=True),
            Column("time", tr("Time"), _time, width=78, right=True),
        ]
        super().__init__(look, "", TableModel(columns, _name), row_height=_ROW)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.headings.setSectionsMovable(False)

    def show_bars(
        self, bars: Sequence[Bar], colour: int | None, measuring: CopyJob | None
    ) -> None:
        """`colour` is the card's whose data it is; `measuring` the job that runs, or None."""
        self._colour, self._measuring = colour, measuring
        rates = [bar.rate for bar in bars if bar.rate]
        limits = [bar.result.limit for bar in bars if bar.result and bar.result.limit]
        times = [bar.seconds for bar in bars if bar.seconds]
        self._best = max(rates, default=0.0)
        self._longest = max([*rates, *limits] if rates else times, default=0.0)
        self.columns.show_column("rate", shown=bool(rates))
        self.setAccessibleName("; ".join(bar.said for bar in bars))
        self.show_rows(bars)
        self.show_all_rows()
        self.setVisible(bool(bars))

    def _bar(self, bar: Bar) -> Cell:
        length = bar.rate if self._best else bar.seconds
        if bar.wrong:
            return Cell(tr("WRONG"), wrong=True, hint=bar.trouble)
        if not length:
            running = bar.trial.job == self._measuring
            why = tr("measuring") if running else bar.trouble
            return Cell(absent=(why, "–"), hint=bar.trouble)
        limit = bar.result.limit if self._best and bar.result else None
        mark_at = limit / self._longest if limit else None
        full = not self._best or bar.rate == self._best
        gauge = Gauge(length / self._longest, self._colour, mark_at, full=full)
        return Cell(gauge=gauge, hint=f"{gbs(limit)} GB/s" if limit else "")


def _name(bar: Bar) -> str:
    return bar.trial.words


def _said(bar: Bar) -> str:
    return bar.said


def _way(bar: Bar) -> Cell:
    return Cell(bar.trial.words, below=bar.trial.code, mono=bool(bar.trial.code))


def _rate(bar: Bar) -> Cell:
    return Cell(gbs(bar.rate), unit="GB/s") if bar.rate else Cell(hint=bar.trouble)


def _time(bar: Bar) -> Cell:
    if bar.seconds is None:
        return Cell(hint=bar.trouble)
    told = duration(bar.seconds)
    return Cell(told.number, unit=told.unit, tone=Tone.QUIET)
