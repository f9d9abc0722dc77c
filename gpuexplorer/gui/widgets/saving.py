"""Saving: asks where a file is to go or comes from, and has it written or read meanwhile."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, QStandardPaths, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QLabel, QMenu, QWidget

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import as_csv, as_json
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.plots.picture import png
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.source_badge import SourceBadge
from gpuexplorer.gui.widgets.controls.buttons import FramedButton, open_below
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.whole_file import write_whole

T = TypeVar("T")
# Called from the thread that writes; raises `Trouble` where it cannot.
Write = Callable[[], object]
# Called when the place is known: takes what is to be written as it is at that moment.
Take = Callable[[Path], Write | None]
# Words for a menu, the keys, and what it does.
Ways = Sequence[tuple[str, str, Callable[[], None]]]
_FOLDER = "saving/folder"
_LOOK_EVERY = 50  # milliseconds


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


def in_a_thread(
    work: Callable[[], T],
    parent: QObject,
    done: Callable[[T], object],
    refused: Callable[[str], object],
) -> None:
    """`work` writes or reads a file in a thread of its own. It is finished even if the window
    is closed before; then nobody is told.
    """
    asked, timer = Asked(work), QTimer(parent, interval=_LOOK_EVERY)

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
    mode = QFileDialog.FileMode
    dialog = QFileDialog(parent, caption)
    dialog.setFileMode(mode.ExistingFile if kinds else mode.Directory)
    dialog.setNameFilter(kinds)
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
        self._dialog: QFileDialog | None = None

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
        if self._dialog is not None:
            return
        dialog = QFileDialog(self._parent, caption)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, not may_replace)
        dialog.setNameFilters([kind.filter for kind in kinds])
        dialog.setDefaultSuffix(kinds[0].suffix)
        folder = self._settings.remembered(_FOLDER)
        if folder is None or not Path(folder).is_dir():
            documents = QStandardPaths.StandardLocation.DocumentsLocation
            folder = QStandardPaths.writableLocation(documents)
        dialog.setDirectory(folder)
        dialog.selectFile(f"{name}.{kinds[0].suffix}")
        dialog.filterSelected.connect(self._on_kind_selected)
        dialog.fileSelected.connect(self._on_chosen)
        dialog.finished.connect(self._on_closed)
        self._kinds, self._take, self._dialog = kinds, take, dialog
        self.kind = kinds[0]  # which is chosen, for `take` to ask
        dialog.open()

    def save(self, path: Path, write: Write) -> None:
        """In a thread of its own; a sentence reports the outcome."""

        def work() -> str:
            write()
            return tr("Saved to {path}.", path=path)

        in_a_thread(work, self, self.done.emit, self.refused.emit)

    def stop(self) -> None:
        """Nobody is asked any longer. Harmless when called twice."""
        if self._dialog is not None:
            self._dialog.reject()

    def _on_kind_selected(self, chosen: str) -> None:
        for kind in self._kinds:
            if self._dialog is not None and kind.filter == chosen:
                self._dialog.setDefaultSuffix(kind.suffix)
                self.kind = kind

    def _on_chosen(self, chosen: str) -> None:
        path = Path(chosen)
        self._settings.remember(_FOLDER, str(path.parent))
        write = self._take(path)
        if write is not None:
            self.save(path, write)

    def _on_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None


class TablesSaving(Saving):
    """Saves a table and data, which subclasses write as `csv` and `json`."""

    def __init__(self, machine: MachineState, name: str, caption: str, parent: QWidget) -> None:
        """`name` is the file's, `caption` the question's for where it is to go."""
        super().__init__(machine.settings, parent)
        self._machine, self._name, self._caption = machine, name, caption

    @property
    def simulated(self) -> bool:
        return self._machine.session.simulated

    def csv(self) -> str:
        raise NotImplementedError

    def json(self) -> str:
        raise NotImplementedError

    def copy_table(self) -> None:
        QGuiApplication.clipboard().setText(self.csv())
        self.done.emit(tr("The table is on the clipboard."))

    def save_as(self, kind: FileKind, path: Path) -> None:
        self.save(path, self._written(kind, path))

    def ask_as(self, kind: FileKind) -> None:
        wall = self._machine.session.clock.wall()
        name = suggested_name(self._name, wall, simulated=self.simulated)
        self.ask(self._caption, name, [kind], partial(self._written, kind))

    def _written(self, kind: FileKind, path: Path) -> Write:
        """As it is at this moment."""
        text = self.csv() if kind is CSV else self.json()
        return partial(write_whole, path, [text.encode("utf-8")])


class ResultsSaving(TablesSaving):
    """Measured copies as a table, as data, and as a picture of what is seen. `button` opens the
    list of what can be saved.
    """

    def __init__(
        self,
        machine: MachineState,
        name: str,
        title: str,
        what: str,
        results: Callable[[], Sequence[CopyResult]],
        pictured: QWidget,
    ) -> None:
        """`what` is saved, in the words of a sentence; `title` stands over its picture."""
        super().__init__(machine, name, tr("Save {what}", what=what), pictured)
        self._title, self._what = title, what
        self._results, self._pictured = results, pictured
        meaning = tr("Save {what} as a table, data or a picture", what=what)
        self.button = FramedButton(Icon.EXPORT, tr("Save"), meaning)
        self.button.clicked.connect(self._on_clicked)

    def csv(self) -> str:
        return as_csv(self._results(), simulated=self.simulated)

    def json(self) -> str:
        told = as_json(self._results(), simulated=self.simulated)
        return json.dumps(told, indent=1) + "\n"

    def picture(self) -> QImage:
        """As it is seen, under a line that says of what machine it is."""
        seen, badge, simulated = QLabel(), SourceBadge(), self.simulated
        seen.setPixmap(self._pictured.grab())
        source, letters = self._machine.session.source, look().letters
        badge.show_source(source)
        machine = label(tr(source.label), letters.body, Tone.QUIET)
        said = tr("modelled: no bytes were moved") if simulated else ""
        modelled = label(said, letters.caption, Tone.QUIET)
        head = (label(self._title, letters.title), machine, GROWS, modelled, badge)
        page = QWidget()
        page.setProperty("panel", "page")
        page.setStyleSheet(look().style_sheet())
        column(row(*head, gap=16, margins=(20, 12, 20, 12)), seen, within=page, gap=0)
        return page.grab().toImage()

    def copy_picture(self) -> None:
        QGuiApplication.clipboard().setImage(self.picture())
        self.done.emit(tr("The picture is on the clipboard."))

    def commands(self, *, copies: bool = True) -> Ways:
        """For the list of all commands. `copies`: Ctrl+C takes the table."""
        what, copy = self._what, "Ctrl+C" if copies else ""
        return (
            (tr("Save {what} as CSV…", what=what), "Ctrl+S", partial(self.ask_as, CSV)),
            (tr("Save {what} as JSON…", what=what), "", partial(self.ask_as, JSON)),
            (tr("Save {what} as PNG…", what=what), "", partial(self.ask_as, PNG)),
            (tr("Copy {what} as a table", what=what), copy, self.copy_table),
            (tr("Copy picture of {what}", what=what), "", self.copy_picture),
        )

    def _written(self, kind: FileKind, path: Path) -> Write:
        if kind is not PNG:
            return super()._written(kind, path)
        image = self.picture()
        return lambda: write_whole(path, [png(image)])

    def _on_clicked(self) -> None:
        menu = QMenu(self.button)
        for words, _, run in self.commands():
            menu.addAction(words).triggered.connect(run)
        open_below(menu, self.button)
