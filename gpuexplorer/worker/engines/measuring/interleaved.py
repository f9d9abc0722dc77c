"""Copies and computing in turn: each copy keeps the host waiting, as PyTorch does by itself."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuexplorer.lab.events import Measured
from gpuexplorer.worker.engines.measuring.asked import Asked
from gpuexplorer.worker.engines.measuring.by_host import asking, single_call, warmed
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.engines.measuring.checking import Checks
from gpuexplorer.worker.engines.measuring.computing import computing_lane
from gpuexplorer.worker.engines.measuring.lanes import Lane
from gpuexplorer.worker.measuring.plan import loops_for
from gpuexplorer.worker.measuring.refusals import engine_of

_MOST_TURNS = 20


@dataclass(frozen=True)
class _Turns:
    """So many turns of some products and one copy, all in one queue."""

    asked: Asked
    computing: Lane
    copy: "Callable[[], None]"
    turns: int

    def run(self, *, copying: bool) -> "tuple[float, float]":
        """Seconds until all is done, and of a copy by the card's clock."""
        cards, stream = self.asked.cards, self.computing.stream
        devices = (self.asked.command.source, self.asked.command.target)
        marks: list[tuple[Any, Any]] = []
        cards.synchronize(*devices)
        began = cards.now()
        with cards.on(*self.computing.streams):
            for _ in range(self.turns):
                for _ in range(self.computing.loops):
                    self.computing.ask()
                if not copying:
                    continue
                begin, end = cards.event(), cards.event()
                begin.record(stream)
                self.copy()
                end.record(stream)
                marks.append((begin, end))
        cards.synchronize(*devices)
        took = cards.now() - began
        copied = sum(begin.elapsed_time(end) for begin, end in marks) / 1000
        return took, copied / self.turns


def measured_blocking(asked: Asked) -> Measured:
    """Beside `overlap`, this shows what waiting costs."""
    command = asked.command
    cargo = asked.cargo(command.source, command.target)
    card = engine_of(command.source, command.target)
    with asked.near(card):
        return _measured(asked, cargo, card)


def _measured(asked: Asked, cargo: Cargo, card: str) -> Measured:
    command, cards = asked.command, asked.cards
    devices = tuple(dict.fromkeys(cargo.ends))
    ask = asking(cards, cargo, raw=False)
    seconds = warmed(cards, ask, devices, asked.checkpoint)
    computing = computing_lane(cards, card, seconds, asked.checkpoint)
    turns = _Turns(asked, computing, ask, min(_MOST_TURNS, loops_for(seconds)))
    checks = Checks(asked, [cargo])
    samples, alone, together = [], [], []
    for number in range(command.samples):
        asked.checkpoint()
        alone.append(turns.run(copying=False)[0])
        checks.prepare(number)
        took, copied = turns.run(copying=True)
        together.append(took)
        samples.append(copied)
        checks.look(number)
        asked.on_sample(number + 1)
    checks.compare_one_by_one(ask, turns.turns)
    host, until_asked = single_call(cards, ask, devices)
    return Measured(
        command.id,
        tuple(samples),
        host,
        until_asked,
        alone_s=statistics.median(alone),
        copying_s=statistics.median(samples) * turns.turns,
        together_s=statistics.median(together),
        loops=turns.turns,
        intact=checks.intact,
        wrong=checks.wrong,
        compared_samples=checks.samples,
        compared_copies=checks.one_by_one,
        direct=asked.direct(),
        notes=(*asked.notes(), *checks.notes),
    )
