"""FullPlot: one plot alone on the whole screen, until Escape or another double click."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.plots.canvas import PlotCanvas
from gpuexplorer.gui.plots.content import Flag, PlotContent
from gpuexplorer.gui.plots.layout import AXIS, is_compact
from gpuexplorer.gui.plots.origin import Origin
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.source_badge import SourceBadge
from gpuexplorer.gui.widgets.bars.time_pill import TimePill
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.plots.full_plot_commands import FullPlotCommands
from gpuexplorer.gui.widgets.plots.note import PlotNote
from gpuexplorer.gui.widgets.plots.plot_actions import PlotActions

_BACK = mark("Escape goes back")


class FullPlot(QWidget):
    """A window of its own that is deleted when it is closed."""

    closed = Signal()

    def __init__(
        self,
        look: Look,
        time_window: TimeWindow,
        settings: Settings,
        origin: Origin,
        parent: QWidget,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look = look
        self._title = ElidedLabel(look.letters.title, Tone.TEXT)
        self._source = ElidedLabel(look.letters.body, Tone.QUIET)
        back = ElidedLabel(look.letters.caption, Tone.FAINT)
        back.show_text(tr(_BACK))
        self._badge = SourceBadge(look)
        self._canvas = PlotCanvas(look, time_window, settings)
        self._canvas.full_screen_asked.connect(self._on_full_screen_asked)
        note = PlotNote(look, self._canvas, AXIS)
        self._deeds = PlotActions(self._canvas, settings)
        self._deeds.full_screen.setVisible(False)
        self._deeds.done.connect(note.show_done)
        self._deeds.refused.connect(note.show_refused)
        self.show_origin(origin)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self._title)
        head.addWidget(self._badge)
        head.addWidget(self._source, 1)
        head.addWidget(TimePill(look, time_window))
        head.addWidget(back)
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 24, 32, 24)
        column.setSpacing(16)
        column.addLayout(head)
        column.addWidget(self._canvas, 1)
        self.setFocusProxy(self._canvas)
        FullPlotCommands(look, time_window, self, self._canvas)
        look.changed.connect(self._on_look_changed)

    @property
    def name(self) -> str:
        """Of the plot that is shown."""
        return self._canvas.current

    def show_origin(self, origin: Origin) -> None:
        """A card that goes makes room for another, and then these are the other's figures."""
        self._source.show_text(origin.source)
        if origin.simulated:
            self._badge.show_simulated()
        self._badge.setVisible(origin.simulated)
        self._deeds.show_origin(origin)

    def show_content(self, content: PlotContent, flags: Sequence[Flag]) -> None:
        # Others have their title in the plot itself.
        self._title.show_text(content.title if is_compact([content]) else "")
        self._title.setVisible(is_compact([content]))
        self.setWindowTitle(content.title)
        self._canvas.show_contents([content], flags)

    def columns(self) -> int:
        return self._canvas.columns()

    def _on_look_changed(self) -> None:
        self.update()

    def _on_full_screen_asked(self, _name: str) -> None:
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self._look.theme.surface)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()
