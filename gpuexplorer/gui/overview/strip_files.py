"""StripFiles: what can be taken along of very many cards, which are a strip and no lines."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.overview.plotted import Plotted
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.saving import CSV, PlotNote, Saving, Write, suggested_name
from gpuexplorer.telemetry.trace import Heading, TraceColumn, TraceSource, write_traces

_EVERY_READING = 10_000_000


class StripFiles(QObject):
    """A sentence over the strip says what came of it."""

    def __init__(self, machine: MachineState, time_window: TimeWindow, strip: QWidget) -> None:
        super().__init__(strip)
        self._machine, self._time_window = machine, time_window
        note = self._note = PlotNote(strip)
        self._saving = Saving(machine.settings, strip)
        self._saving.done.connect(note.show_done)
        self._saving.refused.connect(note.show_refused)

    def copy_figures(self, faces: Sequence[CardFace]) -> None:
        """What each card says now, a line for each."""
        lines = [tr("SIMULATED: every figure is made up.")] if self._simulated else []
        lines += [
            tr("{card}: {figures}", card=face.title, figures=face.spoken) for face in faces
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))
        self._note.show_done(trn("{count} card copied.", "{count} cards copied.", len(faces)))

    def ask_csv(self, cards: Sequence[CardId], plotted: Plotted) -> None:
        """Every reading of the metric in the stretch that is seen, of all cards."""
        start, end = self._time_window.stretch()
        offset = self._time_window.wall(0.0)
        source = tr(self._machine.session.source.label)
        heading = Heading(source, self._simulated, start, end, offset)
        name = suggested_name("cards", end + offset, simulated=self._simulated)

        def write(path: Path) -> Write:
            return partial(_write, path, self._machine.past, cards, plotted, heading)

        self._saving.ask(tr("Save readings of all cards"), name, [CSV], write)

    @property
    def _simulated(self) -> bool:
        return self._machine.session.simulated


def _write(
    path: Path, past: TraceSource, cards: Sequence[CardId], plotted: Plotted, heading: Heading
) -> None:
    """Called from the thread that writes."""
    start, end = heading.start, heading.end
    columns = [
        TraceColumn(
            each,
            METRICS[metric],
            past.trace(each, metric, start, end, _EVERY_READING),
        )
        for each in cards
        for metric in plotted.metrics
    ]
    write_traces(path, columns, heading)
