"""CellEditor: where a cell is typed: it indents, completes, remembers and takes a paste."""

import textwrap
from collections.abc import Callable
from os.path import commonprefix
from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.code.code_text import (
    bracket_beside,
    indent_after,
    is_open,
    without_prompts,
)
from gpuexplorer.gui.lab.code.completions import Completions
from gpuexplorer.gui.paint.python import INDENT, PythonColours
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.lab.events import Completed

_MOST_LINES = 10
_ABOVE = 9  # pixels over the first line and under the last, with the border
_QUIET_FOR = 120  # milliseconds without a key before it is asked how the word may go on
_LONGEST_PASTE = 100_000  # letters
_FILES = (".py", ".ipynb")
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_NONE, _SHIFT, _CONTROL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


class PastCells:
    """What was begun before is kept, and comes back after the newest."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._back = 0  # how many cells; 0 is what is being typed
        self._begun = ""

    def before(self, typed: str) -> str | None:
        """None where there is no earlier one."""
        codes = self._codes()
        if self._back > 0 and (self._back > len(codes) or codes[-self._back] != typed):
            self._back = 0  # it was changed, and is a beginning of its own
        if self._back >= len(codes):
            return None
        if self._back == 0:
            self._begun = typed
        self._back += 1
        return codes[-self._back]

    def after(self) -> str | None:
        if self._back == 0:
            return None
        self._back -= 1
        return self._codes()[-self._back] if self._back else self._begun

    def begin_anew(self) -> None:
        self._back, self._begun = 0, ""

    def _codes(self) -> list[str]:
        """Those that were run twice in a row stand there once."""
        found: list[str] = []
        for each in self._lab.ledger.cells:
            if each.number and (not found or found[-1] != each.code):
                found.append(each.code)
        return found


class CellEditor(QPlainTextEdit):
    """Tab completes or indents; where nothing is typed, or after Esc, it leaves."""

    entered = Signal(str)  # a whole cell
    form_asked = Signal()  # Ctrl+Enter, which is the form's with nothing typed here
    completion_asked = Signal(str, int)  # the code, and the place of the cursor in it
    file_dropped = Signal(Path)
    refused = Signal(str)  # why nothing was pasted

    def __init__(
        self, settings: Settings, past: PastCells, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._past = past
        self._pressed = False  # the answer was asked for by a key
        self._completions: Completions | None = None
        self.setFont(look().letters.mono.font)
        self.setAccessibleName(tr("Cell to run"))
        self.setPlaceholderText(tr("Type Python, or do it on the bench"))
        self.setProperty("kind", "code")
        self.document().setDocumentMargin(0)
        self.setTabStopDistance(4 * look().letters.mono.width(" "))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self._colours = PythonColours(self.document())
        self._pause = QTimer(self, singleShot=True, interval=_QUIET_FOR)
        self._pause.timeout.connect(self._ask)
        self.textChanged.connect(self._on_text_changed)
        self.cursorPositionChanged.connect(self._on_cursor_moved)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        look().changed.connect(self._on_cursor_moved)
        self._fit()

    @property
    def code(self) -> str:
        return self.toPlainText()

    def put(self, code: str) -> None:
        """To be changed before it runs. What was there comes back with Ctrl+Z."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(code)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def begin_anew(self) -> None:
        """What was typed runs."""
        self._past.begin_anew()
        self.put("")

    def take_key(self, text: str) -> None:
        """Somebody began to write where the keyboard was elsewhere."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.insertPlainText(text)

    def show_completed(self, completed: Completed) -> None:
        """The answer to what was asked last."""
        asked, self._pressed = self._pressed, False
        at = self.textCursor().position()
        begun = self.code[completed.begin : at]
        words = [each for each in completed.words if each != begun]
        if asked and words:
            common = commonprefix(words)  # noqa: RUF071 - of words, not paths
            if len(words) == 1 or (len(common) > len(begun) and common.startswith(begun)):
                self._insert(completed.begin, common)
                if len(words) == 1:
                    self._hide_completions()
                    return
        if not (words or completed.signature) or not self.hasFocus():
            self._hide_completions()
            return
        self._begin = completed.begin
        popup = self._popup()
        popup.show_words(words, completed.signature, completed.doc, mark_first=asked)
        cursor = self.textCursor()
        cursor.setPosition(min(completed.begin, at))
        place = self.cursorRect(cursor)
        corner = self.viewport().mapTo(self.window(), place.topLeft())
        popup.stand_at(corner, place.height() + 4)

    _begin = 0  # where the word begins that is being completed

    def _popup(self) -> Completions:
        """Made late: only then it is known in which window."""
        if self._completions is None or self._completions.parentWidget() is not self.window():
            self._completions = Completions(self.window())
            self._completions.picked.connect(self._on_picked)
        return self._completions

    def _hide_completions(self) -> None:
        self._pause.stop()
        if self._completions is not None:
            self._completions.hide()

    def _insert(self, begin: int, word: str) -> None:
        cursor = self.textCursor()
        cursor.setPosition(begin, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(word)

    def _ask(self) -> None:
        self.completion_asked.emit(self.code, self.textCursor().position())

    def _run(self) -> None:
        self._hide_completions()
        if self.code.strip():
            self.entered.emit(self.code.strip("\n"))

    def _new_line(self) -> None:
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        cursor.insertText(f"\n{indent_after(before)}")
        self.ensureCursorVisible()

    def _shift(self, *, back: bool) -> None:
        """All lines that something is selected of."""
        cursor = self.textCursor()
        first, last = cursor.selectionStart(), cursor.selectionEnd()
        cursor.setPosition(last)
        block = cursor.block()
        cursor.beginEditBlock()
        while block.isValid() and block.position() + block.length() > first:
            at = QTextCursor(block)
            if not back:
                at.insertText(INDENT)
            else:
                text = block.text()
                blank = len(text) - len(text.lstrip(" "))
                move, keep = QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor
                at.movePosition(move, keep, min(blank, len(INDENT)))
                at.removeSelectedText()
            block = block.previous()
        cursor.endEditBlock()

    def _step_back_or_on(self, find: Callable[[], str | None]) -> None:
        code = find()
        if code is not None:
            self.put(code)
            self._hide_completions()

    def _fit(self) -> None:
        every = round(self.document().size().height())
        lines = max(1, min(_MOST_LINES, every))
        policy = Qt.ScrollBarPolicy
        shown = policy.ScrollBarAsNeeded if every > lines else policy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(shown)
        height = round(lines * QFontMetricsF(self.font()).lineSpacing()) + 2 * _ABOVE
        if height != self.height():
            self.setFixedHeight(height)
            self.ensureCursorVisible()

    def _on_text_changed(self) -> None:
        self.setTabChangesFocus(not self.code)
        before = self.code[: self.textCursor().position()][-1:]
        if self.hasFocus() and (before.isidentifier() or before in tuple(".(,")) and before:
            self._pause.start()
        else:
            self._hide_completions()

    def _on_cursor_moved(self) -> None:
        """A bracket beside the cursor is marked, with its other."""
        found = bracket_beside(self.code, self.textCursor().position())
        marked = []
        for at in found:
            one = QTextEdit.ExtraSelection()
            cursor = self.textCursor()
            cursor.setPosition(at)
            cursor.setPosition(at + 1, QTextCursor.MoveMode.KeepAnchor)
            one.cursor = cursor
            one.format.setBackground(look().theme.selection)
            marked.append(one)
        self.setExtraSelections(marked)

    def _on_picked(self, word: str) -> None:
        self._insert(self._begin, word)
        self._hide_completions()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._taken_by_completions(event) or self._taken_by_history(event):
            return
        cursor, modifiers = self.textCursor(), event.modifiers()
        shift, control = bool(modifiers & _SHIFT), bool(modifiers & _CONTROL)
        match event.key():
            case key if key in _ENTER and control:
                self._run() if self.code.strip() else self.form_asked.emit()
            case key if key in _ENTER:
                self._take_enter(shift=shift)
            case Qt.Key.Key_Backtab:
                self._shift(back=True)
            case Qt.Key.Key_Tab if cursor.hasSelection():
                self._shift(back=False)
            case Qt.Key.Key_Tab:
                before = cursor.block().text()[: cursor.positionInBlock()]
                if before.strip():
                    self._ask_now()
                else:
                    cursor.insertText(" " * (len(INDENT) - len(before) % len(INDENT)))
            case Qt.Key.Key_Space if control:
                self._ask_now()
            case Qt.Key.Key_Escape:
                self.setTabChangesFocus(True)
            case Qt.Key.Key_Backspace if not modifiers and self._in_indent(cursor):
                self._shift(back=True)
            case _:
                super().keyPressEvent(event)

    def _ask_now(self) -> None:
        self._pressed = True
        self._pause.stop()
        self._ask()

    def _in_indent(self, cursor: QTextCursor) -> bool:
        before = cursor.block().text()[: cursor.positionInBlock()]
        return not cursor.hasSelection() and before.isspace() and len(before) % 4 == 0

    def _take_enter(self, *, shift: bool) -> None:
        runs = self._settings.choices.lab_enter_runs is not shift
        cursor = self.textCursor()
        in_the_middle = bool(self.code[cursor.position() :].strip())
        several = self.document().blockCount() > 1
        goes_on = not shift and (is_open(self.code) or (several and in_the_middle))
        if runs and not goes_on:
            self._run()
        else:
            self._new_line()

    def _taken_by_completions(self, event: QKeyEvent) -> bool:
        popup = self._completions
        if popup is None or not popup.isVisible():
            return False
        match event.key():
            case Qt.Key.Key_Escape:
                self._hide_completions()
            case Qt.Key.Key_Down | Qt.Key.Key_Up if popup.words:
                popup.step(1 if event.key() == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Tab if popup.words:
                self._on_picked(popup.current or popup.words[0])
            case key if key in _ENTER and popup.current and event.modifiers() == _NONE:
                self._on_picked(popup.current)
            case _:
                return False
        return True

    def _taken_by_history(self, event: QKeyEvent) -> bool:
        keypad = Qt.KeyboardModifier.KeypadModifier
        if event.modifiers() & ~keypad:
            return False
        where, code = self.textCursor(), self.code
        match event.key():
            case Qt.Key.Key_Up if not where.movePosition(QTextCursor.MoveOperation.Up):
                self._step_back_or_on(lambda: self._past.before(code))
            case Qt.Key.Key_Down if not where.movePosition(QTextCursor.MoveOperation.Down):
                self._step_back_or_on(self._past.after)
            case _:
                return False
        return True

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(files_of(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Pasted or dropped: code without its prompts, or a file that is opened."""
        files = files_of(source)
        if files:
            self.file_dropped.emit(files[0])
            return
        cursor = self.textCursor()
        line = cursor.document().findBlock(cursor.selectionStart())
        before = line.text()[: cursor.selectionStart() - line.position()]
        text = source.text()
        if len(text) > _LONGEST_PASTE:
            words = tr(
                "These are {letters} characters, and the editor takes {most} at a time. Save "
                "them as a Python program and open that.",
                letters=f"{len(text):,}",
                most=f"{_LONGEST_PASTE:,}",
            )
            self.refused.emit(words)
            return
        code = without_prompts(text) if before.isspace() or not before else text
        if before.isspace():
            code = textwrap.indent(code, before).removeprefix(before)
        cursor.insertText(code)
        self.ensureCursorVisible()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._hide_completions()
        self.setTabChangesFocus(not self.code)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_completions()
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(300, self.height())


def files_of(source: QMimeData) -> list[Path]:
    """Those that hold cells."""
    paths = [Path(each.toLocalFile()) for each in source.urls() if each.isLocalFile()]
    return [each for each in paths if each.suffix in _FILES]
