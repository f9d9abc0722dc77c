"""What came of each step, and the table that says so at the end."""

import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from trial.refusal import CannotTryError

_WIDTH = 96


class Outcome(StrEnum):
    """`UNTRIED`: something that the step needs is not on this machine, or failed before it."""

    PASSED = "passed"
    FAILED = "failed"
    UNTRIED = "untried"


class StepError(Exception):
    """The program did not do what it should: said in sentences."""


@dataclass(frozen=True)
class Step:
    """`carry_out` returns what was seen, in a sentence. What fails raises StepError.

    Without a step that others `need`, nobody can say how those would have ended.
    """

    name: str
    carry_out: Callable[[], str]
    needs: "tuple[str, ...]" = ()


@dataclass(frozen=True)
class Result:
    """Of one step."""

    size: str
    step: str
    outcome: Outcome
    sentence: str
    seconds: float


class Report:
    """Tells each step as it ends, and the whole at the end."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.results: list[Result] = []

    def take(self, size: str, steps: "list[Step]") -> None:
        """One after another, in their order; what one raises does not keep the others back."""
        for step in steps:
            began = time.monotonic()
            outcome, sentence = self._outcome(size, step)
            result = Result(size, step.name, outcome, sentence, time.monotonic() - began)
            self.results.append(result)
            self._tell(f"{size}: {step.name}: {outcome} ({result.seconds:.0f} s)")

    def _outcome(self, size: str, step: Step) -> "tuple[Outcome, str]":
        missing = [name for name in step.needs if not self._passed(size, name)]
        if missing:
            return Outcome.UNTRIED, f"It needs what did not pass: {', '.join(missing)}."
        try:
            return Outcome.PASSED, step.carry_out()
        except StepError as failure:
            return Outcome.FAILED, str(failure)
        except CannotTryError as refusal:
            return Outcome.UNTRIED, str(refusal)

    def _passed(self, size: str, name: str) -> bool:
        return any(
            (each.size, each.step, each.outcome) == (size, name, Outcome.PASSED)
            for each in self.results
        )

    @property
    def good(self) -> bool:
        """Nothing failed, and something passed."""
        return self.count(Outcome.FAILED) == 0 and self.count(Outcome.PASSED) > 0

    def count(self, outcome: Outcome) -> int:
        return sum(result.outcome is outcome for result in self.results)

    def as_text(self) -> str:
        lines = []
        for size in dict.fromkeys(result.size for result in self.results):
            lines += ["", f"{size}"]
            for result in self.results:
                if result.size == size:
                    lines += _lines(result)
        counts = ", ".join(f"{self.count(each)} {each}" for each in Outcome)
        return "\n".join([*lines, "", f"Steps: {counts}."])


def _lines(result: Result) -> "list[str]":
    head = f"  {result.outcome:8} {result.step}"
    said = [
        line
        for part in result.sentence.splitlines()
        for line in textwrap.wrap(part, _WIDTH - 11) or [""]
    ]
    return [head, *(f"           {line}".rstrip() for line in said)]
