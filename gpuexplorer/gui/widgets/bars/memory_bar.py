"""MemoryBar: a card's memory as one stacked bar in one hue, with a legend in words below."""

from PySide6.QtCore import QLineF, QRectF, QSize
from PySide6.QtGui import QColor, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.memory_parts import MemoryPart, MemoryPicture, PartKind
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.line import Wording, fitting, spell, width_of
from gpuexplorer.gui.widgets.painted import Painted

_TOP, _BAR, _BELOW_BAR, _ENTRY, _SENTENCE = 30.0, 18.0, 16.0, 52.0, 26.0
_LEAST_ENTRY, _MOST_ENTRY = 128.0, 220.0
_SWATCH, _HATCH = 8.0, 5.0


class MemoryBar(Painted):
    """Grows by a line of its legend where it is narrow."""

    def __init__(self, tag: QWidget) -> None:
        """`tag` stands beside the heading."""
        super().__init__()
        tag.setParent(self)
        tag.move(round(look().letters.title.width(tr("Memory"))) + 12, 4)
        self._picture = MemoryPicture(None, "", ())
        self._colour: int | None = None
        self.setAccessibleName(tr("Memory"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fit()

    def show_picture(self, picture: MemoryPicture, colour: int | None) -> None:
        if (picture, colour) != (self._picture, self._colour):
            self._picture, self._colour = picture, colour
            self.setAccessibleDescription(picture.spoken)
            self._fit()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        picture, letters = self._picture, drawing.letters
        baseline, bar = letters.number.ascent - 2, QRectF(0, _TOP, self.width(), _BAR)
        spell(drawing, ((tr("Memory"), letters.title, Tone.TEXT),), 0, baseline)
        if picture.used is None:
            drawing.no_bar(bar)
        else:
            lead, rest = picture.around_used
            used: Wording = (
                (lead, letters.body, Tone.QUIET),
                (picture.used.number, letters.number, Tone.TEXT),
                (rest, letters.body, Tone.QUIET),
            )
            spell(drawing, used, self.width() - width_of(used), baseline)
            self._draw_bar(drawing, bar)
        top, columns = bar.bottom() + _BELOW_BAR, self._columns()
        # A few entries stand closer together than the whole width would have them.
        wide = min(self.width() / columns, _MOST_ENTRY)
        for position, part in enumerate(picture.parts):
            row, at = divmod(position, columns)
            place = QRectF(at * wide, top + row * _ENTRY, wide - 12, _ENTRY)
            self._draw_entry(drawing, place, part)
        if picture.sentence:
            sentence: Wording = ((picture.sentence, letters.body, Tone.QUIET),)
            baseline = self.height() - _SENTENCE + letters.body.ascent + 4
            spell(drawing, sentence, 0, baseline, self.width())

    def _draw_bar(self, drawing: Drawing, bar: QRectF) -> None:
        # The track with its round ends comes first; what stands on it is cut to them.
        drawing.bar(bar, ())
        left, painter = bar.left(), drawing.painter
        for part in self._picture.parts:
            if part.share <= 0:
                continue
            # A hair of it stays visible, so that little looks different from nothing.
            width = min(max(2.0, part.share * bar.width()), bar.right() - left)
            place = QRectF(left, bar.top(), width, bar.height())
            painter.save()
            painter.setClipRect(place.adjusted(0, 0, -1, 0))
            if part.kind is PartKind.UNEXPLAINED:
                drawing.no_bar(place)
            elif part.kind is not PartKind.FREE:
                self._fill(drawing, bar, place, part, 4)
            painter.restore()
            drawing.hint(place.adjusted(-1, -4, 1, 4), f"{part.spoken}.\n{part.meaning}")
            # Each program with its own edge, as long as it can be pointed at.
            x = place.left()
            for each in part.slices:
                wide = each.share * bar.width()
                if wide < 3:
                    break
                span = QRectF(x, bar.top() - 4, wide, bar.height() + 8)
                drawing.hint(span, f"{each.name}: {each.amount}")
                x += wide
                if x < place.right() - 2:
                    edge = QRectF(x - 1, bar.top(), 1, bar.height())
                    painter.fillRect(edge, drawing.theme.surface)
            left += width

    def _draw_entry(self, drawing: Drawing, place: QRectF, part: MemoryPart) -> None:
        letters, painter = drawing.letters, drawing.painter
        swatch = QRectF(place.left(), place.top() + 2, _SWATCH, _SWATCH)
        painter.save()
        painter.setClipRect(swatch)
        self._fill(drawing, swatch, swatch, part, 2)
        painter.restore()
        if part.kind is PartKind.FREE:
            painter.setPen(drawing.theme.faint)
            painter.drawRoundedRect(swatch.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        x, top, end = swatch.right() + 6, place.top(), place.right()
        name: Wording = ((part.label, letters.caption, Tone.QUIET),)
        amount: Wording = (
            (part.amount.number, letters.body, Tone.TEXT),
            (f"{THIN_SPACE}{part.amount.unit}", letters.caption, Tone.QUIET),
        )
        # Names are not cut: a part of a pid would be another one.
        says = [part.remark, *part.shorter]
        remarks: list[Wording] = [((each, letters.caption, Tone.FAINT),) for each in says]
        spell(drawing, name, x, top + letters.caption.ascent - 2, end)
        spell(drawing, amount, x, top + 14 + letters.body.ascent, end)
        shown = fitting(remarks, end - x)
        spell(drawing, shown, x, top + 32 + letters.caption.ascent, end)
        drawing.hint(place, f"{part.remark}.\n{part.meaning}")

    def _fill(
        self, drawing: Drawing, whole: QRectF, place: QRectF, part: MemoryPart, radius: float
    ) -> None:
        theme, hue = drawing.theme, drawing.theme.card(self._colour)
        # Beside what somebody owned up to.
        owned = any(each.kind is PartKind.PROGRAMS for each in self._picture.parts)
        hatched = part.kind is PartKind.USED and owned
        match part.kind:
            case PartKind.RESERVED:
                fill = theme.faint
            case PartKind.FREE | PartKind.UNEXPLAINED:
                fill = theme.well if theme.dark else theme.line
            case _:
                fill = faded(hue, 0.2) if hatched else hue
        drawing.filled(whole, fill, radius)
        if hatched:
            hatch(drawing, place, hue, _HATCH if place.width() > _SWATCH else _HATCH - 1.5)

    def _columns(self) -> int:
        fitting = max(1, int(self.width() // _LEAST_ENTRY))
        return max(1, min(len(self._picture.parts), fitting))

    def _fit(self) -> None:
        rows = -(-len(self._picture.parts) // self._columns())
        height = _TOP + _BAR + _BELOW_BAR + rows * _ENTRY - 4
        height += _SENTENCE if self._picture.sentence else 0
        self.setFixedHeight(round(height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(480, self.height())


def hatch(drawing: Drawing, place: QRectF, colour: QColor, pitch: float = _HATCH) -> None:
    """Slanted lines: it is in use, and not ours."""
    drawing.painter.setPen(QPen(faded(colour, 0.75), 1.2))
    height, bottom, top = place.height(), place.bottom(), place.top()
    first, last = int((place.left() - height) // pitch), int(place.right() // pitch) + 1
    starts = (at * pitch for at in range(first, last))
    drawing.painter.drawLines([QLineF(x, bottom, x + height, top) for x in starts])
