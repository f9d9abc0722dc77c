"""LineList: the lines of the session, painted as far as they are seen."""

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.code.line_drawing import Lit, draw_line, draw_released
from gpuexplorer.gui.views.lab.code.line_layout import COST_STEP, LEFT, RELEASED, RIGHT
from gpuexplorer.gui.views.lab.code.line_rows import LineRows
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS
from gpuexplorer.gui.wording.lab.code.line_face import LineFace

_STEP = 40  # pixels a turn of the wheel moves
_PANEL_BELOW = 8.0
_RING = 6.0  # beside the lines, for who comes there before a line is chosen
_EMPTY = (
    mark("Whatever you do here is a line of PyTorch."),
    mark("It stands here with what it cost, and can be saved as a program."),
)


class LineList(QAbstractScrollArea):
    """Stays at its end while lines come, unless a person scrolled up."""

    line_chosen = Signal(int)  # by its command
    left = Signal()  # nothing is to be selected any longer
    copy_asked = Signal(int)
    menu_asked = Signal(int, QPoint)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows = LineRows(look.letters)
        self._selected: int | None = None
        self._running: tuple[int, float] | None = None
        self._colours: Mapping[str, int | None] = {}
        self._panel: QWidget | None = None
        self._panel_line = -1
        self._led_to = -1  # where a selection scrolled to; what comes then is shown again
        self.setProperty("panel", "clear")
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setAccessibleName(tr("Lines of the session"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(_STEP)

    def show_faces(self, faces: Sequence[LineFace]) -> None:
        """The very same objects are taken to be unchanged."""
        more = len(faces) > len(self._rows.faces)
        at_end = self._at_end or (more and self.verticalScrollBar().value() == self._led_to)
        if self._rows.show(faces, self.width()):
            self._measure(at_end)
            self._describe()

    def show_selected(self, line: int | None) -> None:
        if line == self._selected:
            return
        self._selected = line
        self._describe()
        self.viewport().update()

    def reveal(self, line: int) -> None:
        """With the panel where it stands below that line. Scroll no further than it takes."""
        at = self._rows.index_of(line)
        if at >= 0:
            row = self._rows.row(at)
            below = self._panel.height() if self._panel and line == self._panel_line else 0
            followed = self._at_end or self.verticalScrollBar().value() == self._led_to
            self._reveal(row.top, row.top + row.layout.height + below)
            if followed:
                self._led_to = self.verticalScrollBar().value()

    def show_running(self, line: int | None, seconds: float) -> None:
        before = self._running
        self._running = None if line is None else (line, seconds)
        for each in {one[0] for one in (before, self._running) if one is not None}:
            self._repaint(each)

    def show_colours(self, colours: Mapping[str, int | None]) -> None:
        """The card colours by PyTorch's names of the devices."""
        if colours != self._colours:
            self._colours = dict(colours)
            self.viewport().update()

    def show_panel(self, panel: QWidget, line: int | None, height: int) -> None:
        """`panel` stands below that line, as if it were part of it."""
        at_end = self._at_end
        self._panel = panel
        self._panel_line = -1 if line is None else line
        self._rows.show_panel(self._panel_line, height + _PANEL_BELOW if line else 0.0)
        panel.setParent(self.viewport())
        panel.resize(self._panel_width(), height)
        panel.setVisible(line is not None)
        self._measure(at_end)

    def panel_width(self) -> int:
        return self._panel_width()

    def reveal_place(self, place: QRect) -> None:
        """`place`: in the viewport, such as a button on the panel that has the keyboard."""
        value = self.verticalScrollBar().value()
        self._reveal(place.top() + value, place.bottom() + value)

    def toggle_printed(self, line: int) -> None:
        at = self._rows.index_of(line)
        if at >= 0 and self._rows.row(at).layout.more:
            self._rows.toggle(at)
            self._measure(at_end=False)

    def has_more(self, line: int) -> str:
        """What the way to the rest of what was printed is called; empty where all is shown."""
        at = self._rows.index_of(line)
        return self._rows.row(at).layout.more if at >= 0 else ""

    @property
    def _at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - 2

    def _describe(self) -> None:
        """The line that is selected, for screen readers."""
        at = self._rows.index_of(self._selected)
        words = self._rows.faces[at].words if at >= 0 else ""
        if words == self.accessibleDescription():
            return
        self.setAccessibleDescription(words)
        if QAccessible.isActive():
            event = QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
            QAccessible.updateAccessibility(event)

    def _panel_width(self) -> int:
        return round(self.width() - LEFT - RIGHT)

    def _measure(self, at_end: bool) -> None:
        bar, page = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(page)
        bar.setRange(0, max(0, round(self._rows.height) - page))
        if at_end:
            bar.setValue(bar.maximum())
        self._place_panel()
        self.viewport().update()

    def _place_panel(self) -> None:
        at = self._rows.index_of(self._panel_line)
        if self._panel is not None and at >= 0:
            row = self._rows.row(at)
            y = row.top + row.layout.height - self.verticalScrollBar().value()
            self._panel.move(round(LEFT), round(y))

    def _reveal(self, top: float, bottom: float) -> None:
        """The beginning of what is higher than there is room for."""
        bar, page = self.verticalScrollBar(), self.viewport().height()
        if top < bar.value() or bottom - top > page:
            bar.setValue(round(top))
        elif bottom > bar.value() + page:
            bar.setValue(math.ceil(bottom - page))

    def _repaint(self, line: int) -> None:
        at = self._rows.index_of(line)
        if at >= 0:
            row = self._rows.row(at)
            y = row.top - self.verticalScrollBar().value()
            self.viewport().update(0, int(y), self.width(), int(row.layout.height) + 2)

    def _step_to(self, at: int) -> None:
        count = len(self._rows.faces)
        if count:
            line = self._rows.faces[max(0, min(count - 1, at))].id
            self.line_chosen.emit(line)
            self.reveal(line)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        del dx, dy
        self._place_panel()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        at_end, bar = self._at_end, self.verticalScrollBar()
        # What stands at the top stays there, however the lines above it wrap now.
        first = self._rows.index_at(bar.value())
        down = bar.value() - self._rows.row(first).top if first >= 0 else 0.0
        self._rows.show(self._rows.faces, self.width())
        self._measure(at_end)
        if first >= 0 and not at_end:
            bar.setValue(round(self._rows.row(first).top + down))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            drawing = Drawing(painter, self._look)
            if not self._rows.faces:
                self._draw_empty(drawing)
                return
            value = self.verticalScrollBar().value()
            seen = event.rect()
            for at in self._rows.between(value + seen.top(), value + seen.bottom() + 1):
                self._draw_row(drawing, at, value)
            if self.hasFocus() and self._rows.index_of(self._selected) < 0:
                ring = QRectF(self.viewport().rect()).adjusted(_RING, 1, -_RING, -1)
                drawing.focus_ring(ring, CONTROL_RADIUS)

    def _draw_row(self, drawing: Drawing, at: int, value: float) -> None:
        row, frame = self._rows.row(at), self._rows.frame
        selected = row.face.id == self._selected
        seconds = None
        if self._running is not None and self._running[0] == row.face.id:
            seconds = self._running[1]
        top = row.top - value
        seen = (-top, self.viewport().height() - top)
        lit = Lit(selected, selected and self.hasFocus(), seconds, seen)
        draw_line(drawing, row.face, row.layout, frame, top, lit, self._colours)
        if self._rows.released_after(at):
            following = at + 1 < len(self._rows.faces)
            end = self._rows.row(at + 1).top if following else self._rows.height
            draw_released(drawing, frame, end - value - RELEASED)

    def _draw_empty(self, drawing: Drawing) -> None:
        letters = drawing.letters.body
        width = self.width() - LEFT - RIGHT
        y = self.viewport().height() / 2 - letters.height
        for words, colour in zip(
            _EMPTY, (drawing.theme.text, drawing.theme.quiet), strict=True
        ):
            said = tr(words)
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
            drawing.painter.setFont(letters.font)
            drawing.painter.setPen(colour)
            place = QRectF(LEFT, y, width, 4 * letters.height)
            drawn = drawing.painter.boundingRect(place, flags, said)
            drawing.painter.drawText(place, flags, said)
            y += drawn.height() + 4

    def mousePressEvent(self, event: QMouseEvent) -> None:
        y = event.position().y() + self.verticalScrollBar().value()
        at = self._rows.index_at(y)
        if at < 0 or event.button() != Qt.MouseButton.LeftButton:
            return
        row = self._rows.row(at)
        down = y - row.top
        if down > row.layout.height:
            return
        self.line_chosen.emit(row.face.id)
        more_top = row.layout.more_top
        if row.layout.more and more_top <= down < more_top + COST_STEP + 2:
            self.toggle_printed(row.face.id)

    def event(self, event: QEvent) -> bool:
        # The space bar unfolds the line that is selected, before it holds the time, and Ctrl+C
        # copies it, before the screen copies something else.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            chosen = self._rows.index_of(self._selected) >= 0
            copies = event.matches(QKeySequence.StandardKey.Copy)
            if chosen and (copies or event.key() == Qt.Key.Key_Space):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at = self._rows.index_of(self._selected)
        count = len(self._rows.faces)
        if event.matches(QKeySequence.StandardKey.Copy) and at >= 0:
            self.copy_asked.emit(self._rows.faces[at].id)
            return
        page = max(1, len(self._rows.between(0, self.viewport().height())) - 1)
        match event.key():
            case Qt.Key.Key_Up:
                self._step_to(at - 1 if at >= 0 else count - 1)
            case Qt.Key.Key_Down:
                self._step_to(at + 1 if at >= 0 else count - 1)
            case Qt.Key.Key_PageUp:
                self._step_to(max(0, at - page))
            case Qt.Key.Key_PageDown:
                self._step_to(at + page)
            case Qt.Key.Key_Home:
                self._step_to(0)
            case Qt.Key.Key_End:
                self._step_to(count - 1)
            case Qt.Key.Key_Escape:
                self.left.emit()
            case Qt.Key.Key_Space | Qt.Key.Key_Left | Qt.Key.Key_Right if at >= 0:
                self.toggle_printed(self._rows.faces[at].id)
            case _:
                super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            at = self._rows.index_of(self._selected)
            place = self.viewport().mapToGlobal(self._below(at))
        else:
            y = event.pos().y() + self.verticalScrollBar().value()
            at, place = self._rows.index_at(y), event.globalPos()
        if at >= 0:
            line = self._rows.faces[at].id
            self.line_chosen.emit(line)
            self.menu_asked.emit(line, place)

    def _below(self, at: int) -> QPoint:
        if at < 0:
            return QPoint(0, 0)
        row = self._rows.row(at)
        y = row.top + row.layout.height - self.verticalScrollBar().value()
        return QPoint(round(self._rows.frame.code_left), round(y))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()
