"""How choices are written down, and how what is found there is looked at before it holds."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from enum import StrEnum

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.gui.state.choices import Choices, Offer, offers
from gpuexplorer.telemetry.alert_rule import LIMITS, LONGEST_SECONDS, Rule, Side, can_be_watched

MOST_RULES = 50
_LONGEST_NAME = 100


def as_texts(choices: Choices) -> Mapping[str, str]:
    """Each choice by its name, as it stands in the file."""
    values = {field.name: getattr(choices, field.name) for field in fields(Choices)}
    values["rules"] = [_as_words(rule) for rule in choices.rules]
    return {name: json.dumps(value) for name, value in values.items()}


def from_texts(texts: Mapping[str, object]) -> Choices:
    """What is missing, broken, foreign or of a newer version stays as it is by default."""
    found: dict[str, object] = {}
    offered = offers()
    for field in fields(Choices):
        text = texts.get(field.name)
        if isinstance(text, str):
            try:
                value = json.loads(text)
                found[field.name] = _looked_at(value, field.default, offered.get(field.name))
            except (ValueError, OverflowError, RecursionError):
                continue
    return replace(Choices(), **found).settled()  # type: ignore[arg-type]  # each was looked at


def _looked_at(value: object, default: object, offer: Offer | None) -> object:
    """As something of the default's type that may be chosen; else a ValueError."""
    match default:
        case bool():
            return _flag(value)
        case StrEnum():
            return type(default)(_name(value))
        case float() if offer is not None:
            return default if value == default else _number(offer.least, offer.most)(value)
        case str():
            return _name(value)
        case _:
            return _rules(value)


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
        Side(_name(value.get("side"))),
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


_share = _number(0.0, 1.0)
