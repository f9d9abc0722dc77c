"""A lab for a player's tests: no process, and cells end as the test says."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, Sample
from gpuexplorer.core.metrics import MEMORY_USED, POWER_DRAW
from gpuexplorer.lab.events import (
    Began,
    Evaluated,
    Event,
    Failed,
    Finished,
    Memory,
    Printed,
    Transferred,
)
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Evaluate, Run
from gpuexplorer.lessons.lesson import Check, Code, Expression, Lesson, Part, Predict, Step
from gpuexplorer.lessons.player import Kept, Player, StepState
from gpuexplorer.lessons.values import Readings
from gpuexplorer.worker.cells import worths_of
from gpuexplorer.worker.streams import Stop

MIB = 1 << 20
HOST = Card(HOST_ID, 0, "Processor", 64 << 30, kind=CardKind.HOST)
CARD = Card(CardId("GPU-1"), 0, "Titan RTX", 24 << 30, cuda_index=0)


class FakeRig:
    """`names`: what the session's names stand for. Nothing is answered before it is told to."""

    def __init__(self, *, simulated: bool = False) -> None:
        self.ledger = Ledger()
        self.simulated = simulated
        self.names: dict[str, object] = {}
        self.used = 6 * MIB  # of the card's memory
        self.asked: list[Evaluate] = []  # and not answered
        self.player: Player | None = None
        self._id = 0

    def run(self, code: str) -> int:
        self._id += 1
        self.ledger.sent(Run(self._id, code, self._id))
        return self._id

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        self._id += 1
        self.asked.append(Evaluate(self._id, tuple(sources), json.dumps(values)))
        return self._id

    def measure(self, then: Callable[[Readings], None]) -> None:
        sample = Sample(
            CARD.id, 0.0, {MEMORY_USED: self.used}, {POWER_DRAW: Absence.NOT_SUPPORTED}
        )
        then(Readings([(CARD, sample)], (HOST, Sample(HOST_ID, 0.0, {}))))

    def limit(self, source: str, target: str) -> float | None:
        return 12e9 if source != target else None

    def say(self, *events: Event) -> None:
        for each in events:
            self.ledger.apply(each)
            if self.player is not None:
                self.player.apply(each)

    def answer(self) -> None:
        """All that is asked, and what comes of that."""
        while self.asked:
            command = self.asked.pop(0)
            found = worths_of(command, self.names, ["cpu", "cuda:0"], Stop())
            self.say(Evaluated(command.id, tuple(found)), Finished(command.id, 0.0))

    def end(
        self, *events: Event, printed: str = "", failed: str = "", cause: str = "raised"
    ) -> None:
        """The cell that waits runs to its end, or fails with that error; all is answered."""
        command = self.ledger.unfinished[0]
        self.say(Began(command))
        if printed:
            self.say(Printed(command, printed))
        self.say(*events)
        memory = (Memory("cuda:0", 24, 512, None, 24 << 30),)
        if failed or cause != "raised":
            self.say(Failed(command, cause, failed, "refused", host_seconds=0.5))
        else:
            self.say(Finished(command, 0.5, memory=memory))
        self.answer()

    def copied(self, size: int, seconds: float | None = 1e-3) -> Transferred:
        return Transferred(self.ledger.unfinished[0], "cpu", "cuda:0", size, seconds, line=1)


def step(*parts: Part, needs: Sequence[Expression] = (), title: str = "A step") -> Step:
    return Step(1, title, parts, needs)


def check(line: int, source: str, otherwise: str = "") -> Check:
    return Check(line, [Expression(line + 1, source, otherwise)])


def number(line: int, source: str, **more: object) -> Predict:
    return Predict(line, f"How many, line {line}?", Expression(line, source), **more)  # type: ignore[arg-type]  # by name


def choice(line: int) -> Predict:
    return Predict(line, "Where?", choices=("On card 0", "It fails"), right=1)


def played(
    *steps: Step, folder: Path = Path(), outside: bool = False, kept: Kept | None = None
) -> tuple[Player, FakeRig]:
    """A player that has entered the first step, or the one that was kept."""
    rig = FakeRig()
    made = Lesson("04-x", "X", 5, (), "", steps, folder / "lesson.md", outside)
    player = rig.player = Player(made, rig, kept)
    player.go(player.at)
    rig.answer()
    return player, rig


def run_next(player: Player) -> None:
    """The first cell of this step that has not run."""
    if (part := player.next_cell()) is not None:
        player.run(part)


def state(player: Player) -> StepState:
    return player.step.state


def cell(line: int, source: str = "", *, fails: bool = False) -> Code:
    return Code(line, source or f"x = {line}", fails)
