"""GuessPanel: how long will so many bytes take? One guesses first, and then sees it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.shared_parts import SizeButton, size_words
from gpuexplorer.gui.copies.sweep.guess import SIZES, USUAL_SIZE, guess_range
from gpuexplorer.gui.copies.sweep.guess_bar import GuessBar
from gpuexplorer.gui.copies.sweep.model import SweepRow
from gpuexplorer.gui.copies.sweep.words import answer
from gpuexplorer.gui.copies.sweep_ways import how_words
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, wrapped_label
from gpuexplorer.gui.widgets.laid_out import row as across
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.painted import ChipRow

_MOVE = mark("Move the mark to where you think it is, then compare.")
_MEASURE_FIRST = mark(
    "Nothing has been measured on this path yet: comparing measures this one size."
)
_CANNOT = mark("This size could not be measured on this way.")


class GuessPanel(QWidget):
    """`measure_wanted` is sent where nobody knows the answer yet."""

    measure_wanted = Signal(object, int)  # SweepWay, bytes

    def __init__(self) -> None:
        super().__init__()
        self._row: SweepRow | None = None
        self._rows: Sequence[SweepRow] = ()
        self._size = USUAL_SIZE
        self._guess: float | None = None
        self._shown = self._waiting = False
        self._heading = label("", look().letters.title)
        self._size_button = SizeButton(tr("Size"), SIZES)
        self._size_button.chosen.connect(self.choose_size)
        self._ends = ChipRow(arrows=True)
        self._how = ElidedLabel(look().letters.body, Tone.QUIET)
        self._bar = GuessBar()
        self._bar.guessed.connect(self._on_guessed)
        self._bar.asked.connect(self.compare)
        self._compare = QPushButton(tr("Compare"))
        self._compare.clicked.connect(self.compare)
        self._sentence = wrapped_label("", Tone.TEXT)
        self._how_known = ElidedLabel(look().letters.caption, Tone.QUIET)
        column(
            across(self._heading, FREE, self._size_button),
            across(self._ends, self._how, GROWS, gap=10),
            self._bar,
            across(self._compare, self._how_known, FREE, gap=12),
            self._sentence,
            within=self,
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    def show_rows(
        self,
        row: SweepRow | None,
        rows: Sequence[SweepRow],
        devices: Sequence[BenchDevice],
        *,
        modelled: bool,
        measuring: bool,
    ) -> None:
        """`row` is of what the question is."""
        other = row is None or self._row is None or row.way != self._row.way
        if other:
            self._shown = self._waiting = False
        self._row, self._rows = row, rows
        if self._waiting and self._truth() is not None:
            self._waiting, self._shown = False, True
        elif not measuring:
            self._waiting = False
        self._show_way(row, devices)
        self._tell_how_known(modelled=modelled)
        self._show()

    def choose_size(self, size: int) -> None:
        if size != self._size:
            self._size, self._guess, self._shown = size, None, False
            self._show()

    def compare(self) -> None:
        """Show what it takes, or have it measured first."""
        if self._row is None or self._shown:
            return
        if self._truth() is None:
            self._waiting = True
            self.measure_wanted.emit(self._row.way, self._size)
        else:
            self._shown = True
        self._show()

    def _show(self) -> None:
        size, truth = self._size, self._truth()
        self._heading.setText(tr("How long will {size} take?", size=size_words(size)))
        self._size_button.show_size(size)
        there = guess_range(size, truth if self._shown else None)
        guess = self._guess if self._guess is not None else there.seconds(0.5)
        self._bar.show_guess(there, guess)
        self._bar.show_truth(truth if self._shown else None)
        self._compare.setEnabled(self._row is not None and not (self._shown or self._waiting))
        self._sentence.setText(self._words(guess))
        self._how_known.setVisible(self._shown and truth is not None)

    def _words(self, guess: float) -> str:
        if self._row is None:
            return ""
        if self._shown:
            return answer(self._row, self._rows, self._size, guess)
        if self._waiting:
            return tr("Measuring it.")
        if self._truth() is None:
            failed = [
                each
                for each in self._row.results
                if each.job.bytes == self._size and each.seconds is None
            ]
            return tr(_CANNOT if failed else _MEASURE_FIRST)
        return tr(_MOVE)

    def _show_way(self, row: SweepRow | None, devices: Sequence[BenchDevice]) -> None:
        known = {each.name: each for each in devices}
        names = () if row is None else dict.fromkeys((row.way.source, row.way.target))
        ends = [known[name] for name in names if name in known]
        self._ends.show_chips(
            [Chip(each.chip, None if each.is_host else each.colour) for each in ends]
        )
        self._ends.setAccessibleName("" if row is None else row.words)
        self._how.show_text("" if row is None else how_words(row.way) or row.how or row.ends)

    def _tell_how_known(self, *, modelled: bool) -> None:
        if self._row is None:
            return
        measured = self._row.is_measured(self._size)
        if modelled:
            words = tr("modelled") if measured else tr("between two sizes that were modelled")
        else:
            words = tr("measured") if measured else tr("between two sizes that were measured")
        self._how_known.show_text(words)

    def _truth(self) -> float | None:
        return None if self._row is None else self._row.seconds(self._size)

    def _on_guessed(self, seconds: float) -> None:
        self._guess, self._shown = seconds, False
        self._show()
