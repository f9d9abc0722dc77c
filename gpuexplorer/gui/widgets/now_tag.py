"""NowTag: says that what stands beside it is of now, while the plots show another time."""

from PySide6.QtWidgets import QLabel, QSizePolicy

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look


class NowTag(QLabel):
    """Seen as long as somebody looks back, in the colours of what says so at the top."""

    def __init__(self, time_window: TimeWindow, words: str = "") -> None:
        super().__init__(words or tr("now"))
        self._time_window = time_window
        self._needed = True
        self.setProperty("kind", "now")
        self.setIndent(0)
        self.setFont(look().letters.caption.font)
        self.setToolTip(tr("This is how it is now. The plots show an earlier time."))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        time_window.changed.connect(self._on_time_changed)
        if not time_window.looking_back:
            self.hide()  # and else whoever takes it in shows it

    def show_needed(self, needed: bool) -> None:
        """Whether anything stands beside it."""
        self._needed = needed
        self._on_time_changed()

    def _on_time_changed(self) -> None:
        self.setVisible(self._needed and self._time_window.looking_back)
