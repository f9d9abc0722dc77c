"""TimelinePanel: the timeline with what of it is seen, and the way to take it along."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Timeline, trace_pieces
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.moving.timeline_view import TimelineView
from gpuexplorer.gui.copies.moving.timeline_words import TimeFrame, all_of, around, frame_words
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, Space, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.saving import FileKind, Saving, Write, suggested_name
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.telemetry.whole_file import write_whole

TRACE = FileKind(mark("Trace for Perfetto and Chrome"), "json")
_HEAD, _AROUND = 34, 26
_SMALL = 0.03  # of its line


class Filling(StrEnum):
    """What fills the width."""

    COPY = "copy"
    CELL = "cell"
    ALL = "all"


_FILLING = (
    (Filling.COPY, mark("Copy")),
    (Filling.CELL, mark("Cell")),
    (Filling.ALL, mark("All")),
)
Stretch = tuple[float, float]


class TimelinePanel(QFrame):
    """Hidden while nothing was copied. Follows the chosen copy until somebody zooms."""

    done = Signal(str)
    refused = Signal(str)

    def __init__(self, machine: MachineState) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Timeline"))
        self._machine = machine
        self.timeline = Timeline()
        self._book = CopyBook()
        self._writing = False
        self._seen: Filling | None = Filling.CELL
        self._own = True  # nobody has chosen yet what is seen
        self._copy: Stretch | None = None
        self._line: Stretch | None = None
        self.view = TimelineView()
        self.view.framed.connect(self._on_framed)
        title = label(tr("Timeline"), look().letters.title)
        self._words = ElidedLabel(look().letters.body, Tone.QUIET)
        self._choice = Segmented(
            tr("What fills the width"), [(seen, tr(words)) for seen, words in _FILLING]
        )
        self._choice.chosen.connect(self.choose)
        self._save = ToolButton(
            "framed",
            Icon.EXPORT,
            tr("Save the trace"),
            tr("Save it as a trace for Perfetto or Chrome"),
        )
        self._save.clicked.connect(self.ask_trace)
        self._saving = Saving(machine.settings, self)
        self._saving.done.connect(self._on_saved)
        self._saving.refused.connect(self._on_refused)
        head = row(
            title, Space(8), self._words, GROWS, self._choice, self._save, margins=(6, 0, 0, 0)
        )
        lanes = row(self.view, GROWS, self.view.scroll, gap=0)
        column(head, lanes, GROWS, within=self, gap=6, margins=(10, 10, 8, 4))

    def take(self, ledger: Ledger, book: CopyBook, devices: Mapping[str, BenchDevice]) -> None:
        """Cells that are over. While a trace is being written it waits."""
        self._book = book
        if self._writing:
            return
        self.timeline.take(ledger, book)
        self.view.show_session(self.timeline, book, devices)
        self._show_frame()

    def show_copy(
        self, copy: Stretch | None, line: Stretch | None, together: Stretch | None
    ) -> None:
        """Where the chosen copy, its line, and all its repeats lie; None: nobody knows."""
        if (copy, line) == (self._copy, self._line):
            return
        self._copy, self._line = copy, line
        if self._own and line is not None and together is not None:
            # In a line that mostly did something else the copy would not be seen.
            small = together[1] - together[0] < _SMALL * (line[1] - line[0])
            self._seen = Filling.COPY if small else Filling.CELL
        self._show_frame()

    def commands(self) -> Sequence[tuple[str, str, Callable[[], None]]]:
        return (
            (tr("Save the trace of the timeline…"), "Ctrl+S", self.ask_trace),
            (tr("Timeline: the whole session"), "", partial(self.choose, Filling.ALL)),
            (tr("Timeline: the chosen copy"), "", partial(self.choose, Filling.COPY)),
        )

    def choose(self, seen: Filling) -> None:
        self._seen, self._own = seen, False
        self._show_frame()

    def wanted_height(self, most: int) -> int:
        return min(most, self.view.sizeHint().height() + _HEAD + _AROUND)

    def ask_trace(self) -> None:
        session = self._machine.session
        name = suggested_name("copies-trace", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Save the trace"), name, [TRACE], self._trace_for)

    def save_trace(self, path: Path) -> None:
        self._saving.save(path, self._trace_for(path))

    def _show_frame(self) -> None:
        whole, before = self.timeline.length, self.view.frame
        line = self._line or self._copy
        frame = before.grown(whole)
        if self._seen is Filling.ALL or (self._seen is not None and line is None):
            frame = all_of(whole)
        elif self._seen is Filling.CELL and line is not None:
            frame = around(*line, whole)
        elif self._seen is Filling.COPY and line is not None:
            frame = around(*(self._copy or line), whole)
        self._show(frame)

    def _show(self, frame: TimeFrame) -> None:
        self.view.show_frame(frame)
        self._words.show_text(frame_words(frame, modelled=self.timeline.modelled))
        self._choice.show_choice(self._seen)

    def _trace_for(self, path: Path) -> Write:
        """Written in a thread of its own; until it is, nothing is taken in."""
        self._writing = True
        pieces = trace_pieces(
            self.timeline,
            self._book,
            simulated=self._machine.session.simulated,
            machine=self._machine.name,
        )
        write: Callable[[], object] = partial(write_whole, path, pieces)
        return write

    def _on_framed(self, frame: TimeFrame) -> None:
        self._seen, self._own = None, False
        self._show(frame)

    def _on_saved(self, words: str) -> None:
        self._writing = False
        self.done.emit(words)

    def _on_refused(self, words: str) -> None:
        self._writing = False
        self.refused.emit(words)
