"""A lesson that was played, put together without a lab: what each of its parts can come to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.catalogue.memory import MEMORY_USED
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import (
    Began,
    Device,
    Event,
    Failed,
    Finished,
    Hello,
    Printed,
    Progressed,
    Span,
    Spans,
    Transferred,
)
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run
from gpuexplorer.lessons.lesson import (
    Check,
    Code,
    Condition,
    Expression,
    Lesson,
    Limit,
    Part,
    Predict,
    Step,
    Text,
    Why,
)
from gpuexplorer.lessons.player import Player
from gpuexplorer.lessons.step_play import Checked, Prediction, Revealed, StepState
from gpuexplorer.lessons.values import Read, Readings

SAVED = datetime(2026, 11, 23, 7, 5, tzinfo=UTC)
GIB = 1 << 30
CARDS = (
    Device("cpu", "x86_64"),
    Device("cuda:0", "NVIDIA TITAN RTX", "SIM-0", 24 * GIB),
    Device("cuda:1", "NVIDIA TITAN RTX", "SIM-1", 24 * GIB),
)


class Lab:
    """A rig in which nothing runs: cells become what they are told to have become."""

    def __init__(self, *, simulated: bool = True) -> None:
        self.ledger = Ledger()
        self.simulated = simulated
        self.ledger.apply(
            Hello(5, "3.12.4", "2.13.0", "CUDA 13.0", simulated=simulated, devices=CARDS)
        )

    def ran(self, code: str, *events: Event) -> int:
        number = len(self.ledger.cells) + 1
        self.ledger.sent(Run(number, code, number))
        told: list[Event] = [
            replace(each, id=number)  # type: ignore[type-var]  # all of these have one
            for each in (Began(0), *events)
        ]
        if not isinstance(told[-1], Finished | Failed):
            told.append(Finished(number, 1.2e-3, 34e-6, modelled=self.simulated))
        for each in told:
            self.ledger.apply(each)
        return number

    def run(self, code: str) -> int:
        return self.ran(code)

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        raise NotImplementedError

    def measure(self, then: Callable[[Readings], None]) -> None:
        raise NotImplementedError

    def limit(self, source: str, target: str) -> float | None:
        return None


class Played(Player):
    """It was played already."""

    def __init__(self, lesson: Lesson, lab: Lab) -> None:
        super().__init__(lesson, lab)
        self.lab = lab


def lesson(folder: Path, *steps: Sequence[Part], title: str = "Tensors") -> Lesson:
    """The steps are called 1, 2, …"""
    named = [Step(at, f"Step {at}", parts) for at, parts in enumerate(steps, 1)]
    return Lesson("04-tensors", title, 20, (), "", named, folder / "lesson.md")


def played(folder: Path, *parts: Part, lab: Lab | None = None) -> Played:
    """A lesson of one step that is done."""
    player = Played(lesson(folder, parts), lab or Lab())
    player.steps[0].state = StepState.DONE
    return player


def readings(*used_bytes: float) -> Readings:
    def read(at: int, used: float) -> Read:
        card = Card(
            CardId(f"SIM-{at}"), at, "NVIDIA TITAN RTX", 24 * GIB, simulated=True, cuda_index=at
        )
        return Read(card, Sample(card.id, 0.0, {MEMORY_USED: used}))

    cards = [read(at, used) for at, used in enumerate(used_bytes)]
    return Readings(cards, cards[0])


MEASURED = Expression(0, "copies[-1].rate / GB")
WIRE = Predict(
    10,
    "How fast does it arrive?",
    MEASURED,
    "GB/s",
    limit=Limit(MEASURED, "what PCIe 3.0 x16 can carry"),
)
CHOICE = Predict(20, "Where does it run?", choices=("On card 0", "It fails"), right=1)
CODE = Code(30, "X = torch.ones(2, 3, device=first)\nX")
CHECK = Check(40, [Condition(Expression(40, 'X.device.type == "cuda"'), "X is not on a card.")])
WHY = Why(50, "Why 919 MiB for 24 bytes?", "The **context** of CUDA.")


def whole(folder: Path) -> Played:
    """Something of everything."""
    lab = Lab()
    text = Text(
        2,
        "A tensor lives on *one* device. `X.device` says on which.\n\n"
        "| way | rate |\n|---|--:|\n| PCIe 3.0 x16 | 15.8 GB/s |\n\n- one\n- two\n\n"
        "See [the documentation](https://pytorch.org/docs).",
    )
    many = Code(31, "for each in range(400):\n    losses.append(step(X).item())")
    both = Code(32, "Z = X.cuda(1)\nA @ A\nB @ B")
    fails = Code(33, "X + Y", fails=True)
    player = Played(
        lesson(
            folder,
            [text, WIRE, CODE, CHECK, WHY],
            [Text(3, "Two cards."), CHOICE, fails, both],
            [Text(4, "A training."), many],
            [Text(5, "Three cards."), Code(34, "X.cuda(2)")],
            [Text(6, "The end."), Code(35, "del X"), replace(CHECK, line=41)],
        ),
        lab,
    )
    first, second, third, fourth, _ = player.steps
    for step in (first, second, third):
        step.state = StepState.DONE
    copy = Transferred(0, "cpu", "cuda:0", 256 << 20, 0.0217, modelled=True, pinned=False)
    first.cells[30] = lab.ran(CODE.source, Printed(0, "tensor([[1., 1., 1.]])", "value"), copy)
    first.predictions[10] = Prediction("31", 31.0)
    first.revealed[10] = Revealed(12.37, 15.754, right=False, modelled=True)
    first.checked[40] = Checked(held=True, line=40)
    first.before, first.after = readings(0.4 * GIB, 0), readings(1.3 * GIB, 0)
    second.predictions[20] = Prediction("On card 0", 0.0)
    second.revealed[20] = Revealed(right=False)
    second.cells[33] = lab.ran(
        fails.source,
        Failed(
            0,
            "devices differ",
            "RuntimeError",
            "Expected all tensors to be on the same device, but found cuda:0 and cuda:1!",
            Message("X is on cuda:0 and Y on cuda:1."),
            Message("Copy one of them to the other's card."),
            host_seconds=2e-5,
        ),
    )
    second.cells[32] = lab.ran(
        both.source,
        Transferred(0, "cuda:0", "cuda:1", 24, 2e-5, modelled=True, begin=1e-4, end=1.2e-4),
        Spans(
            0, (Span("cuda:0", 0, 9e-4, 8e-4), Span("cuda:1", 2e-4, 1e-3, 8e-4)), modelled=True
        ),
        Finished(0, 1e-3, 16e-4, modelled=True, busy=(("cuda:0", 9e-4), ("cuda:1", 8e-4))),
    )
    falling = tuple(2.3 / (1 + at / 40) + 0.1 * (at % 7) / 7 for at in range(400))
    third.cells[31] = lab.ran(many.source, Progressed(0, 0, falling, 1.0))
    fourth.state = StepState.SKIPPED
    fourth.reason = "This machine has two cards, so there is no third one to copy to."
    return player
