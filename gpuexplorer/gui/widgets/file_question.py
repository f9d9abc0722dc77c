"""FileQuestion: the system's own question for a file or folder to open, one at a time."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget


class FileQuestion(QObject):
    chosen = Signal(Path)

    def __init__(self, caption: str, kinds: str, parent: QWidget) -> None:
        """`kinds` as Qt writes them: "Python programs (*.py)"; empty: a folder is asked for."""
        super().__init__(parent)
        self._caption, self._kinds, self._parent = caption, kinds, parent
        self._dialog: QFileDialog | None = None

    def ask(self) -> None:
        """Returns at once."""
        if self._dialog is None:
            dialog = self._dialog = QFileDialog(self._parent, self._caption)
            mode = QFileDialog.FileMode
            dialog.setFileMode(mode.ExistingFile if self._kinds else mode.Directory)
            dialog.setNameFilter(self._kinds)
            dialog.fileSelected.connect(lambda path: self.chosen.emit(Path(path)))
            dialog.finished.connect(self._on_closed)
            dialog.open()

    def stop(self) -> None:
        if self._dialog is not None:
            self._dialog.reject()

    def _on_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
