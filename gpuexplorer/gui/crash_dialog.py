"""Crash dialog: a bug of ours is shown with its traceback, and the program goes on."""

import platform
import re
import sys
import threading
import traceback
from collections import Counter
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, Slot, qVersion
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

# How often it came is said at these; its traceback stands above, once.
_COUNTED_AT = frozenset(10**power for power in range(1, 10))


class CrashReports(QObject):
    """Catches what nobody caught, in every thread. One dialog at a time, one for each bug."""

    _caught = Signal(str, str)  # which bug it is, and the report

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._seen: set[str] = set()
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._dialog: CrashDialog | None = None
        self._stopped = False
        self._hook_before = sys.excepthook
        self._thread_hook_before = threading.excepthook
        self._caught.connect(self._on_caught, Qt.ConnectionType.QueuedConnection)
        sys.excepthook = self._take
        threading.excepthook = self._take_from_thread

    @property
    def any(self) -> bool:
        """Whether there was a bug since the start."""
        return bool(self._seen)

    def stop(self) -> None:
        """Give the hooks back. Harmless when called twice."""
        self._stopped = True  # who took the hooks meanwhile may hand them back to us
        if sys.excepthook == self._take:
            sys.excepthook = self._hook_before
        if threading.excepthook == self._take_from_thread:
            threading.excepthook = self._thread_hook_before

    def _take(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        if self._stopped or not issubclass(kind, Exception):
            self._hook_before(kind, error, trace)
            return
        which = _which(error, trace)
        with self._lock:
            self._counts[which] += 1
            count = self._counts[which]
        # A bug in something that ticks would fill a terminal, or a disk.
        if count == 1:
            text = "".join(traceback.format_exception(kind, error, trace))
            _write(text)
            self._caught.emit(which, text)
        elif count in _COUNTED_AT:
            _write(f"{_summary(error)}: the same bug {count} times by now.\n")

    def _take_from_thread(self, args: threading.ExceptHookArgs) -> None:
        if self._stopped:
            self._thread_hook_before(args)
        elif args.exc_value is not None:
            self._take(args.exc_type, args.exc_value, args.exc_traceback)

    @Slot(str, str)
    def _on_caught(self, which: str, text: str) -> None:
        # A bug in something that ticks would otherwise come back as soon as it is closed.
        if which in self._seen:
            return
        self._seen.add(which)
        if self._dialog is not None:
            self._dialog.add(text)
            return
        self._dialog = CrashDialog(text, self._window)
        self._dialog.finished.connect(self._on_dialog_closed)
        self._dialog.open()

    def _on_dialog_closed(self) -> None:
        self._dialog = None


class CrashDialog(QDialog):
    """Says that it is our fault, shows the traceback, and offers to copy it."""

    def __init__(self, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("A bug in GPU Explorer"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(680, 420)
        self._sentence = QLabel(
            tr(
                "This is a mistake in the program, not in your computer. The program goes on; "
                "what you see may be incomplete until it is started again."
            )
        )
        self._sentence.setWordWrap(True)
        self._report = QPlainTextEdit()
        self._report.setReadOnly(True)
        self._report.setAccessibleName(tr("Report"))
        self._report.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._report.setPlainText(f"{_surroundings()}\n\n{report}")
        buttons = QDialogButtonBox()
        copy = buttons.addButton(tr("Copy report"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._on_copy_clicked)
        close = buttons.addButton(tr("Go on"), QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(16)
        column.addWidget(self._sentence)
        column.addWidget(self._report, 1)
        column.addWidget(buttons)
        close.setDefault(True)
        close.setFocus()

    def add(self, report: str) -> None:
        """Another bug, while this one is still being read."""
        self._report.appendPlainText(f"\n{report}")

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._report.toPlainText())


def _which(error: BaseException, trace: TracebackType | None) -> str:
    """The same each time it comes: what it says may have another figure in it at every tick."""
    lines = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(trace)]
    said = re.sub(r"0x[0-9a-f]+|[0-9]+", "", str(error))
    return " ".join((type(error).__name__, said, *lines[-1:]))


def _summary(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]


def _write(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)


def _surroundings() -> str:
    return (
        f"GPU Explorer {__version__}, Python {platform.python_version()}, Qt {qVersion()}, "
        f"{platform.platform()}"
    )
