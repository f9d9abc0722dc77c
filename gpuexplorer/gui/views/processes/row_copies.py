"""RowCopies: rows taken along, to the clipboard or into a file, saying where they come from."""

import csv
import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.spreadsheet import harmless, tabbed
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.views.processes.cells import Surroundings
from gpuexplorer.gui.views.processes.lines import Line
from gpuexplorer.gui.widgets.saving import CSV, Saving, Write, suggested_name
from gpuexplorer.telemetry.process_book import BookRow
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.whole_file import write_whole

SIMULATED_LINE = mark("SIMULATED: these processes are made up")
_FACTS = (
    *("taken_at", "simulated", "card", "card_id", "pid", "kind", "user", "command"),
    *("container", "started_at", "standing"),
)
_FIGURES = {
    ProcessFigure.MEMORY: "memory [B]",
    ProcessFigure.SM: "sm [ratio]",
    ProcessFigure.MEMORY_CONTROLLER: "memory_controller [ratio]",
    ProcessFigure.ENCODER: "encoder [ratio]",
    ProcessFigure.DECODER: "decoder [ratio]",
}


class RowCopies(QObject):
    """`say` shows a sentence to the person: what was saved where, or why not."""

    def __init__(
        self,
        machine: MachineState,
        table: Table[Line],
        shown: Callable[[], tuple[Sequence[Line], Surroundings]],
        say: Callable[[str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._machine = machine
        self._table = table
        self._shown = shown
        self._say = say
        self._saving = Saving(machine.settings, parent)
        self._saving.done.connect(say)
        self._saving.refused.connect(say)

    def copy(self) -> None:
        """What is picked, or all where nothing is."""
        lines = self._table.picked() or self._shown()[0]
        captions, rows = self._table.texts(lines)
        simulated = self._machine.session.simulated
        text = tabbed(captions, rows, tr(SIMULATED_LINE) if simulated else "")
        QGuiApplication.clipboard().setText(text)
        self._say(trn("{count} row copied.", "{count} rows copied.", len(rows)))

    def ask_where(self) -> None:
        """Opens the system's own question and returns at once."""
        session = self._machine.session
        name = suggested_name("processes", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Export processes"), name, [CSV], self._csv)

    def stop(self) -> None:
        self._saving.stop()

    def _csv(self, path: Path) -> Write:
        """All rows that are shown, programs with the processes under them."""
        lines, around = self._shown()
        rows = [row for line in lines for row in line.rows]
        session = self._machine.session
        now = datetime.fromtimestamp(session.clock.wall(), UTC).astimezone()
        text = as_csv(
            rows, around, now.isoformat(timespec="seconds"), simulated=session.simulated
        )
        return partial(write_whole, path, [text.encode("utf-8")])


def as_csv(
    rows: Sequence[BookRow], around: Surroundings, taken_at: str, *, simulated: bool
) -> str:
    """In SI units. The last column says for each blank why, so that no blank is a riddle."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_FACTS, *_FIGURES.values(), "cpu [cores]", "host_memory [B]", "missing"])
    for row in rows:
        writer.writerow(_csv_row(row, around, taken_at, simulated=simulated))
    return text.getvalue()


def _csv_row(
    row: BookRow, around: Surroundings, taken_at: str, *, simulated: bool
) -> list[str]:
    named = row.named
    process = named.process
    facts = [
        taken_at,
        "yes" if simulated else "no",
        _number(process.card, around),
        process.card,
        str(process.pid),
        process.use.value,
        named.user or "",
        named.command or "",
        named.container or "",
        _plain(named.started_at),
        row.standing.value,
    ]
    figures = [_plain(process.values.get(figure)) for figure in _FIGURES]
    reasons = [
        f"{figure.value}: {absence.sentence}" for figure, absence in process.missing.items()
    ]
    if named.reason:
        reasons.append(f"name: {named.reason}")
    host = [_plain(named.cpu), _plain(named.memory_bytes)]
    return [*map(harmless, facts), *figures, *host, "; ".join(reasons)]


def _number(card: CardId, around: Surroundings) -> str:
    return around.chip(card).text


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"
