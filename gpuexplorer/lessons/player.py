"""Player: how far somebody came in a lesson, and what came of each of its parts."""

from collections.abc import Callable, Sequence

from gpuexplorer.lab.events import Event
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lessons.keeping import Kept
from gpuexplorer.lessons.lesson import Code, Lesson, Predict
from gpuexplorer.lessons.step_play import (
    Checked,
    Prediction,
    Revealed,
    Rig,
    StepPlay,
    StepState,
)
from gpuexplorer.lessons.values import Readings

__all__ = [
    "Checked",
    "Kept",
    "Player",
    "Prediction",
    "Readings",
    "Revealed",
    "Rig",
    "StepPlay",
    "StepState",
]


class Player:
    """Leads through a lesson. Nothing is run before somebody asks for it."""

    def __init__(self, lesson: Lesson, rig: Rig, kept: Kept | None = None) -> None:
        self.lesson = lesson
        self.steps = [StepPlay(each) for each in lesson.steps]
        self.at = 0
        self.must_ask = lesson.outside  # nobody has allowed its cells yet
        # Called when anything changed here; set by whoever shows it.
        self.changed: Callable[[], None] = _nobody

    @property
    def step(self) -> StepPlay:
        return self.steps[self.at]

    @property
    def finished(self) -> bool:
        """Each step is done or skipped."""
        raise NotImplementedError

    @property
    def kept(self) -> Kept:
        raise NotImplementedError

    @property
    def replay_needed(self) -> Sequence[Code]:
        """Cells of earlier steps whose names are not in the session there is."""
        raise NotImplementedError

    def go(self, at: int) -> None:
        """Also over what is not done: nobody is locked in."""
        raise NotImplementedError

    def predict(self, part: Predict, said: str) -> None:
        """A number, or a choice's words or its number from 1. Raises Trouble for others."""
        raise NotImplementedError

    def reveal(self, part: Predict) -> None:
        """Where nobody predicts, and no cell behind it will reveal it."""
        raise NotImplementedError

    def run(self, part: Code) -> None:
        """Raises Trouble before it is allowed."""
        raise NotImplementedError

    def run_next(self) -> bool:
        """The first cell of this step that has not run; False: there is none."""
        raise NotImplementedError

    def replay(self) -> None:
        """Run `replay_needed`, one after another, up to one that fails."""
        raise NotImplementedError

    def check_again(self) -> None:
        """On what the cards say now."""
        raise NotImplementedError

    def allow(self) -> None:
        """A person said that the cells of this lesson may run."""
        raise NotImplementedError

    def apply(self, event: Event) -> None:
        """Each event of the lab, once the ledger knows of it."""
        raise NotImplementedError

    def cell(self, part: Code) -> Cell | None:
        """What the ledger has of it."""
        raise NotImplementedError

    def next_cell(self) -> Code | None:
        """The first of this step that has not run, or not as it should."""
        raise NotImplementedError

    def busy(self) -> bool:
        """A cell waits or runs, or something is being worked out."""
        raise NotImplementedError


def _nobody() -> None:
    """Nobody shows it."""
