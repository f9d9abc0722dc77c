"""GuessPanel: how long will so many bytes take? One guesses first, and then sees it."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.copies.sweep.guess_bar import GuessBar
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.copies.sizes import size_words
from gpuexplorer.gui.wording.copies.sweep.guess import (
    SIZES,
    USUAL_SIZE,
    answer,
    first_guess,
    guess_range,
)
from gpuexplorer.gui.wording.copies.sweep.rows import SweepRow
from gpuexplorer.gui.wording.copies.sweep.ways import how_words
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_CHIP = 22.0
_MOVE = "Move the mark to where you think it is, then compare."
_MEASURE_FIRST = "Nothing of this way was measured yet: comparing measures this one size."
_CANNOT = "This size could not be measured on this way."


class GuessPanel(QWidget):
    """`measure_wanted` is sent where nobody knows the answer yet."""

    measure_wanted = Signal(object, int)  # SweepWay, bytes

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row: SweepRow | None = None
        self._rows: Sequence[SweepRow] = ()
        self._size = USUAL_SIZE
        self._guess: float | None = None
        self._shown = self._waiting = False
        self._heading = QLabel()
        self._heading.setFont(look.letters.title.font)
        self._size_button = MenuButton(look, "Size")
        self._size_button.about_to_open.connect(self._on_menu_opening)
        self._way = _WayWords(look)
        self._bar = GuessBar(look)
        self._bar.guessed.connect(self._on_guessed)
        self._bar.asked.connect(self.compare)
        self._compare = QPushButton("Compare")
        self._compare.setFont(look.letters.body.font)
        self._compare.clicked.connect(self.compare)
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        self._how_known = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._lay_out()

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
        if not measuring and self._waiting and self._truth_of(row) is None:
            self._waiting = False
        self._row, self._rows = row, rows
        if self._waiting and self._truth() is not None:
            self._waiting, self._shown = False, True
        self._way.show_way(row, devices)
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
        self._heading.setText(f"How long will {size_words(size)} take?")
        self._size_button.show_words(size_words(size))
        there = guess_range(size, truth if self._shown else None)
        guess = self._guess if self._guess is not None else first_guess(there)
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
            return "Measuring it."
        if self._truth() is None:
            failed = [
                each
                for each in self._row.results
                if each.job.bytes == self._size and each.seconds is None
            ]
            return _CANNOT if failed else _MEASURE_FIRST
        return _MOVE

    def _tell_how_known(self, *, modelled: bool) -> None:
        if self._row is None:
            return
        measured = self._row.is_measured(self._size)
        if modelled:
            words = "modelled" if measured else "between two sizes that were modelled"
        else:
            words = "measured" if measured else "between two sizes that were measured"
        self._how_known.show_text(words)

    def _truth(self) -> float | None:
        return self._truth_of(self._row)

    def _truth_of(self, row: SweepRow | None) -> float | None:
        return None if row is None else row.seconds(self._size)

    def _on_guessed(self, seconds: float) -> None:
        self._guess, self._shown = seconds, False
        self._show()

    def _on_menu_opening(self, menu: QMenu) -> None:
        for size in SIZES:
            action = menu.addAction(size_words(size))
            action.setCheckable(True)
            action.setChecked(size == self._size)
            action.triggered.connect(partial(self.choose_size, size))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._heading)
        head.addStretch(1)
        head.addWidget(self._size_button)
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self._compare)
        foot.addWidget(self._how_known)
        foot.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._way)
        column.addWidget(self._bar)
        column.addLayout(foot)
        column.addWidget(self._sentence)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)


class _WayWords(Painted):
    """From chip to chip, and how."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._chips: Sequence[tuple[str, int | None, bool]] = ()
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_way(self, row: SweepRow | None, devices: Sequence[BenchDevice]) -> None:
        known = {each.name: each for each in devices}
        chips: list[tuple[str, int | None, bool]] = []
        words = ""
        if row is not None:
            for name in dict.fromkeys((row.way.source, row.way.target)):
                device = known.get(name)
                if device is not None:
                    plain = device.is_host or device.colour is None
                    chips.append((device.chip, device.colour, plain))
            words = how_words(row.way) or row.how or row.ends
            self.setAccessibleName(row.words)
        if (chips, words) != (self._chips, self._words):
            self._chips, self._words = chips, words
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        x, middle = 0.0, self.height() / 2
        baseline = middle + letters.body.cap_height / 2
        for at, (chip, colour, plain) in enumerate(self._chips):
            if at:
                x = drawing.text(x + 7, baseline, Run("→", letters.body, theme.quiet)) + 7
            place = QRectF(x, middle - _CHIP / 2, _CHIP, _CHIP)
            fill = None if plain else theme.card(colour)
            drawing.chip(place, chip, letters.badge, fill)
            x = place.right()
        run = Run(self._words, letters.body, theme.quiet)
        drawing.elided(x + 10, baseline, run, self.width() - x - 10)

    def sizeHint(self) -> QSize:
        return QSize(200, 26)
