"""Draws what stands around the blocks of a column: head, gauge with its fan, and foot."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainterPath, QPen

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.views.lab.bench.column_frame import SIDE, ColumnFrame
from gpuexplorer.gui.views.lab.bench.fills import dashed_frame, fill_level, hue, level_fill
from gpuexplorer.gui.wording.lab.bench.bench_column import ColumnFace, Level, Row

_CHIP = 20.0
_SWATCH = 8.0
_HAIR = 2.0  # so little is not nothing, and no more is claimed
_NARROW = 96.0  # for words
_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


@dataclass(frozen=True, slots=True)
class Fan:
    """The blocks that are seen, from above to below, and one stretch that is lit among them:
    its shares of the whole."""

    top: float
    bottom: float
    lit: tuple[float, float] | None = None


def draw_head(drawing: Drawing, frame: ColumnFrame, face: ColumnFace) -> None:
    theme, letters = drawing.theme, drawing.letters
    whole = face.usable and face.computes
    right = frame.head.width() - SIDE
    x = SIDE
    if face.chip:
        wide = max(_CHIP, letters.badge.width(face.chip) + 8)
        chip = QRectF(x, 14, wide, _CHIP)
        coloured = face.colour is not None and whole and not face.host
        drawing.chip(chip, face.chip, letters.badge, hue(theme, face) if coloured else None)
        x = chip.right() + 8
    if face.usable and face.reason:
        # It can be used, and something is special about it: told on asking.
        drawing.icon(Icon.NOTE, QRectF(right - 16, 16, 16, 16), theme.quiet)
        right -= 22
    ink = theme.text if whole else theme.quiet
    baseline = 24 + letters.title.cap_height / 2
    drawing.elided(x, baseline, Run(face.title, letters.title, ink), right - x)
    if not frame.low:
        label = Run(face.label, letters.caption, theme.quiet)
        drawing.elided(SIDE, 52, label, right - SIDE)
    right = frame.head.width() - SIDE
    baseline = 54.0 if frame.low else 82.0
    if face.free is None:
        absent = Run(face.no_free, letters.caption, theme.faint)
        drawing.elided(SIDE, baseline - 2, absent, right - SIDE)
        return
    number = letters.title if frame.low else letters.number
    x = drawing.text(SIDE, baseline, Run(face.free.number, number, ink))
    free = tr("{unit} free", unit=face.free.unit)
    unit = Run(f"{THIN_SPACE}{free}", letters.body, theme.quiet)
    drawing.elided(x + 2, baseline, unit, right - x - 2)


def draw_gauge(drawing: Drawing, frame: ColumnFrame, face: ColumnFace, fan: Fan | None) -> None:
    """True to scale, but for the hair that shows where little is."""
    bar = frame.gauge
    painter, theme, letters = drawing.painter, drawing.theme, drawing.letters.caption
    painter.setPen(QPen(theme.line, 1))
    painter.setBrush(theme.well)
    painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    for share, text in face.ticks:
        y = bar.bottom() - share * bar.height()
        painter.fillRect(QRectF(bar.left() - 4, min(y, bar.bottom() - 1), 3, 1), theme.faint)
        baseline = min(max(y + letters.cap_height / 2, bar.top() + 8), bar.bottom())
        run = Run(text, letters, theme.faint)
        drawing.runs_right(bar.left() - 7, baseline, [run])
    cut = QPainterPath()
    cut.addRoundedRect(bar.adjusted(1, 1, -1, -1), 2.5, 2.5)
    painter.save()
    painter.setClipPath(cut)
    y = bar.bottom()
    tensors = (y, y)
    for stretch in face.stretches:
        high = stretch.share * bar.height()
        little = stretch.level in (Level.TENSORS, Level.CACHE)
        shown = max(_HAIR, high) if little else high
        place = QRectF(bar.left(), y - shown, bar.width(), shown)
        fill_level(drawing, place, face, stretch.level)
        if little:
            tensors = (y, y - shown)
        y -= high
    if fan is not None and fan.lit is not None:
        _draw_lit(drawing, bar, fan.lit)
    painter.restore()
    if fan is not None:
        _draw_fan(drawing, frame, face, tensors, fan)


def _draw_lit(drawing: Drawing, bar: QRectF, lit: tuple[float, float]) -> None:
    """Where the chosen one is among the tensors, as far as that is more than a hair."""
    low, high = (bar.bottom() - share * bar.height() for share in lit)
    if low - high >= _HAIR:
        place = QRectF(bar.left() + 1.5, high + 0.5, bar.width() - 3, low - high - 1)
        drawing.painter.setPen(QPen(drawing.theme.text, 1.5))
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
        drawing.painter.drawRect(place)


def _draw_fan(
    drawing: Drawing,
    frame: ColumnFrame,
    face: ColumnFace,
    tensors: tuple[float, float],
    fan: Fan,
) -> None:
    painter = drawing.painter
    painter.setPen(QPen(faded(hue(drawing.theme, face), 0.55), 1))
    left, right = frame.gauge.right() + 1, frame.view.left() - 3
    low, high = tensors
    painter.drawLine(QPointF(left, high), QPointF(right, fan.top + 0.5))
    painter.drawLine(QPointF(left, low), QPointF(right, fan.bottom - 0.5))


def draw_caption(
    drawing: Drawing, frame: ColumnFrame, top: float, count: int, *, scrolled: bool
) -> None:
    """Above the blocks: that they are not to scale, and how many they are where not all fit."""
    theme, letters = drawing.theme, drawing.letters.caption
    baseline = top - 7
    said = Run(tr("Enlarged") if frame.gauge.isValid() else "", letters, theme.quiet)
    end = drawing.text(frame.view.left(), baseline, said)
    if scrolled:
        number = Run(trn("{count} thing", "{count} things", count), letters, theme.quiet)
        right = frame.view.right()
        if right - number.width > end + 8:
            drawing.runs_right(right, baseline, [number])


def draw_empty(drawing: Drawing, frame: ColumnFrame, lengths: tuple[str, ...]) -> None:
    """A place to drop things, or why there is none; at falling length."""
    theme, letters = drawing.theme, drawing.letters.body
    view = frame.view
    narrow = view.width() < _NARROW
    words = lengths[-1 if narrow else 0]
    if narrow:
        letters = drawing.letters.caption
    inner = view.width() - (12 if narrow else 24)
    asked = letters.metrics.boundingRect(QRectF(0, 0, inner, 1000), int(_WRAPPED.value), words)
    high = min(view.height(), asked.height() + (14 if narrow else 24))
    box = QRectF(view.left(), view.bottom() - high, view.width(), high)
    dashed_frame(drawing.painter, box, faded(theme.faint, 0.6))
    _write(drawing, box.adjusted(6 if narrow else 12, 6, -6, 0), words, letters.font, 6)


def _write(drawing: Drawing, place: QRectF, words: str, font: QFont, down: float) -> None:
    drawing.painter.setFont(font)
    drawing.painter.setPen(drawing.theme.quiet)
    drawing.painter.drawText(place.adjusted(0, down - 2, 0, 0), int(_WRAPPED.value), words)


def draw_reason(drawing: Drawing, frame: ColumnFrame, face: ColumnFace) -> None:
    """In the place of gauge and blocks of a card that PyTorch cannot use."""
    theme, letters = drawing.theme, drawing.letters.body
    body = frame.body.adjusted(SIDE, 4, -SIDE, 0)
    drawing.painter.setFont(letters.font)
    drawing.painter.setPen(theme.quiet)
    flags = int(_WRAPPED.value)
    drawing.painter.drawText(body, flags, face.reason)
    asked = letters.metrics.boundingRect(body, flags, face.reason)
    drawing.painter.setPen(theme.text)
    below = body.adjusted(0, asked.height() + 8, 0, 0)
    drawing.painter.drawText(below, flags, face.way_out)


def draw_foot(drawing: Drawing, frame: ColumnFrame, face: ColumnFace) -> None:
    foot, theme = frame.foot, drawing.theme
    if not face.rows:
        return
    drawing.hairline(SIDE, foot.width() - SIDE, foot.top())
    y = foot.top() + 12
    for row in face.rows:
        _draw_row(drawing, frame, face, row, y)
        y += frame.row_height
    if face.footnotes:
        letters = drawing.letters.caption
        room = foot.width() - 2 * SIDE
        fitting = (each for each in face.footnotes if letters.width(each) <= room)
        said = next(fitting, face.footnotes[-1])
        baseline = foot.bottom() - 10 - frame.row_height / 2 + letters.cap_height / 2
        note = Run(said, letters, theme.faint)
        drawing.elided(SIDE, baseline, note, room)


def _draw_row(
    drawing: Drawing, frame: ColumnFrame, face: ColumnFace, row: Row, y: float
) -> None:
    theme, letters = drawing.theme, drawing.letters
    right = frame.foot.width() - SIDE
    middle = y + frame.row_height / 2
    x = SIDE + (14 if row.indented else 0)
    swatch = QRectF(x, middle - _SWATCH / 2, _SWATCH, _SWATCH)
    if level_fill(theme, face, row.level) is None or face.host or face.usable:
        fill_level(drawing, swatch, face, row.level)
    baseline = middle + letters.caption.cap_height / 2
    if row.amount is None:
        end = drawing.runs_right(
            right, baseline, [Run(tr("not known"), letters.caption, theme.faint)]
        )
    else:
        runs = [
            Run(row.amount.number, letters.body, theme.text),
            Run(f"{THIN_SPACE}{row.amount.unit}", letters.caption, theme.quiet),
        ]
        end = drawing.runs_right(right, baseline, runs)
    x = swatch.right() + 8
    room = max(0.0, end - 6 - x)
    fits = letters.caption.width(row.label) <= room
    said = row.label if fits else row.short or row.label
    drawing.elided(x, baseline, Run(said, letters.caption, theme.quiet), room)
