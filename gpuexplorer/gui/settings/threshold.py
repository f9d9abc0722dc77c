"""Threshold: how a rule's number is typed: in which unit, from where to where, and back."""

from dataclasses import dataclass, replace

from gpuexplorer.core.metrics import METRICS, Unit
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark
from gpuexplorer.gui.widgets.controls.number_field import Range
from gpuexplorer.gui.wording.events.alert_words import typed_in
from gpuexplorer.telemetry.alert_rule import Rule

_PERCENT = tuple(float(each) for each in range(5, 100, 5))
_STEPS = tuple(digit * 10.0**power for power in range(-2, 7) for digit in (1.0, 2.0, 5.0))
_FARTHEST = 100.0  # degrees from the card's own limit
_MOST_TYPED = 1e6


@dataclass(frozen=True, slots=True)
class Threshold:
    """The number as it is typed. Degrees from the card's own limit count downwards."""

    number: float
    limits: Range
    unit: str
    label: str


def threshold(rule: Rule, units: Units) -> Threshold:
    metric = METRICS[rule.metric]
    typed = typed_in(rule.metric, units)
    if not rule.of_limit:
        least = typed.shown(metric.lowest)
        most = min(typed.shown(metric.highest), _MOST_TYPED)
        stops = _PERCENT if metric.unit is Unit.RATIO else _stops(metric.unit)
        number = round(typed.shown(rule.threshold), 4)
        return Threshold(number, Range(least, most, stops), typed.name, mark("Threshold"))
    if metric.unit is Unit.CELSIUS:
        far = _FARTHEST / typed.size
        number = round(-rule.threshold / typed.size, 4)
        return Threshold(number, Range(-far, far, _STEPS), typed.name, mark("Before the limit"))
    number = round(rule.threshold * 100, 4)
    return Threshold(number, Range(0.0, 100.0, _PERCENT), "%", mark("Threshold"))


def with_threshold(rule: Rule, number: float, units: Units) -> Rule:
    """The rule with the number that was typed."""
    typed = typed_in(rule.metric, units)
    if not rule.of_limit:
        return replace(rule, threshold=typed.value(number))
    if METRICS[rule.metric].unit is Unit.CELSIUS:
        return replace(rule, threshold=-number * typed.size)
    return replace(rule, threshold=number / 100)


def _stops(unit: Unit) -> tuple[float, ...]:
    if unit is Unit.CELSIUS:
        return tuple(float(each) for each in range(-100, 480, 5))
    return _STEPS
