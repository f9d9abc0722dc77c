"""Crash dialog: a bug of ours is shown with its traceback, and the program goes on."""

import platform
import re
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, qVersion
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer import __version__
from gpuexplorer.core.words import tr


class CrashReports(QObject):
    """Catches what nobody caught, in every thread. One dialog at a time, one for each bug."""

    _caught = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._seen: set[str] = set()
        self._before = sys.excepthook, threading.excepthook
        self._caught.connect(self._on_caught, Qt.ConnectionType.QueuedConnection)
        sys.excepthook, threading.excepthook = self._take, self._take_from_thread

    @property
    def any(self) -> bool:
        """Whether there was a bug since the start."""
        return bool(self._seen)

    def stop(self) -> None:
        """Give the hooks back. Harmless when called twice."""
        sys.excepthook, threading.excepthook = self._before

    def _take(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not issubclass(kind, Exception):
            self._before[0](kind, error, trace)
            return
        # The same each time it comes: what it says may have another figure at every tick.
        said = re.sub(r"0x[0-9a-f]+|[0-9]+", "", str(error))
        places = [f"{each.filename}:{each.lineno}" for each in traceback.extract_tb(trace)]
        bug = " ".join((kind.__name__, said, *places[-1:]))
        # One in something that ticks would fill a terminal, or a disk.
        if bug not in self._seen:
            self._seen.add(bug)
            report = "".join(traceback.format_exception(kind, error, trace))
            if sys.stderr is not None:
                sys.stderr.write(report)
            self._caught.emit(report)

    def _take_from_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._take(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_caught(self, report: str) -> None:
        there = [each for each in self._window.findChildren(CrashDialog) if each.isVisible()]
        if there:
            there[0].report.appendPlainText(f"\n{report}")
        else:
            CrashDialog(report, self._window).open()


class CrashDialog(QDialog):
    """Says that it is our fault, shows the traceback, and offers to copy it. Made of Qt's own
    parts alone, since any of ours may be the one that has the bug.
    """

    def __init__(self, report: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("A bug in GPU Explorer"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(680, 420)
        words = tr(
            "This is a mistake in the program, not in your computer. The program goes on; "
            "what you see may be incomplete until it is started again."
        )
        sentence = QLabel(words, wordWrap=True)
        system = f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}"
        text = f"GPU Explorer {__version__}, {system}\n\n{report}"
        self.report = QPlainTextEdit(text, readOnly=True)
        self.report.setAccessibleName(tr("Report"))
        self.report.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        buttons, role = QDialogButtonBox(), QDialogButtonBox.ButtonRole
        copy = buttons.addButton(tr("Copy report"), role.ActionRole)
        copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self.report.toPlainText())
        )
        close = buttons.addButton(tr("Go on"), role.AcceptRole)
        close.setDefault(True)
        close.setFocus()
        buttons.accepted.connect(self.accept)
        column = QVBoxLayout(self)
        column.setSpacing(16)
        column.setContentsMargins(24, 24, 24, 24)
        for part in (sentence, self.report, buttons):
            column.addWidget(part)
