"""Kept: what is remembered of a lesson that somebody began, as text and from it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from gpuexplorer.lessons.lesson import Predict
from gpuexplorer.lessons.step_play import Prediction, StepPlay, StepState

_VERSION = 1
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Kept:
    """Steps are known by their titles: a lesson may be edited meanwhile."""

    lesson: str
    at: int = 0
    states: Mapping[str, StepState] = field(default_factory=dict)
    # By step and question.
    predictions: Mapping[str, Mapping[str, Prediction]] = field(default_factory=dict)


def kept_of(lesson: str, at: int, steps: Sequence[StepPlay]) -> Kept:
    states = {each.step.title: each.state for each in steps}
    said = {
        each.step.title: {
            part.question: each.predictions[part.line]
            for part in _predicts(each)
            if part.line in each.predictions
        }
        for each in steps
        if each.predictions
    }
    return Kept(lesson, at, states, said)


def take_up(kept: Kept, steps: Sequence[StepPlay]) -> int:
    """Which step it stood at. What was begun begins anew: its cells are of another session."""
    for each in steps:
        if kept.states.get(each.step.title) is StepState.DONE:
            each.state = StepState.DONE
        said = kept.predictions.get(each.step.title, {})
        for part in _predicts(each):
            if part.question in said:
                each.predictions[part.line] = said[part.question]
    return max(0, min(kept.at, len(steps) - 1))


def as_text(kept: Kept) -> str:
    return json.dumps({"version": _VERSION, **asdict(kept)})


def from_text(text: str) -> Kept | None:
    """None for what is broken, or a newer program wrote."""
    try:
        said = json.loads(text)
        if said["version"] != _VERSION:
            return None
        return Kept(
            str(said["lesson"]),
            int(said["at"]),
            {str(title): StepState(state) for title, state in said["states"].items()},
            {
                str(title): {
                    str(question): Prediction(str(each["said"]), float(each["value"]))
                    for question, each in by_question.items()
                }
                for title, by_question in said["predictions"].items()
            },
        )
    except _BROKEN:
        return None


def _predicts(play: StepPlay) -> Sequence[Predict]:
    return [each for each in play.step.parts if isinstance(each, Predict)]
