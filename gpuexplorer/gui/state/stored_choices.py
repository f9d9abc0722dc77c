"""How choices are written down, and how what is found there is looked at before it holds."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from gpuexplorer.core.metrics import METRICS, Unit
from gpuexplorer.gui.state.choices import OFFERS, Choices, Offer
from gpuexplorer.telemetry.alerts import LIMITS, LONGEST_SECONDS, Rule, Side, can_be_watched

MOST_RULES = 50
_LONGEST_NAME = 100
_FLAGS = {"true": True, "false": False}
_MEANINGLESS = (ValueError, LookupError, TypeError, OverflowError, RecursionError)


def written(choice: object) -> object:
    """As QSettings takes it; the rules are JSON."""
    if isinstance(choice, tuple):
        return json.dumps([asdict(rule) for rule in choice], default=sorted)
    return choice


def understood(kept: Mapping[str, object]) -> tuple[Choices, list[str]]:
    """The choices, and the names of those that stay as they are by default because what stands
    there is broken, foreign or of a newer version.
    """
    found: dict[str, Any] = {}
    strange = []
    for field in fields(Choices):
        text = kept.get(field.name)
        try:
            if text is not None:
                found[field.name] = _read(str(text), field.default, OFFERS.get(field.name))
        except _MEANINGLESS:
            strange.append(field.name)
    return replace(Choices(), **found).settled(), strange


def _read(text: str, usual: object, offer: Offer | None) -> object:
    """Something of the default's type that may be chosen; raises where there is none."""
    match usual:
        case bool():
            return _FLAGS[text.lower()]
        case float() if offer is not None:
            number = float(text)
            return number if number == usual else _between(number, offer.least, offer.most)
        case str() if len(text) <= _LONGEST_NAME:
            return type(usual)(text.strip('"'))  # earlier versions wrote the quotes
        case tuple():
            rules = [_rule(each) for each in _a(list, json.loads(text))[:MOST_RULES]]
            return tuple(dict.fromkeys(rule for rule in rules if rule is not None))
        case _:
            raise ValueError(text)


# Any: whatever stands in the file, here and below.
def _rule(kept: Any) -> Rule | None:
    """None for one of a newer version that means nothing here; the others hold."""
    try:
        metric, of_limit, cards = kept["metric"], kept["of_limit"], kept["cards"]
        known = METRICS[metric]
        if not can_be_watched(known) or (_a(bool, of_limit) and metric not in LIMITS):
            return None
        if not of_limit:
            least, most = known.lowest, known.highest
        else:
            least, most = (-200.0, 200.0) if known.unit is Unit.CELSIUS else (0.0, 1.0)
        return Rule(
            metric,
            Side(kept["side"]),
            _between(kept["threshold"], least, most),
            _between(kept["seconds"], 0.0, LONGEST_SECONDS),
            of_limit,
            None if cards is None else frozenset(_a(str, each) for each in _a(list, cards)),
            _a(bool, kept["enabled"]),
        )
    except _MEANINGLESS:
        return None


def _a(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(value)
    return value


def _between(number: Any, least: float, most: float) -> float:
    """Not a number lies between none."""
    if isinstance(number, bool) or not least <= float(number) <= most:
        raise ValueError(number)
    return float(number)
