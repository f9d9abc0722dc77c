"""Saving: asks where a file is to go or comes from, and has it written or read meanwhile."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QObject,
    QPoint,
    QStandardPaths,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QImage, QImageWriter, QMouseEvent, QPixmap
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import plain_tip
from gpuexplorer.gui.plots.graph import page_of
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import Placed, column, row
from gpuexplorer.telemetry.patience import Asked

T = TypeVar("T")
# Called from the thread that writes; raises `Trouble` where it cannot.
Write = Callable[[], object]
# Called when the place is known: takes what is to be written as it is at that moment.
Take = Callable[[Path], Write | None]
_FOLDER = "saving/folder"
_FINE = 2  # pixels of a picture for each of the screen's
_NOTE_HEIGHT, _NOTE_STAYS = 32, 6000  # pixels, milliseconds


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


def picture(seen: QWidget, *head: Placed) -> QImage:
    """As it is seen and twice as fine, under a line that says what it is."""
    shown, page = QLabel(), QWidget()
    shown.setPixmap(_fine(seen))
    page.setProperty("panel", "page")
    page.setStyleSheet(look().style_sheet())
    column(row(*head, gap=16, margins=(20, 12, 20, 12)), shown, within=page, gap=0)
    page.adjustSize()
    return _fine(page).toImage()


def _fine(widget: QWidget) -> QPixmap:
    pixmap = QPixmap(widget.size() * _FINE)
    pixmap.setDevicePixelRatio(_FINE)
    QWidget.render(widget, pixmap)  # of a view, all of it
    return pixmap


def in_a_thread(
    work: Callable[[], T],
    parent: QObject,
    done: Callable[[T], object],
    refused: Callable[[str], object],
    patience: float = 0.0,
) -> None:
    """`work` writes or reads a file in a thread of its own. It is finished even if the window
    is closed before; then nobody is told. `patience`: so many seconds it is waited for.
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
    if patience and asked.answered_within(patience):
        look_again()


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


class PlotNote(QLabel):
    """One sentence over what was saved or could not be. What went well goes away by itself;
    what did not waits to be clicked away.
    """

    def __init__(self, over: QWidget, above: float = 0.0) -> None:
        """`above`: so many pixels at the bottom stay free of it."""
        super().__init__(over)
        self._over, self._above = over, round(above) + _NOTE_HEIGHT + 4
        self._timer = QTimer(self, singleShot=True, interval=_NOTE_STAYS)
        self._timer.timeout.connect(self.hide)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(look().letters.body.font)
        self.setProperty("kind", "note")
        self.hide()

    def show_done(self, text: str) -> None:
        self._show(text, Tone.TEXT)
        self._timer.start()

    def show_refused(self, text: str) -> None:
        self._timer.stop()
        self._show(text, Tone.BAD)

    def put_in_view(self) -> None:
        """At the bottom of what is seen of its parent, in the middle."""
        place, page = self._over.rect(), page_of(self._over)
        if page is not None:
            corner = self._over.mapTo(page.viewport(), QPoint(0, 0))
            place &= page.viewport().rect().translated(-corner)
        letters, words = look().letters.body, self.accessibleName()
        self.setText(letters.elided(words, place.width() - 30))
        self.setToolTip("" if self.text() == words else plain_tip(words))
        self.resize(round(letters.width(self.text())) + 30, _NOTE_HEIGHT)
        self.move(place.center().x() - self.width() // 2, place.bottom() - self._above)

    def _show(self, text: str, tone: Tone) -> None:
        restyle(self, "tone", tone.value)
        self.setAccessibleName(text)
        self.put_in_view()
        self.show()
        self.raise_()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.hide()
        event.accept()
