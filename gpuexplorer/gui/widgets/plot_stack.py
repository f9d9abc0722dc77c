"""PlotStack: plots that share one time axis, as a screen puts them in place: with pictures and
files of them, and one of them alone on the whole screen.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QGuiApplication,
    QHideEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run, plain_tip
from gpuexplorer.gui.plots.canvas import PlotCanvas
from gpuexplorer.gui.plots.content import AXIS, Flag, Origin, PlotContent, PlotLine, is_compact
from gpuexplorer.gui.state.command_list import CommandGroup, CommandList
from gpuexplorer.gui.state.comparing import Comparing
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.top_bar import SourceBadge, TimePill
from gpuexplorer.gui.widgets.command_palette import CommandPalette
from gpuexplorer.gui.widgets.controls.keyboard import pressed_by_enter
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.saving import (
    CSV,
    PNG,
    FileKind,
    Saving,
    Write,
    png,
    suggested_name,
)
from gpuexplorer.telemetry.trace import Heading, TraceColumn, TraceSource, write_traces
from gpuexplorer.telemetry.whole_file import write_whole

_EVERY_READING = 10_000_000
_MARGIN, _HEADER = 20, 34  # of a picture
_SHARP = 2.0  # pixels for each of the screen's, so that print and projector stay legible
# A picture that fills a large screen is sharp without, and takes the window's time otherwise.
_MOST_PIXELS = 6_000_000
_LEAST = QSize(560, 160)
_NOTE_HEIGHT, _NOTE_STAYS = 32, 6000  # pixels, milliseconds
_BACK = mark("Escape goes back")


class PlotStack(PlotCanvas):
    """A canvas with full screen, pictures and files. Its `actions()` are for the palette."""

    def __init__(self, time_window: TimeWindow, settings: Settings) -> None:
        super().__init__(time_window, settings)
        self._full: FullPlot | None = None
        self.comparing: Comparing | None = None  # what the menu offers besides
        self.origin = Origin()
        self.note = PlotNote(self, AXIS)
        self._saving = Saving(settings, self)
        self._saving.done.connect(self.note.show_done)
        self._saving.refused.connect(self.note.show_refused)
        self.full_screen = self._add(
            tr("Full screen of one plot"), lambda: self.full_screen_asked.emit(self.current)
        )
        copy = self._add(tr("Copy picture of the plots"), self.copy_picture)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        picture = partial(self._ask, tr("Save plots as PNG"), PNG)
        save = self._add(tr("Save plots as PNG…"), picture)
        save.setShortcut(QKeySequence.StandardKey.Save)
        table = partial(self._ask, tr("Save visible data as CSV"), CSV)
        self._add(tr("Save visible data as CSV…"), table)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu_asked)
        self.full_screen_asked.connect(self.show_full)

    def show_origin(self, origin: Origin) -> None:
        """What pictures and files say of where the figures come from."""
        self.origin = origin
        if self._full is not None:
            self._full.show_origin(origin)

    def show_contents(
        self, contents: Sequence[PlotContent], flags: Sequence[Flag] = ()
    ) -> None:
        super().show_contents(contents, flags)
        if self._full is not None:
            content = self._content(self._full.stack.current)
            if content is None:
                self._full.close()
            else:
                self._full.show_content(content, self.flags)

    def columns(self) -> int:
        most = super().columns()
        return most if self._full is None else max(most, self._full.stack.columns())

    def show_full(self, name: str) -> None:
        """One plot alone on the whole screen."""
        content = self._content(name)
        if content is None or self._full is not None:
            return
        full = FullPlot(self.time_window, self._settings, self.origin, self)
        full.closed.connect(self._on_full_closed)
        full.show_content(content, self.flags)
        self._full = full
        full.showFullScreen()
        full.setFocus(Qt.FocusReason.OtherFocusReason)

    def copy_picture(self) -> None:
        """To the clipboard, as it is seen."""
        QGuiApplication.clipboard().setImage(self.picture())
        self.note.show_done(tr("The picture is on the clipboard."))

    def picture(self) -> QImage:
        """For other programs: who, when and whether it is simulated stand on it."""
        plots = self.size().expandedTo(_LEAST)
        whole = plots + QSize(2 * _MARGIN, 2 * _MARGIN + _HEADER)
        large = whole.width() * whole.height() * _SHARP * _SHARP > _MOST_PIXELS
        scale = 1.0 if large else _SHARP
        image = QImage(whole * scale, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        image.fill(self.look.theme.surface)
        with QPainter(image) as painter:
            self._draw_header(Drawing(painter), QRect(QPoint(_MARGIN, _MARGIN), plots))
            self.draw_into(painter, QRectF(QPoint(_MARGIN, _MARGIN + _HEADER), plots))
        return image

    def save(self, kind: FileKind, path: Path) -> None:
        """In a thread of its own; a sentence says when it is done, or why not. A file of data
        has every reading in the stretch that is seen, not only what is drawn.
        """
        self._saving.save(path, self._write(kind, path))

    def _content(self, name: str) -> PlotContent | None:
        return next((one for one in self.contents if one.name == name), None)

    def _add(self, text: str, triggered: Callable[[], object]) -> QAction:
        action = QAction(text, self)
        action.triggered.connect(lambda _=False: triggered())
        self.addAction(action)
        return action

    def _ask(self, caption: str, kind: FileKind) -> None:
        end = self.time_window.wall(self.time_window.stretch()[1])
        name = suggested_name("plots", end, simulated=self.origin.simulated)
        self._saving.ask(caption, name, [kind], partial(self._write, kind))

    def _write(self, kind: FileKind, path: Path) -> Write:
        if kind is PNG:
            image = self.picture()
            return lambda: write_whole(path, [png(image)])
        window, origin = self.time_window, self.origin
        heading = Heading(origin.source, origin.simulated, *window.stretch(), window.wall(0.0))
        lines = [line for content in self.contents for line in content.lines]
        return partial(_write_csv, path, lines, heading, origin.past)

    def _draw_header(self, drawing: Drawing, place: QRect) -> None:
        theme, letters, right = drawing.theme, drawing.letters, float(place.right() + 1)
        middle = place.top() + 10.0
        if self.origin.simulated:
            word = tr("SIMULATED")
            width = letters.badge.width(word) + 18
            badge = QRectF(right - width, middle - 11, width, 22)
            drawing.filled(badge, theme.simulated, CHIP_RADIUS)
            ink = Run(word, letters.badge, theme.simulated_ink)
            drawing.text(badge.left() + 9, middle + letters.badge.cap_height / 2, ink)
            right = badge.left() - 16
        baseline = middle + letters.body.cap_height / 2
        when = Run(_when(self.time_window), letters.caption, theme.quiet)
        right = drawing.runs_right(right, baseline, [when]) - 16
        titles = [content.title for content in self.contents]
        who = [*titles, self.origin.source] if len(titles) == 1 else [self.origin.source]
        words = Run(" · ".join(who), letters.body, theme.text)
        drawing.elided(place.left(), baseline, words, right - place.left())

    def _on_menu_asked(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self.actions())
        if self.comparing is not None:
            menu.addSeparator()
            menu.addActions(self.comparing.actions)
        menu.popup(self.mapToGlobal(place))

    def _on_full_closed(self) -> None:
        self._full = None

    def fill(self) -> None:
        super().fill()
        self.note.put_in_view()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._full is not None:
            self._full.close()


class FullPlot(QFrame):
    """One plot alone on the whole screen, until Escape or another double click: a window of its
    own that is deleted when it is closed.
    """

    closed = Signal()

    def __init__(
        self, time_window: TimeWindow, settings: Settings, origin: Origin, parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("panel", "plots")
        self._title = ElidedLabel(look().letters.title, Tone.TEXT)
        self._source = ElidedLabel(look().letters.body, Tone.QUIET)
        back = ElidedLabel(look().letters.caption, Tone.FAINT)
        back.show_text(tr(_BACK))
        self._badge = SourceBadge()
        self.stack = PlotStack(time_window, settings)
        self.stack.full_screen_asked.disconnect(self.stack.show_full)
        self.stack.full_screen_asked.connect(lambda _: self.close())
        self.stack.full_screen.setVisible(False)
        self.show_origin(origin)
        pill = TimePill(time_window)
        head = row(self._title, self._badge, self._source, GROWS, pill, back, gap=12)
        column(head, self.stack, GROWS, within=self, gap=16, margins=(32, 24, 32, 24))
        self.setFocusProxy(self.stack)
        # The keys of the window below do not reach this one.
        self._commands = CommandList(self, time_window)
        leave = tr("Leave full screen")
        self._commands.make(CommandGroup.VIEW, leave, "F11", run=self.close)
        words, keys = tr("Search all commands"), ("Ctrl+K", "Ctrl+Shift+P")
        self._search = self._commands.make(CommandGroup.PROGRAM, words, *keys)
        self._search.triggered.connect(self._on_palette_asked)

    def show_origin(self, origin: Origin) -> None:
        """A card that goes makes room for another, and then these are the other's figures."""
        self._source.show_text(origin.source)
        if origin.simulated:
            self._badge.show_simulated()
        self._badge.setVisible(origin.simulated)
        self.stack.show_origin(origin)

    def show_content(self, content: PlotContent, flags: Sequence[Flag]) -> None:
        # Others have their title in the plot itself.
        self._title.show_text(content.title if is_compact([content]) else "")
        self._title.setVisible(is_compact([content]))
        self.setWindowTitle(content.title)
        self.stack.show_contents([content], flags)

    def _on_palette_asked(self) -> None:
        commands = self._commands.commands(self.stack.actions())
        CommandPalette(commands, self._search.shortcuts(), self).open()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        elif not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


class PlotNote(QLabel):
    """One sentence over plots about a file that was saved or could not be. What went well goes
    away by itself; what did not waits to be clicked away.
    """

    def __init__(self, parent: QWidget, above: float = 0.0) -> None:
        """`above`: so many pixels at the bottom stay free of it."""
        super().__init__(parent)
        self._over, self._above = parent, round(above)
        self._timer = QTimer(self, singleShot=True, interval=_NOTE_STAYS)
        self._timer.timeout.connect(self.hide)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(look().letters.body.font)
        self.setProperty("kind", "note")
        self.hide()

    def show_done(self, text: str) -> None:
        self._show(text, Tone.TEXT)
        self._timer.start()

    def show_refused(self, text: str) -> None:
        self._timer.stop()
        self._show(text, Tone.BAD)

    def put_in_view(self) -> None:
        """At the bottom of what is seen of its parent, in the middle."""
        parent = above = self._over
        seen = parent.rect()
        while not above.isWindow() and (outer := above.parentWidget()) is not None:
            seen &= outer.rect().translated(-parent.mapTo(outer, parent.rect().topLeft()))
            above = outer
        place = parent.rect() if seen.isEmpty() else seen
        letters, words = look().letters.body, self.accessibleName()
        self.setText(letters.elided(words, place.width() - 30))
        self.setToolTip("" if self.text() == words else plain_tip(words))
        self.resize(round(letters.width(self.text())) + 30, _NOTE_HEIGHT)
        left = place.left() + (place.width() - self.width()) // 2
        self.move(left, place.bottom() - self._above - _NOTE_HEIGHT - 4)

    def _show(self, text: str, tone: Tone) -> None:
        self.setProperty("tone", tone.value)
        self.style().polish(self)
        self.setAccessibleName(text)
        self.put_in_view()
        self.show()
        self.raise_()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.hide()
        event.accept()


def _when(window: TimeWindow) -> str:
    start, end = (
        datetime.fromtimestamp(window.wall(at)).astimezone() for at in window.stretch()
    )
    if start.date() == end.date():
        return tr("{start:%Y-%m-%d %H:%M:%S} to {end:%H:%M:%S}", start=start, end=end)
    return tr("{start:%Y-%m-%d %H:%M:%S} to {end:%Y-%m-%d %H:%M:%S}", start=start, end=end)


def _write_csv(
    path: Path, lines: list[PlotLine], heading: Heading, past: TraceSource | None
) -> None:
    """Called from the thread that writes."""
    columns = []
    for line in lines:
        card, trace = line.card, line.trace
        if past is None or card is None:
            who = card or (tr("card {number}", number=line.chip) if line.chip else "")
            columns.append(TraceColumn(who, line.metric, trace, line.reason))
        else:
            ends = heading.start, heading.end
            trace = past.trace(card, line.metric.id, *ends, _EVERY_READING)
            columns.append(TraceColumn(card, line.metric, trace, line.reason))
    write_traces(path, columns, heading)
