"""WindowFrame: what the window and its parts work with; WindowPart: one of them."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from gpuexplorer.gui.event_loop import Bridge, FrameClock
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.bars.notices import WARNS, About, Notice, Notices
from gpuexplorer.gui.window_commands import WindowCommands


class WindowFrame(QMainWindow):
    """Its parts have the same for as long as it is there."""

    def __init__(
        self,
        bridge: Bridge,
        settings: Settings,
        open_recording: Callable[[Path], None],
        close_recording: Callable[[], None],
    ) -> None:
        """`close_recording` does nothing where none is shown."""
        super().__init__()
        self.bridge, self.settings = bridge, settings
        self.open_recording, self.close_recording = open_recording, close_recording
        self.frame_clock, self.navigation = FrameClock(self), Navigation(self)
        self.time_window, self.notices = TimeWindow(parent=self), Notices()
        self.commands = WindowCommands(self, self.time_window, self.navigation, settings)

    def say(self, sentence: str) -> None:
        """Why a file could not be opened, say."""
        self.notices.say(About.FILE, Notice(sentence, sign=WARNS, news=True))


class WindowPart(QObject):
    """Does a part of the window's work, with what the window has."""

    def __init__(self, window: WindowFrame) -> None:
        super().__init__(window)
        self.window, self.settings, self.navigation = window, window.settings, window.navigation
        self.commands, self.notices = window.commands, window.notices
        self.time_window = window.time_window
