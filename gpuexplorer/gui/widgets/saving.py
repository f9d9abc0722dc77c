"""Saving: asks where a file is to go, has it written, and says what came of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QStandardPaths, Signal
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QFileDialog, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.file_job import FileJob

_FOLDER = "saving/folder"
# Called from the thread that writes; raises `Trouble` where it cannot.
Write = Callable[[], object]
# Called when the place is known: takes what is to be written as it is at that moment.
Take = Callable[[Path], Write | None]


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
SVG = FileKind(mark("Drawing"), "svg")
PNG = FileKind(mark("Picture"), "png")


def suggested_name(what: str, wall: float, *, simulated: bool) -> str:
    """Such as "simulated-processes-2026-11-21-1405", without the ending."""
    moment = datetime.fromtimestamp(wall).astimezone()
    return f"{'simulated-' if simulated else ''}{what}-{moment:%Y-%m-%d-%H%M}"


def png(image: QImage) -> bytes:
    """May be called from any thread."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


class Saving(QObject):
    """One question at a time. The window goes on while a file is written."""

    done = Signal(str)  # a sentence
    refused = Signal(str)  # a sentence, and what to do about it

    def __init__(self, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self._parent = parent
        self._kinds: Sequence[FileKind] = ()
        self._kind: FileKind | None = None
        self._take: Take | None = None
        self._dialog: QFileDialog | None = None

    @property
    def kind(self) -> FileKind:
        """Which was chosen, for `take` to ask."""
        assert self._kind is not None  # somebody was asked
        return self._kind

    def ask(
        self,
        caption: str,
        name: str,
        kinds: Sequence[FileKind],
        take: Take,
        *,
        may_replace: bool = True,
    ) -> None:
        """Opens the system's own question and returns at once. `may_replace`: it also asks
        whether a file that is there is to go; else `take` refuses it.
        """
        if self._dialog is not None:
            return
        dialog = QFileDialog(self._parent, caption)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, not may_replace)
        dialog.setNameFilters([kind.filter for kind in kinds])
        dialog.setDefaultSuffix(kinds[0].suffix)
        dialog.setDirectory(self._folder())
        dialog.selectFile(f"{name}.{kinds[0].suffix}")
        dialog.filterSelected.connect(self._on_kind_selected)
        dialog.fileSelected.connect(self._on_place_chosen)
        dialog.finished.connect(self._on_closed)
        self._kinds, self._kind = kinds, kinds[0]
        self._take, self._dialog = take, dialog
        dialog.open()

    def save(self, path: Path, write: Write) -> None:
        """In a thread of its own; a sentence reports the outcome."""
        job = FileJob(partial(_write, path, write), self)
        job.done.connect(self.done)
        job.refused.connect(self.refused)
        job.start()

    def stop(self) -> None:
        """Nobody is asked any longer. Harmless when called twice."""
        if self._dialog is not None:
            self._dialog.reject()

    def _folder(self) -> str:
        last = self._settings.remembered(_FOLDER)
        if last is not None and Path(last).is_dir():
            return last
        return QStandardPaths.writableLocation(
            QStandardPaths.StandardLocation.DocumentsLocation
        )

    def _on_kind_selected(self, chosen: str) -> None:
        for kind in self._kinds:
            if self._dialog is not None and kind.filter == chosen:
                self._dialog.setDefaultSuffix(kind.suffix)
                self._kind = kind

    def _on_place_chosen(self, chosen: str) -> None:
        path = Path(chosen)
        self._settings.remember(_FOLDER, str(path.parent))
        write = None if self._take is None else self._take(path)
        if write is not None:
            self.save(path, write)

    def _on_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None


def _write(path: Path, write: Write) -> str:
    write()
    return tr("Saved to {path}.", path=path)
