"""CardTile: one card on the overview, large, compact, or as a cell."""

from collections.abc import Sequence
from enum import Enum
from typing import assert_never

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QPushButton, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import TILE_RADIUS, Drawing
from gpuexplorer.gui.paint.stamps import Stamps
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.tiles.cell_tile import CELL_HEIGHT, cell_past_place, draw_cell_tile
from gpuexplorer.gui.widgets.tiles.compact_tile import (
    CompactPlan,
    changed_parts,
    compact_curves,
    compact_plan,
    compact_tile_height,
    draw_compact_tile,
    numbers_place,
)
from gpuexplorer.gui.widgets.tiles.full_tile import (
    FullPlan,
    draw_full_tile,
    full_curves,
    full_plan,
    full_tile_height,
)
from gpuexplorer.gui.widgets.tiles.tile_curve import PlacedCurve, TileCurves
from gpuexplorer.gui.widgets.tiles.tile_parts import sentence_height
from gpuexplorer.gui.widgets.tiles.tile_past import NO_PAST, TilePast
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.processes.programs import ProgramFace

_CELL_RADIUS = 6.0


class TileSize(Enum):
    """How much of a card is told."""

    FULL = "full"
    COMPACT = "compact"
    CELL = "cell"


class CardTile(Painted):
    """Shows a face. Its accessible description says the same as the picture."""

    opened = Signal()
    menu_asked = Signal(QPoint)  # on the screen

    def __init__(self, look: Look, face: CardFace, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.face = face
        self._size = TileSize.COMPACT
        self._curve = True
        self._past = NO_PAST
        self._programs: list[ProgramFace] = []
        self._pointed = False
        self._stamps = Stamps()
        self._curves = TileCurves(look, self)
        self._plan_kept: tuple[object, FullPlan | CompactPlan] | None = None
        # It draws what shows at its corners too: then nothing below it is drawn again.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._link = QPushButton(tr("Open its history"), self)
        self._link.setProperty("kind", "link")
        self._link.setFont(look.letters.body.font)
        self._link.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._link.setCursor(Qt.CursorShape.PointingHandCursor)
        self._link.clicked.connect(self.opened)
        self._link.hide()
        self._say()

    @property
    def tile_size(self) -> TileSize:
        return self._size

    def show_face(self, face: CardFace) -> bool:
        """Repaints only what looks different. True when the height it asks for may differ."""
        before, plan = self.face, self._plan()
        if face is before or (face == before and self._small_figures(face, before)):
            self.face = face
            return False
        self.face = face
        self._say()
        self._update_from(plan, before)
        self._curves.show(self._placed_curves())
        if _height_decided_by(face) == _height_decided_by(before):
            return False
        self._place_link()
        return True

    def show_past(self, past: TilePast) -> None:
        if past is self._past:
            return
        plan, place = self._plan(), QRectF(self.rect())
        if plan is None or past.average != self._past.average:
            parts = numbers_place(place, plan) if isinstance(plan, CompactPlan) else place
            self.update(parts.toAlignedRect())
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

    def _update_from(self, plan: FullPlan | CompactPlan | None, before: CardFace) -> None:
        """Only where it looks different from what it was, as far as that is known."""
        parts = None
        if isinstance(plan, CompactPlan) and self._plan() is plan:
            parts = changed_parts(QRectF(self.rect()), plan, before, self.face)
        if parts is None:
            self.update()
            return
        for part in parts:
            self.update(part.toAlignedRect())

    def show_size(self, size: TileSize, *, curve: bool) -> None:
        """A large tile can be without its curves, where the same are drawn elsewhere."""
        if (size, curve) != (self._size, self._curve):
            self._size, self._curve = size, curve
            self._say()
            self._place_link()
            self._curves.show(self._placed_curves())
            self.update()

    def show_pointed(self, pointed: bool) -> None:
        """Told about elsewhere: a frame says which one it is."""
        if pointed is not self._pointed:
            self._pointed = pointed
            self.update()

    def height_at(self, width: float) -> float:
        return tile_height(self.look, self._size, width, self.face, curve=self._curve)

    def past_width(self) -> float:
        """How wide the trace of how busy it was is drawn; 0 where none is."""
        if self._size is TileSize.CELL:
            return cell_past_place(self.look, QRectF(self.rect()), self.face).width()
        return max((each.trace_width for each in self._placed_curves()), default=0.0)

    def shows_memory_past(self) -> bool:
        plan = self._plan()
        return plan is not None and plan.memory is not None

    def lists_programs(self) -> bool:
        """Whether there is room for them, however many there are."""
        plan = self._plan()
        return plan is not None and plan.programs is not None

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(self.rect())
        theme, cell = drawing.theme, self._size is TileSize.CELL
        if cell or not self._only_inside(drawing):
            drawing.painter.fillRect(place, theme.surface if cell else theme.ground)
        radius = _CELL_RADIUS if cell else TILE_RADIUS
        parts = (self.face, self._past, self._programs, self._stamps)
        match self._plan():
            case FullPlan() as full:
                drawing.tile(place)
                draw_full_tile(drawing, place, full, *parts)
            case CompactPlan() as compact:
                self._draw_ground(drawing, place)
                draw_compact_tile(drawing, place, compact, *parts)
            case _:
                draw_cell_tile(drawing, place, self.face, self._past.busy)
        drawing.painter.setOpacity(1.0)
        if self.hasFocus():
            drawing.focus_ring(place, radius)
        elif self._pointed:
            drawing.painter.setPen(QPen(theme.text, 2))
            drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
            inside = place.adjusted(1, 1, -1, -1)
            drawing.painter.drawRoundedRect(inside, radius - 1, radius - 1)

    def _only_inside(self, drawing: Drawing) -> bool:
        """Whether neither the edge nor a corner is to be drawn."""
        inside = self.rect().adjusted(4, 4, -4, -4)
        return drawing.dirty is not None and inside.contains(drawing.dirty.boundingRect())

    def _draw_ground(self, drawing: Drawing, place: QRectF) -> None:
        if self._only_inside(drawing):
            drawing.painter.fillRect(place, drawing.theme.surface)
        else:
            drawing.tile(place)

    def _small_figures(self, face: CardFace, before: CardFace) -> bool:
        """Whether these are the same too, where they are shown."""
        match self._size:
            case TileSize.FULL:
                return face.figures == before.figures
            case TileSize.COMPACT:
                return face.brief_figures == before.brief_figures
            case TileSize.CELL:
                return True
            case _:
                assert_never(self._size)

    def _say(self) -> None:
        self.setAccessibleName(self.face.title)
        face = self.face
        # A screen reader is told as much as there is to see.
        match self._size:
            case TileSize.FULL:
                self.setAccessibleDescription(face.spoken)
            case TileSize.COMPACT:
                self.setAccessibleDescription(face.spoken_briefly)
            case TileSize.CELL:
                self.setAccessibleDescription(face.summary)
            case _:
                assert_never(self._size)

    def _plan(self) -> FullPlan | CompactPlan | None:
        """Worked out once for as long as nothing about it changes. A cell has none."""
        if self._size is TileSize.CELL:
            return None
        face, count = self.face, max(1, len(self._programs))
        asked = (self._size, self._curve, self.size(), count, _height_decided_by(face))
        if self._plan_kept is None or self._plan_kept[0] != asked:
            place = QRectF(self.rect())
            if self._size is TileSize.FULL:
                self._plan_kept = (asked, full_plan(place, face, count, curve=self._curve))
            else:
                self._plan_kept = (asked, compact_plan(place, face, count))
        return self._plan_kept[1]

    def _placed_curves(self) -> list[PlacedCurve]:
        face, past = self.face, self._past
        match self._plan():
            case FullPlan() as full:
                return full_curves(full, face, past)
            case CompactPlan() as compact:
                return compact_curves(compact, face, past)
            case _:
                return []

    def _leads_back(self) -> bool:
        """Whether there are no figures now, and some there were."""
        if self._size is TileSize.CELL or not self.face.sentence or self.face.mark is None:
            return False
        return self._past.has_figures

    def _place_link(self) -> None:
        plan = self._plan()
        if plan is None or not self._leads_back():
            self._link.hide()
            return
        words = plan.sentence
        self._link.adjustSize()
        y = words.top() + sentence_height(self.look, words.width(), self.face) + 4
        y = min(y, words.bottom() - self._link.height() + 6)
        self._link.move(round(words.left()) - 6, round(y))
        self._link.show()

    def sizeHint(self) -> QSize:
        return QSize(320, int(self.height_at(320)))

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


def tile_height(
    look: Look, size: TileSize, width: float, face: CardFace, *, curve: bool
) -> float:
    """What the tile takes at least."""
    match size:
        case TileSize.FULL:
            return full_tile_height(look, width, face, curve=curve)
        case TileSize.COMPACT:
            return compact_tile_height(width, face)
        case TileSize.CELL:
            return CELL_HEIGHT
        case _:
            assert_never(size)


def _height_decided_by(face: CardFace) -> tuple[int, str, str, bool]:
    return len(face.instances), face.sentence, face.more, face.mark is None
