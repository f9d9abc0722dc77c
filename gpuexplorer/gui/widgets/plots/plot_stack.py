"""PlotStack: plots that share one time axis; what a screen puts in place."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.plots.canvas import PlotCanvas
from gpuexplorer.gui.plots.content import Flag, Origin, PlotContent
from gpuexplorer.gui.plots.layout import AXIS
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.plots.full_plot import FullPlot
from gpuexplorer.gui.widgets.plots.note import PlotNote
from gpuexplorer.gui.widgets.plots.plot_actions import PlotActions


class PlotStack(PlotCanvas):
    """A canvas with full screen, pictures and files. Its `actions()` are for the palette."""

    def __init__(
        self,
        look: Look,
        time_window: TimeWindow,
        settings: Settings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, time_window, settings, parent)
        self._full: FullPlot | None = None
        self._note = PlotNote(look, self, AXIS)
        self._deeds = PlotActions(self, settings)
        self._deeds.done.connect(self._note.show_done)
        self._deeds.refused.connect(self._note.show_refused)
        self.full_screen_asked.connect(self._on_full_screen_asked)

    def show_origin(self, origin: Origin) -> None:
        """What pictures and files say of where the figures come from."""
        self._deeds.show_origin(origin)
        if self._full is not None:
            self._full.show_origin(origin)

    def show_contents(
        self, contents: Sequence[PlotContent], flags: Sequence[Flag] = ()
    ) -> None:
        super().show_contents(contents, flags)
        if self._full is not None:
            self._show_in_full(self._full)

    def columns(self) -> int:
        most = super().columns()
        return most if self._full is None else max(most, self._full.columns())

    def copy_picture(self) -> None:
        self._deeds.copy_picture()

    def save_png(self, path: Path) -> None:
        self._deeds.save_png(path)

    def save_svg(self, path: Path) -> None:
        self._deeds.save_svg(path)

    def save_csv(self, path: Path) -> None:
        """In a thread of its own; a sentence says when it is done, or why not."""
        self._deeds.save_csv(path)

    def show_full(self, name: str) -> None:
        """One plot alone on the whole screen."""
        content = next((one for one in self.contents if one.name == name), None)
        if content is None or self._full is not None:
            return
        full = FullPlot(self.look, self.time_window, self._settings, self._deeds.origin, self)
        full.closed.connect(self._on_full_closed)
        full.show_content(content, self.flags)
        self._full = full
        full.showFullScreen()
        full.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_in_full(self, full: FullPlot) -> None:
        content = next((one for one in self.contents if one.name == full.name), None)
        if content is None:
            full.close()
        else:
            full.show_content(content, self.flags)

    def _on_full_screen_asked(self, name: str) -> None:
        self.show_full(name)

    def _on_full_closed(self) -> None:
        self._full = None

    def fill(self) -> None:
        super().fill()
        self._note.put_in_view()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._full is not None:
            self._full.close()
