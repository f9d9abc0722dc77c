"""StripGraph: one card's utilisation and memory over time, with flags of the lab's cells."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED, METRICS
from gpuexplorer.core.units import USUAL, Units, bytes_words, quantity
from gpuexplorer.gui.lab.strips.merged_flags import MergedFlag, Pole, merged_flags
from gpuexplorer.gui.lab.strips.strip_past import StripPast
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.plots.content import value_at
from gpuexplorer.gui.theme.palette import Theme, faded, mixed
from gpuexplorer.gui.widgets.laid_out import GROWS, Grow, column
from gpuexplorer.gui.widgets.strip import LABELS, Strip, StripShown, card_wear
from gpuexplorer.telemetry.trace import empty_trace

_FLAG_GAP, _FLAG, _FLAGS = 2, 14, 16  # what lies below the plots
_POLE = 0.65


class StripGraph(QWidget):
    """The mouse is the card strip's: this only shows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._past: StripPast | None = None
        self._units = USUAL
        self._busy, self._memory = _Flagged(), _Flagged()
        self._compact = False
        # The flags and the times stand below the memory.
        self._rows = column(self._busy, GROWS, self._memory, Grow(2), within=self, gap=0)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    @property
    def flags(self) -> Sequence[MergedFlag]:
        """From left to right, as they stand below the plots."""
        return self._lowest.flags

    def flag_place(self, flag: MergedFlag) -> QRectF:
        return self._lowest.flag_place(flag).translated(self._lowest.pos())

    @property
    def area(self) -> QRectF:
        """Where the plots are."""
        below = self.height() - self._lowest.y() - self._lowest.plot().bottom() - _FLAGS
        return QRectF(self.rect()).adjusted(LABELS, 0, 0, -below)

    @property
    def tops(self) -> Sequence[float]:
        """Where the plots begin that are seen."""
        shown = (self._busy,) if self._compact else (self._busy, self._memory)
        return [each.y() + each.plot().top() for each in shown]

    def show_compact(self, compact: bool) -> None:
        """Utilisation alone."""
        self._compact = compact
        self._memory.setVisible(not compact)
        self._busy.flagged, self._memory.flagged = compact, not compact
        self._rows.activate()

    def show_past(
        self, past: StripPast, colour: int | None, units: Units, sentence: str
    ) -> None:
        """A sentence stands in the place of the traces."""
        self._past, self._units = past, units
        left, right = self.area.left(), self.area.right()
        poles = [
            Pole(
                each.cell,
                each.number,
                left + past.x(each.at, right - left),
                each.failed,
                each.code,
            )
            for each in past.flags
        ]
        flags = merged_flags(poles, self._busy.look.letters.badge.width, left, right)
        wear = card_wear(colour)
        nothing, ends = empty_trace(), (past.start, past.end)
        for strip, trace, highest, word in (
            (self._busy, past.busy, 1.0, "100 %"),
            (self._memory, past.memory, past.reach, bytes_words(past.reach, units)),
        ):
            shown = StripShown(
                trace, *ends, highest, scale=((highest, word),), began=past.began
            )
            if sentence:
                shown = replace(shown, trace=nothing, unread=sentence)
            if strip is self._lowest:
                shown = replace(shown, ticks=past.ticks)
            strip.show_flags(flags, poles=not sentence)
            strip.show_past(shown, wear)

    def show_chosen(self, cell: int | None, *, focused: bool) -> None:
        for strip in (self._busy, self._memory):
            strip.show_chosen(cell, focused=focused)

    def point_at(self, at: float | None, moment: str) -> None:
        """`moment` in words, for the axis of time."""
        past = self._past
        if past is None:
            return
        for strip, metric, trace in (
            (self._busy, GPU_UTILIZATION, past.busy),
            (self._memory, MEMORY_USED, past.memory),
        ):
            value = None if at is None else value_at(trace, at)
            said = ""
            if value is not None:
                said = str(quantity(METRICS[metric], value, self._units))
            strip.point_at(at, said, moment)

    @property
    def _lowest(self) -> "_Flagged":
        return self._busy if self._compact else self._memory


class _Flagged(Strip):
    """With a pole for each cell, and where it is `flagged` their labels below the plot."""

    above = 7

    def __init__(self) -> None:
        super().__init__(scaled=True)
        self.flagged = False
        self.flags: Sequence[MergedFlag] = ()
        self._poles = True
        self._chosen: int | None = None
        self._focused = False

    def show_flags(self, flags: Sequence[MergedFlag], *, poles: bool) -> None:
        self.flags, self._poles = flags, poles
        self.update()

    def show_chosen(self, cell: int | None, *, focused: bool) -> None:
        self._chosen, self._focused = cell, focused
        self.update()

    def flag_place(self, flag: MergedFlag) -> QRectF:
        return QRectF(flag.left, self.plot().bottom() + _FLAG_GAP, flag.width, _FLAG)

    def plot(self) -> QRectF:
        return super().plot().adjusted(0, 0, 0, -_FLAGS if self.flagged else 0)

    def draw(self, drawing: Drawing) -> None:
        super().draw(drawing)
        foot = self.plot().bottom() + (_FLAG_GAP if self.flagged else 0)
        top = self.plot().top() if self.y() == 0 else 0.0
        # The chosen one above all.
        for flag in sorted(self.flags, key=lambda each: each.holds(self._chosen)):
            by_pixel = _by_pixel(flag, self._chosen) if self._poles else {}
            for x, pole in by_pixel.items():
                ink = self._ink(pole, drawing.theme)
                drawing.painter.fillRect(QRectF(x, top, 1, foot - top), ink)
            if self.flagged:
                self._draw_label(drawing, flag)

    def _ink(self, pole: Pole, theme: Theme) -> QColor:
        if pole.key == self._chosen:
            return theme.text
        return faded(theme.bad if pole.failed else theme.faint, _POLE)

    def _draw_label(self, drawing: Drawing, flag: MergedFlag) -> None:
        theme, letters = drawing.theme, drawing.letters.badge
        place, picked = self.flag_place(flag), flag.holds(self._chosen)
        ink, ground = theme.quiet, mixed(theme.surface, theme.text, 0.16)
        if flag.failed:
            ink, ground = theme.bad, mixed(theme.surface, theme.bad, 0.22)
        if picked:
            ink, ground = theme.inverse, theme.bad if flag.failed else theme.text
        drawing.filled(place, ground, CHIP_RADIUS - 1)
        x = place.center().x() - letters.width(flag.text) / 2
        baseline = place.center().y() + letters.cap_height / 2
        drawing.text(x, baseline, Run(flag.text, letters, ink))
        if self._focused and picked:
            drawing.focus_ring(place.adjusted(-2, -2, 2, 2), CHIP_RADIUS)


def _by_pixel(flag: MergedFlag, chosen: int | None) -> Mapping[int, Pole]:
    """Where many cells ran in one pixel, the gravest of them is what is drawn."""
    # Hardly one of a thousand is graver than the others.
    grave = [pole for pole in flag.poles if pole.failed or pole.key == chosen]
    grave.sort(key=lambda pole: (pole.key == chosen, pole.failed))
    return {int(pole.x): pole for pole in (*flag.poles, *grave)}
