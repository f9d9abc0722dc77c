"""MemoryBar: a card's memory as one stacked bar in one hue, with a legend in words below."""

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.memory_parts import MemoryPart, MemoryPicture, PartKind
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.widgets.painted import Painted

_TOP, _BAR, _ENTRY = 30.0, 18.0, 52.0
_BELOW_BAR, _SENTENCE = 16.0, 26.0
_LEAST_ENTRY = 128.0
_SWATCH = 8.0
_HATCH = 5.0
_HAIR = 1.0
_BESIDE_TITLE = 12


class MemoryBar(Painted):
    """Grows by a line of its legend where it is narrow."""

    def __init__(self, tag: QWidget) -> None:
        """`tag` stands beside the heading."""
        super().__init__()
        tag.setParent(self)
        tag.move(round(look().letters.title.width(tr("Memory"))) + _BESIDE_TITLE, 4)
        self._picture: MemoryPicture | None = None
        self._colour: int | None = None
        self.setAccessibleName(tr("Memory"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fit()

    def show_picture(self, picture: MemoryPicture, colour: int | None) -> None:
        if (picture, colour) == (self._picture, self._colour):
            return
        self._picture, self._colour = picture, colour
        self.setAccessibleDescription(picture.spoken)
        self._fit()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        picture = self._picture
        theme, letters = drawing.theme, drawing.letters
        baseline = letters.number.ascent - 2
        title = Run(tr("Memory"), letters.title, theme.text)
        drawing.text(0, baseline, title)
        bar = QRectF(0, _TOP, self.width(), _BAR)
        if picture is None:
            return
        if picture.used is None:
            drawing.no_bar(bar)
        else:
            lead, rest = picture.around_used
            runs = [Run(lead, letters.body, theme.quiet)] if lead else []
            runs.append(Run(picture.used.number, letters.number, theme.text))
            runs.append(Run(rest, letters.body, theme.quiet))
            drawing.runs_right(self.width(), baseline, runs)
            self._draw_bar(drawing, bar, picture.parts)
        top = bar.bottom() + _BELOW_BAR
        columns, column = self._columns(len(picture.parts))
        for position, part in enumerate(picture.parts):
            row, at = divmod(position, columns)
            self._draw_entry(drawing, at * column, top + row * _ENTRY, column - 12, part)
        if picture.sentence:
            rows = -(-len(picture.parts) // columns)
            baseline = top + rows * _ENTRY + (4 if rows else 0) + letters.body.ascent
            sentence = Run(picture.sentence, letters.body, theme.quiet)
            drawing.elided(0, baseline, sentence, self.width())

    def _draw_bar(self, drawing: Drawing, bar: QRectF, parts: tuple[MemoryPart, ...]) -> None:
        # The track with its round ends comes first; what stands on it is cut to them.
        drawing.bar(bar, ())
        left = bar.left()
        last = bar.right()
        for part in parts:
            if part.share <= 0:
                continue
            # A hair of it stays visible, so that little looks different from nothing.
            width = min(max(2.0, part.share * bar.width()), last - left)
            place = QRectF(left, bar.top(), width, bar.height())
            self._draw_part(drawing, bar, place, part)
            said = f"{part.spoken}.\n{part.meaning}"
            drawing.hint(place.adjusted(-1, -4, 1, 4), said)
            self._draw_slices(drawing, bar, place, part)
            left += width

    def _draw_part(
        self, drawing: Drawing, bar: QRectF, place: QRectF, part: MemoryPart
    ) -> None:
        painter = drawing.painter
        if part.kind is PartKind.FREE:
            return
        painter.save()
        painter.setClipRect(place.adjusted(0, 0, -_HAIR, 0))
        if part.kind is PartKind.UNEXPLAINED:
            drawing.no_bar(place)
        else:
            drawing.filled(bar, self._fill(drawing, part), 4)
            if self._hatched(part):
                hatch(drawing, place, self._hue(drawing))
        painter.restore()

    def _draw_slices(
        self, drawing: Drawing, bar: QRectF, place: QRectF, part: MemoryPart
    ) -> None:
        """Each program with its own edge, as long as it is wide enough to be pointed at."""
        x = place.left()
        for at, each in enumerate(part.slices):
            width = each.share * bar.width()
            if width < 3:
                break
            span = QRectF(x, bar.top(), width, bar.height())
            drawing.hint(span.adjusted(0, -4, 0, 4), f"{each.name}: {each.amount}")
            x += width
            if at < len(part.slices) - 1 and x < place.right() - 2:
                edge = QRectF(x - _HAIR, bar.top(), _HAIR, bar.height())
                drawing.painter.fillRect(edge, drawing.theme.surface)

    def _draw_entry(
        self, drawing: Drawing, x: float, top: float, width: float, part: MemoryPart
    ) -> None:
        theme, letters = drawing.theme, drawing.letters
        swatch = QRectF(x, top + 2, _SWATCH, _SWATCH)
        free = part.kind is PartKind.FREE
        drawing.painter.setPen(QPen(theme.faint, 1) if free else Qt.PenStyle.NoPen)
        drawing.painter.setBrush(self._fill(drawing, part))
        half = 0.5 if free else 0.0
        drawing.painter.drawRoundedRect(swatch.adjusted(half, half, -half, -half), 2, 2)
        if self._hatched(part):
            drawing.painter.save()
            drawing.painter.setClipRect(swatch)
            hatch(drawing, swatch, self._hue(drawing), _HATCH - 1.5)
            drawing.painter.restore()
        text = x + _SWATCH + 6
        room = width - _SWATCH - 6
        label = Run(part.label, letters.caption, theme.quiet)
        drawing.elided(text, top + letters.caption.ascent - 2, label, room)
        runs = [
            Run(part.amount.number, letters.body, theme.text),
            Run(f"{THIN_SPACE}{part.amount.unit}", letters.caption, theme.quiet),
        ]
        drawing.runs(text, top + 16 + letters.body.ascent - 2, runs)
        # Names are not cut: a part of a pid would be another one.
        says = (part.remark, *part.shorter)
        fitting = (each for each in says if letters.caption.width(each) <= room)
        remark = Run(next(fitting, says[-1]), letters.caption, theme.faint)
        hint = f"{part.remark}.\n{part.meaning}"
        drawing.elided(text, top + 32 + letters.caption.ascent, remark, room)
        drawing.hint(QRectF(x, top - 2, width, 32), hint)

    def _fill(self, drawing: Drawing, part: MemoryPart) -> QColor:
        theme = drawing.theme
        match part.kind:
            case PartKind.RESERVED:
                return theme.faint
            case PartKind.FREE | PartKind.UNEXPLAINED:
                return theme.well if theme.dark else theme.line
            case PartKind.USED if self._hatched(part):
                return faded(self._hue(drawing), 0.2)
            case _:
                return self._hue(drawing)

    def _hatched(self, part: MemoryPart) -> bool:
        """Whether it stands beside what somebody owned up to."""
        return (
            part.kind is PartKind.USED
            and self._picture is not None
            and any(other.kind is PartKind.PROGRAMS for other in self._picture.parts)
        )

    def _hue(self, drawing: Drawing) -> QColor:
        return drawing.theme.card(self._colour)

    def _columns(self, entries: int) -> tuple[int, float]:
        fitting = max(1, int(self.width() // _LEAST_ENTRY))
        columns = max(1, min(entries, fitting))
        # A few entries stand closer together than the whole width would have them.
        return columns, min(self.width() / columns, 220.0)

    def _fit(self) -> None:
        picture = self._picture
        entries = 0 if picture is None else len(picture.parts)
        columns, _ = self._columns(entries)
        height = _TOP + _BAR + _BELOW_BAR + -(-entries // columns) * _ENTRY - 4
        if picture is not None and picture.sentence:
            height += _SENTENCE
        if self.height() != round(height):
            self.setFixedHeight(round(height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(480, self.height())


def hatch(drawing: Drawing, place: QRectF, colour: QColor, pitch: float = _HATCH) -> None:
    """Slanted lines: it is in use, and not ours."""
    painter = drawing.painter
    painter.setPen(QPen(faded(colour, 0.75), 1.2))
    height = place.height()
    first = int((place.left() - height) // pitch)
    last = int(place.right() // pitch) + 1
    lines = [
        QLineF(at * pitch, place.bottom(), at * pitch + height, place.top())
        for at in range(first, last)
    ]
    painter.drawLines(lines)
