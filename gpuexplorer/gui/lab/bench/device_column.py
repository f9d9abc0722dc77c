"""BenchColumn: one device: its memory as a gauge, and what lies on it beside that."""

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.bench.bench_actions import BenchActions
from gpuexplorer.gui.lab.bench.block_delegate import GAP, ValuesOf
from gpuexplorer.gui.lab.bench.block_list import BlockList
from gpuexplorer.gui.lab.bench.blocks import Block
from gpuexplorer.gui.lab.bench.memory_levels import Level, amount, hue, levels, ticks
from gpuexplorer.gui.lab.bench.words import (
    FootRow,
    count_of_things,
    facts_of,
    foot_of,
    label_of,
    no_free,
    spoken_device,
    title_of,
)
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import faded, mixed
from gpuexplorer.gui.widgets.painted import Painted

_SIDE = 12.0
_LOW = 380  # below, a column gives up what can be asked for by pointing
_LABELS, _GAUGE, _FAN = 20.0, 10.0, 16.0
_CAPTION = 20.0  # above the blocks
_CHIP, _SWATCH = 20.0, 8.0
_HAIR = 2.0  # so little is not nothing, and no more is claimed
_NARROW = 96.0  # for words
_DASH, _SPACE = 4.0, 4.0
_CACHE, _CONTEXT, _HOST = 0.62, 0.36, 0.55
_WRAPPED = int((Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft).value)


class BenchColumn(Painted):
    """Draws what stands around the list of blocks, which speaks for the whole."""

    def __init__(
        self, device: BenchDevice, actions: BenchActions, values_of: ValuesOf, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.device = device
        self._actions = actions
        self._units, self._rows = USUAL, 0
        self._empty: Sequence[str] = ()
        self._notes: Sequence[str] = ()
        self._target: bool | None = None
        self._known = False
        self.blocks = BlockList(device, actions, values_of, self)
        self.blocks.walked.connect(self.update)
        self.setFocusProxy(self.blocks)
        look().changed.connect(self.update)
        self._lay_out()

    def show_device(
        self,
        device: BenchDevice,
        units: Units,
        rows: int,
        empty: Sequence[str],
        notes: Sequence[str],
    ) -> None:
        """`rows`: what the device with the longest foot has, so that all gauges are alike;
        `empty`: where no block lies, `notes`: below the foot, both at falling length.
        """
        now = (device, units, rows, empty, notes)
        if now != (self.device, self._units, self._rows, self._empty, self._notes):
            self.device, self._units, self._rows, self._empty, self._notes = now
            self.blocks.show_device(device, units)
            self._lay_out()

    def show_blocks(self, blocks: Sequence[Block], come_from: int) -> None:
        """`come_from`: from the column at the left (-1), at the right (1), or from none."""
        if blocks != self.blocks.blocks or not self._known:
            moves = self._known and self.look.motion and self.isVisible()
            self.blocks.show_blocks(blocks, come_from if moves else None)
            self._known = True
            self._lay_out()

    def show_names(self, names: frozenset[str]) -> None:
        """What is selected."""
        if self.blocks.show_names(names):
            self._lay_out()

    def show_target(self, possible: bool | None) -> None:
        """A block is held over it; None: it is not."""
        if possible is not self._target:
            self._target = possible
            self.update()

    def _lay_out(self) -> None:
        width, height, device = self.width(), self.height(), self.device
        self._low = height < _LOW
        self._line = 17.0 if self._low else 20.0
        deep = self._rows * self._line + 22.0 if self._rows else _SIDE
        self._head = QRectF(0, 0, width, 66.0 if self._low else 100.0)
        self._foot = QRectF(0, height - deep, width, deep)
        top = self._head.bottom()
        high = max(0.0, self._foot.top() - 10.0 - top)
        gauged = bool(device.total_bytes) and device.usable
        self._gauge = QRectF(_SIDE + _LABELS, top, _GAUGE, high) if gauged else QRectF()
        left = self._gauge.right() + _FAN if gauged else _SIDE
        high = max(0.0, high - _CAPTION)
        self._view = QRectF(left, top + _CAPTION, width - _SIDE - left, high)
        self.blocks.lay_out(self._view)
        count = len(self.blocks.blocks)
        things = count_of_things(count) if count else tr("nothing on it")
        self.blocks.setAccessibleName(f"{title_of(device)}, {things}")
        self.blocks.setAccessibleDescription(spoken_device(device, self._units))
        self.update()

    def draw(self, drawing: Drawing) -> None:
        device, theme, whole = self.device, drawing.theme, QRectF(self.rect())
        drawing.tile(whole)
        if self._target is not None:
            edge = theme.accent if self._target else theme.faint
            drawing.tile(whole, faded(edge, 0.08), edge)
        reasons = [tr(device.reason), tr(device.way_out)]
        drawing.hint(self._head, _lines([label_of(device), *reasons]))
        for place in (self._gauge.adjusted(-24, 0, 8, 0), self._foot):
            drawing.hint(place, _lines([*facts_of(device, self._units), *reasons]))
        if drawing.needs(self._head):
            self._draw_head(drawing)
        if drawing.needs(self._foot):
            self._draw_foot(drawing)
        body = QRectF(self._head.bottomLeft(), self._foot.topRight())
        if not device.usable:
            self._draw_reason(drawing, body.adjusted(_SIDE, 4, -_SIDE, 0))
        elif drawing.needs(body):
            self._draw_body(drawing)
        if self.blocks.hasFocus() and self.blocks.at is None:
            drawing.focus_ring(whole)

    def _draw_head(self, drawing: Drawing) -> None:
        device, theme, letters = self.device, drawing.theme, drawing.letters
        whole = device.usable and device.computes
        ink = theme.text if whole else theme.quiet
        x, right = _SIDE, self.width() - _SIDE
        if device.chip:
            wide = max(_CHIP, letters.badge.width(device.chip) + 8)
            coloured = device.colour is not None and whole and not device.is_host
            fill = hue(theme, device) if coloured else None
            drawing.chip(QRectF(x, 14, wide, _CHIP), device.chip, letters.badge, fill)
            x += wide + 8
        end = right
        if device.usable and device.reason:
            # It can be used, and something is special about it: told on asking.
            drawing.icon(Icon.NOTE, QRectF(right - 16, 16, 16, 16), theme.quiet)
            end -= 22
        title = Run(title_of(device), letters.title, ink)
        drawing.elided(x, 24 + letters.title.cap_height / 2, title, end - x)
        if not self._low:
            label = Run(label_of(device), letters.caption, theme.quiet)
            drawing.elided(_SIDE, 52, label, right - _SIDE)
        baseline = 54.0 if self._low else 82.0
        if device.free_bytes is None:
            absent = Run(no_free(device), letters.caption, theme.faint)
            drawing.elided(_SIDE, baseline - 2, absent, right - _SIDE)
            return
        free = amount(device.free_bytes, device, self._units)
        number = Run(free.number, letters.title if self._low else letters.number, ink)
        x = drawing.text(_SIDE, baseline, number) + 2
        words = tr("{unit} free", unit=free.unit)
        unit = Run(f"{THIN_SPACE}{words}", letters.body, theme.quiet)
        drawing.elided(x, baseline, unit, right - x)

    def _draw_foot(self, drawing: Drawing) -> None:
        foot, theme, letters = self._foot, drawing.theme, drawing.letters.caption
        rows = foot_of(self.device)
        if not rows:
            return
        right = foot.width() - _SIDE
        drawing.hairline(_SIDE, right, foot.top())
        middle = foot.top() + 12 + self._line / 2
        for row in rows:
            self._draw_row(drawing, row, middle)
            middle += self._line
        if self._notes:
            said = _fitting(self._notes, letters, right - _SIDE)
            baseline = foot.bottom() - 10 - self._line / 2 + letters.cap_height / 2
            drawing.elided(_SIDE, baseline, Run(said, letters, theme.faint), right - _SIDE)

    def _draw_row(self, drawing: Drawing, row: FootRow, middle: float) -> None:
        device, theme, letters = self.device, drawing.theme, drawing.letters
        contained = row.level is Level.TENSORS and not device.is_host
        x = _SIDE + (14 if contained else 0)
        self._fill(drawing, QRectF(x, middle - _SWATCH / 2, _SWATCH, _SWATCH), row.level)
        runs = [Run(tr("not known"), letters.caption, theme.faint)]
        if row.size is not None:
            taken = amount(row.size, device, self._units)
            unit = Run(f"{THIN_SPACE}{taken.unit}", letters.caption, theme.quiet)
            runs = [Run(taken.number, letters.body, theme.text), unit]
        baseline = middle + letters.caption.cap_height / 2
        end = drawing.runs_right(self.width() - _SIDE, baseline, runs)
        x += _SWATCH + 8
        room = max(0.0, end - 6 - x)
        words = _fitting((row.label, row.short), letters.caption, room)
        drawing.elided(x, baseline, Run(words, letters.caption, theme.quiet), room)

    def _draw_reason(self, drawing: Drawing, place: QRectF) -> None:
        """In the place of gauge and blocks of a card that PyTorch cannot use."""
        body, painter = drawing.letters.body, drawing.painter
        painter.setFont(body.font)
        said = (
            (self.device.reason, drawing.theme.quiet),
            (self.device.way_out, drawing.theme.text),
        )
        for words, ink in said:
            painter.setPen(ink)
            drawn = painter.drawText(place, _WRAPPED, tr(words))
            place.setTop(drawn.bottom() + 8)

    def _draw_body(self, drawing: Drawing) -> None:
        """Gauge and blocks, with a fan between them; or that there are none."""
        theme, letters, view = drawing.theme, drawing.letters.caption, self._view
        count = len(self.blocks.blocks)
        if self._gauge.isValid():
            self._draw_gauge(drawing)
        if not count:
            if self._empty:
                self._draw_empty(drawing)
            return
        x, baseline = view.left(), self.blocks.y() + GAP / 2 - 7
        if self._gauge.isValid():
            x = drawing.text(x, baseline, Run(tr("Enlarged"), letters, theme.quiet))
        number = Run(count_of_things(count), letters, theme.quiet)
        if self.blocks.overflows and view.right() - number.width > x + 8:
            drawing.runs_right(view.right(), baseline, [number])

    def _draw_gauge(self, drawing: Drawing) -> None:
        """True to scale, but for the hair that shows where little is."""
        device, total, bar = self.device, self.device.total_bytes or 1, self._gauge
        painter, theme, letters = drawing.painter, drawing.theme, drawing.letters.caption
        painter.setPen(QPen(theme.line, 1))
        painter.setBrush(theme.well)
        painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        for share, text in ticks(total, self._units):
            y = bar.bottom() - share * bar.height()
            painter.fillRect(
                QRectF(bar.left() - 4, min(y, bar.bottom() - 1), 3, 1), theme.faint
            )
            baseline = min(max(y + letters.cap_height / 2, bar.top() + 8), bar.bottom())
            drawing.runs_right(bar.left() - 7, baseline, [Run(text, letters, theme.faint)])
        cut = QPainterPath()
        cut.addRoundedRect(bar.adjusted(1, 1, -1, -1), 2.5, 2.5)
        painter.save()
        painter.setClipPath(cut)
        y = low = top = bar.bottom()
        for level, size in levels(device):
            high = min(1.0, size / total) * bar.height()
            least = _HAIR if level in (Level.TENSORS, Level.CACHE) else 0.0
            place = QRectF(bar.left(), y - max(least, high), bar.width(), max(least, high))
            self._fill(drawing, place, level)
            if least:
                low, top = y, place.top()
            y -= high
        self._draw_chosen(drawing, low)
        painter.restore()
        if self.blocks.blocks:
            painter.setPen(QPen(faded(hue(theme, device), 0.55), 1))
            left, right = bar.right() + 1, self._view.left() - 3
            seen = QRectF(self.blocks.geometry()).adjusted(0, GAP / 2 + 0.5, 0, -GAP / 2 - 0.5)
            painter.drawLine(QPointF(left, top), QPointF(right, seen.top()))
            painter.drawLine(QPointF(left, low), QPointF(right, seen.bottom()))

    def _draw_chosen(self, drawing: Drawing, ground: float) -> None:
        """Where the chosen one is among the tensors, as far as that is more than a hair; blocks
        stand as in the list.
        """
        blocks, row = self.blocks.blocks, self.blocks.chosen
        if row is None or not self.device.total_bytes:
            return
        pixel = self._gauge.height() / self.device.total_bytes
        low = ground - sum(each.own for each in blocks[row + 1 :]) * pixel
        high = low - blocks[row].own * pixel
        if low - high >= _HAIR:
            bar = self._gauge
            drawing.painter.setPen(QPen(drawing.theme.text, 1.5))
            drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
            drawing.painter.drawRect(
                QRectF(bar.left() + 1.5, high + 0.5, bar.width() - 3, low - high - 1)
            )

    def _draw_empty(self, drawing: Drawing) -> None:
        """A place to drop things, or why there is none."""
        theme, view, painter = drawing.theme, self._view, drawing.painter
        narrow = view.width() < _NARROW
        letters = drawing.letters.caption if narrow else drawing.letters.body
        words, side = self._empty[-1 if narrow else 0], 6 if narrow else 12
        inner = QRectF(0, 0, view.width() - 2 * side, 1000)
        asked = letters.metrics.boundingRect(inner, _WRAPPED, words)
        high = min(view.height(), asked.height() + (14 if narrow else 24))
        box = QRectF(view.left(), view.bottom() - high, view.width(), high)
        _draw_dashes(painter, box, faded(theme.faint, 0.6))
        painter.setFont(letters.font)
        painter.setPen(theme.quiet)
        painter.drawText(box.adjusted(side, 10, -6, 0), _WRAPPED, words)

    def _fill(self, drawing: Drawing, place: QRectF, level: Level) -> None:
        theme, painter, host = drawing.theme, drawing.painter, self.device.is_host
        colour = hue(theme, self.device)
        match level:
            case Level.TENSORS:
                painter.fillRect(place, faded(colour, _HOST) if host else colour)
            case Level.CACHE:
                painter.fillRect(place, mixed(theme.surface, colour, _CACHE))
            case Level.CONTEXT:
                painter.fillRect(place, mixed(theme.surface, colour, _CONTEXT))
            case Level.OTHERS:
                painter.fillRect(place, faded(theme.quiet, 0.16))
                hatch = QBrush(faded(theme.quiet, 0.75), Qt.BrushStyle.BDiagPattern)
                painter.fillRect(place, hatch)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.blocks.setFocus(Qt.FocusReason.MouseFocusReason)
            self._actions.touched.emit()
            self._actions.choose(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()


def _lines(words: Sequence[str]) -> str:
    return "\n".join(each for each in words if each)


def _fitting(lengths: Sequence[str], letters: Lettering, room: float) -> str:
    """The longest that fits, else the shortest."""
    return next((each for each in lengths if letters.width(each) <= room), lengths[-1])


def _draw_dashes(painter: QPainter, place: QRectF, colour: QColor) -> None:
    """Qt's dashed pens take many times as long as the dashes themselves."""
    painter.setPen(QPen(colour, 1))
    edge = place.adjusted(0.5, 0.5, -0.5, -0.5)
    step = _DASH + _SPACE
    across = [edge.left() + _SPACE + at * step for at in range(int(edge.width() // step))]
    down = [edge.top() + _SPACE + at * step for at in range(int(edge.height() // step))]
    lines = [QLineF(x, y, x + _DASH, y) for x in across for y in (edge.top(), edge.bottom())]
    lines += [QLineF(x, y, x, y + _DASH) for y in down for x in (edge.left(), edge.right())]
    painter.drawLines(lines)
