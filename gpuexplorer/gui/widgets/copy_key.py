"""CopyKey: Ctrl+C belongs to the screen that is shown, unless something is selected."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit, QWidget

from gpuexplorer.gui.guard import guarded


class CopyKey(QObject):
    """Qt's fields take the key for themselves even where they have nothing to copy."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus_changed)

    def _on_focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        if before is not None:
            before.removeEventFilter(self)
        if isinstance(now, QLineEdit | QPlainTextEdit | QLabel):
            now.installEventFilter(self)

    @guarded
    def eventFilter(self, field: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return False
        asked = event.type() is QEvent.Type.ShortcutOverride
        if asked and event.matches(QKeySequence.StandardKey.Copy) and not _selected(field):
            event.ignore()
            return True
        return False


def _selected(field: QObject) -> bool:
    match field:
        case QLineEdit() | QLabel():
            return field.hasSelectedText()
        case QPlainTextEdit():
            return field.textCursor().hasSelection()
        case _:
            return True
