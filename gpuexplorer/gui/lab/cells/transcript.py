"""Transcript: the cells of the session as a document that is read, selected and copied."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.lab.cells.cell_face import CellFace
from gpuexplorer.gui.lab.cells.cell_writer import UNFOLD, CellWriter
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import faded

LEFT = 16  # of the chips with the numbers
_GUTTER, _RIGHT, _BOTTOM = 48, 12, 8
_CHIP, _CHIP_MARGIN = 16.0, 5.0
_ABOVE, _BELOW, _INSET, _RADIUS = 6.0, 6.0, 8.0, 6.0
_NEXT = 0.4  # of the page, at most, for the cell to run next
_NEAR = 4  # pixels from the end that are the end
_WELCOME = mark(
    "Any Python runs here: your own, with your rights, as in a terminal. What you type, what "
    "forms do and what files hold becomes cells here, each with what it cost."
)
_OF_RECORDING = mark("No cell had run at this moment of the recording.")


@dataclass(slots=True)
class _Written:
    """A cell, and where it stands in the document."""

    face: CellFace
    begin: QTextCursor
    end: QTextCursor


class Transcript(QTextEdit):
    """Stays at the newest cell that ran, unless a person scrolled away."""

    cell_chosen = Signal(int)  # by its command
    left = Signal()  # nothing is to be selected any longer
    copy_asked = Signal(int)
    unfold_asked = Signal(int)
    menu_asked = Signal(int, QPoint)

    def __init__(self, *, recorded: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words_before = tr(_OF_RECORDING if recorded else _WELCOME)
        self._written: list[_Written] = []
        self._selected: int | None = None
        self._follows = True
        self._moving = False
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setProperty("panel", "clear")
        self.setAccessibleName(tr("Cells of the session"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(0)
        self._writer = CellWriter(self.document())
        self._welcome()
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.document().documentLayout().documentSizeChanged.connect(self._follow)
        look().changed.connect(self._write_all)

    def show_faces(self, faces: Sequence[CellFace]) -> None:
        """The very same objects are taken to be unchanged."""
        written = self._written
        count = len(faces)
        same = len(written) == count
        if same and all(one.face is face for one, face in zip(written, faces, strict=True)):
            return
        self._moving = True
        batch = QTextCursor(self.document())
        batch.beginEditBlock()
        if len(written) > count:
            self._cut(count)
        for one, face in zip(self._written, faces, strict=False):
            if one.face is not face:
                self._rewrite(one, face)
        if faces and not self._written:
            self._cut(0)  # the welcome
            self._indent(_GUTTER)
        for face in faces[len(self._written) :]:
            self._append(face)
        batch.endEditBlock()
        self._moving = False
        self._follow()
        self._describe()

    def show_selected(self, command: int | None) -> None:
        if command != self._selected:
            self._selected = command
            self._describe()
            self.viewport().update()

    def reveal(self, command: int) -> None:
        """Scrolls no further than it takes; to the end of what is too high for the page."""
        at = self._index_of(command)
        if at >= 0:
            top, bottom = self._place(self._written[at])
            bar, page = self.verticalScrollBar(), self.viewport().height()
            if bottom > bar.value() + page:
                bar.setValue(round(bottom - page))
            if top < bar.value() and bottom - top <= page:
                bar.setValue(round(top))

    def go_to_end(self) -> None:
        """What a person asked for now is to be seen."""
        self._follows = True
        self.horizontalScrollBar().setValue(0)
        self._follow()

    def face(self, command: int) -> CellFace | None:
        at = self._index_of(command)
        return self._written[at].face if at >= 0 else None

    def _append(self, face: CellFace) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if self._written:
            self._written[-1].end.setKeepPositionOnInsert(True)
            cursor.insertBlock()
            self._written[-1].end.setKeepPositionOnInsert(False)
        begin = QTextCursor(cursor)
        begin.setKeepPositionOnInsert(True)
        self._write(cursor, face)
        self._written.append(_Written(face, begin, QTextCursor(cursor)))

    def _rewrite(self, one: _Written, face: CellFace) -> None:
        one.face = face
        cursor = QTextCursor(self.document())
        cursor.setPosition(one.begin.position())
        cursor.setPosition(one.end.position(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._write(cursor, face)
        one.end = QTextCursor(cursor)

    def _cut(self, count: int) -> None:
        cursor = QTextCursor(self.document())
        if count:
            cursor.setPosition(self._written[count - 1].end.position())
        end = QTextCursor.MoveOperation.End
        cursor.movePosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        del self._written[count:]

    def _write(self, cursor: QTextCursor, face: CellFace) -> None:
        width = max(80, self.viewport().width() - _GUTTER - _RIGHT)
        self._writer.write(cursor, face, width)

    def _write_all(self) -> None:
        """In other colours, or as wide as there is room now."""
        faces = [each.face for each in self._written]
        self._cut(0)
        self._welcome()
        self.show_faces(faces)

    def _welcome(self) -> None:
        """What is said once, before there is a cell."""
        self.setTextColor(look().theme.quiet)
        self.setPlainText(self._words_before)
        self._indent(LEFT)

    def _indent(self, left: int) -> None:
        frame = self.document().rootFrame()
        style = frame.frameFormat()
        style.setLeftMargin(left)
        style.setRightMargin(_RIGHT)
        style.setBottomMargin(_BOTTOM)
        frame.setFrameFormat(style)

    def _place(self, one: _Written) -> tuple[float, float]:
        """Where it begins and ends, down from the top of the document."""
        layout = self.document().documentLayout()
        first = layout.blockBoundingRect(self.document().findBlock(one.begin.position()))
        last = layout.blockBoundingRect(self.document().findBlock(one.end.position()))
        return first.top() - _ABOVE, last.bottom() + _BELOW

    def _index_of(self, command: int | None) -> int:
        """-1 where it is not here."""
        for at in range(len(self._written) - 1, -1, -1):
            if self._written[at].face.id == command:
                return at
        return -1

    def _last_above(self, y: float) -> int:
        """-1 where all begin below it."""
        return bisect_right(self._written, y, key=lambda each: self._place(each)[0]) - 1

    def _index_at(self, place: QPoint) -> int:
        """-1 above the first and below the last."""
        y = place.y() + self.verticalScrollBar().value()
        at = self._last_above(y)
        return at if at >= 0 and y <= self._place(self._written[at])[1] else -1

    @property
    def _end(self) -> int:
        """Where the newest cell that ran is seen, and the beginning of the one to run next."""
        ran = sum(1 for each in self._written if each.face.number is not None)
        bar, page = self.verticalScrollBar(), self.viewport().height()
        if ran == len(self._written):
            return bar.maximum()
        begin, end = self._place(self._written[ran])
        bottom = min(end, begin + page * (_NEXT if ran else 1))
        return max(0, min(bar.maximum(), round(bottom - page)))

    def _follow(self) -> None:
        if self._follows and not self._moving:
            self._moving = True
            self.verticalScrollBar().setValue(self._end)
            self._moving = False
        self.viewport().update()

    def _on_scrolled(self, value: int) -> None:
        if not self._moving:
            self._follows = value >= self._end - _NEAR

    def _describe(self) -> None:
        """The cell that is selected, for screen readers."""
        at = self._index_of(self._selected)
        words = self._written[at].face.words if at >= 0 else ""
        if words == self.accessibleDescription():
            return
        self.setAccessibleDescription(words)
        if QAccessible.isActive():
            event = QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
            QAccessible.updateAccessibility(event)

    def _step_to(self, at: int) -> None:
        if self._written:
            command = self._written[max(0, min(len(self._written) - 1, at))].face.id
            self.cell_chosen.emit(command)
            self.reveal(command)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            drawing = Drawing(painter)
            value, aside = self.verticalScrollBar().value(), self.horizontalScrollBar().value()
            painter.translate(-aside, 0)
            top, bottom = value + event.rect().top(), value + event.rect().bottom()
            for at in range(max(0, self._last_above(top)), len(self._written)):
                place = self._place(self._written[at])
                if place[0] > bottom:
                    break
                self._draw_cell(drawing, self._written[at].face, place, value)
        super().paintEvent(event)

    def _draw_cell(
        self, drawing: Drawing, face: CellFace, place: tuple[float, float], value: int
    ) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        top, selected = place[0] - value, face.id == self._selected
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        if selected:
            drawing.painter.setBrush(theme.selection)
            wide = self.document().size().width() - 2 * _INSET
            ground = QRectF(_INSET, top, wide, place[1] - place[0])
            drawing.painter.drawRoundedRect(ground, _RADIUS, _RADIUS)
            if self.hasFocus():
                drawing.focus_ring(ground, _RADIUS)
        fill, ink = theme.track, theme.quiet
        if face.failed:
            fill, ink = faded(theme.bad, 0.2), theme.bad
            if selected:
                fill, ink = theme.bad, theme.inverse
        elif selected:
            fill, ink = theme.text, theme.ground
        elif face.released or face.number is None:
            ink = theme.faint
        text = "–" if face.number is None else str(face.number)
        wide = max(_CHIP, letters.width(text) + 2 * _CHIP_MARGIN)
        middle = top + _ABOVE + drawing.letters.mono.height / 2
        chip = QRectF(_GUTTER - 10 - wide, middle - _CHIP / 2, wide, _CHIP)
        drawing.filled(chip, fill, CHIP_RADIUS)
        x = chip.center().x() - letters.width(text) / 2
        drawing.text(x, middle + letters.cap_height / 2, Run(text, letters, ink))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() != Qt.MouseButton.LeftButton or self.textCursor().hasSelection():
            return
        place = event.position().toPoint()
        at = self._index_at(place)
        if at < 0:
            return
        command = self._written[at].face.id
        self.cell_chosen.emit(command)
        if self.anchorAt(place) == UNFOLD:
            self.unfold_asked.emit(command)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        over = self.anchorAt(event.position().toPoint())
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)

    def event(self, event: QEvent) -> bool:
        # The space bar unfolds the cell that is selected, before it holds the time, and Ctrl+C
        # copies it, before the screen copies something else.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            chosen = self._index_of(self._selected) >= 0 or self.textCursor().hasSelection()
            copies = event.matches(QKeySequence.StandardKey.Copy)
            if chosen and (copies or event.key() == Qt.Key.Key_Space):
                event.accept()
                return True
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at, count = self._index_of(self._selected), len(self._written)
        plain = event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        )
        copies = event.matches(QKeySequence.StandardKey.Copy)
        if copies and at >= 0 and not self.textCursor().hasSelection():
            self.copy_asked.emit(self._written[at].face.id)
            return
        match event.key() if plain else None:
            case Qt.Key.Key_Up:
                self._step_to(at - 1 if at >= 0 else count - 1)
            case Qt.Key.Key_Down:
                self._step_to(at + 1 if at >= 0 else count - 1)
            case Qt.Key.Key_Home:
                self._step_to(0)
            case Qt.Key.Key_End:
                self._step_to(count - 1)
            case Qt.Key.Key_Escape:
                self.left.emit()
            case Qt.Key.Key_Space if at >= 0:
                self.unfold_asked.emit(self._written[at].face.id)
            case _:
                super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            at = self._index_of(self._selected)
            y = (
                self._place(self._written[at])[1] - self.verticalScrollBar().value()
                if at >= 0
                else 0
            )
            place = self.viewport().mapToGlobal(QPoint(_GUTTER, round(y)))
        else:
            at, place = self._index_at(event.pos()), event.globalPos()
        if at >= 0:
            command = self._written[at].face.id
            self.cell_chosen.emit(command)
            self.menu_asked.emit(command, place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What stands at the top stays there, however the lines above it wrap now."""
        self._moving = True
        first = self._index_at(QPoint(0, 0)) if self._written else -1
        down = (
            self.verticalScrollBar().value() - self._place(self._written[first])[0]
            if first >= 0
            else 0.0
        )
        super().resizeEvent(event)
        drawn = any(each.png for one in self._written for each in one.face.outputs)
        if drawn and event.size().width() != event.oldSize().width():
            self._write_all()
        if first >= 0 and not self._follows:
            self.verticalScrollBar().setValue(
                round(self._place(self._written[first])[0] + down)
            )
        self._moving = False
        self._follow()
