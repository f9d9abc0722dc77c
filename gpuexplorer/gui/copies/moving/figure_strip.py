"""FigureStrip: rate, share of the narrowest wire, and how much of the time has gone by."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.moving.moved_cells import NO_FIGURES, Figures
from gpuexplorer.gui.copies.moving.timeline_words import SlowedCopy
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.widgets.painted import Painted

_HEIGHT = 62
_LEFT, _RIGHT, _GAP = 136.0, 122.0, 16.0
_BAR, _TICK = 8.0, 16.0
_TOP, _BELOW = 24.0, 52.0


class FigureStrip(Painted):
    """Only its right end changes while the block travels."""

    def __init__(self) -> None:
        super().__init__()
        self._figures: Figures = NO_FIGURES
        self._slowed: SlowedCopy | None = None
        self._done, self._seen = ("", ""), ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)
        self.setAccessibleName(tr("Figures of this copy"))

    def show_figures(self, figures: Figures) -> None:
        if figures != self._figures:
            self._figures = figures
            self.setAccessibleDescription(figures.said)
            self.update()

    def show_time(self, slowed: SlowedCopy | None, share: float) -> None:
        done, seen = ("", ""), ""
        if slowed is not None:
            done, seen = slowed.done(share), slowed.seen(share)
        if (done, seen) != (self._done, self._seen):
            before = self._time_room()
            self._done, self._seen = done, seen
            right = round(self._time_room()) + 2
            if self._time_room() != before:
                self.update()
            self.update(self.width() - right, 0, right, self.height())

    def draw(self, drawing: Drawing) -> None:
        theme, letters, figures = drawing.theme, drawing.letters, self._figures
        drawing.hairline(0, self.width(), 0)
        if figures is NO_FIGURES:
            return
        caption = letters.caption
        if figures.wrong:
            drawing.wrong(QRectF(0, 8, 92, 24), lettered=True)
        else:
            number = Run(figures.head.number, letters.number, theme.text)
            unit = Run(f"{THIN_SPACE}{figures.head.unit}", letters.body, theme.quiet)
            drawing.runs(0, _TOP + letters.number.cap_height / 2, [number, unit])
        wide = self.width() >= _LEFT + self._time_room() + 160
        right = self.width() - (self._time_room() + _GAP if self._seen else 0.0)
        room = _LEFT - 8 if wide else right - 8
        drawing.elided(0, _BELOW, Run(figures.below, caption, theme.quiet), room)
        if self._seen:
            self._draw_time(drawing)
        if wide:
            self._draw_share(drawing, QRectF(_LEFT, 0, right - _LEFT, _HEIGHT))

    def _time_room(self) -> float:
        return max(_RIGHT, self.look.letters.caption.width(self._seen))

    def _draw_share(self, drawing: Drawing, place: QRectF) -> None:
        theme, figures, caption = drawing.theme, self._figures, drawing.letters.caption
        if figures.share is not None:
            bar = QRectF(place.left(), _TOP - _BAR / 2, place.width(), _BAR)
            drawing.bar(bar, ((min(1.0, figures.share), theme.card(figures.colour)),))
            if figures.best_share is not None:
                x = round(place.left() + min(1.0, figures.best_share) * place.width())
                tick = QRectF(x - 1, _TOP - _TICK / 2, 2, _TICK)
                drawing.painter.fillRect(tick, theme.text)
        best = Run(figures.best, caption, theme.quiet)
        drawing.runs_right(place.right(), _BELOW, [best])
        room = place.width() - (best.width + 10 if figures.best else 0)
        fits = not figures.shorter or caption.width(figures.beside) <= room
        beside = Run(figures.beside if fits else figures.shorter, caption, theme.quiet)
        drawing.elided(place.left(), _BELOW, beside, room, figures.beside)

    def _draw_time(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        done, whole = self._done
        of = tr("of {whole}", whole=whole)
        runs = [
            Run(done, letters.strong, theme.text),
            Run(f" {of}", letters.caption, theme.quiet),
        ]
        right = float(self.width())
        drawing.runs_right(right, _TOP + letters.strong.cap_height / 2, runs)
        seen = Run(self._seen, letters.caption, theme.quiet)
        drawing.runs_right(right, _BELOW, [seen])

    def sizeHint(self) -> QSize:
        return QSize(360, _HEIGHT)
