"""ResultsSaving: measured copies as files: a table, JSON, and a picture of what is seen."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QRectF, Signal
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QMenu, QWidget

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import as_csv, as_json
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.bars.top_bar import SIMULATED
from gpuexplorer.gui.widgets.controls.buttons import FramedButton
from gpuexplorer.gui.widgets.saving import (
    CSV,
    PNG,
    FileKind,
    Saving,
    Take,
    Write,
    png,
    suggested_name,
)
from gpuexplorer.telemetry.whole_file import write_whole

JSON = FileKind(mark("Data"), "json")
_HEADER, _MARGIN = 48, 20
_MODELLED = mark("modelled: no bytes were moved")


class TablesSaving(QObject):
    """Saves a table and data under a name; sentences come as `done` and `refused`."""

    done = Signal(str)
    refused = Signal(str)

    def __init__(self, machine: MachineState, name: str, caption: str, parent: QWidget) -> None:
        """`name` is the file's, `caption` the question's for where it is to go."""
        super().__init__(parent)
        self._machine, self._name, self._caption = machine, name, caption
        self._saving = Saving(machine.settings, parent)
        self._saving.done.connect(self.done)
        self._saving.refused.connect(self.refused)
        self.stop = self._saving.stop
        self.save = self._saving.save
        self.ask_csv = partial(self.ask, CSV, partial(_text_of, self.csv))
        self.ask_json = partial(self.ask, JSON, partial(_text_of, self.json))

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

    def save_csv(self, path: Path) -> None:
        self.save(path, _text_of(self.csv, path))

    def save_json(self, path: Path) -> None:
        self.save(path, _text_of(self.json, path))

    def ask(self, kind: FileKind, take: Take) -> None:
        wall = self._machine.session.clock.wall()
        name = suggested_name(self._name, wall, simulated=self.simulated)
        self._saving.ask(self._caption, name, [kind], take)


class ResultsSaving(TablesSaving):
    """`button` opens the list of what can be saved."""

    def __init__(
        self,
        machine: MachineState,
        name: str,
        title: str,
        what: str,
        results: Callable[[], Sequence[CopyResult]],
        pictured: QWidget,
    ) -> None:
        """`name` is the file's, `title` stands on the picture of `pictured`, `what` is the
        same within a sentence.
        """
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
        seen = self._pictured.grab().toImage()
        scale = seen.devicePixelRatio()
        width = round(seen.width() / scale)
        height = round(seen.height() / scale) + _HEADER
        image = QImage(round(width * scale), round(height * scale), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        image.fill(look().theme.ground)
        with QPainter(image) as painter:
            self._draw_header(Drawing(painter), width)
            painter.drawImage(QPoint(0, _HEADER), seen)
        return image

    def copy_picture(self) -> None:
        QGuiApplication.clipboard().setImage(self.picture())
        self.done.emit(tr("The picture is on the clipboard."))

    def save_png(self, path: Path) -> None:
        self.save(path, self._png(path))

    def ask_png(self) -> None:
        self.ask(PNG, self._png)

    def commands(self, *, copies: bool = True) -> Sequence[tuple[str, str, Callable[[], None]]]:
        """For the list of all commands. `copies`: Ctrl+C takes the table."""
        what = self._what
        return (
            (tr("Save {what} as CSV…", what=what), "Ctrl+S", self.ask_csv),
            (tr("Save {what} as JSON…", what=what), "", self.ask_json),
            (tr("Save {what} as PNG…", what=what), "", self.ask_png),
            (
                tr("Copy {what} as a table", what=what),
                "Ctrl+C" if copies else "",
                self.copy_table,
            ),
            (tr("Copy picture of {what}", what=what), "", self.copy_picture),
        )

    def _png(self, path: Path) -> Write:
        image = self.picture()
        return lambda: write_whole(path, [png(image)])

    def _draw_header(self, drawing: Drawing, width: int) -> None:
        theme, letters = drawing.theme, drawing.letters
        middle, right = _HEADER / 2, float(width - _MARGIN)
        baseline = middle + letters.body.cap_height / 2
        if self.simulated:
            simulated = tr(SIMULATED)
            badge = letters.badge.width(simulated) + 18
            place = QRectF(right - badge, middle - 11, badge, 22)
            drawing.filled(place, theme.simulated, CHIP_RADIUS)
            ink = Run(simulated, letters.badge, theme.simulated_ink)
            drawing.text(place.left() + 9, middle + letters.badge.cap_height / 2, ink)
            run = Run(tr(_MODELLED), letters.caption, theme.quiet)
            right = drawing.runs_right(place.left() - 12, baseline, [run]) - 12
        title = Run(self._title, letters.title, theme.text)
        left = drawing.text(_MARGIN, baseline, title) + 16
        source = Run(tr(self._machine.session.source.label), letters.body, theme.quiet)
        drawing.elided(left, baseline, source, right - left)

    def _on_clicked(self) -> None:
        menu = QMenu(self.button)
        menu.aboutToHide.connect(menu.deleteLater)
        for words, _, run in self.commands():
            menu.addAction(words).triggered.connect(run)
        menu.popup(self.button.mapToGlobal(QPoint(0, self.button.height() + 4)))


def _text_of(text: Callable[[], str], path: Path) -> Write:
    """As it is at this moment."""
    return partial(write_whole, path, [text().encode("utf-8")])
