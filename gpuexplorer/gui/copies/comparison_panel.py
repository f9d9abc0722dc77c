"""ComparisonPanel: one comparison of ways of copying, measured when somebody asks for it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView

from gpuexplorer.core.units import duration
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.comparisons_of_copies import Comparison, Pair, Setup, WayBar, unsaid
from gpuexplorer.gui.copies.sweep_rows import ends_words
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import FREE, Space, add, label, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.lab.wire import CopyJob

_ROW = 40
_NOTHING = mark("Nothing has been measured yet.")


class ComparisonPanel(Panel):
    """One comparison: its question, its bars, and what follows from them."""

    def __init__(self, comparison: Comparison, copies: CopiesState) -> None:
        super().__init__(tr(comparison.title))
        self.comparison, self.setup, self._copies = comparison, Setup(), copies
        self._pair = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._measure = ToolButton("word", Icon.PLAY, tr("Measure"))
        self._measure.clicked.connect(lambda: copies.measure(self.setup.jobs))
        self._bars = ComparisonTable()
        self._sentence = wrapped_label("", Tone.TEXT)
        self._sentence.setFont(look().letters.strong.font)
        self._nothing = wrapped_label(tr(_NOTHING), Tone.QUIET)
        self._remark = label("", look().letters.caption, Tone.QUIET)
        question = wrapped_label(tr(comparison.question), Tone.QUIET)
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


class ComparisonTable(Table[WayBar]):
    """As high as its rows. A stroke on a bar is what the wire could carry; the highest rate
    stands in full colour.
    """

    def __init__(self) -> None:
        self._colour: int | None = None
        self._longest, self._best = 0.0, 0.0
        self._measuring: CopyJob | None = None
        columns = [
            Column("way", tr("Way"), _way, width=180, stretches=True, share=0.42, spoken=_said),
            Column("bar", "", self._bar, width=120, right=True, copied=False, stretches=True),
            Column("rate", tr("One way"), _rate, width=82, right=True),
            Column("time", tr("Time"), _time, width=78, right=True),
        ]
        super().__init__("", TableModel(columns, _name), row_height=_ROW)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.columns.setSectionsMovable(False)

    def show_bars(
        self, bars: Sequence[WayBar], colour: int | None, measuring: CopyJob | None
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

    def _bar(self, bar: WayBar) -> Cell:
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


def _name(bar: WayBar) -> str:
    return bar.trial.words


def _said(bar: WayBar) -> str:
    return bar.said


def _way(bar: WayBar) -> Cell:
    return Cell(bar.trial.words, below=bar.trial.code, mono=bool(bar.trial.code))


def _rate(bar: WayBar) -> Cell:
    return Cell(gbs(bar.rate), unit="GB/s") if bar.rate else Cell(hint=bar.trouble)


def _time(bar: WayBar) -> Cell:
    if bar.seconds is None:
        return Cell(hint=bar.trouble)
    told = duration(bar.seconds)
    return Cell(told.number, unit=told.unit, tone=Tone.QUIET)
