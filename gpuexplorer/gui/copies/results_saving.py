"""ResultsSaving: measured copies as files: a table, data, and a picture of what is seen."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QMenu, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.top_bar import SourceBadge
from gpuexplorer.gui.widgets.controls.buttons import ToolButton, open_below
from gpuexplorer.gui.widgets.laid_out import GROWS, label
from gpuexplorer.gui.widgets.saving import (
    CSV,
    JSON,
    PNG,
    FileKind,
    Saving,
    Write,
    picture,
    png,
    suggested_name,
)
from gpuexplorer.telemetry.whole_file import write_whole

Text = Callable[[], str]


class TablesSaving(Saving):
    """Saves a table and data, which subclasses write as `csv` and `json`."""

    def __init__(self, machine: MachineState, name: str, caption: str, parent: QWidget) -> None:
        """`name` is the file's, `caption` the question's for where it is to go."""
        super().__init__(machine.settings, parent)
        self._session, self._name, self._caption = machine.session, name, caption

    @property
    def simulated(self) -> bool:
        return self._session.simulated

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
        wall = self._session.clock.wall()
        name = suggested_name(self._name, wall, simulated=self.simulated)
        self.ask(self._caption, name, [kind], partial(self._written, kind))

    def _written(self, kind: FileKind, path: Path) -> Write:
        """As it is at this moment."""
        text = self.csv() if kind is CSV else self.json()
        return partial(write_whole, path, [text.encode("utf-8")])


class ResultsSaving(TablesSaving):
    """And a picture of what is seen. `button` opens the list of what can be saved."""

    def __init__(
        self,
        machine: MachineState,
        name: str,
        title: str,
        what: str,
        csv: Text,
        json: Text,
        pictured: QWidget,
    ) -> None:
        """`what` is saved, in the words of a sentence; `title` stands over its picture."""
        super().__init__(machine, name, tr("Save {what}", what=what), pictured)
        self._title, self._what, self._pictured = title, what, pictured
        self._csv, self._json = csv, json
        meaning = tr("Save {what} as a table, data or a picture", what=what)
        self.button = ToolButton("framed", Icon.EXPORT, tr("Save"), meaning)
        self.button.clicked.connect(self._on_clicked)

    def csv(self) -> str:
        return self._csv()

    def json(self) -> str:
        return self._json()

    def picture(self) -> QImage:
        """As it is seen, under a line that says of what machine it is."""
        badge, source, letters = SourceBadge(), self._session.source, look().letters
        badge.show_source(source)
        said = tr("modelled: no bytes were moved") if self.simulated else ""
        machine = label(tr(source.label), letters.body, Tone.QUIET)
        modelled = label(said, letters.caption, Tone.QUIET)
        title = label(self._title, letters.title)
        return picture(self._pictured, title, machine, GROWS, modelled, badge)

    def commands(self, *, copies: bool = True) -> Sequence[tuple[str, str, Callable[[], None]]]:
        """For the list of all commands. `copies`: Ctrl+C takes the table."""
        what, copy = self._what, "Ctrl+C" if copies else ""
        return (
            (tr("Save {what} as CSV…", what=what), "Ctrl+S", partial(self.ask_as, CSV)),
            (tr("Save {what} as JSON…", what=what), "", partial(self.ask_as, JSON)),
            (tr("Save {what} as PNG…", what=what), "", partial(self.ask_as, PNG)),
            (tr("Copy {what} as a table", what=what), copy, self.copy_table),
            (tr("Copy picture of {what}", what=what), "", self._copy_picture),
        )

    def _copy_picture(self) -> None:
        QGuiApplication.clipboard().setImage(self.picture())
        self.done.emit(tr("The picture is on the clipboard."))

    def _written(self, kind: FileKind, path: Path) -> Write:
        if kind is not PNG:
            return super()._written(kind, path)
        image = self.picture()
        return lambda: write_whole(path, [png(image)])

    def _on_clicked(self) -> None:
        menu = QMenu(self.button)
        for words, _, run in self.commands():
            menu.addAction(words, run)
        open_below(menu, self.button)
