"""What comes before the first window: the application itself."""

import locale
import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QLibraryInfo, QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from gpuexplorer import __version__
from gpuexplorer.core.resources import resource
from gpuexplorer.lab import packaged

# Seconds for which a thread may keep Python from the one that draws. That one asks for it again
# many times a frame: with Python's own 5 ms a frame took 80 while a day was written to a file.
_TURN = 0.001


def create_application(argv: Sequence[str]) -> QApplication:
    """The one application object of this process."""
    # In the C locale Qt takes UTF-8 all the same, but complains to the terminal about it.
    if locale.setlocale(locale.LC_CTYPE) in ("C", "POSIX"):
        # LC_ALL hides every other variable.
        os.environ["LC_ALL" if os.environ.get("LC_ALL") else "LC_CTYPE"] = "C.UTF-8"
    sys.setswitchinterval(_TURN)
    QGuiApplication.setDesktopFileName("gpuexplorer")
    if packaged.folder() is not None:
        # QT_PLUGIN_PATH names those of the desktop's Qt, which is another.
        own = QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)
        QApplication.setLibraryPaths([own])
    QApplication.setStyle("fusion")
    application = QApplication(list(argv))
    application.setApplicationName("GPU Explorer")
    application.setApplicationVersion(__version__)
    application.setOrganizationName("gpuexplorer")
    application.setWindowIcon(QIcon(str(resource("icons", "gpuexplorer.svg"))))
    if application.platformName() == "offscreen":
        qInstallMessageHandler(_say_all_but_size_hints)
    return application


def _say_all_but_size_hints(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Where nobody looks there is nobody who could be told a size, and that is no news."""
    del kind, context
    if "propagateSizeHints" not in message:
        sys.stderr.write(f"{message}\n")
