"""What was in the lab when its recording began, as what would make it again."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from gpuexplorer.lab.events import (
    Asked,
    Began,
    Event,
    Failed,
    Finished,
    Freed,
    Pictured,
    Placed,
    Printed,
    Spans,
    Transferred,
    Watched,
)
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.recording.lab_said import Gone, Sent, StartedOver

_FIRST = 0  # the command of every session's first cell


def past_of(ledger: Ledger) -> Iterator[Sent | Gone | StartedOver | Event]:
    """In the order of the cells, each with what became of it when it last ran."""
    life, there = 0, set[str]()
    for number, cell in enumerate(ledger.cells):
        if number and number == ledger.first:
            yield StartedOver()
        yield Sent(
            **vars(cell.command),
            cures=cell.cures,
            by_form=cell.by_form,
            outside=cell.outside,
            past=True,
        )
        if cell.runs and cell.life != life and ledger.hello is not None:
            life, there = cell.life, set()
            yield ledger.hello
        there |= cell.placed.keys()
        yield from _became_of(cell)
    if life != ledger.life:
        yield Gone()
    else:
        yield from (Freed(_FIRST, name) for name in sorted(there - ledger.things.keys()))
    for command in ledger.replaying:
        again = ledger.cell(command)
        assert again is not None  # it is open
        yield Sent(**{**vars(again.command), "id": command}, again=True, past=True)
        if again.state == "running":
            yield Began(command)


_OfCell: TypeAlias = (
    Printed | Pictured | Transferred | Placed | Spans | Watched | Asked | Finished | Failed
)


def _became_of(cell: Cell) -> Iterator[Event]:
    if cell.runs:
        yield Began(cell.id)
    told: list[_OfCell] = [*cell.outputs, *cell.transfers, *cell.placed.values()]
    if cell.spans:
        told.append(Spans(cell.id, tuple(cell.spans)))
    told += [each for each in (cell.seen, cell.asked, cell.finished, cell.failed) if each]
    for each in told:  # it may have run again by another command
        yield replace(each, id=cell.id)
