"""BenchColumn: one device with all that lies on it, drawn by one widget."""

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import QEasingCurve, QPoint, QRect, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QFocusEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QScrollBar, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.views.lab.bench.block_drawing import BlockLook, draw_block
from gpuexplorer.gui.views.lab.bench.block_stack import Slab
from gpuexplorer.gui.views.lab.bench.block_view import BlockView
from gpuexplorer.gui.views.lab.bench.column_drawing import (
    Fan,
    draw_caption,
    draw_empty,
    draw_foot,
    draw_gauge,
    draw_head,
    draw_reason,
)
from gpuexplorer.gui.views.lab.bench.column_frame import ColumnFrame, column_frame
from gpuexplorer.gui.views.lab.bench.fills import hue
from gpuexplorer.gui.widgets.machine.voiced import Voiced
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, Key
from gpuexplorer.gui.wording.lab.bench.bench_column import ColumnFace
from gpuexplorer.gui.wording.lab.bench.bench_question import Values

_ARRIVAL = 160  # milliseconds
_FROM = 28.0  # pixels away from where a block will stand
_MOST_ARRIVING = 6

ValuesOf = Callable[[Block], Values | None]


class BenchColumn(Painted, Voiced[Key]):
    """Repaints only what is different. What a person does with it is told by its hands."""

    seen_changed = Signal()  # other blocks are seen than before
    walked = Signal()  # the keyboard is at another block, or came here

    def __init__(
        self, look: Look, face: ColumnFace, values_of: ValuesOf, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._face = face
        self._values_of = values_of
        self._rows = 0
        self._blocks: Sequence[Block] = ()
        self._names: frozenset[str] = frozenset()
        self._empty: tuple[str, ...] = ()
        self._target: bool | None = None
        self._pointed: Key | None = None
        self._arriving: Collection[Key] = ()
        self._from = (0.0, 0.0)
        self._known = False
        self._lit: tuple[float, float] | None = None
        self._dirty = QRect()
        self.view = BlockView(look.letters)
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._bar.hide()
        self._bar.valueChanged.connect(self._on_scrolled)
        self._arrival = QVariantAnimation(self)
        self._arrival.setDuration(_ARRIVAL)
        self._arrival.setStartValue(0.0)
        self._arrival.setEndValue(1.0)
        self._arrival.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._arrival.valueChanged.connect(self._update_view)
        self._arrival.finished.connect(self._on_arrived)
        look.changed.connect(self.update)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMouseTracking(True)
        self._tell_words()

    # What it shows

    @property
    def device(self) -> str:
        return self._face.device

    @property
    def face(self) -> ColumnFace:
        return self._face

    @property
    def frame(self) -> ColumnFrame:
        gauge = bool(self._face.total_bytes) and self._face.usable
        return column_frame(self.width(), self.height(), self._rows, gauge=gauge)

    def show_face(self, face: ColumnFace, rows: int) -> None:
        """`rows`: what the column with the longest foot has, so that all gauges are alike."""
        if (face, rows) == (self._face, self._rows):
            return
        self._face, self._rows = face, rows
        self._tell_words()
        self._lay_out()
        self.update()

    def show_blocks(self, blocks: Sequence[Block], come_from: int = 0) -> None:
        """`come_from`: from the column at the left (-1), at the right (1), or from none."""
        if blocks == self._blocks and self._known:
            return
        before = {each.key for each in self._blocks}
        fresh = [each.key for each in blocks if each.key not in before and each.names]
        self._blocks = blocks
        self._lay_out()
        if self._known and self.look.motion and self.isVisible():
            self._arrive(fresh, come_from)
        self._known = True
        self._tell_words()
        self.forget_parts()
        self.update()

    def show_names(self, names: frozenset[str]) -> None:
        """What is selected."""
        if names != self._names:
            self._names = names
            self._lay_out()
            self.update()

    def show_empty(self, words: tuple[str, ...]) -> None:
        """Where no block lies; at falling length."""
        if words != self._empty:
            self._empty = words
            self.update()

    def show_target(self, possible: bool | None) -> None:
        """A block is held over it; None: it is not."""
        if possible is not self._target:
            self._target = possible
            self.update()

    def show_values(self) -> None:
        self._update_view()

    # What is asked

    def block(self, key: Key | None) -> Block | None:
        slab = self.view.stack.slab_of(key)
        return None if slab is None else slab.block

    def seen(self) -> Sequence[Slab]:
        return self.view.seen() if self._face.usable else ()

    def key_at(self, place: QPoint) -> Key | None:
        slab = self.view.slab_at(place.x(), place.y())
        return None if slab is None else slab.block.key

    def hint_at(self, place: QPoint) -> str:
        """What is told of it on asking."""
        block = self.block(self.key_at(place))
        if block is None:
            return _told(self._face, self.frame, place)
        values = self._values_of(block)
        if values is None:
            return block.hint
        told = [block.hint, *(" ".join(text for text, _ in row) for row in values.rows)]
        if values.moved_bytes:
            told.append(
                tr("Showing the values copied {bytes} B to the host.", bytes=values.moved_bytes)
            )
        return "\n".join(told)

    def place_of_block(self, key: Key) -> QRectF:
        """No further up or down than is seen; empty where there is none."""
        slab = self.view.stack.slab_of(key)
        if slab is None:
            return QRectF()
        place, view = self.view.place_of(slab), self.view.place
        top = min(max(place.top(), view.top()), view.bottom())
        bottom = max(min(place.bottom(), view.bottom()), view.top())
        return QRectF(place.left(), top, place.width(), bottom - top)

    def go_to(self, key: Key) -> None:
        self.view.go_to(key)
        self._show_at()

    def bring_into_sight(self, names: frozenset[str]) -> bool:
        """True where one of them lies here."""
        key = next((each.key for each in self._blocks if self._chosen_by(each, names)), None)
        if key is not None:
            self.view.show(key)
            self._bar.setValue(round(self.view.scrolled))
        return key is not None

    def step(self, steps: int) -> None:
        if self.view.step(steps):
            self._show_at()

    def enter_at(self, y: float | None) -> None:
        """The keyboard comes here, from the block beside at that height."""
        key = None if y is None else self.view.nearest(y)
        if key is not None:
            self.view.go_to(key)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_at()

    def scroll_by(self, pixels: float) -> None:
        self._bar.setValue(round(self.view.scrolled + pixels))

    def point_at(self, key: Key | None) -> None:
        if key != self._pointed:
            self._pointed = key
            self._update_view()

    # For screen readers

    def parts(self) -> Sequence[Key]:
        return [each.key for each in self._blocks]

    def words_of(self, part: Key) -> tuple[str, str]:
        block = self.block(part)
        if block is None:
            return "", ""
        values = self._values_of(block)
        told = "" if values is None else _spoken(values)
        chosen = tr("selected") if self._chosen(block) else ""
        return block.spoken, ". ".join(each for each in (told, chosen) if each)

    def place_of(self, part: Key) -> QRect:
        return self.place_of_block(part).toAlignedRect()

    def focused_part(self) -> Key | None:
        return self.view.at if self.hasFocus() else None

    # How it is drawn

    def draw(self, drawing: Drawing) -> None:
        face, frame, theme = self._face, self.frame, drawing.theme
        whole = QRectF(self.rect())
        drawing.tile(whole)
        if self._target is not None:
            edge = theme.accent if self._target else theme.faint
            drawing.tile(whole, faded(edge, 0.08), edge)
        dirty = QRectF(self._dirty)
        if dirty.intersects(frame.head):
            draw_head(drawing, frame, face)
        if dirty.intersects(frame.foot):
            draw_foot(drawing, frame, face)
        if not face.usable:
            draw_reason(drawing, frame, face)
        elif dirty.intersects(frame.body):
            self._draw_body(drawing, frame)
        if self.hasFocus() and self.view.at is None:
            drawing.focus_ring(whole)

    def _draw_body(self, drawing: Drawing, frame: ColumnFrame) -> None:
        view = self.view
        if len(view.stack):
            top = max(view.top, frame.view.top())
            bottom = min(view.top + view.stack.height, frame.view.bottom())
            if frame.gauge.isValid():
                draw_gauge(drawing, frame, self._face, Fan(top, bottom, self._lit))
            count = len(view.stack)
            draw_caption(drawing, frame, top, count, scrolled=view.overflows)
            self._draw_blocks(drawing)
            return
        if frame.gauge.isValid():
            draw_gauge(drawing, frame, self._face, None)
        if self._empty:
            draw_empty(drawing, frame, self._empty)

    def _draw_blocks(self, drawing: Drawing) -> None:
        painter = drawing.painter
        painter.save()
        # Rings and outlines stand a little beyond their blocks.
        reach = self.view.place.adjusted(-4, -4, 4, 4)
        if self._arriving:
            reach = QRectF(self.rect()).adjusted(1, reach.top(), -1, 0)
            reach.setBottom(self.frame.view.bottom() + 4)
        painter.setClipRect(reach)
        colour = hue(drawing.theme, self._face)
        for slab in self.view.seen():
            block = slab.block
            place = self.view.place_of(slab)
            if block.key in self._arriving:
                share = float(self._arrival.currentValue() or 0.0)
                painter.setOpacity(share)
                place.translate(self._from[0] * (1 - share), self._from[1] * (1 - share))
            look = BlockLook(
                colour,
                self._chosen(block),
                self.hasFocus() and block.key == self.view.at,
                block.key == self._pointed,
                self._face.total_bytes is not None,
                self._values_of(block) if slab.cells else None,
            )
            draw_block(drawing, place, slab, look)
            painter.setOpacity(1.0)
        painter.restore()

    def _lit_among(self, opened: Key | None) -> tuple[float, float] | None:
        """Where in the gauge the one that is chosen lies; blocks stand as in the stack."""
        total, number = self._face.total_bytes, self.view.stack.number_of(opened)
        if not total or number is None:
            return None
        shares = [each.share for each in self._face.stretches if each.level.value != "tensors"]
        older = sum(each.bytes for each in self._blocks[number + 1 :])
        below = sum(shares) + older / total
        return below, below + self._blocks[number].bytes / total

    def _chosen(self, block: Block) -> bool:
        return self._chosen_by(block, self._names)

    def _chosen_by(self, block: Block, names: frozenset[str]) -> bool:
        return not names.isdisjoint(block.names)

    def _lay_out(self) -> None:
        opened = None
        if self._names:
            opened = next((each.key for each in self._blocks if self._chosen(each)), None)
        frame = self.frame
        self.view.lay_out(self._blocks, frame.view, () if opened is None else (opened,))
        self._lit = self._lit_among(opened)
        overflows = self.view.overflows and self._face.usable
        self._bar.setVisible(overflows)
        if overflows:
            place = frame.view
            self._bar.setGeometry(
                round(place.right()) - 6, round(place.top()), 12, round(place.height())
            )
            self._bar.setPageStep(round(place.height()))
            self._bar.setSingleStep(24)
            self._bar.setRange(0, round(self.view.most_scrolled))
            self._bar.setValue(round(self.view.scrolled))
        self.seen_changed.emit()

    def _arrive(self, fresh: Collection[Key], come_from: int) -> None:
        if fresh and len(fresh) <= _MOST_ARRIVING:
            self._arriving = frozenset(fresh)
            self._from = (come_from * _FROM, 0.0 if come_from else -_FROM / 2)
            self._arrival.start()

    def _show_at(self) -> None:
        self.view.show_at()
        self._bar.setValue(round(self.view.scrolled))
        self._update_view()
        self.tell_focus()
        self.walked.emit()

    def _update_view(self) -> None:
        self.update(self.frame.body.toAlignedRect().adjusted(0, 0, 0, 8))

    def _tell_words(self) -> None:
        face, count = self._face, len(self._blocks)
        things = trn("{count} thing", "{count} things", count) if count else tr("nothing on it")
        self.setAccessibleName(f"{face.title}, {things}")
        self.setAccessibleDescription(face.spoken)

    def _on_scrolled(self, value: int) -> None:
        self.view.scroll_to(value)
        self._update_view()
        self.seen_changed.emit()

    def _on_arrived(self) -> None:
        self._arriving = ()
        self._update_view()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._dirty = event.rect()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.tell_focus()
        self.walked.emit()


def _spoken(values: Values) -> str:
    return "; ".join(" ".join(text for text, _ in row) for row in values.rows)


def _told(face: ColumnFace, frame: ColumnFrame, place: QPoint) -> str:
    if frame.head.contains(place):
        return "\n".join(each for each in (face.label, face.reason, face.way_out) if each)
    if frame.gauge.adjusted(-24, 0, 8, 0).contains(place) or frame.foot.contains(place):
        return "\n".join(face.lines)
    return ""
