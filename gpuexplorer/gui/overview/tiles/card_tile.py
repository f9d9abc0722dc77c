"""CardTile: one card on the overview, large, compact, or as a cell."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.overview.tiles.cell_tile import CELL_RADIUS, cell_past_place, draw_cell
from gpuexplorer.gui.overview.tiles.stamps import Stamps
from gpuexplorer.gui.overview.tiles.tile_curve import PlacedCurve, TileCurves
from gpuexplorer.gui.overview.tiles.tile_drawing import (
    NO_PAST,
    TilePast,
    changed_parts,
    draw_tile,
    numbers_place,
    placed_curves,
)
from gpuexplorer.gui.overview.tiles.tile_plan import (
    FULL,
    TilePlan,
    TileSize,
    sentence_height,
    tile_height,
    tile_plan,
)
from gpuexplorer.gui.paint.drawing import TILE_RADIUS, Drawing
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.painted import Painted


class CardTile(Painted):
    """Shows a face. Its accessible description says the same as the picture."""

    opened = Signal()
    menu_asked = Signal(QPoint)  # on the screen

    def __init__(self, face: CardFace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.face = face
        self.tile_size = TileSize.COMPACT
        self._curve = True
        self._past = NO_PAST
        self._programs: list[ProgramFace] = []
        self._pointed = False
        self._stamps = Stamps()
        self._curves = TileCurves(self)
        self._plan_kept: tuple[object, TilePlan] | None = None
        # It draws what shows at its corners too: then nothing below it is drawn again.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._link = link_button(tr("Open its history"))
        self._link.setParent(self)
        self._link.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._link.setCursor(Qt.CursorShape.PointingHandCursor)
        self._link.clicked.connect(self.opened)
        self._link.hide()
        self._say()

    def show_face(self, face: CardFace) -> bool:
        """Repaints only what looks different. True when the height it asks for may differ."""
        before, plan, self.face = self.face, self._plan(), face
        if face is before or (face == before and self._small(face) == self._small(before)):
            return False
        self._say()
        parts = None
        if plan is not None and self._plan() is plan:
            parts = changed_parts(plan, before, face)
        for part in [QRectF(self.rect())] if parts is None else parts:
            self.update(part.toAlignedRect())
        self._curves.show(self._placed_curves())
        if _height_decided_by(face) == _height_decided_by(before):
            return False
        self._place_link()
        return True

    def show_past(self, past: TilePast) -> None:
        if past is self._past:
            return
        plan = self._plan()
        if plan is None or past.average != self._past.average:
            small = plan is not None and plan.measures is not FULL
            part = numbers_place(plan) if plan is not None and small else QRectF(self.rect())
            self.update(part.toAlignedRect())
        self._past = past
        self._curves.show(self._placed_curves())
        if self._link.isVisible() is not self._leads_back():
            self.update()
            self._place_link()

    def show_programs(self, programs: Sequence[ProgramFace]) -> None:
        if list(programs) != self._programs:
            self._programs = list(programs)
            self._curves.show(self._placed_curves())
            self.update()

    def show_size(self, size: TileSize, *, curve: bool) -> None:
        """A large tile can be without its curves, where the same are drawn elsewhere."""
        if (size, curve) != (self.tile_size, self._curve):
            self.tile_size, self._curve = size, curve
            self._say()
            self._place_link()
            self._curves.show(self._placed_curves())
            self.update()

    def show_pointed(self, pointed: bool) -> None:
        """Told about elsewhere: a frame says which one it is."""
        if pointed is not self._pointed:
            self._pointed = pointed
            self.update()

    def past_width(self) -> float:
        """How wide the trace of how busy it was is drawn; 0 where none is."""
        if self.tile_size is TileSize.CELL:
            return cell_past_place(QRectF(self.rect()), self.face).width()
        return max((each.trace_width for each in self._placed_curves()), default=0.0)

    def shows_memory_past(self) -> bool:
        plan = self._plan()
        return plan is not None and plan.memory is not None

    def lists_programs(self) -> bool:
        """Whether there is room for them, however many there are."""
        plan = self._plan()
        return plan is not None and plan.programs is not None

    def draw(self, drawing: Drawing) -> None:
        place, plan = QRectF(self.rect()), self._plan()
        theme, painter = drawing.theme, drawing.painter
        radius = CELL_RADIUS if plan is None else TILE_RADIUS
        inside = self.rect().adjusted(4, 4, -4, -4)
        if plan is None:
            painter.fillRect(place, theme.surface)
            draw_cell(drawing, place, self.face, self._past.busy)
        else:
            if drawing.dirty is not None and inside.contains(drawing.dirty.boundingRect()):
                painter.fillRect(place, theme.surface)  # neither an edge nor a corner is seen
            else:
                painter.fillRect(place, theme.ground)
                drawing.tile(place)
            draw_tile(drawing, plan, self.face, self._past, self._programs, self._stamps)
        painter.setOpacity(1.0)
        if self.hasFocus():
            drawing.focus_ring(place, radius)
        elif self._pointed:
            painter.setPen(QPen(theme.text, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), radius - 1, radius - 1)

    def _small(self, face: CardFace) -> object:
        """The figures that are seen of those that a face is not compared by."""
        if self.tile_size is TileSize.CELL:
            return ()
        return face.figures if self.tile_size is TileSize.FULL else face.brief_figures

    def _say(self) -> None:
        """A screen reader is told as much as there is to see."""
        self.setAccessibleName(self.face.title)
        if self.tile_size is TileSize.CELL:
            said = self.face.summary
        else:
            full = self.tile_size is TileSize.FULL
            said = self.face.spoken if full else self.face.spoken_briefly
        self.setAccessibleDescription(said)

    def _plan(self) -> TilePlan | None:
        """Worked out once for as long as nothing about it changes. A cell has none."""
        if self.tile_size is TileSize.CELL:
            return None
        face, count = self.face, max(1, len(self._programs))
        asked = (self.tile_size, self._curve, self.size(), count, _height_decided_by(face))
        if self._plan_kept is None or self._plan_kept[0] != asked:
            place = QRectF(self.rect())
            plan = tile_plan(place, self.tile_size, face, count, curve=self._curve)
            self._plan_kept = (asked, plan)
        return self._plan_kept[1]

    def _placed_curves(self) -> list[PlacedCurve]:
        plan = self._plan()
        return [] if plan is None else placed_curves(plan, self.face, self._past)

    def _leads_back(self) -> bool:
        """Whether there are no figures now, and some there were."""
        blank = bool(self.face.sentence) and self.face.mark is not None
        return blank and self.tile_size is not TileSize.CELL and self._past.has_figures

    def _place_link(self) -> None:
        plan = self._plan()
        if plan is None or not self._leads_back():
            self._link.hide()
            return
        words = plan.sentence
        self._link.adjustSize()
        y = words.top() + sentence_height(words.width(), self.face) + 4
        y = min(y, words.bottom() - self._link.height() + 6)
        self._link.move(round(words.left()) - 6, round(y))
        self._link.show()

    def height_at(self, size: TileSize, width: float, *, curve: bool) -> float:
        return tile_height(size, width, self.face, curve=curve)

    def sizeHint(self) -> QSize:
        return QSize(320, int(self.height_at(self.tile_size, 320, curve=self._curve)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._curves.show(self._placed_curves())
        self._place_link()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        place = self.mapToGlobal(self.rect().center()) if by_key else event.globalPos()
        self.menu_asked.emit(place)


def _height_decided_by(face: CardFace) -> tuple[int, str, str, bool]:
    return len(face.instances), face.sentence, face.more, face.mark is None
