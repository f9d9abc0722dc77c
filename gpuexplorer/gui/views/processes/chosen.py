"""Chosen: what is known of the rows that are picked, and which of their processes may end."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.views.processes.lines import Line
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.processes.process_words import (
    Held,
    lasted,
    name_reason,
    on_cards,
    short_since,
    standing_reason,
)
from gpuexplorer.telemetry.ending import refusal
from gpuexplorer.telemetry.process_book import BookRow, Standing
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import ProcessFigure, ProcessUse

_OVER = (Standing.ENDED, Standing.LEFT)
_USES = {
    ProcessUse.COMPUTE: mark("computes"),
    ProcessUse.GRAPHICS: mark("draws on a screen"),
    ProcessUse.BOTH: mark("computes and draws on a screen"),
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """Processes, not rows: one that uses eight cards is one."""

    rows: Sequence[BookRow]  # one of each process
    held: Mapping[int, Held]  # by pid, on all cards and not only on those picked

    @property
    def commands(self) -> Sequence[str]:
        names = [row.named for row in self.rows]
        return list(dict.fromkeys(named.command or name_reason(named)[1] for named in names))

    def may_end(self) -> Sequence[NamedProcess]:
        return [row.named for row in self.rows if not _why_not(row)]

    def left_out(self) -> Sequence[str]:
        """Why each of the others may not."""
        return [why for row in self.rows if (why := _why_not(row))]

    def facts(self, units: Units, wall: float) -> str:
        if len(self.rows) > 1:
            held = on_cards(together(self.held.values()), units)
            return trn(
                "{count} process: {held}",
                "{count} processes: {held}",
                len(self.rows),
                held=listed(held),
            )
        [row] = self.rows
        named = row.named
        parts = [tr("pid {pid}", pid=named.process.pid), named.user or ""]
        parts += [tr(_USES[named.process.use]), *on_cards(self.held[named.process.pid], units)]
        if named.container:
            parts.append(tr("container {name}", name=named.container))
        if named.started_at is not None:
            since, lasts = short_since(named.started_at, wall), lasted(wall - named.started_at)
            parts.append(tr("since {time}, for {duration}", time=since, duration=lasts))
        return " · ".join(part for part in parts if part)


def together(each_held: Iterable[Held]) -> Held:
    """What several hold on each card; None where it is not told of one of them."""
    sums: dict[str, float | None] = {}
    for held in each_held:
        for number, known in held.items():
            before = sums.get(number, 0.0)
            sums[number] = None if known is None or before is None else before + known
    return sums


def chosen(
    lines: Sequence[Line], rows: Sequence[BookRow], cards: Mapping[CardId, Shown]
) -> Chosen:
    """`rows` are all there are, of all cards."""
    by_pid = {row.named.process.pid: row for line in lines for row in line.rows}
    held: dict[int, dict[str, float | None]] = {pid: {} for pid in by_pid}
    for row in rows:
        process = row.named.process
        if process.pid in held and row.standing not in _OVER:
            shown = cards.get(process.card)
            number = process.card if shown is None else shown.number
            held[process.pid][number] = process.values.get(ProcessFigure.MEMORY)
    return Chosen(list(by_pid.values()), held)


def _why_not(row: BookRow) -> str:
    reason = standing_reason(row.standing) if row.standing in _OVER else None
    return tr(refusal(row.named)) if reason is None else reason[1]
