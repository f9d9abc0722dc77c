"""Fleet: the questions about all cards in a Prometheus, and their answers as plain values."""

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.answers import Table
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.firing import Alert, firing
from gpuexplorer.fleet.identity import Chosen, card_id, key_of
from gpuexplorer.fleet.names import STATE, Exporter, Told
from gpuexplorer.fleet.now import FleetNow, Values
from gpuexplorer.fleet.reasons import Reasons, reasons
from gpuexplorer.fleet.refusals import PrometheusError
from gpuexplorer.fleet.roster import Roster, shown_twice
from gpuexplorer.fleet.selector import aged, grouped, selector

# What the map, the table and the sums of hosts are made of.
AT_THE_BEAT = tuple(
    MetricId(each) for each in ("gpu_utilization", "memory_used", "temperature", "power_draw")
)
_USED, _FREE, _RESERVED, _TOTAL = (
    MetricId(f"memory_{each}") for each in ("used", "free", "reserved", "total")
)
_RARELY = (_RESERVED, _TOTAL, MetricId("power_limit"))
_FIGURES = 4  # of an Xid

_Columns = Mapping[str, Sequence[str]]


class Fleet(Roster):
    """Each question names its metric."""

    def __init__(
        self,
        server: Prometheus,
        match: str = "",
        chosen: Chosen = Chosen(),  # noqa: B008 - nothing in it changes
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(server, match, chosen, wall)
        # The cards behind the labels of rows, since they are the same at each beat: by names.
        self._known: dict[tuple[str, ...], tuple[_Columns, Sequence[CardId | None]]] = {}
        self._rare: dict[MetricId, Values] = {}
        self._impossible: dict[MetricId, frozenset[CardId]] = {}

    def look_for_cards(self) -> None:
        """And for what hardly ever changes of them."""
        super().look_for_cards()
        self._rare = {metric: self._values(metric) for metric in _RARELY}
        if not self._rare[_TOTAL]:
            parts = (self._values(_USED), self._values(_FREE), self._rare[_RESERVED])
            self._rare[_TOTAL] = _sums(parts)

    def now(self) -> FleetNow:
        """A beat: the values of these, how old they are, and which alerts fire."""
        self.server.warnings = ()  # what it said before may be mended
        values: dict[MetricId, Values] = {m: self._values(m) for m in AT_THE_BEAT}
        ages = self._ages()
        if not self._cards.keys() >= ages.keys():
            self.look_for_cards()
        self._told_at.update(dict.fromkeys(ages, self._wall()))
        values.update({metric: told for metric, told in self._rare.items() if told})
        if _FREE not in values:
            values[_FREE] = self._free(values.get(_USED, {}))
        alerts, said = self._alerts()
        cards = [self._cards[card] for card in ages if card in self._cards]
        return FleetNow(
            self._wall(),
            self._cards,
            values,
            ages,
            self._states(),
            {each.title: frozenset(each.told) for each in self.exporters},
            self._reasons(),
            self._xids(),
            alerts,
            (*shown_twice(cards), *self._warnings(), *said),
        )

    def _warnings(self) -> Sequence[Message]:
        return [Message("Prometheus warns: {text}", text=text) for text in self.server.warnings]

    def _values(self, metric: MetricId) -> Values:
        """Of who tells it first; what two jobs tell of one card counts once."""
        found: Values = {}
        wrong: set[CardId] = set()
        for each in self.exporters:
            told = each.told.get(metric)
            if told is not None:
                query = grouped("max", each.keys, told.series(self.match))
                good = self._good(query, told, wrong)
                found = {**good, **found} if found else good
        self._impossible[metric] = frozenset(wrong - found.keys())
        return found

    def _ages(self) -> Values:
        found: dict[CardId, float] = {}
        for each in self.exporters:
            told = self.server.table(aged(each.keys, each.series(self.match)))
            pairs = zip(self._cards_of(told), told.values, strict=True)
            ages = {card: age if age > 0 else 0.0 for card, age in pairs if card is not None}
            found = {**ages, **found} if found else ages
        return found

    def _states(self) -> Mapping[CardId, CardState]:
        if (ours := self._ours()) is None:
            return {}
        asked = selector(STATE, {}, self.match)
        query = grouped("max", (*ours.keys, "state"), asked) + " == 1"
        told = {state.value: state for state in CardState}
        return {
            card_id(key_of(labels)): told[labels["state"]]
            for labels in self.server.table(query).rows()
            if labels.get("state") in told
        }

    def _reasons(self) -> Reasons:
        found: Reasons = {}
        if (ours := self._ours()) is not None:
            found = reasons(self.server, ours.keys, self.match, AT_THE_BEAT)
        for metric, cards in self._impossible.items():
            for card in cards:
                found.setdefault(card, {}).setdefault(metric, Absence.IMPOSSIBLE)
        return found

    def _xids(self) -> Mapping[CardId, int]:
        found: dict[CardId, int] = {}
        for each in self.exporters:
            if each.xid:
                by = (*each.keys, *filter(None, (each.xid_label,)))
                asked = grouped("max", by, selector(each.xid, {}, self.match)) + " > 0"
                for labels, value in self.server.table(asked).pairs():
                    code = labels.get(each.xid_label, "") if each.xid_label else f"{value:.0f}"
                    if code.isdecimal() and len(code) <= _FIGURES:
                        card = card_id(key_of(labels))
                        found[card] = max(int(code), found.get(card, 0))
        return found

    def _ours(self) -> Exporter | None:
        return next((each for each in self.exporters if each.anchor == STATE), None)

    def _alerts(self) -> tuple[Sequence[Alert], Sequence[Message]]:
        """Some keep their rules elsewhere, and answer all but this."""
        try:
            return firing(self.server.alerts(), self._cards, self.chosen), ()
        except PrometheusError as error:
            if not error.status:
                raise
            return (), (Message("Alerts are not told here: {why}", why=error.sentence),)

    def _cards_of(self, told: Table) -> Sequence[CardId | None]:
        names = tuple(told.labels)
        labels, cards = self._known.get(names, ({}, ()))
        if labels != told.labels:
            keys = map(key_of, told.rows())
            cards = [card_id(key) if key[0] else None for key in keys]
            self._known[names] = told.labels, cards
        return cards

    def _good(self, query: str, told: Told, wrong: set[CardId]) -> Values:
        """What is possible; whose figures are not, is in `wrong` afterwards."""
        lowest = METRICS[told.metric].lowest
        highest = min(METRICS[told.metric].highest, sys.float_info.max)
        table = self.server.table(query)
        values = [value / told.factor for value in table.values]
        cards = self._cards_of(table)
        good = {
            card: value
            for card, value in zip(cards, values, strict=True)
            if lowest <= value <= highest and card is not None
        }
        if len(good) < len(values):
            pairs = zip(cards, values, strict=True)
            wrong.update(card for card, value in pairs if card and math.isfinite(value))
        return good

    def _free(self, used: Values) -> Values:
        """What is left of all. Where somebody reserves some and tells it, that is not free. Of
        whose memory the whole is not known, free memory is asked for.
        """
        total, reserved = self._rare[_TOTAL], self._rare[_RESERVED]
        left = {
            card: max(0.0, total[card] - value - reserved.get(card, 0.0))
            for card, value in used.items()
            if card in total
        }
        return left if len(left) == len(used) else {**self._values(_FREE), **left}


def _sums(parts: Sequence[Values]) -> Values:
    """Of those that have all."""
    first, *more = parts
    return {
        card: value + sum(each[card] for each in more)
        for card, value in first.items()
        if all(card in each for each in more)
    }
