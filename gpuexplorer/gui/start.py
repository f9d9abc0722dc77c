"""What comes before the first window: the application itself, and pictures of windows."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from gpuexplorer import __version__
from gpuexplorer.core.trouble import Trouble


def create_application(argv: Sequence[str]) -> QApplication:
    """The one application object of this process."""
    QGuiApplication.setDesktopFileName("gpuexplorer")
    QApplication.setStyle("fusion")
    application = QApplication(list(argv))
    application.setApplicationName("GPU Explorer")
    application.setApplicationVersion(__version__)
    application.setOrganizationName("gpuexplorer")
    return application


def grab(widget: QWidget, path: Path) -> None:
    """Keep a picture of what the widget shows. Raises Trouble where that cannot be written."""
    if not widget.grab().save(str(path)):
        raise Trouble(
            f"The picture could not be written to {path}.",
            "Is the folder there, and does the name end in .png?",
        )
