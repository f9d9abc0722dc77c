"""FullPlot: one plot alone on the whole screen, until Escape or another double click."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.plots.canvas import PlotCanvas
from gpuexplorer.gui.plots.content import Flag, Origin, PlotContent
from gpuexplorer.gui.plots.layout import is_compact
from gpuexplorer.gui.state.command_list import CommandGroup, CommandList
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.source_badge import SourceBadge
from gpuexplorer.gui.widgets.bars.time_pill import TimePill
from gpuexplorer.gui.widgets.command_palette import CommandPalette
from gpuexplorer.gui.widgets.controls.keyboard import pressed_by_enter
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.plots.plot_actions import PlotActions

_BACK = mark("Escape goes back")


class FullPlot(QWidget):
    """A window of its own that is deleted when it is closed."""

    closed = Signal()

    def __init__(
        self, time_window: TimeWindow, settings: Settings, origin: Origin, parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._title = ElidedLabel(look().letters.title, Tone.TEXT)
        self._source = ElidedLabel(look().letters.body, Tone.QUIET)
        back = ElidedLabel(look().letters.caption, Tone.FAINT)
        back.show_text(tr(_BACK))
        self._badge = SourceBadge()
        self._canvas = PlotCanvas(time_window, settings)
        self._canvas.full_screen_asked.connect(lambda _: self.close())
        self._files = PlotActions(self._canvas, settings)
        self._files.full_screen.setVisible(False)
        self.show_origin(origin)
        pill = TimePill(time_window)
        head = row(self._title, self._badge, self._source, GROWS, pill, back, gap=12)
        column(head, self._canvas, GROWS, within=self, gap=16, margins=(32, 24, 32, 24))
        self.setFocusProxy(self._canvas)
        FullPlotCommands(time_window, self, self._canvas)
        look().changed.connect(self.update)

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
        self._files.origin = origin

    def show_content(self, content: PlotContent, flags: Sequence[Flag]) -> None:
        # Others have their title in the plot itself.
        self._title.show_text(content.title if is_compact([content]) else "")
        self._title.setVisible(is_compact([content]))
        self.setWindowTitle(content.title)
        self._canvas.show_contents([content], flags)

    def columns(self) -> int:
        return self._canvas.columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        elif not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), look().theme.surface)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


class FullPlotCommands(CommandList):
    """By key, and under Ctrl+K: the keys of the window below do not reach this one."""

    def __init__(self, time_window: TimeWindow, window: QWidget, canvas: QWidget) -> None:
        super().__init__(window, time_window)
        self._canvas = canvas
        self.make(CommandGroup.VIEW, tr("Leave full screen"), "F11", run=window.close)
        words, keys = tr("Search all commands"), ("Ctrl+K", "Ctrl+Shift+P")
        self._search = self.make(CommandGroup.PROGRAM, words, *keys)
        self._search.triggered.connect(self._on_palette_asked)

    def _on_palette_asked(self) -> None:
        commands = self.commands(self._canvas.actions())
        CommandPalette(commands, self._search.shortcuts(), self._window).open()
