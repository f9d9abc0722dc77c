"""RailBoard: up to eight cards in one row of cells, for machines with very many."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton
from gpuexplorer.gui.wording.cards.device_face import DeviceFace

BOARD = 8
BOARD_HEIGHT = 28
_LEFT, _RIGHT, _GAP, _CELL_HEIGHT = 20.0, 20.0, 2.0, 16.0
_LABEL, _BESIDE_LABEL = 49.0, 8.0
_NARROW_SIDE = 8.0
_RADIUS = 1.5

Cell = tuple[CardId, DeviceFace]


class RailBoard(PaintedButton):
    """Left and right go from card to card; it calls itself by the card that is pointed at."""

    card_chosen = Signal(str)
    cell_pointed_at = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._cells: Sequence[Cell] = ()
        self._at = 0
        self._chosen: CardId | None = None
        self._narrow = False
        self.label_room = _LABEL
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)

    def show_cells(self, cells: Sequence[Cell], chosen: CardId | None) -> None:
        before, self._cells = self._cells, cells
        if chosen != self._chosen or [_seen(one) for one in before] != [
            _seen(one) for one in cells
        ]:
            self.update()
        self._chosen = chosen
        self._say()

    def point_at(self, at: int) -> None:
        """The place in the row that has the keyboard when the row has it."""
        at = max(0, min(at, len(self._cells) - 1))
        if at != self._at:
            self._at = at
            self._say()
            self.update()

    def show_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.update()

    def label_width(self) -> float:
        """What its label takes, with the space beside it."""
        return max(_LABEL, self.look.letters.caption.width(self.label) + _BESIDE_LABEL)

    def show_label_within(self, width: float) -> None:
        """The same for all boards, so that their cells stand below each other."""
        if width != self.label_room:
            self.label_room = width
            self.update()

    @property
    def label(self) -> str:
        chips = [face.chip for _, face in self._cells]
        return chips[0] if len(chips) == 1 else f"{chips[0]}–{chips[-1]}"

    def draw(self, drawing: Drawing) -> None:
        if not self._cells:
            return
        theme, letters = drawing.theme, drawing.letters
        middle = self.height() / 2
        if not self._narrow:
            label = Run(self.label, letters.caption, theme.quiet)
            baseline = middle + letters.caption.cap_height / 2
            drawing.text(_LEFT, baseline, label)
        for at, (card, face) in enumerate(self._cells):
            place = self._cell(at)
            _draw_cell(drawing, place, face)
            if card == self._chosen:
                drawing.painter.setPen(QPen(theme.text, 1))
                drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
                around = place.adjusted(-1, -1, 1, 1)
                drawing.painter.drawRoundedRect(around, _RADIUS + 1, _RADIUS + 1)
            if at == self._at and self.hasFocus():
                drawing.focus_ring(place.adjusted(-3, -3, 3, 3), _RADIUS + 3)

    def _cell(self, at: int) -> QRectF:
        left = _NARROW_SIDE if self._narrow else _LEFT + self.label_room
        right = self.width() - (_NARROW_SIDE if self._narrow else _RIGHT)
        gap = 1.0 if self._narrow else _GAP
        wide = (right - left - gap * (BOARD - 1)) / BOARD
        top = (self.height() - _CELL_HEIGHT) / 2
        # Whole pixels: a row of eight must not look like eight widths.
        begin = round(left + at * (wide + gap))
        return QRectF(begin, top, max(3, int(wide)), _CELL_HEIGHT)

    def _cell_under(self, place: QPointF) -> int | None:
        return next(
            (
                at
                for at in range(len(self._cells))
                if self._cell(at).adjusted(-1, -6, 1, 6).contains(place)
            ),
            None,
        )

    def _say(self) -> None:
        if self._cells:
            self._at = min(self._at, len(self._cells) - 1)
            _, face = self._cells[self._at]
            self.setAccessibleName(face.title)
            self.setAccessibleDescription(face.said)

    def _on_clicked(self) -> None:
        if self._cells:
            self.card_chosen.emit(self._cells[self._at][0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.point_at(self._at + step)
            self.cell_pointed_at.emit(self._at)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        under = self._cell_under(event.position())
        if under is None:
            event.ignore()
            return
        self.point_at(under)
        self.cell_pointed_at.emit(under)
        super().mousePressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            under = self._cell_under(QPointF(event.pos()))
            if under is None:
                QToolTip.hideText()
            else:
                told = self._cells[under][1].told
                place = self._cell(under).toAlignedRect()
                QToolTip.showText(event.globalPos(), told, self, place)
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(56 if self._narrow else 208, BOARD_HEIGHT)


def _seen(cell: Cell) -> tuple[object, ...]:
    card, face = cell
    return card, face.chip, _filled(face), face.answers, face.tone, face.warning


def _filled(face: DeviceFace) -> int | None:
    """Pixels of the cell's height; None where there is no figure."""
    return None if face.share is None else max(1, round(min(1.0, face.share) * _CELL_HEIGHT))


def _draw_cell(drawing: Drawing, place: QRectF, face: DeviceFace) -> None:
    theme, painter = drawing.theme, drawing.painter
    filled = _filled(face)
    if not face.answers or filled is None:
        worrying = face.tone is not Tone.FAINT
        painter.setPen(QPen(theme.tone(face.tone) if worrying else theme.line, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.selection)
    painter.drawRoundedRect(place, _RADIUS, _RADIUS)
    level = QRectF(place)
    level.setTop(place.bottom() - filled)
    painter.setBrush(theme.level if face.warning is None else theme.warn)
    painter.drawRoundedRect(level, min(_RADIUS, filled / 2), min(_RADIUS, filled / 2))
