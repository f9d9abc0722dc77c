"""CellEditor: where a cell is typed: it indents, completes, remembers and takes a paste."""

import codeop
import re
import textwrap
import warnings
from itertools import groupby
from os.path import commonprefix
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QKeyEvent,
    QKeySequence,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QTextEdit, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.python import INDENT, PythonColours
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.lab.events import Completed

_MOST_LINES, _ABOVE = 10, 9  # pixels over the first line and under the last, with the border
_LONGEST_PASTE = 100_000  # letters
_QUIET_FOR = 120  # milliseconds without a key before it is asked how the word may go on
_MOST_ROWS, _WIDE, _MARGIN = 8, 320, 8  # of the completions
_GAP = 12  # from the line that is typed, so that the editor's border is seen
_PROMPT = re.compile(r"^\s*(?:>>>|In \[\d*\]:)( |$)")
_MORE_PROMPT = re.compile(r"^\s*(?:\.{3,}:?)( |$)")
_OPENS = re.compile(r":\s*(#.*)?$")
_LEAVES = re.compile(r"\s*(?:return|raise|break|continue|pass)\b")


class CellEditor(QTextEdit):
    """Tab completes or indents; where nothing is typed, or after Esc, it leaves."""

    entered = Signal(str)  # a whole cell
    form_asked = Signal()  # Ctrl+Enter, which is the form's with nothing typed here
    completion_asked = Signal(str, int)  # the code, and the place of the cursor in it
    file_dropped = Signal(Path)
    refused = Signal(str)  # why nothing was pasted

    def __init__(self, lab: Lab) -> None:
        super().__init__(acceptRichText=False, tabChangesFocus=True)
        self._lab = lab
        self._back, self._begun = 0, ""  # so many cells back in the past; what was typed here
        self._pressed = False  # the answer was asked for by a key
        self._begin = 0  # where the word begins that is being completed
        self._completions: Completions | None = None
        mono = look().letters.mono
        self.setFont(mono.font)
        self.setAccessibleName(tr("Cell to run"))
        self.setPlaceholderText(tr("Type Python here"))
        self.setProperty("kind", "code")
        self.document().setDocumentMargin(0)
        self.setTabStopDistance(4 * mono.width(" "))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._colours = PythonColours(self.document())
        hang(self.document())
        self.document().clearUndoRedoStacks()
        self._pause = QTimer(self, singleShot=True, interval=_QUIET_FOR)
        self._pause.timeout.connect(self._ask)
        self.textChanged.connect(self._on_text_changed)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    @property
    def code(self) -> str:
        return self.toPlainText()

    def put(self, code: str) -> None:
        """To be changed before it runs. What was there comes back with Ctrl+Z."""
        self.selectAll()
        self.insertPlainText(code)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def begin_anew(self) -> None:
        """What was typed runs."""
        self._back = 0
        self.put("")

    def take_key(self, text: str) -> None:
        """Somebody began to write where the keyboard was elsewhere."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.insertPlainText(text)

    def show_completed(self, completed: Completed) -> None:
        """The answer to what was asked last."""
        asked, self._pressed, self._begin = self._pressed, False, completed.begin
        begun = self.code[completed.begin : self.textCursor().position()]
        words = [each for each in completed.words if each != begun]
        common = commonprefix(words)  # noqa: RUF071 - of words, not paths
        if asked and len(common) > len(begun) and common.startswith(begun):
            self._take(common)
        taken = asked and len(words) == 1
        if taken or not (words or completed.signature) or not self.hasFocus():
            self._hide_completions()
            return
        if self._completions is None:  # only now it is known in which window
            self._completions = Completions(self.window())
            self._completions.itemClicked.connect(self._on_word_clicked)
        self._completions.offer(self, words, completed, 0 if asked else -1)

    def _hide_completions(self) -> None:
        self._pause.stop()
        if self._completions is not None:
            self._completions.hide()

    def _take(self, word: str) -> None:
        cursor = self.textCursor()
        cursor.setPosition(self._begin, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(word)
        self._hide_completions()

    def _ask(self, *, pressed: bool = False) -> None:
        self._pressed = pressed
        self._pause.stop()
        self.completion_asked.emit(self.code, self.textCursor().position())

    def _run(self) -> None:
        self._hide_completions()
        if self.code.strip():
            self.entered.emit(self.code)

    def _shift(self, *, back: bool) -> None:
        """All lines that something is selected of."""
        cursor = self.textCursor()
        first, block = cursor.selectionStart(), self.document().findBlock(cursor.selectionEnd())
        cursor.beginEditBlock()
        while block.isValid() and block.position() + block.length() > first:
            at, text = QTextCursor(block), block.text()
            if back:
                blank = min(len(INDENT), len(text) - len(text.lstrip(" ")))
                at.setPosition(block.position() + blank, QTextCursor.MoveMode.KeepAnchor)
            at.insertText("" if back else INDENT)
            block = block.previous()
        cursor.endEditBlock()

    def _step(self, further: int) -> None:
        """Into the past of cells, or back to what was being typed."""
        every = (each.code for each in self._lab.ledger.cells if each.number)
        codes = [code for code, _ in groupby(every)]
        if self._back > len(codes) or (self._back and codes[-self._back] != self.code):
            self._back = 0  # it was changed, and is a beginning of its own
        if 0 <= self._back + further <= len(codes):
            self._begun = self._begun if self._back else self.code
            self._back += further
            self.put(codes[-self._back] if self._back else self._begun)
            self._hide_completions()

    def _fit(self) -> None:
        """As high as its lines, up to ten of them."""
        spacing = self.fontMetrics().lineSpacing()
        lines = max(1, min(_MOST_LINES, round(self.document().size().height() / spacing)))
        self.setFixedHeight(lines * spacing + 2 * _ABOVE)

    def _on_word_clicked(self, item: QListWidgetItem) -> None:
        if item.flags():  # what is called there is no word
            self._take(item.text())

    def _on_text_changed(self) -> None:
        hang(self.document())
        self.setTabChangesFocus(not self.code)
        before = self.code[: self.textCursor().position()][-1:]
        if self.hasFocus() and before and (before.isidentifier() or before in ".(,"):
            self._pause.start()
        else:
            self._hide_completions()

    def event(self, event: QEvent) -> bool:
        # Ctrl+C is the screen's where nothing is selected here.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            copies = event.matches(QKeySequence.StandardKey.Copy)
            if copies and not self.textCursor().hasSelection():
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        cursor, modifiers, key = self.textCursor(), event.modifiers(), Qt.Key(event.key())
        control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        plain = not modifiers & ~Qt.KeyboardModifier.KeypadModifier
        before = cursor.block().text()[: cursor.positionInBlock()]
        offers, move = self._completions, QTextCursor.MoveOperation
        offers = offers if offers is not None and offers.isVisible() else None
        words = offers is not None and offers.count() > offers.first
        match Qt.Key.Key_Return if key is Qt.Key.Key_Enter else key:
            case Qt.Key.Key_Escape if offers:
                self._hide_completions()
            case Qt.Key.Key_Down | Qt.Key.Key_Up if offers and words:
                offers.event(event)
            case Qt.Key.Key_Tab if offers and words:
                self._take(offers.item(max(offers.first, offers.currentRow())).text())
            case Qt.Key.Key_Return if offers and offers.selectedItems() and plain:
                self._take(offers.selectedItems()[0].text())
            case Qt.Key.Key_Up if plain and not cursor.movePosition(move.Up):
                self._step(1)
            case Qt.Key.Key_Down if plain and not cursor.movePosition(move.Down):
                self._step(-1)
            case Qt.Key.Key_Return if control:
                self._run() if self.code.strip() else self.form_asked.emit()
            case Qt.Key.Key_Return:
                runs = self._lab.machine.settings.choices.lab_enter_runs is not shift
                in_the_middle = bool(self.code[cursor.position() :].strip())
                several = in_the_middle and self.document().blockCount() > 1
                if runs and (shift or not (is_open(self.code) or several)):
                    self._run()
                else:
                    cursor.insertText(f"\n{indent_after(before)}")
                    self.ensureCursorVisible()
            case Qt.Key.Key_Backtab:
                self._shift(back=True)
            case Qt.Key.Key_Tab if cursor.hasSelection():
                self._shift(back=False)
            case Qt.Key.Key_Tab if not before.strip():
                cursor.insertText(" " * (len(INDENT) - len(before) % len(INDENT)))
            case Qt.Key.Key_Tab:
                self._ask(pressed=True)
            case Qt.Key.Key_Space if control:
                self._ask(pressed=True)
            case Qt.Key.Key_Escape:
                self.setTabChangesFocus(True)
            case Qt.Key.Key_Backspace if (
                plain
                and before.isspace()
                and not (cursor.hasSelection() or len(before) % len(INDENT))
            ):
                self._shift(back=True)
            case _:
                super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(files_of(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Pasted or dropped: code without its prompts, or a file that is opened."""
        if files := files_of(source):
            self.file_dropped.emit(files[0])
            return
        text, cursor = source.text(), self.textCursor()
        if len(text) > _LONGEST_PASTE:
            said = mark(
                "These are {letters:,} characters, and the editor takes {most:,} at a time. "
                "Save them as a Python program and open that."
            )
            self.refused.emit(tr(said, letters=len(text), most=_LONGEST_PASTE))
            return
        line = cursor.document().findBlock(cursor.selectionStart())
        before = line.text()[: cursor.selectionStart() - line.position()]
        if not before.strip():
            text = textwrap.indent(without_prompts(text), before).removeprefix(before)
        cursor.insertText(text)
        self.ensureCursorVisible()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._hide_completions()
        self.setTabChangesFocus(not self.code)


class Completions(QListWidget):
    """How a word may go on, below what is called there. A child of the window and no popup: the
    keyboard stays with the editor throughout.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setFont(look().letters.mono.font)
        self.setProperty("kind", "menu")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Completions"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def offer(self, editor: CellEditor, words: list[str], told: Completed, at: int) -> None:
        """Above the line that is typed; where there is no room, below it. The word `at` which
        is marked is taken by Enter; else, at -1, Enter is not about the list.
        """
        self.clear()
        for text in filter(None, (told.signature, told.doc)):
            QListWidgetItem(text, self).setFlags(Qt.ItemFlag.NoItemFlags)
        self.first = self.count()  # of the words
        self.addItems(words)
        self.setCurrentRow(self.first + at if at >= 0 else -1)
        window, line = self.window().rect(), editor.cursorRect()
        place = editor.viewport().mapTo(self.window(), line.topLeft())
        self.setFixedWidth(min(_WIDE, window.width() - 2 * _MARGIN))
        self.show()  # only then its rows wrap
        rows = range(min(self.count(), self.first + _MOST_ROWS))
        self.setFixedHeight(sum(map(self.sizeHintForRow, rows)) + 2 * _MARGIN)
        self.scrollToTop()
        x = max(_MARGIN, min(place.x(), window.width() - self.width() - _MARGIN))
        above = place.y() - self.height() - _GAP
        self.move(x, above if above >= 0 else place.y() + line.height() + _GAP)
        self.raise_()


def css_of(font: QFont) -> str:
    size, weight = font.pixelSize(), font.weight().value
    return f"font-family: '{font.family()}'; font-size: {size}px; font-weight: {weight};"


def hanging(line: str) -> QTextBlockFormat:
    """Code that wraps goes on a little deeper than it begins."""
    form, letters = QTextBlockFormat(), len(line) - len(line.lstrip()) + len(INDENT) // 2
    form.setLeftMargin(letters * look().letters.mono.width("0"))
    form.setTextIndent(-form.leftMargin())
    return form


def hang(document: QTextDocument) -> None:
    """All its lines; part of the edit before."""
    late, block, edit = list[QTextBlock](), document.begin(), QTextCursor(document)
    while block.isValid():
        if block.blockFormat().leftMargin() != hanging(block.text()).leftMargin():
            late.append(block)
        block = block.next()
    if late:
        edit.joinPreviousEditBlock()
        for each in late:
            QTextCursor(each).setBlockFormat(hanging(each.text()))
        edit.endEditBlock()


def files_of(source: QMimeData) -> list[Path]:
    """Those that hold cells."""
    paths = [Path(each.toLocalFile()) for each in source.urls() if each.isLocalFile()]
    return [each for each in paths if each.suffix in (".py", ".ipynb")]


def is_open(code: str) -> bool:
    """Whether more has to come before this can run: an open bracket, an indented block."""
    if code.lstrip().startswith(("!", "%")):
        return False
    last = code[code.rfind("\n") + 1 :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            more = codeop.compile_command(code, symbol="exec") is None
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            return False  # whoever runs it says what is wrong
    return more or (last[:1].isspace() and not last.isspace())


def indent_after(line: str) -> str:
    """What the next line begins with."""
    indent = line[: len(line) - len(line.lstrip())]
    if _OPENS.search(line):
        return indent + INDENT
    return indent.removesuffix(INDENT) if _LEAVES.match(line) else indent


def without_prompts(text: str) -> str:
    """Code that was copied from a session, without its prompts and without what it printed."""
    text = text.replace("\r\n", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    lines, typed = text.splitlines(), False
    if any(map(_PROMPT.match, lines)):
        kept = []
        for line in lines:
            # A line without a prompt was printed, except right below IPython's first line.
            found = _PROMPT.match(line) or (_MORE_PROMPT.match(line) if typed else None)
            typed = found is not None
            kept += [line[found.end() :]] if found else []
        text = "\n".join(kept)
    return textwrap.dedent(text).strip("\n")
