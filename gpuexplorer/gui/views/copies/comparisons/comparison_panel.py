"""ComparisonPanel: one comparison: its question, its bars, and the sentence that follows."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.copies.comparisons.comparison_bars import ComparisonBars
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.copies.comparisons.comparison import (
    NOTHING,
    Comparison,
    Setup,
    unsaid,
)
from gpuexplorer.lab.copy_job import CopyJob


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
