"""Alerts in words: what a rule will do, what an alert says, and how it ended."""

from collections.abc import Callable, Mapping, Sequence

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MEMORY_TOTAL, METRICS, POWER_LIMIT, MetricId, Unit
from gpuexplorer.core.units import Measure, Units, measure, plain, quantity
from gpuexplorer.core.words import Message, listed, mark, tr, trn
from gpuexplorer.gui.cards.reasons import moment_words, span_words
from gpuexplorer.telemetry.alerts import LIMITS, Alert, Rule, Side, Why

_MOST_CARDS = 4
_MOST_ALERTS = 3
# Figures of this size are typed in GiB, GB or GB/s.
_GIGA = 2e9
_PLAIN = {
    Side.ABOVE: mark("{metric} above {threshold}"),
    Side.BELOW: mark("{metric} below {threshold}"),
}
_SHARE = {
    (POWER_LIMIT, Side.ABOVE): mark("{metric} above {share} % of the card's power limit"),
    (POWER_LIMIT, Side.BELOW): mark("{metric} below {share} % of the card's power limit"),
    (MEMORY_TOTAL, Side.ABOVE): mark("{metric} above {share} % of the card's memory"),
    (MEMORY_TOTAL, Side.BELOW): mark("{metric} below {share} % of the card's memory"),
}
_AT_LIMIT = {
    Side.ABOVE: mark("{metric} above the card's own limit"),
    Side.BELOW: mark("{metric} below the card's own limit"),
}
# By the side, and whether the threshold lies above the limit.
_FROM_LIMIT = {
    (Side.ABOVE, False): mark("{metric} within {far} of the card's own limit"),
    (Side.ABOVE, True): mark("{metric} more than {far} above the card's own limit"),
    (Side.BELOW, False): mark("{metric} more than {far} below the card's own limit"),
    (Side.BELOW, True): mark("{metric} less than {far} above the card's own limit"),
}
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
_OVER_FROM_LIMIT = {
    (Side.ABOVE, False): mark(
        "Ends when it was back {far} below the limit for 5 s, or was not above the threshold "
        "for half a minute."
    ),
    (Side.ABOVE, True): mark(
        "Ends when it was back {far} above the limit for 5 s, or was not above the threshold "
        "for half a minute."
    ),
    (Side.BELOW, False): mark(
        "Ends when it was back {far} below the limit for 5 s, or was not below the threshold "
        "for half a minute."
    ),
    (Side.BELOW, True): mark(
        "Ends when it was back {far} above the limit for 5 s, or was not below the threshold "
        "for half a minute."
    ),
}


def condition(rule: Rule, units: Units, write: Callable[[str], str] = str) -> str:
    """ "Temperature above 85 °C", "Temperature within 2 °C of the card's own limit".

    `write` has the last word on how a figure is written.
    """
    metric = METRICS[rule.metric]
    label, side = tr(metric.label), rule.side
    if not rule.of_limit:
        figure = _figure(rule.metric, rule.threshold, units)
        return tr(_PLAIN[side], metric=label, threshold=write(figure))
    if metric.unit is not Unit.CELSIUS:
        share = plain(rule.threshold * 100)
        return tr(_SHARE[LIMITS[rule.metric][0], side], metric=label, share=share)
    if rule.threshold == 0:
        return tr(_AT_LIMIT[side], metric=label)
    far = _difference(rule.metric, abs(rule.threshold), units)
    return tr(_FROM_LIMIT[side, rule.threshold > 0], metric=label, far=write(far))


def rule_sentence(rule: Rule, units: Units, numbers: Mapping[CardId, str]) -> str:
    """What the rule does, for its row in the settings."""
    held, where = condition(rule, units, _unbroken), cards_words(rule.cards, numbers)
    if not rule.seconds:
        return tr("{condition}, {cards}", condition=held, cards=where)
    time = _unbroken(span_words(rule.seconds))
    return tr("{condition} for {time}, {cards}", condition=held, time=time, cards=where)


def promise(rule: Rule, units: Units) -> str:
    """When it is over: a figure that runs along its threshold does not begin it anew."""
    if rule.of_limit and METRICS[rule.metric].unit is Unit.CELSIUS:
        _, back = rule.bounds(0.0)
        far = _difference(rule.metric, abs(back), units)
        return tr(_OVER_FROM_LIMIT[rule.side, back >= 0], far=_unbroken(far))
    _, back = rule.bounds(1.0)
    figure = _figure(rule.metric, back, units)
    if rule.of_limit:
        figure = f"{plain(100 * back)} %"
    return tr(_OVER[rule.side], figure=_unbroken(figure))


def standing(alert: Alert, units: Units) -> Message:
    """ "Temperature above 87 °C": on this card, whatever it was counted from."""
    rule = alert.rule
    threshold = _figure(rule.metric, alert.threshold, units)
    label = METRICS[rule.metric].label
    return Message(_PLAIN[rule.side], metric=label, threshold=threshold)


def began_sentence(alert: Alert, units: Units) -> Message:
    what = standing(alert, units)
    if not alert.rule.seconds:
        return Message("Alert: {what}", what=what)
    return Message("Alert: {what} for {time}", what=what, time=span_words(alert.rule.seconds))


def ended_sentence(ended: Alert, units: Units) -> Message:
    what = standing(ended, units)
    if ended.why is Why.CHANGED:
        return Message("Alert ended: {what}; it is no longer watched", what=what)
    if ended.why is Why.BACK:
        return Message("Alert ended: {what}", what=what)
    unknown = mark("Alert: {what} is not known any more: {reason}")
    return Message(unknown, what=what, reason=ended.reason)


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
    rest = len(parts) - _MOST_ALERTS
    more = [trn("and {count} more", "and {count} more", rest)] if rest > 0 else []
    return trn(
        "{count} alert: {which}",
        "{count} alerts: {which}",
        len(alerts),
        which="; ".join(parts[:_MOST_ALERTS] + more),
    )


def cards_words(cards: frozenset[CardId] | None, numbers: Mapping[CardId, str]) -> str:
    """ "on any card", "on card 0", "on cards 0 and 3"."""
    if cards is None:
        return tr("on any card")
    names = [number for card, number in numbers.items() if card in cards]
    away = len(cards) - len(names)
    if not names:
        return tr("on cards that are not here now") if away else tr("on no card")
    which = _numbers(names)
    if not away:
        return trn("on card {numbers}", "on cards {numbers}", len(names), numbers=which)
    return trn(
        "on card {numbers} and {away} not here now",
        "on cards {numbers} and {away} not here now",
        len(names),
        numbers=which,
        away=away,
    )


def _part(
    group: Sequence[Alert], numbers: Mapping[CardId, str], units: Units, clock: Clock
) -> str:
    seconds = max(0.0, clock.now() - min(alert.since for alert in group))
    lasted, now = span_words(seconds), clock.wall()
    since = moment_words(now - seconds, now)
    if len(group) == 1:
        number = numbers.get(group[0].card, group[0].card)
        what = standing(group[0], units)
        return tr(
            "Card {number}: {what} since {moment}, for {time}",
            number=number,
            what=what,
            moment=since,
            time=lasted,
        )
    cards = {alert.card for alert in group}
    names = [number for card, number in numbers.items() if card in cards]
    names += [card for card in cards if card not in numbers]
    held = condition(group[0].rule, units)
    if cards == set(numbers) and len(names) > _MOST_CARDS:
        return trn(
            "{what} on the {count} card since {moment}, for {time}",
            "{what} on all {count} cards, the first since {moment}, for {time}",
            len(names),
            what=held,
            moment=since,
            time=lasted,
        )
    return trn(
        "{what} on card {numbers} since {moment}, for {time}",
        "{what} on cards {numbers}, the first since {moment}, for {time}",
        len(names),
        what=held,
        moment=since,
        numbers=_numbers(names),
        time=lasted,
    )


def _numbers(names: Sequence[str]) -> str:
    if len(names) > _MOST_CARDS + 1:
        rest = len(names) - _MOST_CARDS
        shown = ", ".join(names[:_MOST_CARDS])
        return trn("{names} and {count} more", "{names} and {count} more", rest, names=shown)
    return listed(names)


def typed_in(metric: MetricId, units: Units) -> Measure:
    """The one unit in which a person types figures of it, whatever their size."""
    return measure(METRICS[metric].unit, _GIGA, units)


def _unbroken(value: str) -> str:
    """A number and its unit stay on one line."""
    return value.replace(" ", "\N{NO-BREAK SPACE}")


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
