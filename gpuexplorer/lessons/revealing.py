"""What the expressions of a prediction or a check gave, as what a person is told."""

from collections.abc import Sequence

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Worth
from gpuexplorer.lessons.lesson import Check, Code, Part, Predict, Step
from gpuexplorer.lessons.predicting import is_right
from gpuexplorer.lessons.step_play import Checked, Prediction, Revealed

_NO_NUMBER = Message("What the lesson measures here gives no number.")


def sources_of(part: Part) -> Sequence[str]:
    """The expressions that have to be worked out for it; none for a choice."""
    match part:
        case Check(conditions=conditions):
            return [each.expression.source for each in conditions]
        case Predict(number=number, limit=limit) if number is not None:
            return [number.source, *([limit.expression.source] if limit is not None else [])]
        case _:
            return []


def behind(step: Step, predict: Predict) -> Sequence[Code]:
    """The cells up to the next prediction; those that follow each other share theirs."""
    found: list[Code] = []
    for each in step.parts:
        if each.line <= predict.line:
            continue
        if isinstance(each, Predict) and found:
            break
        if isinstance(each, Code):
            found.append(each)
    return found


def revealed(
    part: Predict, said: Prediction | None, worths: Sequence[Worth], *, modelled: bool
) -> Revealed:
    if part.number is None:
        return Revealed(right=None if said is None else int(said.value) == part.right)
    measured, *more = worths
    if measured.number is None:
        line = part.number.line if measured.fault else 0
        return Revealed(reason=measured.error or _NO_NUMBER, fault=line)
    right = None if said is None else is_right(part, said.value, measured.number)
    limit = more[0] if more else Worth()
    line = part.limit.expression.line if part.limit is not None and limit.fault else 0
    return Revealed(measured.number, limit.number, right, modelled, limit.error, line)


def checked(part: Check, worths: Sequence[Worth]) -> Checked:
    """Of the first condition that does not hold."""
    for condition, worth in zip(part.conditions, worths, strict=True):
        if not worth.truth:
            line = condition.expression.line
            told = condition.otherwise
            return Checked(
                held=False, line=line, told=told, error=worth.error, found=worth.found
            )
    return Checked(held=True, line=part.line)
