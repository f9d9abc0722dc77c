"""RatePlot: rate over size on logarithmic axes, with a crosshair that steps through sizes."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Hint
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.copies.sweep.rate_axes import RateAxes, rate_axes
from gpuexplorer.gui.views.copies.sweep.rate_drawing import (
    draw_axes,
    draw_crosshair,
    draw_curve,
    draw_end_figures,
    draw_floor,
    draw_half,
    draw_leaders,
    draw_limits,
    draw_nothing,
    draw_spreads,
    said_at,
)
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.copies.sweep.rows import SweepRow
from gpuexplorer.gui.wording.copies.sweep.ways import SIZES, SweepWay

_LABELS, _LEFT, _TOP, _BOTTOM, _GUTTER, _NARROW_GUTTER = 6, 50, 20, 30, 44, 60
_NEAR = 14.0  # pixels from a curve's point to where a press still means it
NAME = mark("Rate over size")
_NOTHING = (
    mark("Nothing was measured yet."),
    mark("Measure copies 29 sizes, from 4 B to 1 GiB, over each of these ways."),
)
_NO_WAY = (
    mark("There is no way to compare."),
    mark("Choose from where, to where and how, and add it."),
)


class RatePlot(Painted):
    """Its curves end at the right where the rows of the table beside it begin."""

    way_chosen = Signal(object)  # SweepWay

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._rows: Sequence[SweepRow] = ()
        self._chosen: SweepWay | None = None
        self._ends: Sequence[float] | None = None
        self._at: int | None = None  # the size at which the crosshair stands
        self._layer: QPixmap | None = None
        self._layer_hints: list[Hint] = []
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr(NAME))
        look.changed.connect(self._on_look_changed)

    @property
    def crosshair(self) -> int | None:
        """The size at which it stands."""
        return self._at

    def show_rows(
        self,
        rows: Sequence[SweepRow],
        chosen: SweepWay | None,
        ends: Sequence[float] | None,
    ) -> None:
        """`ends` are the heights of the table's rows; None where it is not beside."""
        self._rows, self._chosen, self._ends = rows, chosen, ends
        self._forget_layer()
        self._tell_crosshair()

    def point_at(self, size: int | None) -> None:
        if size != self._at:
            self._at = size
            self._tell_crosshair()
            self.update()

    def axes(self) -> RateAxes:
        gutter = _NARROW_GUTTER if self._ends is None else _GUTTER
        right = max(_LEFT + 80, self.width() - gutter)
        bottom = max(_TOP + 60, self.height() - _BOTTOM)
        return rate_axes(QRectF(_LEFT, _TOP, right - _LEFT, bottom - _TOP), self._rows)

    def draw(self, drawing: Drawing) -> None:
        layer = self._drawn()
        drawing.painter.drawPixmap(0, 0, layer)
        drawing.hints += self._layer_hints
        if self._at is not None:
            draw_crosshair(drawing, self.axes(), self._rows, self._at, self.width())
        if self.hasFocus():
            ring = QRectF(0, 0, self.axes().area.right() + 6, self.height())
            drawing.focus_ring(ring, CHIP_RADIUS)

    def _drawn(self) -> QPixmap:
        """All but the crosshair, which moves often."""
        if self._layer is None:
            scale = self.devicePixelRatioF()
            layer = QPixmap(self.size() * scale)
            layer.setDevicePixelRatio(scale)
            layer.fill(self.look.theme.surface)
            with QPainter(layer) as painter:
                drawing = Drawing(painter, self.look)
                self._draw_layer(drawing)
            self._layer, self._layer_hints = layer, drawing.hints
        return self._layer

    def _draw_layer(self, drawing: Drawing) -> None:
        axes, rows = self.axes(), self._rows
        chosen = next((row for row in rows if row.way == self._chosen), None)
        draw_axes(drawing, axes, _LABELS)
        draw_limits(drawing, axes, rows)
        if chosen is not None:
            draw_spreads(drawing, axes, chosen)
        for row in sorted(rows, key=lambda row: row is chosen):
            draw_curve(drawing, axes, row, faint=False)
        for row in rows:
            draw_half(drawing, axes, row, named=row is chosen)
        if not any(row.times for row in rows):
            draw_nothing(drawing, axes, _NO_WAY if not rows else _NOTHING)
        if chosen is not None:
            draw_floor(drawing, axes, chosen, rows)
        if self._ends is None:
            draw_end_figures(drawing, axes, rows)
        else:
            draw_leaders(drawing, axes, rows, self._ends, self.width())

    def _forget_layer(self) -> None:
        self._layer = None
        self.update()

    def _tell_crosshair(self) -> None:
        told = "" if self._at is None else said_at(self._rows, self._at)
        self.setAccessibleDescription(
            told or tr("Left and right go from size to size, up and down from way to way")
        )

    def _step(self, by: int) -> None:
        at = len(SIZES) - 1 if self._at is None else SIZES.index(self._at) + by
        self.point_at(SIZES[min(len(SIZES) - 1, max(0, at))])

    def _choose_neighbour(self, by: int) -> None:
        ways = [row.way for row in self._rows]
        if self._chosen in ways:
            at = ways.index(self._chosen) + by
            self.way_chosen.emit(ways[min(len(ways) - 1, max(0, at))])

    def _way_near(self, place: QPointF) -> SweepWay | None:
        axes = self.axes()
        found = [
            ((axes.point(*each) - place).manhattanLength(), row.way)
            for row in self._rows
            for each in row.times
        ]
        near = [each for each in found if each[0] <= _NEAR]
        return min(near, key=lambda each: each[0])[1] if near else None

    def _on_look_changed(self) -> None:
        self._forget_layer()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        axes = self.axes()
        x = event.position().x()
        inside = axes.area.left() - 10 <= x <= axes.area.right() + 10
        self.point_at(axes.size_at(x, SIZES) if inside else None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        way = self._way_near(event.position())
        if way is not None:
            self.way_chosen.emit(way)
        super().mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.point_at(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self._step(-1)
            case Qt.Key.Key_Right:
                self._step(1)
            case Qt.Key.Key_Home:
                self.point_at(SIZES[0])
            case Qt.Key.Key_End:
                self.point_at(SIZES[-1])
            case Qt.Key.Key_Up:
                self._choose_neighbour(-1)
            case Qt.Key.Key_Down:
                self._choose_neighbour(1)
            case Qt.Key.Key_Escape if self._at is not None:
                self.point_at(None)
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.point_at(None)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._forget_layer()

    def sizeHint(self) -> QSize:
        return QSize(560, 340)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, 220)
