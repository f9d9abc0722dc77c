"""What stands in each column of a process, or of a program with several."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.processes.arrangement import Line, over_pids, told
from gpuexplorer.gui.views.processes.columns import FIGURES, Column
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.cell import NO_CELL, Cell, Chip, Spark
from gpuexplorer.gui.wording.processes.process_words import (
    THIS_WINDOW,
    USES,
    Reason,
    absence_reason,
    counted,
    gigabytes,
    listed,
    long_since,
    name_reason,
    percent,
    short_since,
    standing_reason,
)
from gpuexplorer.telemetry.process_book import BookRow, ProcessPast, Standing

SPAN = 240.0  # seconds of the small history


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What cells need to know besides the process."""

    cards: Mapping[CardId, Shown] = field(default_factory=dict)
    units: Units = USUAL
    now: float = 0.0  # steady seconds
    wall: float = 0.0
    past: Callable[[CardId, int], ProcessPast] = lambda card, pid: ProcessPast()

    def chip(self, card: CardId) -> Chip:
        shown = self.cards.get(card)
        return Chip(card, None) if shown is None else Chip(shown.number, shown.colour)


def cell(line: Line, column: Column, around: Surroundings) -> Cell:
    match column:
        case Column.CARD:
            return _card(line, around)
        case Column.COMMAND:
            return _command(line)
        case Column.PID:
            return _pid(line)
        case Column.USER:
            return _text(line, lambda row: row.named.user or "", Tone.QUIET)
        case Column.USE:
            return _use(line)
        case Column.CONTAINER:
            return _container(line)
        case Column.SINCE:
            return _since(line, around)
        case Column.CPU:
            return _of_host(line, lambda row: row.named.cpu, percent, "soon")
        case Column.HOST_MEMORY:
            return _of_host(
                line,
                lambda row: row.named.memory_bytes,
                lambda value: gigabytes(value, around.units),
                "not told",
            )
        case Column.HISTORY:
            return _history(line, around)
        case Column.MEMORY:
            return _memory(line, around)
        case Column.SM | Column.CONTROLLER | Column.ENCODER | Column.DECODER:
            return _share(line, column)


def _card(line: Line, around: Surroundings) -> Cell:
    cards = list(dict.fromkeys(row.named.process.card for row in line.rows))
    cards.sort(key=lambda card: _place(card, around))
    names = []
    for card in cards:
        shown = around.cards.get(card)
        number = around.chip(card).text
        names.append(f"Card {number}: {shown.card.name}" if shown else f"Card {number}")
    return Cell(chips=tuple(around.chip(card) for card in cards), hint="\n".join(names))


def _place(card: CardId, around: Surroundings) -> int:
    return next((at for at, each in enumerate(around.cards) if each == card), len(around.cards))


def _command(line: Line) -> Cell:
    named = line.rows[0].named
    over = all(row.standing is not Standing.THERE for row in line.rows)
    if named.command is None:
        words, sentence = name_reason(named)
        return Cell(absent=words, hint=sentence)
    return Cell(
        text=named.command,
        mono=True,
        tone=Tone.FAINT if over else Tone.QUIET if line.of_program else Tone.TEXT,
        mark=THIS_WINDOW if named.ours else "",
        hint=named.command,
    )


def _pid(line: Line) -> Cell:
    pids = line.pids
    if len(pids) > 1:
        hint = f"{counted(len(pids), 'process', 'processes')}: {listed([*map(str, pids)])}"
        return Cell(text=f"{len(pids)} pids", tone=Tone.QUIET, hint=hint)
    return Cell(text=str(pids[0]), tone=Tone.QUIET)


def _text(line: Line, ask: Callable[[BookRow], str], tone: Tone) -> Cell:
    texts = list(dict.fromkeys(text for row in line.rows if (text := ask(row))))
    if texts:
        return Cell(text=", ".join(texts), tone=tone)
    words, sentence = name_reason(line.rows[0].named)
    return Cell(absent=words[1:], hint=sentence)


def _use(line: Line) -> Cell:
    uses = sorted({row.named.process.use for row in line.rows})
    hint = "\n".join(f"{use.value}: it {USES[use]}" for use in uses)
    return Cell(text=" ".join(uses), tone=Tone.QUIET, hint=hint)


def _container(line: Line) -> Cell:
    if line.rows[0].named.resolved and not any(row.named.container for row in line.rows):
        return Cell(absent=("none",), hint="It does not run in a container that is known.")
    return _text(line, lambda row: row.named.container or "", Tone.QUIET)


def _since(line: Line, around: Surroundings) -> Cell:
    started = min((at for row in line.rows if (at := row.named.started_at)), default=None)
    if started is None:
        words, sentence = name_reason(line.rows[0].named)
        return Cell(absent=words[1:], hint=sentence)
    text, hint = short_since(started, around.wall), long_since(started, around.wall)
    return Cell(text=text, tone=Tone.QUIET, hint=hint)


def _of_host(
    line: Line,
    ask: Callable[[BookRow], float | None],
    write: Callable[[float], str],
    not_yet: str,
) -> Cell:
    """What the computer, and not the card, tells of a process."""
    value = over_pids(line, ask)
    if value is not None:
        pids = len(line.pids)
        return Cell(text=write(value), hint=f"Of {pids} processes together" if pids > 1 else "")
    words, sentence = _why_no_host_figure(line, not_yet)
    return Cell(absent=words, hint=sentence)


def _why_no_host_figure(line: Line, not_yet: str) -> Reason:
    row = line.rows[0]
    if row.standing is Standing.ENDED:
        return ("has ended", "ended"), "It has ended."
    if row.named.resolved:
        return (not_yet,), "It is told with the next look."
    words, sentence = name_reason(row.named)
    return words[1:], sentence


def _memory(line: Line, around: Surroundings) -> Cell:
    values = told(line, Column.MEMORY)
    if not values:
        return _not_told(line, Column.MEMORY)
    return Cell(
        text=gigabytes(sum(values), around.units),
        hint=_of_rows(line, len(values), str(memory(sum(values), around.units))),
    )


def _share(line: Line, column: Column) -> Cell:
    """Shares of several cards do not add up: the lowest and the highest are told."""
    values = told(line, column)
    if not values:
        return _not_told(line, column)
    low, high = percent(min(values)), percent(max(values))
    text = high if low == high else f"{low}–{high}"
    return Cell(text=text, hint=_of_rows(line, len(values), f"{text} %"))


def _of_rows(line: Line, count: int, figure: str) -> str:
    if len(line.rows) == 1:
        return figure
    return f"{figure}, as told by {count} of {len(line.rows)} rows"


def _not_told(line: Line, column: Column) -> Cell:
    row = line.rows[0]
    reason = standing_reason(row.standing)
    if reason is None:
        absence = row.named.process.missing.get(FIGURES[column])
        if absence is None:
            return NO_CELL
        reason = absence_reason(absence)
    return Cell(absent=reason[0], hint=reason[1])


def _history(line: Line, around: Surroundings) -> Cell:
    """Of a program on several cards there is one in each of its rows."""
    if line.under:
        return NO_CELL
    row = line.rows[0]
    process = row.named.process
    past = around.past(process.card, process.pid)
    shares = np.asarray(past.sm, float)
    shares = shares[np.isfinite(shares)]
    if shares.size == 0:
        return _not_told(line, Column.SM)
    spark = Spark(
        past.times,
        past.sm,
        around.now - SPAN,
        around.now,
        1.0,
        around.chip(process.card).colour,
    )
    return Cell(spark=spark, hint=_past_in_words(shares, past, around.units))


def _past_in_words(shares: NDArray[np.float64], past: ProcessPast, units: Units) -> str:
    words = f"SM: mean {percent(shares.mean())} %, most {percent(shares.max())} %"
    held = np.asarray(past.memory, float)
    held = held[np.isfinite(held)]
    if held.size:
        words += f"\nMemory: {memory(held.min(), units)} to {memory(held.max(), units)}"
    return f"{words}\nin {counted(len(past.times), 'look')}"
