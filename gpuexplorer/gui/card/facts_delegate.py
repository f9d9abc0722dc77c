"""FactsDelegate: draws a fact as a line: at its left what it is, at its right its value."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QTreeView

from gpuexplorer.core.words import tr
from gpuexplorer.gui.card.fact_entry import FactEntry
from gpuexplorer.gui.cards.facts import Fact, FactGroup
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Delegate, Drawing, Index, Run
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone

MARGIN = 16
_ROW, _HEADING, _FIRST_HEADING = 26, 46, 34
_BETWEEN = 12.0
_REASON = 0.5  # of a line, at most
_BOX = 16.0
_WRAP = int(Qt.TextFlag.TextWordWrap)


class FactsDelegate(Delegate):
    """The tree is asked how wide it is, since a note wraps to that width."""

    def __init__(self, model: TableModel[FactEntry], tree: QTreeView) -> None:
        super().__init__(tree)
        self._model = model
        self._tree = tree

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        entry, cell = self._model.thing(index), self._model.cell(index)
        if entry is None:
            return
        if isinstance(entry.what, FactGroup):
            self._draw_heading(drawing, place, entry.what, index)
        else:
            self._draw_ground(drawing, place, option)
            line = place.adjusted(MARGIN, 0, -MARGIN, 0)
            if cell.checked is not None:
                box = QRectF(line.left(), place.center().y() - _BOX / 2, _BOX, _BOX)
                draw_box(drawing, box, cell.checked)
                line.setLeft(box.right() + 10)
            if isinstance(entry.what, Fact):
                draw_fact(drawing, line, entry.what)
                if entry.what.how is not None and cell.checked is None:
                    icon = QRectF(place.right() - MARGIN + 1, place.center().y() - 7, 14, 14)
                    drawing.icon(Icon.NEXT, icon, drawing.theme.faint)
            else:
                self._draw_note(drawing, line, entry.what, entry.tone)

    def _draw_ground(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem
    ) -> None:
        theme, painter = drawing.theme, drawing.painter
        state = option.state
        inner = place.adjusted(6, 1, -6, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(theme.selection)
            painter.drawRoundedRect(inner, 4, 4)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(theme.hover)
            painter.drawRoundedRect(inner, 4, 4)
        if state & QStyle.StateFlag.State_HasFocus and self._tree.hasFocus():
            drawing.focus_ring(inner, 4)

    def _draw_heading(
        self, drawing: Drawing, place: QRectF, group: FactGroup, index: Index
    ) -> None:
        theme, letters = drawing.theme, drawing.letters
        line = place.adjusted(MARGIN, 0, -MARGIN, 0)
        if index.row() != 0:
            drawing.hairline(line.left(), line.right(), line.top() + 8)
        baseline = place.bottom() - 8
        drawing.text(line.left(), baseline, Run(group.title, letters.strong, theme.text))
        current = self._tree.currentIndex() == index and self._tree.hasFocus()
        if current:
            drawing.focus_ring(place.adjusted(6, place.height() - 29, -6, -1), 4)
        opened = self._tree.isExpanded(self._model.index(index.row(), 0))
        if not opened:
            count = Run(str(len(group.facts)), letters.caption, theme.faint)
            drawing.runs_right(line.right() - 22, baseline, [count])
        icon = QRectF(line.right() - 16, baseline - 13, 16, 16)
        pointed = current or not opened or self._tree.underMouse()
        if pointed:
            drawing.icon(Icon.OPEN if opened else Icon.NEXT, icon, theme.faint)

    def _draw_note(self, drawing: Drawing, line: QRectF, note: str, tone: Tone) -> None:
        drawing.painter.setFont(drawing.letters.body.font)
        shown = Tone.TEXT if tone is Tone.QUIET else tone
        drawing.painter.setPen(drawing.theme.tone(shown))
        drawing.painter.drawText(line.adjusted(0, 4, 0, 0), _WRAP, note)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        entry, width = self._model.thing(index), self._tree.viewport().width()
        if entry is None or isinstance(entry.what, Fact):
            return QSize(width, _ROW)
        if isinstance(entry.what, FactGroup):
            return QSize(width, _HEADING if index.row() else _FIRST_HEADING)
        metrics = self.look.letters.body.metrics
        room = QRectF(0, 0, width - 2 * MARGIN, 10_000)
        return QSize(width, round(metrics.boundingRect(room, _WRAP, entry.what).height()) + 8)


def draw_box(drawing: Drawing, box: QRectF, checked: bool) -> None:
    theme, painter = drawing.theme, drawing.painter
    if checked:
        drawing.filled(box, theme.accent, 4)
        drawing.icon(Icon.CHECK, box, theme.inverse)
    else:
        painter.setPen(QPen(theme.faint, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)


def draw_fact(drawing: Drawing, line: QRectF, fact: Fact) -> None:
    """What it is at the left, its value at the right; the name gives way before the value."""
    theme, letters = drawing.theme, drawing.letters.body
    baseline = line.center().y() + letters.cap_height / 2
    label = Run(fact.label, letters, theme.quiet)
    if fact.value:
        runs = _value_runs(drawing, fact, line.width(), label.width)
    else:
        runs = [_reason(drawing, fact, line.width(), label.width)]
    left = drawing.runs_right(line.right(), baseline, runs)
    name = letters.elided(label.text, left - _BETWEEN - line.left())
    drawing.text(line.left(), baseline, Run(name, letters, label.colour))


def _value_runs(drawing: Drawing, fact: Fact, width: float, label: float) -> list[Run]:
    theme, letters = drawing.theme, drawing.letters.body
    strong = theme.tone(fact.tone)
    unit = [Run(f"{THIN_SPACE}{fact.unit}", letters, theme.quiet)] if fact.unit else []
    most = max(width - label - _BETWEEN, width * 0.5) - sum(run.width for run in unit)
    text = fact.value
    if letters.width(text) > most:
        # Of a long name both ends tell it from others.
        text = letters.metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, most)
    return [Run(text, letters, strong), *unit]


def _reason(drawing: Drawing, fact: Fact, width: float, label: float) -> Run:
    letters = drawing.letters.body
    words = fact.absent or (tr("not told"),)
    # One length for all in a column, as far as their names leave room.
    most = min(width * _REASON, width - label - _BETWEEN)
    fitting = next((text for text in words if letters.width(text) <= most), words[-1])
    return Run(fitting, letters, drawing.theme.faint)
