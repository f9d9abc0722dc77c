"""Alerts in words: what a rule will do, what an alert says, and how it came out."""

import re
from collections.abc import Mapping, Sequence

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.core.units import Measure, Units, measure, plain, quantity
from gpuexplorer.gui.wording.moments import span_words
from gpuexplorer.telemetry.alert_rule import LIMITS, Rule, Side
from gpuexplorer.telemetry.alerts import Alert, AlertEnded, Why

_MOST_CARDS = 4
_MOST_ALERTS = 3
# Figures of this size are typed in GiB, GB or GB/s.
_GIGA = 2e9


def condition(rule: Rule, units: Units) -> str:
    """ "temperature above 85 °C", "temperature within 2 °C of the card's own limit"."""
    metric = METRICS[rule.metric]
    label = low(metric.label)
    if not rule.of_limit:
        return f"{label} {rule.side} {_figure(rule.metric, rule.threshold, units)}"
    if metric.unit is not Unit.CELSIUS:
        whole = METRICS[LIMITS[rule.metric][0]]
        share = plain(rule.threshold * 100)
        return f"{label} {rule.side} {share} % of the card's {low(whole.label)}"
    far = _difference(rule.metric, abs(rule.threshold), units)
    if rule.threshold == 0:
        return f"{label} {rule.side} the card's own limit"
    if rule.side is Side.ABOVE and rule.threshold < 0:
        return f"{label} within {far} of the card's own limit"
    where = "above" if rule.threshold > 0 else "below"
    more = "more" if (rule.side is Side.ABOVE) == (rule.threshold > 0) else "less"
    return f"{label} {more} than {far} {where} the card's own limit"


def rule_sentence(rule: Rule, units: Units, numbers: Mapping[CardId, str]) -> str:
    """What the rule does, for its row in the settings."""
    lasting = f" for {span_words(rule.seconds)}" if rule.seconds else ""
    words = f"{capital(condition(rule, units))}{lasting}, {cards_words(rule.cards, numbers)}"
    return _unbroken(words)


def promise(rule: Rule, units: Units) -> str:
    """When it is over: a figure that runs along its threshold does not begin it anew."""
    metric = METRICS[rule.metric]
    wrong, right = ("above", "below") if rule.side is Side.ABOVE else ("below", "above")
    never = f"{wrong} the threshold"
    if not rule.of_limit:
        bounds = rule.bounds(None)
        back = "" if bounds is None else _figure(rule.metric, bounds.back, units)
        where = f"{right} {back}"
    elif metric.unit is Unit.CELSIUS:
        bounds = rule.bounds(0.0)
        far = 0.0 if bounds is None else bounds.back
        where = f"{_difference(rule.metric, abs(far), units)} "
        where += f"{'below' if far < 0 else 'above'} the limit"
    else:
        bounds = rule.bounds(1.0)
        where = f"{right} {plain(100 * (0.0 if bounds is None else bounds.back))} %"
    words = f"Over as soon as it is back {where}, or was not {never} for half a minute."
    return _unbroken(words)


def standing(alert: Alert, units: Units) -> str:
    """ "temperature above 87 °C": on this card, whatever it was counted from."""
    rule = alert.rule
    side = rule.side
    threshold = _figure(rule.metric, alert.bounds.threshold, units)
    return f"{low(METRICS[rule.metric].label)} {side} {threshold}"


def began_sentence(alert: Alert, units: Units) -> str:
    lasting = f" for {span_words(alert.rule.seconds)}" if alert.rule.seconds else ""
    return f"Alert: {standing(alert, units)}{lasting}"


def ended_sentence(ended: AlertEnded, units: Units) -> str:
    what = standing(ended.alert, units)
    match ended.why:
        case Why.BACK:
            return f"Alert over: no longer {what}"
        case Why.UNKNOWN:
            return f"Alert over: {what} is not known any more: {ended.reason}"
        case Why.CHANGED:
            return f"Alert over: {what} is no longer watched"


def strip_sentence(
    alerts: Sequence[Alert], numbers: Mapping[CardId, str], units: Units, now: float
) -> str:
    """One line for all that goes on, whatever their number. Alerts of one rule are one part."""
    by_rule: dict[Rule, list[Alert]] = {}
    for alert in alerts:
        by_rule.setdefault(alert.rule, []).append(alert)
    parts = [_part(group, numbers, units, now) for group in by_rule.values()]
    if len(parts) == 1:
        return capital(parts[0])
    rest = len(parts) - _MOST_ALERTS
    more = [f"and {rest} more"] if rest > 0 else []
    return f"{len(alerts)} alerts: {'; '.join(parts[:_MOST_ALERTS] + more)}"


def cards_words(cards: frozenset[CardId] | None, numbers: Mapping[CardId, str]) -> str:
    """ "on any card", "on card 0", "on cards 0 and 3"."""
    if cards is None:
        return "on any card"
    names = [number for card, number in numbers.items() if card in cards]
    away = len(cards) - len(names)
    if not names:
        return "on cards that are not here now" if away else "on no card"
    words = f"on {_cards(names)}"
    return f"{words} and {away} not here now" if away else words


def low(label: str) -> str:
    """ "Temperature" in the middle of a sentence; "GPU busy" and "SM clock" stay."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _part(
    group: Sequence[Alert], numbers: Mapping[CardId, str], units: Units, now: float
) -> str:
    lasted = span_words(max(0.0, now - min(alert.since for alert in group)))
    if len(group) == 1:
        number = numbers.get(group[0].card, group[0].card)
        return f"card {number}, {standing(group[0], units)} for {lasted}"
    cards = {alert.card for alert in group}
    names = [number for card, number in numbers.items() if card in cards]
    names += [card for card in cards if card not in numbers]
    everywhere = cards == set(numbers) and len(names) > _MOST_CARDS
    which = f"all {len(names)} cards" if everywhere else _cards(names)
    return f"{condition(group[0].rule, units)} on {which}, for up to {lasted}"


def _cards(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"card {names[0]}"
    if len(names) > _MOST_CARDS + 1:
        shown = ", ".join(names[:_MOST_CARDS])
        return f"cards {shown} and {len(names) - _MOST_CARDS} more"
    return f"cards {', '.join(names[:-1])} and {names[-1]}"


def typed_in(metric: MetricId, units: Units) -> Measure:
    """The one unit in which a person types figures of it, whatever their size."""
    return measure(METRICS[metric].unit, _GIGA, units)


def _unbroken(words: str) -> str:
    """A number and its unit stay on one line."""
    return re.sub(r"(?<=\d) (?=[^\W\d]|[%°])", "\N{NO-BREAK SPACE}", words)


def _figure(metric: MetricId, value: float, units: Units) -> str:
    known = METRICS[metric]
    if known.unit is Unit.BYTES:
        return str(quantity(known, value, units))
    typed = typed_in(metric, units)
    # What a person typed comes back as it was typed.
    return f"{plain(round(typed.shown(value), 2))} {typed.name}".rstrip()


def _difference(metric: MetricId, value: float, units: Units) -> str:
    typed = typed_in(metric, units)
    return f"{plain(round(value / typed.size, 2))} {typed.name}".rstrip()
