"""PlotStack: plots over the shared stretch of time, moved by mouse, wheel and keys; with
pictures and files of them, and one of them alone on the whole screen.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QHideEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.plots.content import (
    AXIS,
    HEADROOM,
    Flag,
    Layout,
    Origin,
    PlotContent,
    PlotLine,
    Scale,
    lay_out,
    least_height,
)
from gpuexplorer.gui.plots.curves import columns_for
from gpuexplorer.gui.plots.graph import ZOOM, Graph, PlotView, page_of
from gpuexplorer.gui.plots.labels import draw_over, draw_under, in_words
from gpuexplorer.gui.state.comparing import Comparing
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import LONGEST_SPAN, TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.top_bar import SourceBadge, TimePill
from gpuexplorer.gui.widgets.command_palette import CommandPalette
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.saving import (
    CSV,
    PNG,
    FileKind,
    PlotNote,
    Saving,
    Take,
    Write,
    picture,
    png,
    suggested_name,
)
from gpuexplorer.gui.window_commands import CommandGroup, CommandList
from gpuexplorer.telemetry.trace import Heading, TraceColumn, TraceSource, write_traces
from gpuexplorer.telemetry.whole_file import write_whole

_NOTCH = 120
_LEAF = 0.8  # of what is seen: how far Page Up goes back
_STEP, _LONG_STEP = 2, 20  # pixels: how far an arrow key moves the crosshair
_DRAG = 4  # pixels: less is a click
_SIDE, _BELOW_PLOT = 4, 6
_BY = Qt.FocusReason
_BY_KEYS = (_BY.TabFocusReason, _BY.BacktabFocusReason, _BY.ShortcutFocusReason)
_EVERY_READING = 10_000_000


class PlotStack(Graph):
    """Shows what it is told to; whoever tells it asks the history for `columns()` columns. Its
    `actions()` are for the palette.
    """

    full_screen_asked = Signal(str)  # the name of the plot

    def __init__(self, time_window: TimeWindow, settings: Settings) -> None:
        super().__init__()
        self.time_window = time_window
        self._settings = settings
        self.contents: tuple[PlotContent, ...] = ()
        self._flags: tuple[Flag, ...] = ()
        self._layout: Layout | None = None
        self._stale = True  # something else is to be seen than what is laid out
        self._plots: list[PlotView] = []
        self._foot = QRectF()
        # Below the curves, and over them.
        self._under = self.add_sheet(self._draw_under, -150)
        self._over = self.add_sheet(self._draw_over, 1)
        self._current = 0
        self._by_keyboard = False
        self._pointer: float | None = None
        # Where it was taken by a hand, and what was shown then; scales stand while it drags.
        self._held: tuple[float, tuple[float, float]] | None = None
        self._kept: dict[str, Scale] = {}
        # What changed is painted together, in one frame of the window.
        self.setViewportUpdateMode(self.ViewportUpdateMode.NoViewportUpdate)
        time_window.changed.connect(self.fill)
        time_window.marked_changed.connect(self.fill)
        time_window.marked_changed.connect(self.updateGeometry)
        settings.changed.connect(self.fill)
        time_window.crosshair_moved.connect(self._repaint)
        self._full: FullPlot | None = None
        self.comparing: Comparing | None = None  # what the menu offers besides
        self.origin = Origin()
        self.note = PlotNote(self, AXIS)
        self._saving = Saving(settings, self)
        self._saving.done.connect(self.note.show_done)
        self._saving.refused.connect(self.note.show_refused)
        self.full_screen = self._add(tr("Full screen of one plot"), self._ask_full)
        copy = self._add(tr("Copy picture of the plots"), self.copy_picture)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        picture = partial(self._ask, tr("Save plots as PNG"), PNG, self._write_picture)
        save = self._add(tr("Save plots as PNG…"), picture)
        save.setShortcut(QKeySequence.StandardKey.Save)
        table = partial(self._ask, tr("Save visible data as CSV"), CSV, self._write_table)
        self._add(tr("Save visible data as CSV…"), table)
        self.full_screen_asked.connect(self.show_full)

    @property
    def current(self) -> str:
        """The name of the plot that keys and menus act on."""
        return self.contents[self._current].name if self.contents else ""

    def show_origin(self, origin: Origin) -> None:
        """What pictures and files say of where the figures come from."""
        self.origin = origin
        if self._full is not None:
            self._full.show_origin(origin)

    def show_contents(
        self, contents: Sequence[PlotContent], flags: Sequence[Flag] = ()
    ) -> None:
        """Of the stretch of the time window, in `columns()` columns."""
        before = self.minimumSizeHint()
        self.contents, self._flags = tuple(contents), tuple(flags)
        self._choose(self._current)
        if self.minimumSizeHint() != before:
            self.updateGeometry()
        self.fill()
        titles = ", ".join(content.title for content in self.contents)
        self.setAccessibleName(
            tr("Plots: {titles}", titles=titles) if titles else tr("No plots")
        )
        self._describe()
        if self._pointer is not None and not self._kept:
            # The pointer stands still while time moves on under it.
            self._point(self._pointer)
        if self._full is not None:
            content = self._content(self._full.stack.current)
            if content is None:
                self._full.close()
            else:
                self._full.show_content(content, self._flags)

    def columns(self) -> int:
        """How many to ask the history for, for the time window's stretch."""
        # The axis stays as wide as it was, though all is to be laid out anew.
        most = columns_for((self._layout or self.layout_now()).area.width())
        return most if self._full is None else max(most, self._full.stack.columns())

    def words_at_crosshair(self) -> str:
        """The values at the moment that is pointed at."""
        at = self.time_window.crosshair
        return "" if at is None else in_words(self.layout_now(), at)

    def show_full(self, name: str) -> None:
        """One plot alone on the whole screen."""
        content = self._content(name)
        if content is None or self._full is not None:
            return
        full = self._full = FullPlot(self.time_window, self._settings, self.origin, self)
        full.finished.connect(self._on_full_closed)
        full.show_content(content, self._flags)
        full.showFullScreen()
        full.setFocus(Qt.FocusReason.OtherFocusReason)

    def copy_picture(self) -> None:
        """To the clipboard, as it is seen."""
        QGuiApplication.clipboard().setImage(self.picture())
        self.note.show_done(tr("The picture is on the clipboard."))

    def picture(self) -> QImage:
        """For other programs: who, when and whether it is simulated stand on it."""
        self.note.hide()
        self._by_keyboard = False  # or the keyboard's ring would be on it
        letters, badge = look().letters, SourceBadge()
        badge.show_simulated()
        titles = [content.title for content in self.contents]
        who = [*titles, self.origin.source] if len(titles) == 1 else [self.origin.source]
        start, end = (
            datetime.fromtimestamp(self.time_window.wall(at)).astimezone()
            for at in self.time_window.stretch()
        )
        said = tr("{start:%Y-%m-%d %H:%M:%S} to {end:%Y-%m-%d %H:%M:%S}", start=start, end=end)
        when = label(said, letters.caption, Tone.QUIET)
        head = label(" · ".join(who), letters.body), GROWS, when
        return picture(self, *head, *([badge] if self.origin.simulated else []))

    def layout_now(self) -> Layout:
        """Everything is put in its place before it is looked at."""
        if self._layout is not None and not self._stale:
            return self._layout
        whole, self._stale = QRectF(self.rect()), False
        layout = self._layout = lay_out(
            whole.adjusted(_SIDE, 0, -_SIDE, 0),
            self.contents,
            self._flags,
            self.time_window,
            self._settings.choices.units,
            self.look.letters,
            self._kept,
        )
        while len(self._plots) < len(layout.plots):
            self._plots.append(PlotView(self))
        for plot, place in zip_longest(self._plots, layout.plots):
            plot.show(place)
        self._under.put(whole)
        self._over.put(whole)
        return layout

    def dress(self) -> None:
        self.fill()

    def fill(self) -> None:
        """Lay it out before it is next looked at: it may be filled before."""
        self._stale = True
        self._repaint()
        if self.note.isVisible():
            self.note.put_in_view()

    def _repaint(self) -> None:
        self.viewport().update()

    def _prepare(self, seen: QRectF) -> None:
        """The flags and the axis of time are in view, below the last plot that is whole."""
        layout = self.layout_now()
        self._foot = QRectF(layout.foot)
        if layout.plots and not seen.isEmpty():
            below = [each.area.bottom() + _BELOW_PLOT for each in layout.plots]
            below[-1], most = layout.foot.top(), seen.bottom() - self._foot.height()
            self._foot.moveTop(max((top for top in below if top <= most), default=below[0]))
        # Views know where they are before they are painted, and so are painted once.
        self.scene().prepareForPaint()

    def _draw_under(self, drawing: Drawing) -> None:
        draw_under(drawing, self.layout_now())

    def _draw_over(self, drawing: Drawing) -> None:
        layout = self.layout_now()
        draw_over(drawing, layout, self.time_window, self._foot)
        if self.hasFocus() and self._by_keyboard and layout.plots:
            # Around the plot that the keys act on.
            chosen = layout.plots[self._current].area
            across = layout.right - layout.left + 8
            top, bottom = chosen.top() - HEADROOM - 20, chosen.bottom() + 4
            ring = QRectF(layout.left - 4, max(0.0, top), across, bottom - max(0.0, top))
            drawing.focus_ring(ring, radius=6)

    def _content(self, name: str) -> PlotContent | None:
        return next((one for one in self.contents if one.name == name), None)

    def _describe(self) -> None:
        """A moment that was found by keys is told first."""
        at = self.words_at_crosshair() if self._by_keyboard else ""
        said = in_words(self.layout_now())
        self.setAccessibleDescription(f"{at}. {said}" if at else said)

    def _share(self, x: float) -> float:
        area = self.layout_now().area
        return (x - area.left()) / max(1.0, area.width())

    def _point(self, x: float | None) -> None:
        layout = self.layout_now()
        if x is None or not layout.plots or not 0 <= self._share(x) <= 1:
            self.time_window.point_at(None)
            return
        start, end = layout.stretch.start, layout.stretch.end
        self.time_window.point_at(start + self._share(x) * (end - start))

    def _choose(self, at: int) -> None:
        self._current = max(0, min(at, len(self.contents) - 1))

    def _length(self) -> float:
        start, end = self.time_window.stretch()
        return end - start

    def _move(self, seconds: float) -> None:
        start, end = self.time_window.stretch()
        self.time_window.look_at(start + seconds, end + seconds)

    def _step_crosshair(self, pixels: int) -> None:
        layout, at = self.layout_now(), self.time_window.crosshair
        area = layout.area
        x = area.right() - 1 if pixels < 0 else area.left()
        if layout.stretch.holds(at):
            x = layout.x(at) + pixels
        self._pointer = None
        self._point(min(max(x, area.left()), area.right()))

    def _keys(self, far: bool) -> dict[int, Callable[[], object]]:
        key, window = Qt.Key, self.time_window
        step, leaf = _LONG_STEP if far else _STEP, _LEAF * self._length()
        at = window.crosshair
        around = None if at is None else self.layout_now().stretch.share(at)
        nearer, alone = partial(window.zoom, 1 / ZOOM, around), self._ask_full
        keys: dict[int, Callable[[], object]] = {
            key.Key_Left: partial(self._step_crosshair, -step),
            key.Key_Right: partial(self._step_crosshair, step),
            key.Key_Up: partial(self._choose, self._current - 1),
            key.Key_Down: partial(self._choose, self._current + 1),
            key.Key_Plus: nearer,
            key.Key_Equal: nearer,
            key.Key_Minus: partial(window.zoom, ZOOM, around),
            key.Key_PageUp: partial(self._move, -leaf),
            key.Key_PageDown: partial(self._move, leaf),
            key.Key_Home: partial(self._move, -LONGEST_SPAN),  # as far back as is kept
            key.Key_End: window.back_to_now,
            key.Key_Return: alone,
            key.Key_Enter: alone,
        }
        if self._pointer is None and at is not None:
            keys[key.Key_Escape] = partial(window.point_at, None)
        return keys

    def _let_go(self) -> None:
        """A drag is over, wherever the button is released."""
        self._held = None
        if self._kept:
            self._kept = {}
            self.unsetCursor()
            self.fill()

    def _add(self, text: str, triggered: Callable[[], object]) -> QAction:
        action = QAction(text, self)
        action.triggered.connect(lambda _=False: triggered())
        self.addAction(action)
        return action

    def _ask(self, caption: str, kind: FileKind, take: Take) -> None:
        end = self.time_window.wall(self.time_window.stretch()[1])
        name = suggested_name("plots", end, simulated=self.origin.simulated)
        self._saving.ask(caption, name, [kind], take)

    def _write_picture(self, path: Path) -> Write:
        image = self.picture()
        return lambda: write_whole(path, [png(image)])

    def _write_table(self, path: Path) -> Write:
        """With every reading in the stretch that is seen, not only what is drawn."""
        window, origin = self.time_window, self.origin
        heading = Heading(origin.source, origin.simulated, *window.stretch(), window.wall(0.0))
        lines = [line for content in self.contents for line in content.lines]
        return partial(_write_csv, path, lines, heading, origin.past)

    def _ask_full(self) -> None:
        self.full_screen_asked.emit(self.current)

    def _on_full_closed(self) -> None:
        self._full = None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self.actions())
        if self.comparing is not None:
            menu.addSeparator()
            menu.addActions(self.comparing.actions)
        menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._by_keyboard = True
        far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        deed = self._keys(far).get(event.key())
        if deed is None:
            event.ignore()
        else:
            deed()
            self._describe()
            self._repaint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._by_keyboard = False
        x, y = event.position().x(), event.position().y()
        self._choose(self.layout_now().plot_at(y))
        self._repaint()
        if event.button() is Qt.MouseButton.LeftButton and 0 <= self._share(x) <= 1:
            self._held = x, self.time_window.stretch()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._held is not None:
            held, (start, end) = self._held
            if not self._kept and abs(x - held) >= _DRAG:
                plots = self.layout_now().plots
                self._kept = {each.content.name: each.scale for each in plots}
                self._pointer = None
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self.time_window.point_at(None)
            if self._kept:
                seconds = (self._share(x) - self._share(held)) * (end - start)
                self.time_window.look_at(start - seconds, end - seconds)
        elif not event.buttons():
            self._pointer = x
            self._point(x)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._kept:
            self._pointer = event.position().x()
            self._point(self._pointer)
        self._let_go()
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._choose(self.layout_now().plot_at(event.position().y()))
        if event.button() is Qt.MouseButton.LeftButton:
            self._ask_full()

    def wheelEvent(self, event: QWheelEvent) -> None:
        at = event.position()
        share, turned = self._share(at.x()), event.angleDelta()
        if not self.takes(event) or not self.contents or not 0 <= share <= 1:
            event.ignore()
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not turned.y():
            self._move(-(turned.x() or turned.y()) / _NOTCH / 8 * self._length())
        else:
            self.time_window.zoom(ZOOM ** (-turned.y() / _NOTCH), share)
        self._pointer = at.x()
        self._point(at.x())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._pointer = None
        self.time_window.point_at(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_keyboard = event.reason() in _BY_KEYS
        super().focusInEvent(event)
        self._repaint()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._pointer is None:
            self.time_window.point_at(None)
        self._repaint()

    def paintEvent(self, event: QPaintEvent) -> None:
        seen = self.viewport().visibleRegion().boundingRect()
        self._prepare(QRectF(seen | event.rect()))  # of which a picture has all
        super().paintEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        page = page_of(self)
        if page is not None:
            bar, once = page.verticalScrollBar(), Qt.ConnectionType.UniqueConnection
            bar.valueChanged.connect(self._repaint, once)
            bar.rangeChanged.connect(self._repaint, once)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._pointer = None
        self._let_go()
        if self._full is not None:
            self._full.close()

    def minimumSizeHint(self) -> QSize:
        flags = bool(self._flags or self.time_window.marked)
        return QSize(280, round(least_height(self.contents, flags=flags)))

    def sizeHint(self) -> QSize:
        least = self.minimumSizeHint()
        return QSize(900, least.height() + 36 * max(1, len(self.contents)))


class FullPlot(QDialog):
    """One plot alone on the whole screen, until Escape or another double click."""

    def __init__(
        self, time_window: TimeWindow, settings: Settings, origin: Origin, parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("panel", "plots")
        self._title = ElidedLabel(look().letters.title, Tone.TEXT)
        self._source = ElidedLabel(look().letters.body, Tone.QUIET)
        back = ElidedLabel(look().letters.caption, Tone.FAINT, tr("Escape goes back"))
        self._badge = SourceBadge()
        self._badge.show_simulated()
        self.stack = PlotStack(time_window, settings)
        self.stack.full_screen_asked.disconnect(self.stack.show_full)
        self.stack.full_screen_asked.connect(self.close)
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
        ask = self._on_palette_asked
        self._search = self._commands.make(CommandGroup.PROGRAM, words, *keys, run=ask)

    def show_origin(self, origin: Origin) -> None:
        """A card that goes makes room for another, and then these are the other's figures."""
        self._source.show_text(origin.source)
        self._badge.setVisible(origin.simulated)
        self.stack.show_origin(origin)

    def show_content(self, content: PlotContent, flags: Sequence[Flag]) -> None:
        # Others have their title in the plot itself.
        self._title.show_text("" if content.titled else content.title)
        self._title.setVisible(not content.titled)
        self.setWindowTitle(content.title)
        self.stack.show_contents([content], flags)

    def _on_palette_asked(self) -> None:
        groups = self._commands.by_group(self.stack.actions()).values()
        CommandPalette([*chain(*groups)], self._search.shortcuts(), self).open()


def _write_csv(
    path: Path, lines: list[PlotLine], heading: Heading, past: TraceSource | None
) -> None:
    """Called from the thread that writes."""
    columns, ends = [], (heading.start, heading.end)
    for line in lines:
        trace, who = line.trace, tr("card {number}", number=line.chip) if line.chip else ""
        if past is not None and line.card is not None:
            trace = past.trace(line.card, line.metric.id, *ends, _EVERY_READING)
        columns.append(TraceColumn(line.card or who, line.metric, trace, line.reason))
    write_traces(path, columns, heading)
