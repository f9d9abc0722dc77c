"""How choices are written down, and how what is found there is looked at before it holds."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from enum import StrEnum
from typing import TypeVar

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.gui.state.choices import AS_IT_WAS_LEFT, Choices, WithoutCards
from gpuexplorer.gui.theme.look import Motion
from gpuexplorer.gui.theme.palette import Palette, Scheme
from gpuexplorer.telemetry.alert_rule import LIMITS, LONGEST_SECONDS, Rule, Side, can_be_watched
from gpuexplorer.telemetry.beat import LONGEST, SHORTEST

MOST_RULES = 50
_LONGEST_NAME = 100

Word = TypeVar("Word", bound=StrEnum)


def as_texts(choices: Choices) -> Mapping[str, str]:
    """Each choice by its name, as it stands in the file."""
    values = {field.name: getattr(choices, field.name) for field in fields(Choices)}
    values["rules"] = [_as_words(rule) for rule in choices.rules]
    return {name: json.dumps(value) for name, value in values.items()}


def from_texts(texts: Mapping[str, object]) -> Choices:
    """What is missing, broken, foreign or of a newer version stays as it is by default."""
    found: dict[str, object] = {}
    for name, read in _READ.items():
        text = texts.get(name)
        if isinstance(text, str):
            try:
                found[name] = read(json.loads(text))
            except (ValueError, OverflowError, RecursionError):
                continue
    choices = replace(Choices(), **found)  # type: ignore[arg-type]  # each was looked at
    return replace(choices, day_seconds=max(choices.day_seconds, choices.full_seconds))


def _as_words(rule: Rule) -> Mapping[str, object]:
    return {
        "metric": rule.metric,
        "side": rule.side,
        "threshold": rule.threshold,
        "seconds": rule.seconds,
        "of_limit": rule.of_limit,
        "cards": None if rule.cards is None else sorted(rule.cards),
        "enabled": rule.enabled,
    }


def _rule(value: object) -> Rule:
    if not isinstance(value, dict):
        raise ValueError(value)
    metric = MetricId(_name(value.get("metric")))
    if metric not in METRICS or not can_be_watched(METRICS[metric]):
        raise ValueError(metric)
    of_limit = _flag(value.get("of_limit"))
    if of_limit and metric not in LIMITS:
        raise ValueError(metric)
    return Rule(
        metric,
        _one_of(Side)(value.get("side")),
        _threshold(value.get("threshold"), metric, of_limit),
        _number(0.0, LONGEST_SECONDS)(value.get("seconds")),
        of_limit,
        _cards(value.get("cards")),
        _flag(value.get("enabled")),
    )


def _threshold(value: object, metric: MetricId, of_limit: bool) -> float:
    known = METRICS[metric]
    if not of_limit:
        return _number(known.lowest, known.highest)(value)
    return _number(-200.0, 200.0)(value) if known.unit is Unit.CELSIUS else _share(value)


def _cards(value: object) -> frozenset[CardId] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise ValueError(value)
    return frozenset(CardId(_name(each)) for each in value)


def _rules(value: object) -> tuple[Rule, ...]:
    """A rule of a newer version that means nothing here is left out; the others hold."""
    if not isinstance(value, list):
        raise ValueError(value)
    rules = []
    for each in value[:MOST_RULES]:
        try:
            rule = _rule(each)
        except (ValueError, OverflowError):
            continue
        if rule not in rules:
            rules.append(rule)
    return tuple(rules)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


def _name(value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_NAME:
        raise ValueError(value)
    return value


def _number(least: float, most: float) -> Callable[[object], float]:
    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(value)
        number = float(value)
        if math.isnan(number) or not least <= number <= most:
            raise ValueError(value)
        return number

    return read


def _one_of(words: type[Word]) -> Callable[[object], Word]:
    def read(value: object) -> Word:
        return words(_name(value))

    return read


def _span(value: object) -> float:
    return AS_IT_WAS_LEFT if value == AS_IT_WAS_LEFT else _number(5.0, 86400.0)(value)


_share = _number(0.0, 1.0)

_READ: Mapping[str, Callable[[object], object]] = {
    "interval": _number(SHORTEST, LONGEST),
    "full_seconds": _number(60.0, 86400.0),
    "day_seconds": _number(3600.0, 86400.0),
    "decimal_memory": _flag,
    "fahrenheit": _flag,
    "scheme": _one_of(Scheme),
    "palette": _one_of(Palette),
    "motion": _one_of(Motion),
    "alerts": _flag,
    "on_desktop": _flag,
    "rules": _rules,
    "first_screen": _name,
    "first_span": _span,
    "without_cards": _one_of(WithoutCards),
    "keep_hidden": _flag,
    "read_only": _flag,
}
