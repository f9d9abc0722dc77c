"""PlotsPanel: the stacked plots of one card, and the choice of what is plotted."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QFrame, QWidget

from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.card.facts_tree import FactsTree, search_field
from gpuexplorer.gui.cards.facts import FactGroup
from gpuexplorer.gui.plots.content import Flag, PlotContent
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton, link_button
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.gui.widgets.sheets.sheet import Popup

_CHOOSER_WIDTH, _CHOOSER_HEIGHT = 400, 460


class PlotsPanel(QFrame):
    """Shows what it is given; choosing is asked of whoever fills it."""

    toggled = Signal(str)
    usual_asked = Signal()
    choosing_began = Signal()

    def __init__(self, time_window: TimeWindow, settings: Settings) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Plots"))
        self.title = ElidedLabel(look().letters.title, Tone.TEXT)
        self._choose = ToolButton("word", Icon.CHOOSE, tr("Choose plots"))
        self._choose.setToolTip(tr("Choose which metrics are plotted for this card"))
        self._choose.clicked.connect(self._on_choose_clicked)
        self._chooser: MetricChooser | None = None
        self._nothing = wrapped_label(
            tr("Nothing is plotted. “Choose plots” brings back what you want to see."),
            Tone.QUIET,
        )
        self._nothing.hide()
        self.stack = PlotStack(time_window, settings)
        # Plots keep so much free on either side.
        head = row(self.title, self._choose, FREE, gap=12, margins=(4, 0, 0, 0))
        parts = (head, self._nothing, self.stack, GROWS)
        column(*parts, within=self, gap=0, margins=(12, 10, 12, 10))

    @property
    def choosing(self) -> bool:
        return self._chooser is not None

    def show_contents(self, contents: Sequence[PlotContent], flags: Sequence[Flag]) -> None:
        self._nothing.setVisible(not contents)
        self.stack.setVisible(bool(contents))
        self.stack.show_contents(contents, flags)

    def show_offer(self, groups: Sequence[FactGroup], chosen: frozenset[str]) -> None:
        if self._chooser is not None:
            self._chooser.show_offer(groups, chosen)

    def _on_choose_clicked(self) -> None:
        self._chooser = MetricChooser(self._choose)
        self._chooser.toggled.connect(self.toggled)
        self._chooser.usual_asked.connect(self.usual_asked)
        self._chooser.closed.connect(self._on_chooser_closed)
        self.choosing_began.emit()
        self._chooser.open()

    def _on_chooser_closed(self) -> None:
        self._chooser = None

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._chooser is not None:
            self._chooser.close()


class MetricChooser(Popup):
    """What is chosen is plotted at once; it stays open until Escape or a click elsewhere."""

    toggled = Signal(str)  # the id of a metric that is to be plotted, or no longer
    usual_asked = Signal()

    def __init__(self, anchor: QWidget) -> None:
        super().__init__(_CHOOSER_WIDTH, _CHOOSER_HEIGHT, anchor)
        self.setAccessibleName(tr("Choose plots"))
        self._tree = FactsTree()
        self._tree.setAccessibleName(tr("Metrics"))
        self._tree.toggled.connect(self.toggled)
        nothing = mark("No metric is called “{text}”.")
        search = search_field(self._tree, tr("Search metrics"), nothing)
        search.returnPressed.connect(self._tree.take_first)
        self._count = ElidedLabel(look().letters.caption, Tone.QUIET)
        usual = link_button(tr("Show the default plots"))
        usual.clicked.connect(self.usual_asked)
        self.panel.addLayout(row(search, margins=(12, 12, 12, 4)))
        self.panel.addWidget(self._tree, 1)
        self.panel.addWidget(self._tree.nothing, 1)
        self.panel.addLayout(row(self._count, GROWS, usual, margins=(16, 4, 12, 8)))
        search.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_offer(self, groups: Sequence[FactGroup], chosen: frozenset[str]) -> None:
        """Each fact is a metric with its value now, or the reason for which there is none."""
        self._tree.show_groups(groups, "")
        self._tree.show_chosen(chosen)
        count = len(chosen)
        plotted = trn("{count} plotted", "{count} plotted", count)
        self._count.show_text(plotted if count else tr("Nothing is plotted"))
