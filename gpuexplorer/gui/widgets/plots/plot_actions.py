"""PlotActions: what can be done with plots besides looking: pictures and files of them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from gpuexplorer.core.metric import Metric
from gpuexplorer.core.words import tr
from gpuexplorer.gui.plots.canvas import PlotCanvas
from gpuexplorer.gui.plots.content import Line, Origin
from gpuexplorer.gui.plots.picture import picture, png, svg
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.saving import (
    CSV,
    PNG,
    SVG,
    FileKind,
    Saving,
    Take,
    Write,
    suggested_name,
)
from gpuexplorer.telemetry.trace import TraceSource
from gpuexplorer.telemetry.trace_csv import Heading, TraceColumn, write_traces
from gpuexplorer.telemetry.whole_file import write_whole

_EVERY_READING = 10_000_000


class PlotActions(QObject):
    """Gives its canvas the actions that a menu and the list of all commands offer."""

    done = Signal(str)  # a sentence
    refused = Signal(str)  # a sentence, and what to do about it

    def __init__(self, canvas: PlotCanvas, settings: Settings) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._origin = Origin()
        self._saving = Saving(settings, canvas)
        self._saving.done.connect(self.done)
        self._saving.refused.connect(self.refused)
        self.full_screen = self._add(tr("Full screen of one plot"), self._on_full_screen_asked)
        copy = self._add(tr("Copy picture of the plots"), self.copy_picture)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        save = self._add(tr("Save plots as PNG…"), self._on_png_asked)
        save.setShortcut(QKeySequence.StandardKey.Save)
        self._add(tr("Save plots as SVG…"), self._on_svg_asked)
        self._add(tr("Save visible data as CSV…"), self._on_csv_asked)
        canvas.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        canvas.customContextMenuRequested.connect(self._on_menu_asked)

    @property
    def origin(self) -> Origin:
        return self._origin

    def show_origin(self, origin: Origin) -> None:
        self._origin = origin

    def copy_picture(self) -> None:
        """To the clipboard, as it is seen."""
        image = picture(self._canvas, self._origin)
        QGuiApplication.clipboard().setImage(image)
        self.done.emit(tr("The picture is on the clipboard."))

    def save_png(self, path: Path) -> None:
        self._saving.save(path, self._png(path))

    def save_svg(self, path: Path) -> None:
        self._saving.save(path, self._svg(path))

    def save_csv(self, path: Path) -> None:
        """Every reading of the lines in the stretch that is seen, not only what is drawn."""
        self._saving.save(path, self._csv(path))

    def _png(self, path: Path) -> Write:
        image = picture(self._canvas, self._origin)
        return lambda: write_whole(path, [png(image)])

    def _svg(self, path: Path) -> Write:
        drawn = svg(self._canvas, self._origin)
        return partial(write_whole, path, [drawn])

    def _csv(self, path: Path) -> Write:
        stretch = self._canvas.shown().stretch
        heading = Heading(
            self._origin.source,
            self._origin.simulated,
            stretch.start,
            stretch.end,
            stretch.offset,
        )
        lines = [line for content in self._canvas.contents for line in content.lines]
        return partial(_write_csv, path, lines, heading, self._origin.past)

    def _add(self, text: str, triggered: Callable[[], object]) -> QAction:
        action = QAction(text, self._canvas)
        action.triggered.connect(triggered)
        self._canvas.addAction(action)
        return action

    def _ask(self, caption: str, kind: FileKind, take: Take) -> None:
        stretch = self._canvas.shown().stretch
        end = stretch.end + stretch.offset
        name = suggested_name("plots", end, simulated=self._origin.simulated)
        self._saving.ask(caption, name, [kind], take)

    def _on_menu_asked(self, place: QPoint) -> None:
        menu = QMenu(self._canvas)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self._canvas.actions())
        menu.popup(self._canvas.mapToGlobal(place))

    def _on_full_screen_asked(self) -> None:
        self._canvas.full_screen_asked.emit(self._canvas.current)

    def _on_png_asked(self) -> None:
        self._ask(tr("Save plots as PNG"), PNG, self._png)

    def _on_svg_asked(self) -> None:
        self._ask(tr("Save plots as SVG"), SVG, self._svg)

    def _on_csv_asked(self) -> None:
        self._ask(tr("Save visible data as CSV"), CSV, self._csv)


def _write_csv(
    path: Path, lines: list[Line], heading: Heading, past: TraceSource | None
) -> None:
    """Called from the thread that writes."""
    columns = [_column(line, heading, past) for line in lines]
    write_traces(path, columns, heading)


def _column(line: Line, heading: Heading, past: TraceSource | None) -> TraceColumn:
    metric: Metric = line.metric
    if past is None or line.card is None:
        card = line.card or (tr("card {number}", number=line.chip) if line.chip else "")
        return TraceColumn(card, metric, line.trace, line.reason)
    trace = past.trace(line.card, metric.id, heading.start, heading.end, _EVERY_READING)
    return TraceColumn(line.card, metric, trace, line.reason)
