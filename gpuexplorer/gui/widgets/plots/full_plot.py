"""FullPlot: one plot alone on the whole screen, until Escape or another double click."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.plots.canvas import PlotCanvas
from gpuexplorer.gui.plots.content import Flag, Origin, PlotContent
from gpuexplorer.gui.plots.layout import AXIS, is_compact
from gpuexplorer.gui.state.command_list import CommandList, Group, command_of
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import SPANS, TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.source_badge import SourceBadge
from gpuexplorer.gui.widgets.bars.time_pill import TimePill
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.palette.palette import Palette
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
        look.changed.connect(self.update)

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


class FullPlotCommands(CommandList):
    """By key, and under Ctrl+K: the keys of the window below do not reach this one."""

    def __init__(
        self, look: Look, time_window: TimeWindow, window: QWidget, canvas: QWidget
    ) -> None:
        super().__init__(window)
        self._look = look
        self._time_window = time_window
        self._window = window
        self._canvas = canvas
        for position, (seconds, words) in enumerate(SPANS):
            run = partial(time_window.choose_span, seconds)
            span = self._make(
                Group.TIME, tr("Show {span}", span=words), run, f"Alt+{position + 1}"
            )
            span.setCheckable(True)
            span.setData(seconds)
        self._hold = self._make(
            Group.TIME, tr("Pause or resume the plots"), time_window.toggle_pause, "Space"
        )
        self._hold.setAutoRepeat(False)
        self._now = self._make(
            Group.TIME, tr("Back to now"), time_window.back_to_now, "Ctrl+End"
        )
        self._make(Group.VIEW, tr("Leave full screen"), window.close, "F11")
        keys = ("Ctrl+K", "Ctrl+Shift+P")
        self._search = self._make(
            Group.PROGRAM, tr("Search all commands"), self._on_palette_asked, *keys
        )
        time_window.changed.connect(self._on_time_changed)
        self._on_time_changed()

    def _make(self, group: Group, words: str, run: Callable[[], object], *keys: str) -> QAction:
        action = QAction(words, self._window)
        action.setShortcuts([QKeySequence(each) for each in keys])
        action.triggered.connect(lambda _=False: run())
        self._window.addAction(action)
        return self.add(group, action)

    def _on_time_changed(self) -> None:
        self._now.setEnabled(not self._time_window.following)
        for action in self.of(Group.TIME):
            if action.isCheckable():
                action.setChecked(action.data() == self._time_window.span)

    def _on_palette_asked(self) -> None:
        here = [
            command_of(action, Group.HERE)
            for action in self._canvas.actions()
            if action.isEnabled() and action.isVisible()
        ]
        others = [each for each in self.commands() if each.run != self._search.trigger]
        commands = [*here, *others]
        Palette(self._look, commands, self._search.shortcuts(), self._window).open()
