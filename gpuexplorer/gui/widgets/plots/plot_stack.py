"""PlotStack: plots that share one time axis; what a screen puts in place."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent

from gpuexplorer.gui.plots.canvas import PlotCanvas
from gpuexplorer.gui.plots.content import Flag, Origin, PlotContent
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.plots.plot_actions import PlotActions

if TYPE_CHECKING:
    from gpuexplorer.gui.widgets.plots.full_plot import FullPlot


class PlotStack(PlotCanvas):
    """A canvas with full screen, pictures and files. Its `actions()` are for the palette."""

    def __init__(self, time_window: TimeWindow, settings: Settings) -> None:
        super().__init__(time_window, settings)
        self._full: FullPlot | None = None
        self.files = PlotActions(self, settings)
        self.full_screen_asked.connect(self.show_full)

    def show_origin(self, origin: Origin) -> None:
        """What pictures and files say of where the figures come from."""
        self.files.origin = origin
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

    def show_full(self, name: str) -> None:
        """One plot alone on the whole screen."""
        from gpuexplorer.gui.widgets.plots.full_plot import FullPlot  # noqa: PLC0415

        content = next((one for one in self.contents if one.name == name), None)
        if content is None or self._full is not None:
            return
        full = FullPlot(self.time_window, self._settings, self.files.origin, self)
        full.closed.connect(self._on_full_closed)
        full.show_content(content, self.flags)
        self._full = full
        full.showFullScreen()
        full.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_in_full(self, full: "FullPlot") -> None:
        content = next((one for one in self.contents if one.name == full.name), None)
        if content is None:
            full.close()
        else:
            full.show_content(content, self.flags)

    def _on_full_closed(self) -> None:
        self._full = None

    def fill(self) -> None:
        super().fill()
        self.files.note.put_in_view()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._full is not None:
            self._full.close()
