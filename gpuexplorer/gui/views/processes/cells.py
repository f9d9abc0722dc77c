"""ProcessCells: what stands in each column of a process, or of a program with several."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.tables.cell import NO_CELL, Cell, Chip, Spark
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.processes.lines import Line, over_pids, told
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.processes.process_words import (
    Reason,
    absence_reason,
    gigabytes,
    long_since,
    name_reason,
    percent,
    short_since,
    standing_reason,
)
from gpuexplorer.telemetry.process_book import BookRow, ProcessPast, Standing
from gpuexplorer.telemetry.processes import ProcessFigure, ProcessUse

SPAN = 240.0  # seconds of the small history
_USES = {
    ProcessUse.COMPUTE: mark("C: it computes"),
    ProcessUse.GRAPHICS: mark("G: it draws on a screen"),
    ProcessUse.BOTH: mark("C+G: it computes and draws on a screen"),
}


@dataclass(frozen=True)
class Surroundings:
    """What cells need to know besides the process."""

    cards: Mapping[CardId, Shown] = field(default_factory=dict)
    units: Units = USUAL
    now: float = 0.0  # steady seconds
    wall: float = 0.0
    past: Callable[[CardId, int], ProcessPast] = lambda card, pid: ProcessPast()

    @cached_property
    def places(self) -> Mapping[CardId, int]:
        """The order of the cards."""
        return {card: place for place, card in enumerate(self.cards)}

    def chip(self, card: CardId) -> Chip:
        shown = self.cards.get(card)
        return Chip(card, None) if shown is None else Chip(shown.number, shown.colour)


class ProcessCells:
    """They are asked anew with each look; `around` says what holds then."""

    def __init__(self, around: Surroundings | None = None) -> None:
        self.around = around or Surroundings()

    def place(self, line: Line) -> int:
        """Of the first of its cards."""
        return min(self._place(row.named.process.card) for row in line.rows)

    def card(self, line: Line) -> Cell:
        cards = sorted({row.named.process.card for row in line.rows}, key=self._place)
        names = []
        for card in cards:
            shown, number = self.around.cards.get(card), self.around.chip(card).text
            if shown:
                names.append(tr("Card {number}: {name}", number=number, name=shown.card.name))
            else:
                names.append(tr("Card {number}", number=number))
        chips = tuple(self.around.chip(card) for card in cards)
        return Cell(chips=chips, hint="\n".join(names))

    def command(self, line: Line) -> Cell:
        named = line.rows[0].named
        if named.command is None:
            return _absent(name_reason(named))
        over = all(row.standing is not Standing.THERE for row in line.rows)
        return Cell(
            text=named.command,
            mono=True,
            tone=Tone.FAINT if over else Tone.QUIET if line.of_program else Tone.TEXT,
            mark=tr("this window") if named.ours else "",
            hint=named.command,
        )

    def pid(self, line: Line) -> Cell:
        pids = line.pids
        if len(pids) == 1:
            return Cell(text=str(pids[0]), tone=Tone.QUIET)
        hint = trn(
            "{count} process: {pids}",
            "{count} processes: {pids}",
            len(pids),
            pids=listed([*map(str, pids)]),
        )
        text = trn("{count} pid", "{count} pids", len(pids))
        return Cell(text=text, tone=Tone.QUIET, hint=hint)

    def user(self, line: Line) -> Cell:
        return _text(line, lambda row: row.named.user)

    def use(self, line: Line) -> Cell:
        uses = sorted({row.named.process.use for row in line.rows})
        hint = "\n".join(tr(_USES[use]) for use in uses)
        return Cell(text=" ".join(uses), tone=Tone.QUIET, hint=hint)

    def container(self, line: Line) -> Cell:
        if line.rows[0].named.resolved and not any(row.named.container for row in line.rows):
            hint = tr("It does not run in a container that is known.")
            return Cell(absent=(tr("none"),), hint=hint)
        return _text(line, lambda row: row.named.container)

    def started(self, line: Line) -> float | None:
        return min((at for row in line.rows if (at := row.named.started_at)), default=None)

    def since(self, line: Line) -> Cell:
        started, wall = self.started(line), self.around.wall
        if started is None:
            return _unnamed(line)
        hint = long_since(started, wall)
        return Cell(text=short_since(started, wall), tone=Tone.QUIET, hint=hint)

    def cpu(self, line: Line) -> Cell:
        return _of_host(line, lambda row: row.named.cpu, percent, tr("soon"))

    def host_memory(self, line: Line) -> Cell:
        def written(value: float) -> str:
            return gigabytes(value, self.around.units)

        return _of_host(line, lambda row: row.named.memory_bytes, written, tr("not told"))

    def memory(self, line: Line) -> Cell:
        values, units = told(line, ProcessFigure.MEMORY), self.around.units
        if not values:
            return _not_told(line, ProcessFigure.MEMORY)
        hint = _by_rows(line, len(values), str(memory(sum(values), units)))
        return Cell(text=gigabytes(sum(values), units), hint=hint)

    def share(self, figure: ProcessFigure) -> Callable[[Line], Cell]:
        """Shares of several cards do not add up: the lowest and the highest are told."""

        def share(line: Line) -> Cell:
            values = told(line, figure)
            if not values:
                return _not_told(line, figure)
            low, high = percent(min(values)), percent(max(values))
            text = high if low == high else f"{low}–{high}"
            return Cell(text=text, hint=_by_rows(line, len(values), f"{text} %"))

        return share

    def history(self, line: Line) -> Cell:
        """Of a program on several cards there is one in each of its rows."""
        if line.under:
            return NO_CELL
        process, around = line.rows[0].named.process, self.around
        past = around.past(process.card, process.pid)
        shares = _known(past.sm)
        if not shares:
            return _not_told(line, ProcessFigure.SM)
        colour = around.chip(process.card).colour
        spark = Spark(past.times, past.sm, around.now - SPAN, around.now, 1.0, colour)
        return Cell(spark=spark, hint=_past_in_words(shares, past, around.units))

    def _place(self, card: CardId) -> int:
        return self.around.places.get(card, len(self.around.places))


def _absent(reason: Reason) -> Cell:
    return Cell(absent=reason[0], hint=reason[1])


def _unnamed(line: Line) -> Cell:
    """Why it is not known who it is, in the words that fit a narrow column."""
    words, sentence = name_reason(line.rows[0].named)
    return Cell(absent=words[1:], hint=sentence)


def _text(line: Line, ask: Callable[[BookRow], str | None]) -> Cell:
    texts = dict.fromkeys(text for row in line.rows if (text := ask(row)))
    return Cell(text=", ".join(texts), tone=Tone.QUIET) if texts else _unnamed(line)


def _of_host(
    line: Line,
    ask: Callable[[BookRow], float | None],
    written: Callable[[float], str],
    not_yet: str,
) -> Cell:
    """What the computer, and not the card, tells of a process."""
    value = over_pids(line, ask)
    if value is not None:
        pids = len(line.pids)
        hint = trn("Of {count} process", "Of {count} processes together", pids)
        return Cell(text=written(value), hint=hint if pids > 1 else "")
    row = line.rows[0]
    if row.standing is Standing.ENDED:
        return Cell(absent=(tr("has ended"), tr("ended")), hint=tr("It has ended."))
    if row.named.resolved:
        return Cell(absent=(not_yet,), hint=tr("It is told with the next look."))
    return _unnamed(line)


def _by_rows(line: Line, count: int, figure: str) -> str:
    if len(line.rows) == 1:
        return figure
    rows = len(line.rows)
    return tr(
        "{figure}, as told by {count} of {rows} rows", figure=figure, count=count, rows=rows
    )


def _not_told(line: Line, figure: ProcessFigure) -> Cell:
    row = line.rows[0]
    reason = standing_reason(row.standing)
    if reason is None:
        absence = row.named.process.missing.get(figure)
        if absence is None:
            return NO_CELL
        reason = absence_reason(absence)
    return _absent(reason)


def _known(values: Sequence[float]) -> list[float]:
    return [each for each in values if math.isfinite(each)]


def _past_in_words(shares: Sequence[float], past: ProcessPast, units: Units) -> str:
    mean, most = percent(sum(shares) / len(shares)), percent(max(shares))
    said = [tr("SM: mean {mean} %, most {most} %", mean=mean, most=most)]
    held = _known(past.memory)
    if held:
        least, largest = memory(min(held), units), memory(max(held), units)
        said.append(tr("Memory: {least} to {largest}", least=least, largest=largest))
    said.append(trn("in {count} look", "in {count} looks", len(past.times)))
    return "\n".join(said)
