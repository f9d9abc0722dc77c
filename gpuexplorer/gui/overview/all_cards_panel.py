"""AllCardsPanel: all cards over the stretch of time: one metric as lines or as a strip, or of a
card that is alone several.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.overview.figure_row import FigureRow
from gpuexplorer.gui.overview.now_panel import hidden_link, show_link
from gpuexplorer.gui.overview.plotted import Plotted
from gpuexplorer.gui.overview.tiles.heat_strip import HeatStrip
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import row
from gpuexplorer.gui.widgets.line import ElidedLabel, NowTag
from gpuexplorer.gui.widgets.live_view import HeatLegend, Panel
from gpuexplorer.gui.widgets.plot_stack import PlotStack

_REMEMBERED = "overview/metric"
_TIME = "00:00:00"
_LEAST_PLOT, _MOST_PLOT = 148, 320
# Of a card that is alone: so many plots with their titles, and the axis below them.
_FEWEST_PLOTS, _MOST_PLOTS = 2, 4
_LEAST_OF_SEVERAL, _MOST_OF_SEVERAL, _AXIS = 84, 180, 54
_HEAD, _MARGINS, _LINE = 36, 30, 26
# Wide enough, and the figures of all cards stand in the heading.
_FIGURES_BESIDE = 320


class AllCardsPanel(Panel):
    """Which metric is shown is chosen here, and remembered."""

    metric_chosen = Signal()
    shape_changed = Signal()  # it takes another height than before

    def __init__(
        self, time_window: TimeWindow, settings: Settings, offered: Sequence[Plotted]
    ) -> None:
        super().__init__(tr("All cards"))
        self._settings = settings
        self._offered = {plotted.name: plotted for plotted in offered}
        self._many = self._alone = False
        self._room = 0.0
        self._strip_reach = (0.0, 0.0)
        choices = [(plotted.name, tr(plotted.title)) for plotted in offered]
        self._metrics = Segmented(tr("What all cards are compared by"), choices)
        self._metrics.chosen.connect(self._on_metric_chosen)
        remembered = settings.remembered(_REMEMBERED) or ""
        name = remembered if remembered in self._offered else offered[0].name
        self._metrics.show_choice(name)
        self._chosen = self._offered[name]
        self._beside = FigureRow(tr("All cards together"))
        self._below = FigureRow(tr("All cards together"))
        self._stretch = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._any_size = self._stretch.maximumSize()
        self._times_width = (
            round(look().letters.caption.width(tr("{start} to {end}", start=_TIME, end=_TIME)))
            + 4
        )
        self._legend = HeatLegend()
        self._legend.hide()
        self.hidden = hidden_link()
        self.head.insertSpacing(1, 14)
        self.head.insertWidget(2, self._metrics)
        self.head.insertSpacing(3, 6)
        self._of_now = QWidget()
        row(NowTag(time_window), within=self._of_now)
        self.head.insertWidget(4, self._of_now)
        self.head.insertWidget(5, self._beside, 100)
        for widget in (self.hidden, self._legend, self._stretch):
            self.head.addSpacing(10)
            self.head.addWidget(widget)
        self._below.setFixedHeight(_LINE)
        self.plots = PlotStack(time_window, settings)
        self.strip = HeatStrip()
        self.strip.hide()
        self.body.addWidget(self._below)
        self.body.addWidget(self.plots, 1)
        self.body.addWidget(self.strip, 1)

    @property
    def chosen(self) -> Plotted:
        return self._chosen

    @property
    def many(self) -> bool:
        """Whether cards are a strip and no lines."""
        return self._many

    def plotted(self) -> Sequence[Plotted]:
        """What is plotted: the metric that was chosen, or of one card as many as fit."""
        if not self._alone:
            return (self._chosen,)
        return list(self._offered.values())[: self._plots_that_fit()]

    def show_room(self, height: float) -> None:
        """How tall it may be with the tile of a card that is alone still in view."""
        fit, self._room = self._plots_that_fit(), height
        if self._alone and fit != self._plots_that_fit():
            self.shape_changed.emit()

    def show_count(self, count: int, boards: int) -> None:
        """Of one card several plots, of up to eight cards lines, and in boards a strip."""
        many, alone = boards > 0, count == 1
        reach = (
            self.strip.least_height(count, boards),
            self.strip.most_height(count, boards),
        )
        if (many, alone, reach) == (self._many, self._alone, self._strip_reach):
            return
        self._many, self._alone, self._strip_reach = many, alone, reach
        self._metrics.setVisible(not alone)
        self.plots.setVisible(not many)
        self.strip.setVisible(many)
        self._legend.setVisible(many)
        # The sums of many stand elsewhere, and one card's energy is of the time that is shown.
        self._of_now.setVisible(not many and not alone)
        self._place_figures()
        self.shape_changed.emit()

    def show_stretch(self, words: str) -> None:
        """From when to when."""
        self._stretch.show_text(words)
        # It says something else each second. Of one width, nothing is laid out anew for it.
        size = self._stretch.sizeHint()
        if self._stretch.width() >= size.width():
            if self._stretch.maximumSize() != size:
                self._stretch.setFixedSize(size)
        else:
            self._let_stretch_go()

    def _let_stretch_go(self) -> None:
        """As wide as there is room for."""
        if self._stretch.minimumWidth():
            self._stretch.setMinimumSize(QSize(0, 0))
            self._stretch.setMaximumSize(self._any_size)

    def show_legend(self, low: str, high: str) -> None:
        self._legend.show_ends(low, high)
        self._place_figures()

    def show_sums(self, figures: Sequence[Figure]) -> None:
        self._beside.show_figures(figures)
        self._below.show_figures(figures)

    def show_hidden(self, words: str) -> None:
        show_link(self.hidden, "" if self._many else words)

    def least_height(self, width: float) -> float:
        inner = self._strip_reach[0] if self._many else _LEAST_PLOT
        if self._alone:
            inner = self._plots_that_fit() * _LEAST_OF_SEVERAL + _AXIS
        return inner + self._around(width)

    def most_height(self, width: float) -> float:
        inner = self._strip_reach[1] if self._many else _MOST_PLOT
        if self._alone:
            inner = self._plots_that_fit() * _MOST_OF_SEVERAL + _AXIS
        return inner + self._around(width)

    def _around(self, width: float) -> float:
        below = not self._many and not self._fits_beside(width)
        return _HEAD + _MARGINS + (_LINE if below else 0)

    def _plots_that_fit(self) -> int:
        fit = int((self._room - _HEAD - _MARGINS - _AXIS) // _LEAST_OF_SEVERAL)
        return max(_FEWEST_PLOTS, min(fit, _MOST_PLOTS))

    def _choice_width(self) -> int:
        """A card that is alone is compared with none."""
        return 0 if self._alone else self._metrics.full_width()

    def _fits_beside(self, width: float) -> bool:
        """Title, choice and time leave so much room in the heading."""
        taken = self._choice_width() + self._times_width + 190
        return width - taken >= _FIGURES_BESIDE

    def _place_figures(self) -> None:
        width = self.width()
        beside = self._fits_beside(width)
        self._beside.setVisible(beside and not self._many)
        self._below.setVisible(not beside and not self._many)
        choice, stretch = self._choice_width(), self._times_width
        legend = self._legend.sizeHint().width() if self._many else 0
        # Where there is not room for all of it, the times also stand below the strip.
        self._stretch.setVisible(not self._many or width >= choice + stretch + legend + 190)
        shown = 0 if self._stretch.isHidden() else stretch
        self._metrics.show_compact(width < choice + shown + legend + 162)

    def _on_metric_chosen(self, name: str) -> None:
        self._chosen = self._offered[name]
        self._metrics.show_choice(name)
        self._settings.remember(_REMEMBERED, name)
        self.metric_chosen.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._let_stretch_go()
        self._place_figures()
