"""Kept: what is remembered of a lesson that somebody began, as JSON and from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuexplorer.lessons.step_play import Prediction, StepState


@dataclass(frozen=True)
class Kept:
    """Steps are known by their titles: a lesson may be edited meanwhile."""

    lesson: str
    at: int = 0
    states: Mapping[str, StepState] = field(default_factory=dict)
    predictions: Mapping[str, Mapping[str, Prediction]] = field(default_factory=dict)
    # By step and question.
