"""FullPlotCommands: what can be done while one plot fills the screen."""

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.command_list import CommandList, Group, command_of
from gpuexplorer.gui.state.time_window import SPANS, TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.palette.palette import Palette


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
