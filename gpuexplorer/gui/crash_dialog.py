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
        self._window, self._stopped = window, False
        self._seen: set[str] = set()
        self._dialog: CrashDialog | None = None
        self._before, self._before_in_threads = sys.excepthook, threading.excepthook
        self._caught.connect(self._on_caught, Qt.ConnectionType.QueuedConnection)
        sys.excepthook, threading.excepthook = self._take, self._take_from_thread

    @property
    def any(self) -> bool:
        """Whether there was a bug since the start."""
        return bool(self._seen)

    def stop(self) -> None:
        """Give the hooks back. Harmless when called twice."""
        self._stopped = True  # who took the hooks meanwhile may hand them back to us
        if sys.excepthook == self._take:
            sys.excepthook = self._before
        if threading.excepthook == self._take_from_thread:
            threading.excepthook = self._before_in_threads

    def _take(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if self._stopped or not issubclass(kind, Exception):
            self._before(kind, error, trace)
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
        if self._stopped:
            self._before_in_threads(args)
        elif args.exc_value is not None:
            self._take(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_caught(self, report: str) -> None:
        if self._dialog is not None:
            self._dialog.report.appendPlainText(f"\n{report}")
            return
        self._dialog = CrashDialog(report, self._window)
        self._dialog.finished.connect(self._on_dialog_closed)
        self._dialog.open()

    def _on_dialog_closed(self) -> None:
        self._dialog = None


class CrashDialog(QDialog):
    """Says that it is our fault, shows the traceback, and offers to copy it. Made of Qt's own
    parts alone, since any of ours may be the one that has the bug.
    """

    def __init__(self, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("A bug in GPU Explorer"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(680, 420)
        sentence = QLabel(
            tr(
                "This is a mistake in the program, not in your computer. The program goes on; "
                "what you see may be incomplete until it is started again."
            )
        )
        sentence.setWordWrap(True)
        system = f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}"
        self.report = QPlainTextEdit(f"GPU Explorer {__version__}, {system}\n\n{report}")
        self.report.setReadOnly(True)
        self.report.setAccessibleName(tr("Report"))
        self.report.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        buttons, role = QDialogButtonBox(), QDialogButtonBox.ButtonRole
        buttons.addButton(tr("Copy report"), role.ActionRole).clicked.connect(self._on_copied)
        close = buttons.addButton(tr("Go on"), role.AcceptRole)
        buttons.accepted.connect(self.accept)
        column = QVBoxLayout(self)
        column.setSpacing(16)
        column.setContentsMargins(24, 24, 24, 24)
        for part in (sentence, self.report, buttons):
            column.addWidget(part)
        close.setDefault(True)
        close.setFocus()

    def _on_copied(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
