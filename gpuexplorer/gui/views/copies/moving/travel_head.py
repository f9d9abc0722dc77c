"""TravelHead: what travels in the drawing: its name and size, from where to where, and how."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

_CHIP, _GAP, _ARROW = 20.0, 10.0, 16.0
_HEIGHT = 32


class TravelHead(Painted):
    """In one row; the words at its end are cut off where there is no room."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._what, self._size, self._words = "", "", ""
        self._ends: tuple[Chip, Chip] | tuple[()] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)

    def show_copy(
        self, what: str, size: str, ends: tuple[Chip, Chip] | tuple[()], words: str
    ) -> None:
        shown = (what, size, ends, words)
        if shown != (self._what, self._size, self._ends, self._words):
            self._what, self._size, self._ends, self._words = shown
            way = ""
            if ends:
                way = tr("{source} to {target}", source=ends[0].text, target=ends[-1].text)
            said = (part for part in (what, size, way, words) if part)
            self.setAccessibleName(", ".join(said))
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        middle = self.height() / 2
        right = float(self.width())
        if not self._what:
            baseline = middle + letters.title.cap_height / 2
            drawing.elided(0, baseline, Run(self._words, letters.title, theme.text), right)
            return
        baseline = middle + letters.title.cap_height / 2
        name = Run(letters.title.elided(self._what, right * 0.45), letters.title, theme.text)
        x = drawing.text(0, baseline, name) + _GAP
        number, _, unit = self._size.partition(" ")
        if number:
            size = Run(number, letters.body, theme.quiet)
            small = Run(f"{THIN_SPACE}{unit}", letters.caption, theme.quiet)
            x = drawing.runs(x, middle + letters.body.cap_height / 2, [size, small]) + _GAP + 4
        for at, chip in enumerate(self._ends):
            if at:
                arrow = QRectF(x, middle - _ARROW / 2, _ARROW, _ARROW)
                drawing.icon(Icon.ARROW, arrow, theme.quiet)
                x += _ARROW + 5
            width = max(_CHIP, letters.strong.width(chip.text) + 10)
            fill = None if chip.colour is None else theme.card(chip.colour)
            place = QRectF(x, middle - _CHIP / 2, width, _CHIP)
            drawing.chip(place, chip.text, letters.strong, fill)
            x += width + 5
        x += _GAP - 2
        words = Run(self._words, letters.body, theme.quiet)
        drawing.elided(x, middle + letters.body.cap_height / 2, words, right - x)

    def sizeHint(self) -> QSize:
        return QSize(200, _HEIGHT)
