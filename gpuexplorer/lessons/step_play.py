"""StepPlay: what came of one step's parts; plain values, for whoever shows or saves them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lessons.lesson import Code, Part, Predict, Step, Text, Why
from gpuexplorer.lessons.values import Readings


class Rig(Protocol):
    """The lab in which a lesson is played."""

    @property
    def ledger(self) -> Ledger: ...

    @property
    def simulated(self) -> bool: ...

    def run(self, code: str) -> int:
        """The command's number; what comes of it arrives by `Player.apply`."""
        ...

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        """The number of an Evaluate; answered by Evaluated or Failed, by `Player.apply`."""
        ...

    def measure(self, then: Callable[[Readings], None]) -> None:
        """All cards and the host, read after now; `then` may be called at once."""
        ...

    def limit(self, source: str, target: str) -> float | None:
        """Bytes per second of the narrowest wire between two devices; None: not known."""
        ...


class StepState(StrEnum):
    AHEAD = "ahead"
    BEGUN = "begun"
    DONE = "done"
    FAILED = "failed"  # a check did not hold, or a cell failed that should not, or the reverse
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Prediction:
    """As it was typed, or the choice's words; and its number, or the choice's place."""

    said: str
    value: float


@dataclass(frozen=True)
class Revealed:
    """What came of a Predict. `right` is None: nobody predicted, or nothing was measured."""

    measured: float | None = None
    limit: float | None = None
    right: bool | None = None
    modelled: bool = False
    reason: Message = NOTHING  # why nothing was measured, or why there is no limit
    fault: int = 0  # the line of the lesson that Python refused

    @property
    def why(self) -> Message:
        """The reason, with the line that is at fault."""
        at = Message("Line {line} of the lesson is at fault.", line=self.fault)
        return told(at if self.fault else NOTHING, self.reason)


@dataclass(frozen=True)
class Checked:
    """What came of a Check: of its first condition that does not hold, or of the last."""

    held: bool
    line: int
    told: str = ""  # the lesson's words for what does not hold
    error: Message = NOTHING  # it could not be worked out
    found: Message = NOTHING  # what it compared


@dataclass
class StepPlay:
    """All by the part's line in the file."""

    step: Step
    state: StepState = StepState.AHEAD
    reason: str = ""  # why it was skipped, or which cell failed
    cells: dict[int, int] = field(default_factory=dict)  # command numbers, of the latest run
    predictions: dict[int, Prediction] = field(default_factory=dict)
    revealed: dict[int, Revealed] = field(default_factory=dict)
    checked: dict[int, Checked] = field(default_factory=dict)
    before: Readings | None = None  # as its first cell began
    after: Readings | None = None  # as its newest cell had ended

    @property
    def held_back(self) -> Sequence[Part]:
        """What would give an answer away: the texts behind an open question, or behind the
        first of the cells that answer it.
        """
        if self.state in (StepState.DONE, StepState.SKIPPED):
            return []
        held: list[Part] = []
        texts: list[Part] = []  # behind the newest question
        cells = asked = False
        for part in self.step.parts:
            match part:
                case Predict():
                    held += texts if asked else ()
                    texts, cells, asked = [], False, part.line not in self.revealed
                case Code() if not cells:
                    texts, cells = [], True
                case Text() | Why():
                    texts.append(part)
                case _:
                    pass
        return held + texts if asked else held
