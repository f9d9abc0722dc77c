"""MemoryBar: a card's memory as one stacked bar in one hue, with a legend in words below."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QPainterPath, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.memory_parts import MemoryPart, MemoryPicture, PartKind
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing
from gpuexplorer.gui.theme.palette import Theme, Tone, faded
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, Wording, fitting, spell, wordings
from gpuexplorer.gui.widgets.painted import Painted

_TOP, _BAR, _BELOW_BAR, _ENTRY, _SENTENCE = 30.0, 18.0, 16.0, 52.0, 26.0
_LEAST_ENTRY, _MOST_ENTRY = 128.0, 220.0
_SWATCH = 8.0


class MemoryBar(Painted):
    """Grows by a line of its legend where it is narrow."""

    def __init__(self, tag: QWidget) -> None:
        """`tag` stands beside the heading."""
        super().__init__()
        self._picture = MemoryPicture(Figure(""))
        self._colour: int | None = None
        self.setAccessibleName(tr("Memory"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._used = Line(height=26, right=True)
        self._sentence = ElidedLabel(self.letters.body, Tone.QUIET)
        heading = label(tr("Memory"), self.letters.title)
        head = row(heading, tag, self._used, GROWS, gap=12)
        column(head, FREE, self._sentence, within=self)
        self._fit()

    def show_picture(self, picture: MemoryPicture, colour: int | None) -> None:
        if (picture, colour) == (self._picture, self._colour):
            return
        self._picture, self._colour = picture, colour
        self.setAccessibleDescription(picture.spoken)
        found = wordings(picture.figure, self.letters.number, self.letters.body)
        self._used.show_wordings(found, picture.figure.hint)
        self._sentence.show_text(picture.sentence)
        self._fit()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        painter, theme, letters = drawing.painter, drawing.theme, drawing.letters
        bar, columns = QRectF(0, _TOP, self.width(), _BAR), self._columns()
        if not self._picture.figure.known:
            drawing.no_bar(bar)
        else:
            drawing.bar(bar, ())
        cut = QPainterPath()
        cut.addRoundedRect(bar, 4, 4)
        # A few entries stand closer together than the whole width would have them.
        left, wide = bar.left(), min(self.width() / columns, _MOST_ENTRY)
        for position, part in enumerate(self._picture.parts):
            fills = self._fills(theme, part)
            below, at = divmod(position, columns)
            top = bar.bottom() + _BELOW_BAR + below * _ENTRY
            entry = QRectF(at * wide, top, wide - 12, _ENTRY)
            drawing.hint(entry, f"{part.remark}.")
            swatch = QRectF(entry.left(), top + 2, _SWATCH, _SWATCH)
            for fill in fills:
                painter.fillRect(swatch, fill)
            if part.kind is PartKind.FREE:
                drawing.outlined(swatch, QPen(theme.faint, 1), 2)
            elif part.kind is PartKind.UNEXPLAINED:
                drawing.no_bar(swatch)
            amount = (part.amount.number, letters.body, Tone.TEXT)
            unit = (f"{THIN_SPACE}{part.amount.unit}", letters.caption, Tone.QUIET)
            lines: list[list[Wording]] = [
                [((part.label, letters.caption, Tone.QUIET),)],
                [(amount, unit)],
                [((part.remark, letters.caption, Tone.FAINT),)],
            ]
            for line, said in enumerate(lines):
                x, baseline = swatch.right() + 6, top + 17 * line + letters.caption.ascent - 2
                spell(drawing, fitting(said, entry.right() - x), x, baseline, entry.right())
            if part.share <= 0:
                continue
            # A hair of it stays visible, so that little looks different from nothing.
            width = min(max(2.0, part.share * bar.width()), bar.right() - left)
            place = QRectF(left, bar.top(), width, bar.height())
            painter.save()
            painter.setClipPath(cut)
            if part.kind is PartKind.UNEXPLAINED:
                drawing.no_bar(place)
            for fill in fills:
                painter.fillRect(place.adjusted(0, 0, -1, 0), fill)
            drawing.hint(place.adjusted(-1, -4, 1, 4), f"{part.spoken}.")
            # Each program with its own edge, as long as it can be pointed at.
            x = place.left()
            for each in part.slices:
                span = QRectF(x, bar.top() - 4, each.share * bar.width(), bar.height() + 8)
                if span.width() < 3:
                    break
                drawing.hint(span, f"{each.name}: {each.amount}")
                x = span.right()
                if x < place.right() - 2:
                    painter.fillRect(QRectF(x - 1, bar.top(), 1, bar.height()), theme.surface)
            painter.restore()
            left += width

    def _fills(self, theme: Theme, part: MemoryPart) -> list[QBrush]:
        """What is in use and not ours is hatched, beside what somebody owned up to."""
        hue = theme.card(self._colour)
        owned = any(each.kind is PartKind.PROGRAMS for each in self._picture.parts)
        match part.kind:
            case PartKind.FREE | PartKind.UNEXPLAINED:
                return []
            case PartKind.RESERVED:
                return [QBrush(theme.faint)]
            case PartKind.USED if owned:
                hatch = QBrush(faded(hue, 0.75), Qt.BrushStyle.BDiagPattern)
                return [QBrush(faded(hue, 0.2)), hatch]
        return [QBrush(hue)]

    def _columns(self) -> int:
        fitting = max(1, int(self.width() // _LEAST_ENTRY))
        return max(1, min(len(self._picture.parts), fitting))

    def _fit(self) -> None:
        rows = -(-len(self._picture.parts) // self._columns())
        height = _TOP + _BAR + _BELOW_BAR + rows * _ENTRY - 4
        self.setFixedHeight(round(height + (_SENTENCE if self._picture.sentence else 0)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
