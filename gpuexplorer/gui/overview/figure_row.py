"""FigureRow and FigureGrid: a few figures side by side on one quiet line, or two in a row."""

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.line import Wording, fitting, spell, width_of, wordings
from gpuexplorer.gui.widgets.painted import Painted

LINE_HEIGHT = 20
_GAP, _CELL = 24.0, 48.0


class _Figures(Painted):
    """What they say is told to a screen reader as one text."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._figures: Sequence[Figure] = ()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(self.sizeHint().height())

    def show_figures(self, figures: Sequence[Figure]) -> None:
        if list(figures) != list(self._figures):
            self._figures = figures
            spoken = [figure.spoken for figure in figures]
            self.setAccessibleDescription(f"{'. '.join(spoken)}.")
            self.setToolTip("\n".join(spoken))
            self.update()


class FigureRow(_Figures):
    """What does not fit any more is left out from the end; it is still told on asking."""

    def draw(self, drawing: Drawing) -> None:
        letters = drawing.letters
        baseline = self.height() / 2 + letters.body.cap_height / 2
        x = 0.0
        for figure in self._figures:
            # Units say what it is, but for a word before or behind.
            before = figure.brief if figure.known else figure.label
            said = wordings(figure, letters.strong, letters.caption, before)
            shown = said[0] if figure.known else fitting(said, 120)
            if figure.short_label and figure.known:
                shown = (*shown, (f" {figure.short_label}", letters.caption, Tone.QUIET))
            end = x + width_of(shown)
            if end > self.width():
                return
            spell(drawing, shown, x, baseline)
            drawing.hint(QRectF(x, 0, end - x, self.height()), figure.hint)
            x = end + _GAP

    def sizeHint(self) -> QSize:
        return QSize(400, LINE_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, LINE_HEIGHT)


class FigureGrid(_Figures):
    """Two beside each other, each with its caption above."""

    def show_figures(self, figures: Sequence[Figure]) -> None:
        super().show_figures(figures)
        self.setFixedHeight(self.sizeHint().height())

    def draw(self, drawing: Drawing) -> None:
        column = self.width() / 2
        for position, figure in enumerate(self._figures):
            row, at = divmod(position, 2)
            draw_labelled(drawing, at * column, row * _CELL, column - 8, figure)

    def sizeHint(self) -> QSize:
        return QSize(240, round(ceil(len(self._figures) / 2) * _CELL))


def draw_labelled(drawing: Drawing, x: float, top: float, width: float, figure: Figure) -> None:
    """A caption and under it the figure."""
    letters, end = drawing.letters, x + width
    caption: Wording = ((figure.label, letters.caption, Tone.QUIET),)
    spell(drawing, caption, x, top + letters.caption.ascent, end)
    shown = fitting(wordings(figure, letters.title, letters.caption), width)
    spell(drawing, shown, x, top + 18 + letters.title.ascent, end)
    drawing.hint(QRectF(x, top, width, 40), figure.hint)
