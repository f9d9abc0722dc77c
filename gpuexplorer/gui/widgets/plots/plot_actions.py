"""PlotActions: what can be done with plots besides looking: pictures and files of them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from gpuexplorer.core.metrics import Metric
from gpuexplorer.core.words import tr
from gpuexplorer.gui.plots.canvas import PlotCanvas
from gpuexplorer.gui.plots.content import Line, Origin
from gpuexplorer.gui.plots.layout import AXIS
from gpuexplorer.gui.plots.picture import picture, png, svg
from gpuexplorer.gui.state.comparing import Comparing
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.plots.note import PlotNote
from gpuexplorer.gui.widgets.saving import (
    CSV,
    PNG,
    SVG,
    FileKind,
    Saving,
    Write,
    suggested_name,
)
from gpuexplorer.telemetry.trace import Heading, TraceColumn, TraceSource, write_traces
from gpuexplorer.telemetry.whole_file import write_whole

_EVERY_READING = 10_000_000


class PlotActions(QObject):
    """Gives its canvas the actions that a menu and the list of all commands offer. A note over
    the plots says what came of them.
    """

    def __init__(self, canvas: PlotCanvas, settings: Settings) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self.origin = Origin()
        self.comparing: Comparing | None = None
        self.note = PlotNote(canvas, AXIS)
        self._saving = Saving(settings, canvas)
        self._saving.done.connect(self.note.show_done)
        self._saving.refused.connect(self.note.show_refused)
        self.full_screen = self._add(
            tr("Full screen of one plot"),
            lambda: canvas.full_screen_asked.emit(canvas.current),
        )
        copy = self._add(tr("Copy picture of the plots"), self.copy_picture)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        save = self._add(
            tr("Save plots as PNG…"), partial(self._ask, tr("Save plots as PNG"), PNG)
        )
        save.setShortcut(QKeySequence.StandardKey.Save)
        self._add(tr("Save plots as SVG…"), partial(self._ask, tr("Save plots as SVG"), SVG))
        self._add(
            tr("Save visible data as CSV…"),
            partial(self._ask, tr("Save visible data as CSV"), CSV),
        )
        canvas.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        canvas.customContextMenuRequested.connect(self._on_menu_asked)

    def copy_picture(self) -> None:
        """To the clipboard, as it is seen."""
        QGuiApplication.clipboard().setImage(picture(self._canvas, self.origin))
        self.note.show_done(tr("The picture is on the clipboard."))

    def save(self, kind: FileKind, path: Path) -> None:
        """In a thread of its own; a sentence says when it is done, or why not. A file of data
        has every reading in the stretch that is seen, not only what is drawn.
        """
        self._saving.save(path, self._write(kind, path))

    def _write(self, kind: FileKind, path: Path) -> Write:
        canvas, origin = self._canvas, self.origin
        if kind is PNG:
            image = picture(canvas, origin)
            return lambda: write_whole(path, [png(image)])
        if kind is SVG:
            return partial(write_whole, path, [svg(canvas, origin)])
        stretch = canvas.shown().stretch
        ends = (stretch.start, stretch.end, stretch.offset)
        heading = Heading(origin.source, origin.simulated, *ends)
        lines = [line for content in canvas.contents for line in content.lines]
        return partial(_write_csv, path, lines, heading, origin.past)

    def _add(self, text: str, triggered: Callable[[], object]) -> QAction:
        action = QAction(text, self._canvas)
        action.triggered.connect(lambda _=False: triggered())
        self._canvas.addAction(action)
        return action

    def _ask(self, caption: str, kind: FileKind) -> None:
        stretch = self._canvas.shown().stretch
        end = stretch.end + stretch.offset
        name = suggested_name("plots", end, simulated=self.origin.simulated)
        self._saving.ask(caption, name, [kind], partial(self._write, kind))

    def _on_menu_asked(self, place: QPoint) -> None:
        menu = QMenu(self._canvas)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self._canvas.actions())
        if self.comparing is not None:
            menu.addSeparator()
            menu.addActions(self.comparing.actions)
        menu.popup(self._canvas.mapToGlobal(place))


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
