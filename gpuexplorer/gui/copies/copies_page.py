"""CopiesPage: one page of the screen of copies, and what stands beside the tabs for it; and
what several pages have: what is saved, how far the measuring is, sizes to choose.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QGuiApplication, QHideEvent, QImage, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QMenu,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from gpuexplorer.copies.jobs import USUAL_BYTES
from gpuexplorer.copies.result import CopyResult, as_csv, as_json
from gpuexplorer.core.units import bytes_words, seconds_words
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.top_bar import SourceBadge
from gpuexplorer.gui.widgets.controls.buttons import MenuButton, ToolButton, open_below
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import KeyGroup, scrolled
from gpuexplorer.gui.widgets.saving import (
    CSV,
    JSON,
    PNG,
    FileKind,
    PlotNote,
    Saving,
    Write,
    picture,
    png,
    suggested_name,
)
from gpuexplorer.telemetry.whole_file import write_whole

SIZES = (1 << 20, 16 << 20, 64 << 20, USUAL_BYTES, 1 << 30)  # of a copy, to choose from
_STEPS = 1000
_SILENT = 30.0  # seconds: a large copy and PyTorch's start take less
# Words, keys and what is done. Pages may have the same keys, which hold while one is seen.
PageCommand = tuple[str, str, Callable[[], None]]
Heard = tuple[SignalInstance, Callable[..., object]]
MOVING_KEYS: Sequence[KeyGroup] = (
    (
        mark("Table of copies"),
        (
            ("Up Down PgUp PgDown", mark("To another copy")),
            ("Esc", mark("Choose none, and follow the newest")),
        ),
    ),
    (
        mark("Timeline of copies"),
        (
            ("Left Right", mark("Move the moment")),
            ("Ctrl+Left Ctrl+Right", mark("Move what is seen")),
            ("+ -", mark("Zoom in or out")),
            ("Up Down", mark("Scroll the rows")),
            ("Home End", mark("To the beginning, or the end")),
        ),
    ),
)
MATRIX_KEYS: Sequence[KeyGroup] = (
    (
        mark("Cells of the matrix"),
        (
            ("Arrows", mark("To another cell")),
            ("PgUp PgDown", mark("Eight rows on")),
            ("Home End", mark("To the ends of the row")),
            ("Enter Space", mark("To the button that measures it")),
            ("Esc", mark("Choose none")),
        ),
    ),
)
SWEEP_KEYS: Sequence[KeyGroup] = (
    (
        mark("Rates over size"),
        (
            ("Left Right Home End", mark("To another size")),
            ("Up Down", mark("To another way")),
            ("Esc", mark("No size")),
        ),
    ),
    (
        mark("Table of ways"),
        (("Up Down Home End", mark("To another way")), ("Del", mark("Take the way away"))),
    ),
)


class CopiesPage(QWidget):
    """Made when it is first opened. `pull` is called while it is seen."""

    page_asked = Signal(str)  # the name of another page is to be opened
    simulated_cards_asked = Signal()
    key_groups: ClassVar[Sequence[KeyGroup]] = ()  # taken by its parts
    tools: Sequence[QWidget] = ()  # buttons at the right end of the row of tabs

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.copies = copies
        self.note = PlotNote(self)
        self._following = False

    def tell_of(self, files: Saving) -> None:
        """What came of it is told in a sentence over the page."""
        files.done.connect(self.note.show_done)
        files.refused.connect(self.note.show_refused)

    def show_scrolled(self, content: QWidget) -> QScrollArea:
        """All of the page."""
        content.setProperty("panel", "page")
        area = scrolled(content, "page")
        column(area, within=self)
        return area

    def primary_button(self, words: str, run: Callable[[], None]) -> QPushButton:
        button = QPushButton(words)
        button.setProperty("kind", "primary")
        button.clicked.connect(run)
        return button

    def results(self) -> Sequence[CopyResult]:
        """What is saved of it, unless it writes its files by itself."""
        return ()

    def csv(self) -> str:
        return as_csv(self.results(), simulated=self.copies.modelled)

    def json(self) -> str:
        told = as_json(self.results(), simulated=self.copies.modelled)
        return json.dumps(told, indent=1) + "\n"

    def start_search(self) -> bool:
        """False where there is nothing to search."""
        return False

    def pull(self) -> None:
        """Bring up to date what follows the cards' readings."""

    def stop(self) -> None:
        """For good. Harmless when called twice."""

    def commands(self) -> Sequence[PageCommand]:
        return ()

    def heard(self) -> Sequence[Heard]:
        """Signals that only draw, and what they set off while it is seen."""
        return (self.copies.changed, self.begin), (self.copies.progressed, self.pull)

    def begin(self) -> None:
        """It is seen from now on, and what happened meanwhile was not heard."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._hear(seen=True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._hear(seen=False)

    def _hear(self, *, seen: bool) -> None:
        if seen is self._following:
            return  # Qt also hides what was never shown
        self._following = seen
        for signal, slot in self.heard():
            (signal.connect if seen else signal.disconnect)(slot)
        if seen:
            self.begin()


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
        self, page: CopiesPage, name: str, title: str, what: str, pictured: QWidget
    ) -> None:
        """`what` is saved, in the words of a sentence; `title` stands over its picture."""
        super().__init__(page.copies.lab.machine, name, tr("Save {what}", what=what), pictured)
        page.tell_of(self)
        self._title, self._what = title, what
        self._page, self._pictured = page, pictured
        meaning = tr("Save {what} as a table, data or a picture", what=what)
        self.button = ToolButton("framed", Icon.EXPORT, tr("Save"), meaning)
        self.button.clicked.connect(self._on_clicked)

    def csv(self) -> str:
        return self._page.csv()

    def json(self) -> str:
        return self._page.json()

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


class MeasuringStrip(QWidget):
    """Empty while nothing is measured and nothing went wrong."""

    def __init__(self, copies: CopiesState) -> None:
        super().__init__()
        self._copies = copies
        self._bar = QProgressBar(maximum=_STEPS, textVisible=False)
        self._bar.setFixedSize(96, 4)
        self._bar.setAccessibleName(tr("Measured so far"))
        self._words = ElidedLabel(look().letters.body, Tone.QUIET)
        self._stop = ToolButton("word", Icon.CLOSE, tr("Stop"))
        self._stop.setAccessibleDescription(tr("End it at once; what was measured stays"))
        self._stop.clicked.connect(copies.stop)
        row(self._bar, self._words, GROWS, self._stop, within=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        copies.progressed.connect(self.pull)
        self.pull()

    def pull(self) -> None:
        copies, progress = self._copies, self._copies.progress
        self.setVisible(copies.running or bool(copies.sentence))
        for part in (self._bar, self._stop):
            part.setVisible(copies.running)
        said, done = tr("Measuring begins"), 0.0
        if progress is not None and progress.of:
            words, left = mark("Measuring {number} of {all}"), progress.seconds_left or 0.0
            if left:
                words = mark("Measuring {number} of {all}, about {time} left")
            number = min(progress.done + 1, progress.of)
            said = tr(words, number=number, all=progress.of, time=seconds_words(left))
            begun = progress.taken / progress.samples if progress.samples else 0.0
            done = (progress.done + begun) / progress.of
        if copies.silent > _SILENT:  # nobody but a person ends what hangs
            words = mark("{progress}: no answer for {time}. Stop ends it")
            said = tr(words, progress=said, time=seconds_words(copies.silent))
        said = tr("Waiting for PyTorch") if copies.lacking else said
        self._words.show_text(said if copies.running else tr(copies.sentence))
        restyle(self._words, "tone", (Tone.QUIET if copies.running else Tone.BAD).value)
        self._bar.setValue(round(done * _STEPS))


class SizeButton(MenuButton):
    """Says how many bytes, and opens a menu of other sizes."""

    chosen = Signal(object)  # bytes

    def __init__(self, name: str, sizes: Sequence[int] = SIZES) -> None:
        super().__init__(name)
        self._sizes, self._size = sizes, 0
        self.about_to_open.connect(self._on_opening)

    def show_size(self, size: int) -> None:
        self._size = size
        self.show_words(bytes_words(size))

    def _on_opening(self, menu: QMenu) -> None:
        for size in self._sizes:
            action = menu.addAction(bytes_words(size), partial(self.chosen.emit, size))
            action.setCheckable(True)
            action.setChecked(size == self._size)


def on_keys(widget: QWidget, keys: Sequence[str], run: Callable[[], None]) -> None:
    """While it has the keyboard."""
    action = QAction(widget, shortcutContext=Qt.ShortcutContext.WidgetShortcut)
    action.setShortcuts([QKeySequence(each) for each in keys])
    action.triggered.connect(run)
    widget.addAction(action)


def factor_words(factor: float) -> str:
    """Three digits that matter, in groups: "8.2", "176", "1 410 000"."""
    if factor < 10:
        return f"{factor:.1f}"
    rounded = float(f"{factor:.3g}")
    return f"{rounded:,.0f}".replace(",", "\N{THIN SPACE}")
