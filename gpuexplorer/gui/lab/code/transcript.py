"""Transcript: the cells of the session as a document that is read, selected and copied."""

import base64
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from string import Template
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFrame,
    QTextFrameFormat,
)
from PySide6.QtWidgets import QTextBrowser

from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.lab.code.cell_editor import css_of, hanging
from gpuexplorer.gui.lab.code.cell_words import DOT, calls_to, outcome, shown_rows
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.paint.python import parts
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.lab.events import Frame, Pictured
from gpuexplorer.lab.ledger import Cell, time_words
from gpuexplorer.lab.printed import clean, error_words, shortened
from gpuexplorer.lab.session_files import OpenedCell

_GUTTER, _MARGIN, _LEAST = 56, 8, 90
_CHIP, _AROUND, _RADIUS = 16.0, 6.0, 6.0
_NEXT = 0.4  # of the page, for the cell to run next
_NEAR = 4  # pixels from the end that are the end
_WIDEST = 132  # letters, as in a terminal: a table that wraps is none
_MOST_OPENED = 200  # cells that have not run
_MOST_ROWS, _MOST_UNFOLDED = 40, 2000  # of what a cell printed
_WELCOME = mark(
    "Any Python runs here: your own, with your rights, as in a terminal. What you type, what "
    "forms do and what files hold becomes cells here, each with what it cost."
)
_OF_RECORDING = mark("No cell had run at this moment of the recording.")
_SHEET = Template("""
p { margin: 4px 0 0 0; white-space: pre-wrap; color: $quiet; }
.say { $caption }
.code, .out, .err, .value, .warning, .error { $mono }
.code { color: $text; margin: 0; }
.part { margin-top: 8px; }
.wide { white-space: pre; }
.prose { $body }
.value { color: $text; }
.warning, .warn { color: $warn; }
.error, .bad { color: $bad; }
.pale { color: $quiet; }
.gone { color: $faint; }
.code_word { color: $code_word; }
.code_text { color: $code_text; }
.code_number { color: $code_number; }
.faint { color: $faint; }
.fault { text-underline-style: wave; text-decoration-color: $bad; }
a { color: $accent; text-decoration: none; }
""")
_P, _SPAN = '<p class="{}">{}</p>', '<span class="{}">{}</span>'
_LINE = '<p class="{}" style="margin-left: {}px; text-indent: -{}px">{}</p>'
_LINK = '<a href="{}">{}</a>'
_PICTURE = '<p class="part"><img src="{}" style="max-width: 75%"></p>'


class _Written(NamedTuple):
    """A cell as it stands in the document. The same stamp is the same words."""

    command: int  # below 0: it has not run
    cell: Cell | OpenedCell
    released: bool  # what it made is gone
    stamp: tuple[object, ...]
    frame: QTextFrame


class Transcript(QTextBrowser):
    """Stays at the newest cell that ran, unless a person scrolled away."""

    left = Signal()  # nothing is to be selected any longer
    copy_asked = Signal(object)  # the cell
    menu_asked = Signal(object, QPoint)

    def __init__(self, lab: Lab) -> None:
        super().__init__(openLinks=False)
        self._lab = lab
        self._written: list[_Written] = []
        self._unfolded: set[int] = set()
        self._selected: int | None = None
        self._reads, self._follows = False, True
        self.setProperty("panel", "clear")
        self.setAccessibleName(tr("Cells of the session"))
        flag = Qt.TextInteractionFlag
        selects = flag.TextSelectableByMouse | flag.TextSelectableByKeyboard
        self.setTextInteractionFlags(selects | flag.LinksAccessibleByMouse)
        self._welcome = tr(_OF_RECORDING if lab.recorded else _WELCOME)
        self.setMinimumHeight(_LEAST)
        self.document().setDocumentMargin(_MARGIN)
        self.verticalScrollBar().actionTriggered.connect(self._on_scrolled)
        self.document().documentLayout().documentSizeChanged.connect(self._follow)
        self.anchorClicked.connect(lambda url: self.unfold(int(url.path())))
        look().changed.connect(self._dress)
        self._dress()

    def refresh(self) -> None:
        """The next cells of opened files, which have not run, stand last."""
        lab, ledger, written = self._lab, self._lab.ledger, self._written
        cells: list[Cell | OpenedCell] = [*ledger.cells, *lab.opened[:_MOST_OPENED]]
        batch, units = QTextCursor(self.document()), lab.machine.settings.choices.units
        batch.beginEditBlock()
        while len(written) > len(cells):
            frame = written.pop().frame
            batch.setPosition(frame.firstPosition() - 1)
            batch.setPosition(frame.lastPosition() + 1, QTextCursor.MoveMode.KeepAnchor)
            batch.removeSelectedText()
        for at, cell in enumerate(cells):
            command, released, stamp = -id(cell), False, tuple[object, ...]([cell])
            if isinstance(cell, Cell):
                command, released = cell.id, at < ledger.first or ledger.gone(cell)
                last = cell.outputs[-1] if cell.outputs else None
                of_run = (cell.state, cell.life, released, command in self._unfolded)
                said = (len(cell.outputs), last, len(cell.transfers), cell.cured_by)
                stamp = (cell, units, *of_run, *said)
            if at == len(written):
                batch.movePosition(QTextCursor.MoveOperation.End)
                form = QTextFrameFormat()
                form.setLeftMargin(_GUTTER)
                frame = batch.insertFrame(form)
                written.append(_Written(command, cell, released, (), frame))
            if written[at].stamp != stamp:
                one = _Written(command, cell, released, stamp, written[at].frame)
                written[at], cursor = one, _text(one)
                cursor.removeSelectedText()
                first = hanging(cell.code.partition("\n")[0])
                cursor.setBlockFormat(QTextBlockFormat() if cell.prose else first)
                cursor.insertHtml("".join(self._paragraphs(one)))
        batch.endEditBlock()
        self._follow()
        self._describe()

    def show_selected(self, command: int | None) -> None:
        self._selected = command
        self._describe()
        self.viewport().update()

    def reveal(self, command: int) -> None:
        """Scrolls no further than it takes; to the end of what is too high for the page."""
        if (at := self._index_of(command)) >= 0:
            place, bar = self._place(self._written[at]), self.verticalScrollBar()
            lowest = place.bottom() - self.viewport().height()
            kept = max(lowest, bar.value())
            bar.setValue(round(kept if lowest > place.top() else min(kept, place.top())))
            self._on_scrolled()

    def go_to_end(self, *, to_read: bool = False) -> None:
        """What a person asked for now is to be seen. `to_read`: cells that have not run, from
        the first of them on.
        """
        self._follows, self._reads = True, to_read
        self._follow()

    def unfold(self, command: int) -> None:
        """All of what a cell printed, or its beginning and end."""
        self._unfolded ^= {command}
        self.refresh()

    def _dress(self) -> None:
        letters = look().letters
        fonts = {"caption": letters.caption, "mono": letters.mono, "body": letters.body}
        css = {name: css_of(each.font) for name, each in fonts.items()}
        sheet = _SHEET.substitute(look().theme.named(), **css)
        self.document().setDefaultStyleSheet(sheet)
        self._written = [each._replace(stamp=()) for each in self._written]
        self.refresh()

    def _paragraphs(self, one: _Written) -> Iterator[str]:
        """A cell as it is written, in the classes of the sheet."""
        cell, lab, plain = one.cell, self._lab, "gone" if one.released else ""

        def said(text: str, *classes: str) -> str:
            return _P.format(" ".join(classes), escape(text).replace("\n", "<br>"))

        if cell.prose:
            yield said(clean(cell.prose), "prose")
        if not isinstance(cell, Cell):
            yield from _code(cell.code, None, pale=True)
            yield said(tr("Not run yet"), "say", "part")
            return
        failed = cell.failed
        here = [e for e in (failed.frames if failed else ()) if e.cell == cell.number]
        pale = one.released or cell.state == "waiting"
        yield from _code(cell.code, here[-1] if here else None, pale=pale)
        most = _MOST_UNFOLDED if cell.id in self._unfolded else _MOST_ROWS
        for output in dict.fromkeys(cell.outputs):  # a loop may warn a thousand times
            if isinstance(output, Pictured):
                yield self._picture(output.png) or said(
                    tr("A picture that cannot be read"), "say"
                )
                continue
            text = output.text
            if output.stream == "warning" and output.line:
                where = {"cell": output.cell, "line": output.line}
                text = tr("Cell {cell}, line {line}: {text}", text=text.strip(), **where)
            rows, hidden = shown_rows(text, most)
            wide = "wide" if any(len(each) > _WIDEST for each in rows) else ""
            style, half = (output.stream, wide, plain), len(rows) // 2 if hidden else None
            yield said("\n".join(rows[:half]), *style)
            if hidden:
                more = trn("{count} more row", "{count} more rows", hidden)
                yield _P.format("say", _LINK.format(cell.id, more))
                yield said("\n".join(rows[half:]), *style)
        if failed is not None:
            yield from (said(each, "say") for each in calls_to(failed, cell, lab.ledger))
            rows, _ = shown_rows(error_words(failed), _MOST_UNFOLDED)
            yield said("\n".join(rows), "error", "part")
        words, tone = outcome(cell, lab.ledger, lab.machine.settings.choices.units)
        if words:
            yield said(words, "say", "part", plain or tone.value)
        times = DOT.join([*([tr("from a form")] if cell.by_form else []), *time_words(cell)])
        if times:
            yield said(times, "say", plain)

    def _picture(self, png: str) -> str:
        """Read once: a cell is written anew with each thing that it prints or draws."""
        address, kind = QUrl(f"{len(png)}-{hash(png)}"), QTextDocument.ResourceType
        found = self.document().resource(kind.ImageResource.value, address)
        if not isinstance(found, QImage):
            with suppress(ValueError):
                found = QImage.fromData(base64.b64decode(png))
            if not isinstance(found, QImage) or found.isNull():
                return ""
            self.document().addResource(kind.ImageResource.value, address, found)
        return _PICTURE.format(address.toString())

    def _place(self, one: _Written) -> QRectF:
        """Of the cell and its number, in the document."""
        place = self.document().documentLayout().frameBoundingRect(one.frame)
        return place.adjusted(0, -_AROUND, 0, _AROUND)

    def _index_of(self, command: int | None) -> int:
        """-1 where it is not here."""
        return next((at for at, e in enumerate(self._written) if e.command == command), -1)

    def _last_above(self, y: float) -> int:
        """-1 where all begin below it."""
        return bisect_right(self._written, y, key=lambda each: self._place(each).top()) - 1

    def _command_at(self, place: QPoint) -> int | None:
        """None above the first and below the last."""
        y = place.y() + self.verticalScrollBar().value()
        found = self._written[max(0, self._last_above(y)) :][:1]
        return next((e.command for e in found if self._place(e).top() <= y), None)

    @property
    def _end(self) -> int:
        """Where the newest cell that ran is seen, and the beginning of the one to run next."""
        if (one := next((e for e in self._written if e.command < 0), None)) is not None:
            above = 0.0 if self._reads or one is self._written[0] else 1 - _NEXT
            return round(self._place(one).top() - above * self.viewport().height())
        return self.verticalScrollBar().maximum()

    def _follow(self) -> None:
        if self._follows:
            self.verticalScrollBar().setValue(self._end)
        self.viewport().update()

    def _on_scrolled(self) -> None:
        bar = self.verticalScrollBar()
        end = max(0, min(bar.maximum(), self._end))
        self._follows = abs(bar.sliderPosition() - end) <= _NEAR

    def _choose(self, command: int) -> None:
        """With the things that it placed."""
        cell, things = self._lab.ledger.cell(command), self._lab.ledger.things
        placed = () if cell is None else [each for each in cell.placed if each in things]
        self._lab.selection.choose(command, placed)

    def _describe(self) -> None:
        """The cell that is selected, for screen readers."""
        words = "" if self._written else self._welcome
        if (at := self._index_of(self._selected)) >= 0:
            one = self._written[at]
            words = _text(one).selection().toPlainText().replace("\n", ". ")
            if isinstance(one.cell, Cell):
                words = tr("Cell {number}: {words}", number=one.cell.number, words=words)
            if one.released:
                words = tr("{words}. What it made is gone", words=words)
        self.setAccessibleDescription(words)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            drawing, above = Drawing(painter), self.verticalScrollBar().value()
            if not self._written:
                place = self.viewport().rect().adjusted(2 * _MARGIN, _MARGIN, -_MARGIN, 0)
                painter.setPen(drawing.theme.quiet)
                painter.drawText(place, Qt.TextFlag.TextWordWrap, self._welcome)
            painter.translate(-self.horizontalScrollBar().value(), -above)
            for one in self._written[max(0, self._last_above(above + event.rect().top())) :]:
                if self._place(one).top() > above + event.rect().bottom():
                    break
                self._draw_chip(drawing, one)
        super().paintEvent(event)

    def _draw_chip(self, drawing: Drawing, one: _Written) -> None:
        """Its number, and a ground where it is selected."""
        theme, letters, place = drawing.theme, drawing.letters.caption, self._place(one)
        text, failed = "–", False
        if isinstance(one.cell, Cell):
            text, failed = str(one.cell.number), one.cell.state == "failed"
        strong = theme.bad if failed else theme.text
        fill, ink = (faded(strong, 0.2), strong) if failed else (theme.track, theme.quiet)
        if one.command == self._selected:
            drawing.filled(place, theme.selection, _RADIUS)
            fill, ink = strong, theme.ground
            if self.hasFocus():
                drawing.focus_ring(place, _RADIUS)
        wide = max(_CHIP, letters.width(text) + 10)
        middle = place.top() + _AROUND + drawing.letters.mono.height / 2
        chip = QRectF(_GUTTER - 4 - wide, middle - _CHIP / 2, wide, _CHIP)
        drawing.filled(chip, fill, CHIP_RADIUS)
        x = chip.center().x() - letters.width(text) / 2
        drawing.text(x, middle + letters.cap_height / 2, Run(text, letters, ink))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        command = self._command_at(event.position().toPoint())
        pressed = event.button() == Qt.MouseButton.LeftButton
        if command is not None and pressed and not self.textCursor().hasSelection():
            self._choose(command)

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
            self._choose(command)
            self.reveal(command)
        elif plain and key == Qt.Key.Key_Escape:
            self.left.emit()
        elif plain and key == Qt.Key.Key_Space and at >= 0:
            self.unfold(self._written[at].command)
        elif copies and at >= 0 and not self.textCursor().hasSelection():
            self.copy_asked.emit(self._written[at].cell)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        command, place = self._command_at(event.pos()), event.globalPos()
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            command, place = self._selected, self.mapToGlobal(QPoint(_GUTTER, _GUTTER))
        if command is not None and (at := self._index_of(command)) >= 0:
            self._choose(command)
            self.menu_asked.emit(self._written[at].cell, place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._follow()


def _text(one: _Written) -> QTextCursor:
    """All that is written of that cell, selected."""
    cursor = one.frame.firstCursorPosition()
    cursor.setPosition(one.frame.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _code(code: str, fault: Frame | None, *, pale: bool) -> Iterator[str]:
    """In its colours, unless it is `pale`; what failed is underlined, where that is known."""
    quotes = ""
    for number, line in enumerate(code.split("\n"), start=1):
        text, shown, at = clean(shortened(line)), "", 0
        found, quotes = parts(text, quotes)
        marks: list[tuple[int, int, str]] = [] if pale else [*found]
        if fault is not None and fault.line == number:
            known = 0 <= fault.begin < fault.end <= len(text)
            marks = [(fault.begin, fault.end, "fault") if known else (0, len(text), "fault")]
        for begin, end, style in marks:
            shown += escape(text[at:begin]) + _SPAN.format(style, escape(text[begin:end]))
            at = end
        indent = round(hanging(text).leftMargin())
        shown += escape(text[at:])
        yield _LINE.format("code pale" if pale else "code", indent, indent, shown)
