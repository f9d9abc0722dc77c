"""CopiesPage: one page of the screen of copies, and what stands beside the tabs for it."""

import json
from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QWidget

from gpuexplorer.copies.result import CopyResult, as_csv, as_json
from gpuexplorer.core.words import mark
from gpuexplorer.gui.copies.results_saving import ResultsSaving
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.widgets.laid_out import column
from gpuexplorer.gui.widgets.live_view import KeyGroup, scrolled
from gpuexplorer.gui.widgets.saving import PlotNote

# Words, keys and what is done. Pages may have the same keys, which hold while one is seen.
PageCommand = tuple[str, str, Callable[[], None]]
Heard = tuple[SignalInstance, Callable[..., object]]


class TellsOutcome(Protocol):
    """What says by signals what came of it, in a sentence."""

    @property
    def done(self) -> SignalInstance: ...
    @property
    def refused(self) -> SignalInstance: ...


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

    def tell_of(self, files: TellsOutcome) -> None:
        """What came of saving and opening files is told in a sentence over the page."""
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

    def saved_as(self, name: str, title: str, what: str, pictured: QWidget) -> ResultsSaving:
        machine = self.copies.lab.machine
        saving = ResultsSaving(machine, name, title, what, self.csv, self.json, pictured)
        self.tell_of(saving)
        return saving

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
