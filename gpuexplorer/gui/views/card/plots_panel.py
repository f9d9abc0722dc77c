"""PlotsPanel: the stacked plots of one card, and the choice of what is plotted."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.plots.content import Flag, Origin, PlotContent
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.plots.plot_stack import PlotStack
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.sheets.metric_chooser import MetricChooser
from gpuexplorer.gui.wording.facts.fact import FactGroup

_HEADS_DOWN = 7


class PlotsPanel(QFrame):
    """Shows what it is given; choosing is asked of whoever fills it."""

    toggled = Signal(str)
    usual_asked = Signal()
    choosing_began = Signal()

    def __init__(
        self,
        look: Look,
        time_window: TimeWindow,
        settings: Settings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Plots"))
        self._title = ElidedLabel(look.letters.title, Tone.TEXT)
        self._choose = WordButton(look, Icon.CHOOSE, tr("Choose plots"))
        self._choose.setToolTip(tr("Choose which metrics are plotted for this card"))
        self._choose.clicked.connect(self._on_choose_clicked)
        self._look = look
        self._chooser: MetricChooser | None = None
        self._nothing = wrapped_label(
            look,
            tr("Nothing is plotted. “Choose plots” brings back what you want to see."),
            Tone.QUIET,
        )
        self._nothing.hide()
        self._stack = PlotStack(look, time_window, settings, self)
        head = QHBoxLayout()
        # Plots keep so much free on either side.
        head.setContentsMargins(4, 0, 0, 0)
        head.setSpacing(12)
        head.addWidget(self._title)
        head.addWidget(self._choose)
        head.addStretch(1)
        below = QVBoxLayout()
        below.setContentsMargins(0, _HEADS_DOWN, 0, 0)
        below.addWidget(self._nothing)
        below.addWidget(self._stack, 1)
        # The headings of the plots' columns stand at the right end of the same line.
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 10, 12, 10)
        grid.addLayout(below, 0, 0)
        grid.addLayout(head, 0, 0, Qt.AlignmentFlag.AlignTop)
        self._title.raise_()
        self._choose.raise_()

    def columns(self) -> int:
        """How many columns the plots are wide enough for."""
        return self._stack.columns()

    @property
    def choosing(self) -> bool:
        return self._chooser is not None

    def show_origin(self, origin: Origin) -> None:
        self._stack.show_origin(origin)

    def show_title(self, words: str) -> None:
        self._title.show_text(words)

    def show_contents(self, contents: Sequence[PlotContent], flags: Sequence[Flag]) -> None:
        self._nothing.setVisible(not contents)
        self._stack.setVisible(bool(contents))
        self._stack.show_contents(contents, flags)

    def show_offer(self, groups: Sequence[FactGroup], chosen: frozenset[str]) -> None:
        if self._chooser is not None:
            self._chooser.show_offer(groups, chosen)

    def _on_choose_clicked(self) -> None:
        self._chooser = MetricChooser(self._look, self._choose)
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
