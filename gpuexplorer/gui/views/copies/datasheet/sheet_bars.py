"""SheetBars: a row per figure of a card: the promise as outline, what was reached as fill."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.paint.wrong_mark import draw_wrong
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import mixed
from gpuexplorer.gui.views.copies.datasheet.promise_drawing import draw_key, draw_promise
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.copies.datasheet.faces import SheetRow

_HEAD, _ROW, _BAR = 28.0, 41.0, 12.0
ROW_MARGIN = 6
_GAP = 12.0
_NAMES, _MOST_NAMES = 0.32, 250.0
_LEAST_BAR = 72.0
_REACHED, _PROMISED, _UNIT, _SHARE, _WATTS = 60.0, 66.0, 54.0, 46.0, 50.0
_HOST = 0.7
NAME = mark("Promised and reached")


@dataclass(frozen=True, slots=True)
class _Columns:
    """Right edges, but of the unit, which begins where it is said."""

    names: float
    track: QRectF
    reached: float
    promised: float
    unit: float
    share: float
    watts: float


class SheetBars(Painted):
    """Arrow keys go from row to row, and say all that is known about each."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._rows: Sequence[SheetRow] = ()
        self._colour: int | None = None
        self._of_host = False
        self._at = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr(NAME))
        look.changed.connect(self.update)

    @property
    def rows(self) -> Sequence[SheetRow]:
        return self._rows

    def show_rows(self, rows: Sequence[SheetRow], colour: int | None, *, of_host: bool) -> None:
        """`colour` is the card's whose figures these are."""
        if (rows, colour, of_host) == (self._rows, self._colour, self._of_host):
            return
        grown = len(rows) != len(self._rows)
        self._rows, self._colour, self._of_host = rows, colour, of_host
        self._at = min(self._at, max(0, len(rows) - 1))
        self.setAccessibleDescription("; ".join(row.said for row in rows))
        if grown:
            self.updateGeometry()
        self.update()

    def row_place(self, at: int) -> QRectF:
        return QRectF(0, _HEAD + at * _ROW, self.width(), _ROW)

    def draw(self, drawing: Drawing) -> None:
        columns = self._columns()
        self._draw_captions(drawing, columns)
        for at, row in enumerate(self._rows):
            place = self.row_place(at)
            drawing.hint(place, row.hint)
            if at == self._at and self.hasFocus():
                drawing.focus_ring(place.adjusted(0, 1, 0, -1), CHIP_RADIUS + 2)
            self._draw_row(drawing, row, place.center().y(), columns)

    def _draw_captions(self, drawing: Drawing, columns: _Columns) -> None:
        letters, faint = drawing.letters.caption, drawing.theme.faint
        captions = (
            (tr("reached"), columns.reached, _REACHED),
            (tr("promised"), columns.promised, _PROMISED),
            (tr("share"), columns.share, _SHARE),
            (tr("watts"), columns.watts, _WATTS),
        )
        for words, right, room in captions:
            shown = letters.elided(words, room - 4)
            drawing.runs_right(right, _HEAD - 10, [Run(shown, letters, faint)])
        draw_key(drawing, columns.track.left(), columns.track.right(), _HEAD - 10)

    def _draw_row(
        self, drawing: Drawing, row: SheetRow, middle: float, columns: _Columns
    ) -> None:
        theme, letters = drawing.theme, drawing.letters
        words = Run(row.words, letters.body, theme.text)
        drawing.elided(ROW_MARGIN, middle - 3, words, columns.names - ROW_MARGIN)
        source = Run(row.source, letters.caption, theme.faint)
        drawing.elided(ROW_MARGIN, middle + 13, source, columns.names - ROW_MARGIN, row.hint)
        place = QRectF(columns.track)
        place.moveTop(middle - _BAR / 2)
        if row.wrong:
            drawn = QRectF(place)
            drawn.setRight(columns.share)
            draw_wrong(drawing, drawn.adjusted(0, -4, 0, 4), lettered=True)
            return
        draw_promise(drawing, place, row.limit, row.fill, self._ink(drawing))
        self._draw_figures(drawing, row, middle, columns)
        self._draw_watts(drawing, row, middle, columns)

    def _draw_figures(
        self, drawing: Drawing, row: SheetRow, middle: float, columns: _Columns
    ) -> None:
        theme, letters = drawing.theme, drawing.letters
        baseline = round(middle + letters.body.cap_height / 2)
        if row.reached:
            figure = Run(row.reached, letters.strong, theme.text)
            drawing.runs_right(columns.reached, baseline, [figure])
        else:
            self._draw_reason(drawing, row, middle, columns)
        if row.promised:
            figure = Run(row.promised, letters.body, theme.quiet)
            drawing.runs_right(columns.promised, baseline, [figure])
        elif row.reached:
            nothing = Run("–", letters.body, theme.faint)
            drawing.runs_right(columns.promised, baseline, [nothing])
        if row.reached or row.promised:
            drawing.text(columns.unit, baseline, Run(row.unit, letters.caption, theme.quiet))
        if row.share:
            runs = [
                Run(row.share, letters.strong, theme.text),
                Run(f"{THIN_SPACE}%", letters.caption, theme.quiet),
            ]
            drawing.runs_right(columns.share, baseline, runs)

    def _draw_reason(
        self, drawing: Drawing, row: SheetRow, middle: float, columns: _Columns
    ) -> None:
        """Why nothing was reached, in the place of the figure; a sentence needs the bar's."""
        theme, letters = drawing.theme, drawing.letters.caption
        words = tr("measuring") if row.measuring else row.unreached
        if row.awaited and not row.measuring:
            return
        run = Run(words, letters, theme.faint)
        baseline = middle + letters.cap_height / 2
        if run.width <= columns.reached - columns.track.right() - 4:
            drawing.runs_right(columns.reached, baseline, [run])
        elif not row.measuring:
            self._say_why(drawing, words, middle, columns)

    def _say_why(self, drawing: Drawing, words: str, middle: float, columns: _Columns) -> None:
        """Under the bar, as far as there is room."""
        run = Run(words, drawing.letters.caption, drawing.theme.faint)
        left = columns.track.left()
        drawing.elided(left, middle + _BAR / 2 + 12, run, columns.watts - left)

    def _draw_watts(
        self, drawing: Drawing, row: SheetRow, middle: float, columns: _Columns
    ) -> None:
        theme, letters = drawing.theme, drawing.letters
        baseline = round(middle + letters.body.cap_height / 2)
        if not row.watts:
            if row.unknown_watts and row.reached:
                nothing = Run("–", letters.body, theme.faint)
                left = drawing.runs_right(columns.watts, baseline, [nothing])
                around = QRectF(left - 24, middle - 12, columns.watts - left + 26, 24)
                drawing.hint(around, row.unknown_watts)
            return
        drawing.runs_right(columns.watts, baseline, [Run(row.watts, letters.body, theme.text)])

    def _ink(self, drawing: Drawing) -> QColor:
        theme = drawing.theme
        if self._colour is not None:
            return theme.card(self._colour)
        if self._of_host:
            return mixed(theme.well, theme.quiet, _HOST)
        return theme.level

    def _columns(self) -> _Columns:
        """The bar gets what is left."""
        right = float(self.width() - ROW_MARGIN)
        names = min(right * _NAMES, _MOST_NAMES)
        share = right - _WATTS
        promised = share - _SHARE - _UNIT
        reached = promised - _PROMISED
        track = QRectF(names + _GAP, 0, 0, _BAR)
        track.setRight(max(track.left() + _LEAST_BAR, reached - _REACHED))
        return _Columns(names, track, reached, promised, promised + 4, share, right)

    def _go(self, at: int) -> None:
        if not self._rows:
            return
        self._at = min(max(0, at), len(self._rows) - 1)
        self.update()
        row, place = self._rows[self._at], self.row_place(self._at)
        corner = QPointF(place.left() + _MOST_NAMES / 2, place.bottom() - 4)
        QToolTip.showText(self.mapToGlobal(corner.toPoint()), row.hint, self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Up:
                self._go(self._at - 1)
            case Qt.Key.Key_Down:
                self._go(self._at + 1)
            case Qt.Key.Key_Home:
                self._go(0)
            case Qt.Key.Key_End:
                self._go(len(self._rows) - 1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                self._go(self._at)
            case _:
                super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(560, round(_HEAD + _ROW * max(1, len(self._rows))))

    def minimumSizeHint(self) -> QSize:
        return QSize(440, self.sizeHint().height())
