"""EntryField: where one types a line; it remembers, completes, and takes several at once."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QMimeData, QStringListModel, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.code.past_lines import PastLines
from gpuexplorer.gui.wording.lab.code.completion import Completion, pasted_lines

HEIGHT = 36
_NAME = mark("Type a line, or do it on the bench")
_PROMPT, _KEY = ">>>", mark("Enter")
_MARGIN, _GAP = 12.0, 8.0
_MOST_ROWS = 8

# How what stands before the cursor can go on.
Complete = Callable[[str], Completion]


class EntryField(QLineEdit):
    """What is typed stays until somebody says that it was understood."""

    entered = Signal(str)
    several_pasted = Signal(list)  # of lines
    form_asked = Signal()  # Ctrl+Enter, which is the form's, with nothing typed here

    def __init__(
        self, look: Look, complete: Complete, past: PastLines, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._complete = complete
        self._past = past
        self._offered = Completion(0, ())
        self._words = QStringListModel(self)
        self._completer = QCompleter(self._words, self)
        self._completer.setWidget(self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseSensitive)
        self._completer.setMaxVisibleItems(_MOST_ROWS)
        self._popup = QListView()
        self._popup.setFont(look.letters.mono.font)
        self._popup.setProperty("kind", "menu")
        self._completer.setPopup(self._popup)
        # The completer takes it from its parent, from whom it has its style sheet.
        self._popup.setParent(self, Qt.WindowType.Popup)
        self._completer.activated.connect(self._on_completed)
        self.setFont(look.letters.mono.font)
        self.setAccessibleName(tr(_NAME))
        self.setFixedHeight(HEIGHT)
        prompt = look.letters.mono.width(_PROMPT)
        key = look.letters.caption.width(tr(_KEY))
        self.setTextMargins(round(prompt + _GAP), 0, round(key + _GAP), 0)
        self.returnPressed.connect(self._on_return_pressed)
        self.textEdited.connect(self._on_text_edited)

    def put(self, line: str) -> None:
        """To be changed before it runs."""
        self.setText(line.replace("\n", " "))
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def begin_anew(self) -> None:
        """What was typed was carried out: Ctrl+Z takes back the line, not its letters."""
        self.setText("")

    def take_key(self, text: str) -> None:
        """Somebody began to write where the keyboard was elsewhere."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.insert(text)

    def complete(self) -> bool:
        """As far as there is one way to go on; else a list. False where there is none."""
        found = self._complete(self.text()[: self.cursorPosition()])
        if not found.words:
            return False
        begun = self.text()[found.start : self.cursorPosition()]
        if len(found.words) == 1 or found.common != begun:
            self._insert(found, found.common)
        if len(found.words) > 1:
            self._offer()
        return True

    def _offer(self) -> None:
        found = self._complete(self.text()[: self.cursorPosition()])
        self._offered = found
        popup = self._popup
        if not found.words:
            popup.hide()
            return
        self._words.setStringList(found.words)
        self._completer.setCompletionPrefix("")
        popup.setCurrentIndex(self._completer.completionModel().index(0, 0))
        place = self.cursorRect()
        place.setWidth(popup.sizeHintForColumn(0) + 32)
        self._completer.complete(place)

    def _insert(self, found: Completion, word: str) -> None:
        text, at = self.text(), self.cursorPosition()
        self.setText(text[: found.start] + word + text[at:])
        self.setCursorPosition(found.start + len(word))

    def _take(self, mime: QMimeData | None) -> bool:
        """Whether it was more than one line."""
        lines = pasted_lines(mime.text()) if mime is not None and mime.hasText() else []
        if len(lines) < 2:
            return False
        self.several_pasted.emit(lines)
        return True

    def _on_return_pressed(self) -> None:
        if self.text().strip():
            self.entered.emit(self.text().strip())

    def _on_text_edited(self) -> None:
        if self._popup.isVisible():
            self._offer()

    def _on_completed(self, word: str) -> None:
        self._insert(self._offered, word)

    def _on_paste_asked(self) -> None:
        if not self._take(QGuiApplication.clipboard().mimeData()):
            self.paste()

    def event(self, event: QEvent) -> bool:
        # The Tab key goes on to the next widget only where nothing can be completed.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
            if event.key() == Qt.Key.Key_Tab and plain and self.text() and self.complete():
                return True
        # Where no letters can be taken back, the lab's own undo is meant.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            undo, redo = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
            nothing = (event.matches(undo) and not self.isUndoAvailable()) or (
                event.matches(redo) and not self.isRedoAvailable()
            )
            if nothing:
                event.ignore()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            self._on_paste_asked()
            return
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        match event.key():
            case Qt.Key.Key_Up:
                self._show_past(self._past.before(self.text()))
            case Qt.Key.Key_Down:
                self._show_past(self._past.after(self.text()))
            case Qt.Key.Key_Space if control:
                self.complete()
            case Qt.Key.Key_Return if control and not self.text():
                self.form_asked.emit()
            case _:
                super().keyPressEvent(event)

    def _show_past(self, line: str | None) -> None:
        if line is not None:
            self.setText(line)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        for action in menu.actions():
            if action.objectName() == "edit-paste":
                action.triggered.disconnect()
                action.triggered.connect(self._on_paste_asked)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())

    def dropEvent(self, event: QDropEvent) -> None:
        if self._take(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dropEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            drawing = Drawing(painter, self._look)
            letters, theme = drawing.letters, drawing.theme
            middle = self.height() / 2
            baseline = middle + letters.mono.cap_height / 2
            left = drawing.text(_MARGIN, baseline, Run(_PROMPT, letters.mono, theme.faint))
            key = Run(tr(_KEY), letters.caption, theme.faint)
            right = self.width() - _MARGIN
            right = drawing.runs_right(right, middle + letters.caption.cap_height / 2, [key])
            if not self.text():
                room = right - left - 2 * _GAP
                shown = letters.body.elided(tr(_NAME), room)
                run = Run(shown, letters.body, theme.faint)
                drawing.text(left + _GAP + 2, middle + letters.body.cap_height / 2, run)
