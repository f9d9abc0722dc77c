"""Alerts in words: what a rule will do, what an alert says, and how it ended."""

from collections.abc import Mapping, Sequence

from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MEMORY_TOTAL, METRICS, Unit
from gpuexplorer.core.units import Units, plain, span_words
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.telemetry.alerts import (
    HELD,
    LIMITS,
    Alert,
    Rule,
    Side,
    figure_words,
    standing,
    typed_in,
)

_MOST_CARDS, _MOST_ALERTS = 4, 3
_OVER = {
    Side.ABOVE: mark(
        "Ends when it was back below {figure} for 5 s, or was not above the threshold for half "
        "a minute."
    ),
    Side.BELOW: mark(
        "Ends when it was back above {figure} for 5 s, or was not below the threshold for half "
        "a minute."
    ),
}


def rule_sentence(rule: Rule, units: Units, numbers: Mapping[CardId, str]) -> str:
    """ "Temperature above the card's limit − 2 °C for 30 s, on any card"."""
    held = _condition(rule, units)
    if rule.seconds:
        held = tr("{condition} for {time}", condition=held, time=span_words(rule.seconds))
    return tr("{condition}, {cards}", condition=held, cards=_cards_words(rule.cards, numbers))


def promise(rule: Rule, units: Units) -> str:
    """When it is over: a figure that runs along its threshold does not begin it anew."""
    from_limit = rule.of_limit and METRICS[rule.metric].unit is Unit.CELSIUS
    _, back = rule.bounds(0.0 if from_limit else 1.0)
    return tr(_OVER[rule.side], figure=_threshold(rule, back, units))


def strip_sentence(
    alerts: Sequence[Alert], numbers: Mapping[CardId, str], units: Units, clock: Clock
) -> str:
    """One line for all that goes on, whatever their number. Alerts of one rule are one part."""
    by_rule: dict[Rule, list[Alert]] = {}
    for alert in alerts:
        by_rule.setdefault(alert.rule, []).append(alert)
    parts = [_part(group, numbers, units, clock) for group in by_rule.values()]
    if len(parts) == 1:
        return parts[0]
    if rest := parts[_MOST_ALERTS:]:
        parts[_MOST_ALERTS:] = [trn("and {count} more", "and {count} more", len(rest))]
    one, several = mark("{count} alert: {which}"), mark("{count} alerts: {which}")
    return trn(one, several, len(alerts), which="; ".join(parts))


def _condition(rule: Rule, units: Units) -> str:
    threshold = _threshold(rule, rule.threshold, units)
    return tr(HELD[rule.side], metric=tr(METRICS[rule.metric].label), threshold=threshold)


def _threshold(rule: Rule, value: float, units: Units) -> str:
    """ "85 °C", "the card's limit − 2 °C", "98 % of the card's memory"."""
    if not rule.of_limit:
        return figure_words(rule.metric, value, units)
    if METRICS[rule.metric].unit is not Unit.CELSIUS:
        share = plain(round(100 * value, 2))
        if LIMITS[rule.metric][0] == MEMORY_TOTAL:
            return tr("{share} % of the card's memory", share=share)
        return tr("{share} % of the card's power limit", share=share)
    if value == 0:
        return tr("the card's limit")
    typed = typed_in(rule.metric, units)
    far = f"{plain(round(abs(value) / typed.size, 2))} {typed.name}"
    if value < 0:
        return tr("the card's limit − {far}", far=far)
    return tr("the card's limit + {far}", far=far)


def _cards_words(cards: frozenset[CardId] | None, numbers: Mapping[CardId, str]) -> str:
    """ "on any card", "on card 0", "on cards 0 and 3"."""
    if cards is None:
        return tr("on any card")
    names = [number for card, number in numbers.items() if card in cards]
    away = len(cards) - len(names)
    if not names:
        return tr("on cards that are not here now") if away else tr("on no card")
    if away:
        names.append(trn("{count} not here now", "{count} not here now", away))
    one, several = mark("on card {numbers}"), mark("on cards {numbers}")
    return trn(one, several, len(names), numbers=_listed(names))


def _part(
    group: Sequence[Alert], numbers: Mapping[CardId, str], units: Units, clock: Clock
) -> str:
    seconds = max(0.0, clock.now() - min(alert.since for alert in group))
    now, names = clock.wall(), [numbers.get(alert.card, alert.card) for alert in group]
    what: str = standing(group[0], units)
    words = mark("Card {number}: {what} since {moment}, for {time}")
    if len(group) > 1:
        what = _condition(group[0].rule, units)
        words = mark("{what} on cards {numbers}, the first since {moment}, for {time}")
    return tr(
        words,
        number=names[0],
        numbers=_listed(sorted(names)),
        what=what,
        moment=moment_word(now - seconds, now),
        time=span_words(seconds),
    )


def _listed(names: Sequence[str]) -> str:
    if len(names) <= _MOST_CARDS + 1:
        return listed(names)
    rest, shown = len(names) - _MOST_CARDS, ", ".join(names[:_MOST_CARDS])
    return trn("{names} and {count} more", "{names} and {count} more", rest, names=shown)
