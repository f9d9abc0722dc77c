"""Saving: asks where a file is to go or comes from, and has it written or read meanwhile."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QBuffer, QByteArray, QObject, QStandardPaths, QTimer, Signal
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QFileDialog, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.patience import Asked

T = TypeVar("T")
# Called from the thread that writes; raises `Trouble` where it cannot.
Write = Callable[[], object]
# Called when the place is known: takes what is to be written as it is at that moment.
Take = Callable[[Path], Write | None]
_FOLDER = "saving/folder"


@dataclass(frozen=True, slots=True)
class FileKind:
    """One kind of file that a person can choose."""

    words: str
    suffix: str

    @property
    def filter(self) -> str:
        """As Qt's dialog wants it."""
        return f"{tr(self.words)} (*.{self.suffix})"


CSV = FileKind(mark("Table"), "csv")
JSON = FileKind(mark("Data"), "json")
SVG = FileKind(mark("Drawing"), "svg")
PNG = FileKind(mark("Picture"), "png")


def suggested_name(what: str, wall: float, *, simulated: bool) -> str:
    """Such as "simulated-processes-2026-11-21-1405", without the ending."""
    moment = datetime.fromtimestamp(wall).astimezone()
    return f"{'simulated-' if simulated else ''}{what}-{moment:%Y-%m-%d-%H%M}"


def png(image: QImage) -> bytes:
    """May be called from any thread."""
    buffer = QBuffer()
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


def in_a_thread(
    work: Callable[[], T],
    parent: QObject,
    done: Callable[[T], object],
    refused: Callable[[str], object],
) -> None:
    """`work` writes or reads a file in a thread of its own. It is finished even if the window
    is closed before; then nobody is told.
    """
    asked, timer = Asked(work), QTimer(parent, interval=50)

    def look_again() -> None:
        if asked.answered:
            timer.stop()
            timer.deleteLater()
            try:
                result = asked.result()
            except Trouble as trouble:
                refused(trouble.told)
            else:
                done(result)

    timer.timeout.connect(look_again)
    timer.start()


def ask_for_file(
    caption: str, kinds: str, parent: QWidget, chosen: Callable[[Path], object]
) -> None:
    """The system's own question for a file to open; returns at once. `kinds` as Qt writes them:
    "Python programs (*.py)"; empty: a folder is asked for.
    """
    mode = QFileDialog.FileMode.ExistingFile if kinds else QFileDialog.FileMode.Directory
    dialog = QFileDialog(parent, caption, filter=kinds, fileMode=mode)
    dialog.fileSelected.connect(lambda path: chosen(Path(path)))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


class Saving(QObject):
    """Asks where a file is to go, and has it written; the window goes on meanwhile."""

    done = Signal(str)  # a sentence
    refused = Signal(str)  # a sentence, and what to do about it

    def __init__(self, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings, self._parent = settings, parent

    def ask(
        self,
        caption: str,
        name: str,
        kinds: Sequence[FileKind],
        take: Take,
        *,
        may_replace: bool = True,
    ) -> None:
        """Returns at once. `may_replace`: the dialog also asks whether a file that is there is
        to go; else `take` refuses it.
        """
        filters = {kind.filter: kind for kind in kinds}
        folder = self._settings.remembered(_FOLDER)
        if folder is None or not Path(folder).is_dir():
            documents = QStandardPaths.StandardLocation.DocumentsLocation
            folder = QStandardPaths.writableLocation(documents)
        dialog = QFileDialog(self._parent, caption, folder)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, not may_replace)
        dialog.setNameFilters(list(filters))
        dialog.selectFile(f"{name}.{kinds[0].suffix}")

        def take_kind(chosen: str) -> None:
            self.kind = filters[chosen]  # for `take` to ask
            dialog.setDefaultSuffix(self.kind.suffix)

        def write(chosen: str) -> None:
            self._settings.remember(_FOLDER, str(Path(chosen).parent))
            if (write := take(Path(chosen))) is not None:
                self.save(Path(chosen), write)

        take_kind(kinds[0].filter)
        dialog.filterSelected.connect(take_kind)
        dialog.fileSelected.connect(write)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def save(self, path: Path, write: Write) -> None:
        """In a thread of its own; a sentence reports the outcome."""

        def saved(_: object) -> None:
            self.done.emit(tr("Saved to {path}.", path=path))

        in_a_thread(write, self, saved, self.refused.emit)
