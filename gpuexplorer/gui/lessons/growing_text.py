"""GrowingText: text that is read, selected and copied, as high as it is."""

import math

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QResizeEvent, QTextBlockFormat, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QTextBrowser, QWidget

from gpuexplorer.gui.paint.python import PythonColours
from gpuexplorer.gui.theme.look import look


class GrowingText(QTextBrowser):
    """What it stands in scrolls. It reads no file and fetches nothing by itself."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look()
        self.setProperty("panel", "clear")
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        # What holds no link is reached by the mouse, and read without being a stop.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        never = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setHorizontalScrollBarPolicy(never)
        self.setVerticalScrollBarPolicy(never)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    def _fit(self) -> None:
        height = math.ceil(self.document().size().height())
        if height != self.height():
            self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()  # out of sight, the document does not tell

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        """Pictures are handed to the document; of others nothing is looked for."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


class CodeText(GrowingText):
    """Python in its colours; what is too long for a line goes on below, further in."""

    def __init__(self, name: str, code: str) -> None:
        super().__init__(name)
        mono = look().letters.mono
        self.setFont(mono.font)
        self._colours = PythonColours(self.document())
        self.setPlainText(code)
        cursor = QTextCursor(self.document())
        for line in code.split("\n"):
            form = QTextBlockFormat()
            further = (len(line) - len(line.lstrip()) + 4) * mono.width("0")
            form.setLeftMargin(further)
            form.setTextIndent(-further)
            cursor.mergeBlockFormat(form)
            cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
