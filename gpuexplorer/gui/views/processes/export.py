"""Rows as text for the clipboard, and as a file that can be computed with."""

import csv
import io
from collections.abc import Sequence

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.views.processes.cells import Surroundings
from gpuexplorer.telemetry.process_book import BookRow
from gpuexplorer.telemetry.processes import ProcessFigure

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


def as_text(captions: Sequence[str], rows: Sequence[Sequence[str]], *, simulated: bool) -> str:
    """What stands on the screen, with tabs between; a spreadsheet takes it as a table."""
    lines = [tr(SIMULATED_LINE)] if simulated else []
    lines.append("\t".join(captions))
    lines += ["\t".join(_harmless(" ".join(each.split())) for each in row) for row in rows]
    return "\n".join(lines) + "\n"


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
    return [*map(_harmless, facts), *figures, *host, "; ".join(reasons)]


def _number(card: CardId, around: Surroundings) -> str:
    return around.chip(card).text


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"


def _harmless(text: str) -> str:
    """A spreadsheet takes a text that begins so for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
