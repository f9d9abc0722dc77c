"""WayTable: the ways that are compared, one per row with its figures; one of them is chosen."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.units import Quantity
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.paint.wrong_mark import draw_wrong
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.copies.sweep.rate_drawing import draw_sample
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.copies.sweep.rows import (
    NOT_MEASURED,
    SweepRow,
    figures_of,
    row_said,
)
from gpuexplorer.gui.wording.copies.sweep.ways import SweepWay

HEAD, ROW = 26, 26
_SAMPLE, _GAP, _REMOVE = 22.0, 8.0, 22.0
# Headings, and how wide their columns are, from the left.
_COLUMNS = (("top GB/s", 58.0), ("of limit", 54.0), ("half at", 64.0), ("floor", 58.0))
_NOTHING = "–"
_FEWEST_COLUMNS = 2
_TAG = 72.0
_LEAST_NAME = 130.0
NAME = "Ways that are compared"


class WayTable(Painted):
    """Arrow keys choose a row, Delete takes it out."""

    way_chosen = Signal(object)  # SweepWay
    way_removed = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._rows: Sequence[SweepRow] = ()
        self._chosen: SweepWay | None = None
        self._measuring = False
        self._pointed: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(NAME)
        look.changed.connect(self.update)

    def show_rows(
        self, rows: Sequence[SweepRow], chosen: SweepWay | None, *, measuring: bool
    ) -> None:
        grown = len(rows) != len(self._rows)
        self._rows, self._chosen, self._measuring = rows, chosen, measuring
        said = next((row_said(row) for row in rows if row.way == chosen), "")
        self.setAccessibleDescription(said)
        if grown:
            self.updateGeometry()
        self.update()

    def row_heights(self) -> list[float]:
        """Where the middle of each row is, from the top."""
        return [HEAD + (at + 0.5) * ROW for at in range(len(self._rows))]

    def row_place(self, at: int) -> QRectF:
        return QRectF(0, HEAD + at * ROW, self.width(), ROW)

    def draw(self, drawing: Drawing) -> None:
        columns = self._columns()
        letters, faint = drawing.letters.caption, drawing.theme.faint
        for (heading, _), right in columns:
            drawing.runs_right(right, HEAD - 9, [Run(heading, letters, faint)])
        for at, row in enumerate(self._rows):
            self._draw_row(drawing, at, row, [right for _, right in columns])
        if self.hasFocus():
            drawing.focus_ring(QRectF(self.rect()), CHIP_RADIUS)

    def _draw_row(
        self, drawing: Drawing, at: int, row: SweepRow, rights: Sequence[float]
    ) -> None:
        theme, letters, painter = drawing.theme, drawing.letters, drawing.painter
        place = self.row_place(at)
        chosen = row.way == self._chosen
        if chosen or at == self._pointed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.selection if chosen else theme.hover)
            painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
        middle = place.center().y()
        draw_sample(drawing, row, _GAP / 2, _GAP / 2 + _SAMPLE, middle)
        baseline = round(middle + letters.body.cap_height / 2)
        name_left = _SAMPLE + 2 * _GAP
        figures = figures_of(row)[: len(rights)]
        first = rights[0] - _COLUMNS[0][1] if row.curve is not None else rights[-1]
        words = Run(row.words, letters.body, theme.text)
        if row.curve is None:
            why = tr("measuring") if self._measuring else row.trouble or tr(NOT_MEASURED)
            taken = min(words.width, first * 0.55)
            drawing.elided(name_left, baseline, words, taken)
            if row.wrong:
                tag = QRectF(rights[-1] - _TAG, middle - 9, _TAG, 18)
                draw_wrong(drawing, tag, lettered=True)
                drawing.hint(tag, row.trouble)
            else:
                run = Run(why, letters.caption, theme.faint)
                left = max(name_left + taken + _GAP, rights[-1] - run.width)
                drawing.elided(left, baseline, run, rights[-1] - left)
        else:
            hint = row.trouble
            drawing.elided(name_left, baseline, words, first - name_left - 4, hint)
            if row.trouble:
                self._draw_caution(drawing, row, name_left, words.width, middle, first)
            for (figure, why), right in zip(figures, rights, strict=True):
                self._draw_figure(drawing, figure, why, right, baseline)
        if at == self._pointed or (chosen and self.hasFocus()):
            drawing.icon(Icon.CLOSE, self._remove_place(at), theme.quiet)

    def _draw_caution(
        self,
        drawing: Drawing,
        row: SweepRow,
        left: float,
        width: float,
        middle: float,
        first: float,
    ) -> None:
        """Behind the name, where there is room: not all sizes have a time."""
        x = left + width + 6
        if x + 12 < first:
            theme = drawing.theme
            tone = theme.bad if row.wrong else theme.quiet
            drawing.icon(Icon.WARNING, QRectF(x, middle - 6, 12, 12), tone)
            drawing.hint(QRectF(x - 2, middle - 9, 18, 18), row.trouble)

    def _draw_figure(
        self,
        drawing: Drawing,
        figure: Quantity | None,
        why: str,
        right: float,
        baseline: float,
    ) -> None:
        theme, letters = drawing.theme, drawing.letters
        if figure is None:
            left = drawing.runs_right(
                right, baseline, [Run(_NOTHING, letters.body, theme.faint)]
            )
            drawing.hint(QRectF(left - 20, baseline - 14, right - left + 24, 20), why)
            return
        runs = [Run(figure.number, letters.body, theme.text)]
        if figure.unit:
            runs.append(Run(f"{THIN_SPACE}{figure.unit}", letters.caption, theme.quiet))
        drawing.runs_right(right, baseline, runs)

    def _columns(self) -> list[tuple[tuple[str, float], float]]:
        """As many as fit beside the names, each with its right edge."""
        shown = list(_COLUMNS)
        room = self.width() - _REMOVE
        while len(shown) > _FEWEST_COLUMNS and sum(w for _, w in shown) > room - _LEAST_NAME:
            shown.pop()
        right = room
        found = []
        for column in reversed(shown):
            found.append((column, right))
            right -= column[1]
        return found[::-1]

    def _remove_place(self, at: int) -> QRectF:
        place = self.row_place(at)
        return QRectF(place.right() - 18, place.center().y() - 7, 14, 14)

    def _row_at(self, place: QPointF) -> int | None:
        at = int((place.y() - HEAD) // ROW)
        return at if place.y() >= HEAD and at < len(self._rows) else None

    def _step(self, to: int) -> None:
        if self._rows:
            self.way_chosen.emit(self._rows[min(len(self._rows) - 1, max(0, to))].way)

    def _place_of_chosen(self) -> int:
        ways = [row.way for row in self._rows]
        return ways.index(self._chosen) if self._chosen in ways else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        pointed = self._row_at(event.position())
        if pointed != self._pointed:
            self._pointed = pointed
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self._row_at(event.position())
        if at is None:
            return
        way = self._rows[at].way
        if self._remove_place(at).adjusted(-4, -4, 4, 4).contains(event.position()):
            self.way_removed.emit(way)
        else:
            self.way_chosen.emit(way)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointed = None
        self.update()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Up:
                self._step(self._place_of_chosen() - 1)
            case Qt.Key.Key_Down:
                self._step(self._place_of_chosen() + 1)
            case Qt.Key.Key_Home:
                self._step(0)
            case Qt.Key.Key_End:
                self._step(len(self._rows) - 1)
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace if self._chosen is not None:
                self.way_removed.emit(self._chosen)
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, HEAD + ROW * max(1, len(self._rows)) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, self.sizeHint().height())
