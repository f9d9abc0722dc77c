"""Transcript: the cells of the session as a document that is read, selected and copied."""

import base64
from bisect import bisect_right
from contextlib import suppress
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextImageFormat,
)
from PySide6.QtWidgets import QTextEdit

from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.lab.code.cell_words import DOT, calls_to, outcome, shown_rows
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.paint.python import INDENT, colour, parts
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.lab.events import Frame, Pictured, Printed
from gpuexplorer.lab.ledger import Cell, time_words
from gpuexplorer.lab.printed import clean, error_words, shortened
from gpuexplorer.lab.session_files import OpenedCell

_LEFT, _GUTTER, _RIGHT, _BOTTOM, _LEAST = 16, 48, 12, 8, 90
_CHIP, _AROUND, _INSET, _RADIUS = 16.0, 6.0, 8.0, 6.0
_NEXT = 0.4  # of the page, at most, for the cell to run next
_NEAR = 4  # pixels from the end that are the end
_BETWEEN, _BEFORE, _SMALL = 16, 8, 4  # pixels between cells, before a part, before a line
_HIGHEST = 360  # pixels of a picture
_WIDEST = 132  # letters, as in a terminal: a table that wraps is none
_MOST_OPENED = 200  # cells that have not run
_MOST_ROWS, _MOST_UNFOLDED = 40, 2000  # of what a cell printed
_WELCOME = mark(
    "Any Python runs here: your own, with your rights, as in a terminal. What you type, what "
    "forms do and what files hold becomes cells here, each with what it cost."
)
_OF_RECORDING = mark("No cell had run at this moment of the recording.")


class _Written(NamedTuple):
    """A cell as it stands in the document. The same stamp is the same words."""

    command: int  # below 0: it has not run
    cell: Cell | OpenedCell
    stamp: tuple[object, ...]
    released: bool  # what it made is gone
    begin: QTextCursor


class Transcript(QTextEdit):
    """Stays at the newest cell that ran, unless a person scrolled away."""

    cell_chosen = Signal(object)  # by its command
    left = Signal()  # nothing is to be selected any longer
    copy_asked = Signal(object)
    menu_asked = Signal(object, QPoint)

    def __init__(self, lab: Lab) -> None:
        super().__init__(readOnly=True)
        self._lab = lab
        self._written: list[_Written] = []
        self._unfolded: set[int] = set()
        self._selected: int | None = None
        self._reads, self._moving, self._follows = False, False, True
        self.setUndoRedoEnabled(False)
        self.setProperty("panel", "clear")
        self.setAccessibleName(tr("Cells of the session"))
        flag = Qt.TextInteractionFlag
        selects = flag.TextSelectableByMouse | flag.TextSelectableByKeyboard
        self.setTextInteractionFlags(selects)
        self._welcome = tr(_OF_RECORDING if lab.recorded else _WELCOME)
        self.setAccessibleDescription(self._welcome)
        self.setMinimumHeight(_LEAST)
        self.document().setDocumentMargin(_LEFT)
        style = QTextFrameFormat()
        style.setLeftMargin(_GUTTER)
        style.setRightMargin(_RIGHT)
        style.setBottomMargin(_BOTTOM)
        self.document().rootFrame().setFrameFormat(style)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.document().documentLayout().documentSizeChanged.connect(self._follow)
        look().changed.connect(self._write_all)

    def refresh(self) -> None:
        """The next cells of opened files, which have not run, stand last."""
        lab, ledger, written = self._lab, self._lab.ledger, self._written
        units, nowhere = lab.machine.settings.choices.units, QTextCursor()
        news = []
        for at, cell in enumerate(ledger.cells):
            last = cell.outputs[-1] if cell.outputs else None
            said = (len(cell.outputs), last, len(cell.transfers), cell.state, cell.cured_by)
            released = at < ledger.first or ledger.gone(cell)
            of_run = (cell.life, cell.finished is None, cell.id in self._unfolded, released)
            stamp = (cell.id, units, cell.code, *said, *of_run)
            news.append(_Written(cell.id, cell, stamp, released, nowhere))
        news += [
            _Written(-id(each), each, (each,), released=False, begin=nowhere)
            for each in lab.opened[:_MOST_OPENED]
        ]
        if [each.stamp for each in news] == [each.stamp for each in written]:
            return
        self._moving = True
        batch = QTextCursor(self.document())
        batch.beginEditBlock()
        if len(news) < len(written):
            cut = self._text(len(news))
            cut.setPosition(max(0, cut.selectionStart() - 1))
            cut.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            cut.removeSelectedText()
            del written[len(news) :]
        for at, one in enumerate(news):
            if at == len(written):
                begin = QTextCursor(self.document())
                begin.movePosition(QTextCursor.MoveOperation.End)
                if at:
                    begin.insertBlock()
                begin.setKeepPositionOnInsert(True)
                written.append(one._replace(begin=begin, stamp=()))
            before, written[at] = written[at], one._replace(begin=written[at].begin)
            if before.stamp != one.stamp:
                cursor = self._text(at)
                cursor.removeSelectedText()
                width = max(80, self.viewport().width() - _GUTTER - _RIGHT)
                most = _MOST_UNFOLDED if one.command in self._unfolded else _MOST_ROWS
                _Page(cursor, width, lab, most).write(one)
        batch.endEditBlock()
        self._moving = False
        self._follow()
        self._describe()

    def show_selected(self, command: int | None) -> None:
        self._selected = command
        self._describe()
        self.viewport().update()

    def reveal(self, command: int) -> None:
        """Scrolls no further than it takes; to the end of what is too high for the page."""
        if (at := self._index_of(command)) >= 0:
            (top, bottom), bar = self._place(at), self.verticalScrollBar()
            lowest = bottom - self.viewport().height()
            kept = max(lowest, bar.value())
            bar.setValue(round(kept if lowest > top else min(kept, top)))

    def go_to_end(self, *, to_read: bool = False) -> None:
        """What a person asked for now is to be seen. `to_read`: cells that have not run, from
        the first of them on.
        """
        self._follows, self._reads = True, to_read
        self.horizontalScrollBar().setValue(0)
        self._follow()

    def unfold(self, command: int) -> None:
        """All of what a cell printed, or its beginning and end."""
        self._unfolded ^= {command}
        self.refresh()

    def code_of(self, command: int) -> str:
        return next((e.cell.code for e in self._written if e.command == command), "")

    def _write_all(self) -> None:
        """In other colours, or as wide as there is room now."""
        self._written = [each._replace(stamp=()) for each in self._written]
        self.refresh()

    def _text(self, at: int) -> QTextCursor:
        """All that is written of that cell, selected: up to where the next one begins."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._written[at].begin.position())
        if at + 1 < len(self._written):
            end = self._written[at + 1].begin.position() - 1
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        else:
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _place(self, at: int) -> tuple[float, float]:
        """Where it begins and ends, down from the top of the document."""
        layout, text = self.document().documentLayout(), self._text(at)
        first = layout.blockBoundingRect(self.document().findBlock(text.selectionStart()))
        last = layout.blockBoundingRect(text.block())
        return first.top() - _AROUND, last.bottom() + _AROUND

    def _index_of(self, command: int | None) -> int:
        """-1 where it is not here."""
        return next((at for at, e in enumerate(self._written) if e.command == command), -1)

    def _last_above(self, y: float) -> int:
        """-1 where all begin below it."""
        return bisect_right(range(len(self._written)), y, key=lambda at: self._place(at)[0]) - 1

    def _index_at(self, place: QPoint) -> int:
        """-1 above the first and below the last."""
        y = place.y() + self.verticalScrollBar().value()
        at = self._last_above(y)
        return at if at >= 0 and y <= self._place(at)[1] else -1

    @property
    def _end(self) -> int:
        """Where the newest cell that ran is seen, and the beginning of the one to run next."""
        ran = sum(1 for each in self._written if each.command >= 0)
        bar, page = self.verticalScrollBar(), self.viewport().height()
        if ran == len(self._written):
            return bar.maximum()
        begin, end = self._place(ran)
        bottom = min(end, begin + page * (_NEXT if ran else 1))
        return max(0, min(bar.maximum(), round(begin if self._reads else bottom - page)))

    def _follow(self) -> None:
        if self._follows and not self._moving:
            self._moving = True
            self.verticalScrollBar().setValue(self._end)
            self._moving = False
        self.viewport().update()

    def _on_scrolled(self, value: int) -> None:
        if not self._moving:
            self._follows = abs(value - self._end) <= _NEAR

    def _describe(self) -> None:
        """The cell that is selected, for screen readers."""
        at, words = self._index_of(self._selected), "" if self._written else self._welcome
        if at >= 0:
            one = self._written[at]
            words = self._text(at).selection().toPlainText().replace("\n", ". ")
            if isinstance(one.cell, Cell):
                words = tr("Cell {number}: {words}", number=one.cell.number, words=words)
            if one.released:
                words = tr("{words}. What it made is gone", words=words)
        self.setAccessibleDescription(words)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            drawing = Drawing(painter)
            if not self._written:
                place = self.viewport().rect().adjusted(_LEFT, _SMALL, -_RIGHT, 0)
                painter.setPen(drawing.theme.quiet)
                painter.drawText(place, Qt.TextFlag.TextWordWrap, self._welcome)
            value, aside = self.verticalScrollBar().value(), self.horizontalScrollBar().value()
            painter.translate(-aside, -value)
            first = max(0, self._last_above(value + event.rect().top()))
            for at in range(first, len(self._written)):
                top, bottom = self._place(at)
                if top > value + event.rect().bottom():
                    break
                wide = self.document().size().width() - 2 * _INSET
                self._draw_chip(drawing, at, QRectF(_INSET, top, wide, bottom - top))
        super().paintEvent(event)

    def _draw_chip(self, drawing: Drawing, at: int, place: QRectF) -> None:
        """Its number, and a ground where it is selected."""
        theme, letters, one = drawing.theme, drawing.letters.caption, self._written[at]
        cell = one.cell if isinstance(one.cell, Cell) else None
        failed, text = (
            cell is not None and cell.state == "failed",
            str(cell.number) if cell else "–",
        )
        strong = theme.bad if failed else theme.text
        fill, ink = (
            faded(theme.bad, 0.2) if failed else theme.track,
            strong if failed else theme.quiet,
        )
        if one.command == self._selected:
            drawing.filled(place, theme.selection, _RADIUS)
            fill, ink = strong, theme.ground
            if self.hasFocus():
                drawing.focus_ring(place, _RADIUS)
        wide = max(_CHIP, letters.width(text) + 10)
        middle = place.top() + _AROUND + drawing.letters.mono.height / 2
        chip = QRectF(_GUTTER - 10 - wide, middle - _CHIP / 2, wide, _CHIP)
        drawing.filled(chip, fill, CHIP_RADIUS)
        x = chip.center().x() - letters.width(text) / 2
        drawing.text(x, middle + letters.cap_height / 2, Run(text, letters, ink))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        at, left = self._index_at(event.position().toPoint()), Qt.MouseButton.LeftButton
        if at >= 0 and event.button() == left and not self.textCursor().hasSelection():
            self.cell_chosen.emit(self._written[at].command)
            if self.anchorAt(event.position().toPoint()):
                self.unfold(self._written[at].command)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        shape = Qt.CursorShape
        over = self.anchorAt(event.position().toPoint())
        self.viewport().setCursor(shape.PointingHandCursor if over else shape.IBeamCursor)

    def event(self, event: QEvent) -> bool:
        # The space bar unfolds the cell that is selected, before it holds the time, and Ctrl+C
        # copies it, before the screen copies something else.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            chosen = self._index_of(self._selected) >= 0 or self.textCursor().hasSelection()
            copies = event.matches(QKeySequence.StandardKey.Copy)
            event.setAccepted(chosen and (copies or event.key() == Qt.Key.Key_Space))
            return event.isAccepted()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at, last, key = self._index_of(self._selected), len(self._written) - 1, event.key()
        before, after = (at - 1, at + 1) if at >= 0 else (last, last)
        steps = {Qt.Key.Key_Up: before, Qt.Key.Key_Down: after}
        steps |= {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        copies = event.matches(QKeySequence.StandardKey.Copy)
        if plain and key in steps and self._written:
            command = self._written[max(0, min(last, steps[Qt.Key(key)]))].command
            self.cell_chosen.emit(command)
            self.reveal(command)
        elif plain and key == Qt.Key.Key_Escape:
            self.left.emit()
        elif plain and key == Qt.Key.Key_Space and at >= 0:
            self.unfold(self._written[at].command)
        elif copies and at >= 0 and not self.textCursor().hasSelection():
            self.copy_asked.emit(self._written[at].command)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at, place = self._index_at(event.pos()), event.globalPos()
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            at = self._index_of(self._selected)
            top = round(self._place(at)[0]) if at >= 0 else 0
            corner = QPoint(_GUTTER, top - self.verticalScrollBar().value())
            place = self.viewport().mapToGlobal(corner)
        if at >= 0:
            command = self._written[at].command
            self.cell_chosen.emit(command)
            self.menu_asked.emit(command, place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        cells = [each.cell for each in self._written if isinstance(each.cell, Cell)]
        if any(isinstance(each, Pictured) for cell in cells for each in cell.outputs):
            self._write_all()
        self._follow()


class _Page:
    """Writes one cell where the cursor stands, in the theme's letters and colours."""

    def __init__(self, cursor: QTextCursor, width: int, lab: Lab, most: int) -> None:
        """`width` pixels are there, for at `most` so many rows of each output."""
        self._cursor, self._width, self._lab, self._most = cursor, width, lab, most
        self._begun, self._wraps = False, True

    def write(self, one: _Written) -> None:
        theme, letters, cell = look().theme, look().letters, one.cell
        quiet, caption, before = (
            theme.faint if one.released else theme.quiet,
            letters.caption,
            _BEFORE,
        )
        if cell.prose:
            self._block(0, clean(cell.prose), letters.body, theme.quiet)
        if not isinstance(cell, Cell):
            self._write_code(cell, None, theme.quiet)
            self._block(_BEFORE, tr("Not run yet"), caption, theme.quiet)
            return
        failed, pale = cell.failed, one.released or cell.state == "waiting"
        here = [e for e in (failed.frames if failed else ()) if e.cell == cell.number]
        self._write_code(cell, here[-1] if here else None, theme.quiet if pale else None)
        for output in dict.fromkeys(cell.outputs):  # a loop may warn a thousand times
            if isinstance(output, Pictured):
                self._write_picture(output.png, before)
            else:
                inks = {} if one.released else {"value": theme.text, "warning": theme.warn}
                self._write_printed(output, before, inks.get(output.stream, quiet))
            before = _SMALL
        if failed is not None:
            for call in calls_to(failed, cell, self._lab.ledger):
                self._block(_SMALL, call, caption, theme.quiet)
            error = "\n".join(shown_rows(error_words(failed), _MOST_UNFOLDED)[0])
            self._block(_BEFORE, error, letters.mono, theme.bad)
        said, tone = outcome(cell, self._lab.ledger, self._lab.machine.settings.choices.units)
        if said:
            self._block(_BEFORE, said, caption, quiet if one.released else theme.tone(tone))
        times = DOT.join([*([tr("from a form")] if cell.by_form else []), *time_words(cell)])
        if times:
            self._block(_SMALL, times, caption, quiet)

    def _write_code(
        self, cell: Cell | OpenedCell, fault: Frame | None, ink: QColor | None
    ) -> None:
        """In its colours, where it has no `ink`. Lines that wrap go on a little deeper."""
        theme, letters, quotes = look().theme, look().letters, ""
        for number, line in enumerate(cell.code.split("\n"), start=1):
            text, before = clean(shortened(line)), _SMALL if number == 1 else 0
            indent = len(text) - len(text.lstrip()) + len(INDENT) // 2
            hanging = min(indent * letters.mono.width("0"), self._width / 2)
            self._block(before, text, letters.mono, ink or theme.text, hanging)
            found, quotes = parts(text, quotes)
            style = QTextCharFormat()
            for begin, end, part in found if ink is None else ():
                style.setForeground(colour(theme, part))
                self._mark(begin, end, style)
            if fault is not None and fault.line == number:
                # The expression that failed; the whole line where it is not known.
                known = 0 <= fault.begin < fault.end <= len(text)
                style = QTextCharFormat()
                style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
                style.setUnderlineColor(theme.bad)
                self._mark(*((fault.begin, fault.end) if known else (0, len(text))), style)

    def _write_printed(self, output: Printed, before: int, ink: QColor) -> None:
        letters, text = look().letters, output.text
        if output.stream == "warning" and output.line:
            where = {"cell": output.cell, "line": output.line}
            text = tr("Cell {cell}, line {line}: {text}", text=text.strip(), **where)
        rows, hidden = shown_rows(text, self._most)
        self._wraps = any(len(each) > _WIDEST for each in rows)
        half = len(rows) // 2 if hidden else len(rows)
        self._block(before, "\n".join(rows[:half]), letters.mono, ink)
        if hidden:
            more, link = trn("{count} more row", "{count} more rows", hidden), QTextCharFormat()
            self._block(0, more, letters.caption, look().theme.accent)
            link.setAnchor(True)
            link.setAnchorHref("unfold")
            self._mark(0, len(more), link)
            self._block(0, "\n".join(rows[half:]), letters.mono, ink)
        self._wraps = True

    def _write_picture(self, png: str, before: int) -> None:
        """Read once: a cell is written anew with each thing that it prints or draws."""
        document, address = self._cursor.document(), QUrl(f"{len(png)}-{hash(png)}")
        kind, letters = QTextDocument.ResourceType.ImageResource.value, look().letters
        image = document.resource(kind, address)
        if not isinstance(image, QImage):
            with suppress(ValueError):
                image = QImage.fromData(base64.b64decode(png))
        if not isinstance(image, QImage) or image.isNull():
            words = tr("A picture that cannot be read")
            self._block(before, words, letters.caption, look().theme.quiet)
            return
        document.addResource(kind, address, image)
        size, picture = image.deviceIndependentSize(), QTextImageFormat()
        share = min(1.0, self._width / size.width(), _HIGHEST / size.height())
        picture.setName(address.toString())
        picture.setWidth(size.width() * share)
        picture.setHeight(size.height() * share)
        self._block(before, "", letters.mono, look().theme.text)
        self._cursor.insertImage(picture)

    def _block(
        self, before: float, text: str, letters: Lettering, ink: QColor, hanging: float = 0.0
    ) -> None:
        """All its rows are one block: each other would have that margin above it."""
        style, drawn = QTextBlockFormat(), QTextCharFormat()
        style.setTopMargin(before if self._begun else _BETWEEN)
        style.setLeftMargin(hanging)
        style.setTextIndent(-hanging)
        style.setNonBreakableLines(not self._wraps)
        drawn.setFont(letters.font)
        drawn.setForeground(ink)
        if self._begun:
            self._cursor.insertBlock(style, drawn)
        else:
            self._cursor.setBlockFormat(style)
        self._begun = True
        self._cursor.insertText(text.replace("\n", "\u2028"), drawn)

    def _mark(self, begin: int, end: int, style: QTextCharFormat) -> None:
        """Letters of the line that was written last."""
        marked, start = QTextCursor(self._cursor), self._cursor.block().position()
        marked.setPosition(start + begin)
        marked.setPosition(start + end, QTextCursor.MoveMode.KeepAnchor)
        marked.mergeCharFormat(style)
