"""Fleet: the questions about all cards in a Prometheus, and their answers as plain values."""

import math
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.answers import Labels, Table
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.firing import Alert, firing
from gpuexplorer.fleet.identity import (
    KEYS,
    WANTED,
    Chosen,
    FleetCard,
    card_id,
    identified,
    key_of,
)
from gpuexplorer.fleet.names import STATE, Exporter, Told, exporters
from gpuexplorer.fleet.reasons import Reasons, reasons
from gpuexplorer.fleet.refusals import PrometheusError, plain
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
_HALF_AN_HOUR = 1800.0
_BACK, _HOUR = "1h", 3600.0  # so long after its last word a card is still listed
_MOST_CARDS = 200_000

Values = Mapping[CardId, float]
_Columns = Mapping[str, Sequence[str]]


class FleetNow(NamedTuple):
    """All that is known at one moment. What is in `values` of nobody is missing: see `why`."""

    at: float  # wall clock of this computer
    cards: Mapping[CardId, FleetCard]
    values: Mapping[MetricId, Values]
    ages: Values  # seconds since the exporter was read; not there for cards of before
    states: Mapping[CardId, CardState]  # where somebody tells
    told: Mapping[str, frozenset[MetricId]]  # by exporter
    reasons: Reasons  # why a figure is missing, where more is known than that
    xids: Mapping[CardId, int]  # the newest Xid error, or the highest of them
    alerts: Sequence[Alert] = ()
    notes: Sequence[Message] = ()

    def why(self, card: FleetCard, metric: MetricId) -> Absence:
        """Why there is no figure of it."""
        if (told := self.reasons.get(card.id, {}).get(metric)) is not None:
            return told
        if any(metric in self.told.get(each, ()) for each in card.exporters):
            return Absence.NO_NEW_VALUE
        return Absence.NOT_TOLD

    def state(self, card: CardId) -> CardState:
        if card not in self.ages:
            return CardState.NO_ANSWER
        return self.states.get(card, CardState.WORKING)


class Fleet:
    """One thread at a time asks. Each question names its metric, and --match is in all."""

    def __init__(
        self,
        server: Prometheus,
        match: str = "",
        chosen: Chosen = Chosen(),  # noqa: B008 - nothing in it changes
        wall: Callable[[], float] = time.time,
    ) -> None:
        """`match` as `selector.match` gave it."""
        self.server = server
        self.match = match
        self.chosen = chosen
        self._wall = wall
        self.exporters: Sequence[Exporter] = ()
        self.labels: Sequence[str] = ()  # by which hosts may be grouped
        self.keys: Mapping[str, Sequence[str]] = {}  # an exporter's labels that say which card
        self._cards: Mapping[CardId, FleetCard] = {}
        self._told_at: dict[CardId, float] = {}  # its last word, or when it was found
        # The cards behind the labels of rows, since they are the same at each beat: by names.
        self._known: dict[tuple[str, ...], tuple[_Columns, Sequence[CardId | None]]] = {}
        self._rare: dict[MetricId, Values] = {}
        self._impossible: dict[MetricId, frozenset[CardId]] = {}

    def look_for_cards(self) -> None:
        """Who tells of which cards, and what hardly ever changes. Raises Trouble where nobody
        does.
        """
        since = self._wall() - _HALF_AN_HOUR
        there = exporters(self.server.names(since))
        if not there:
            raise PrometheusError(
                "Nobody tells this Prometheus of graphics cards.",
                "It knows no metric of the DCGM exporter, nvidia_gpu_exporter, nvitop-exporter"
                " or `gpuexplorer serve`: let one run on each host, and Prometheus read it.",
            )
        rows: list[tuple[str, Labels]] = []
        keys: dict[str, Sequence[str]] = {}
        known: set[str] = set()
        for each in there:
            labels = self.server.labels(selector(each.anchor, each.marks, self.match), since)
            known.update(labels)
            if found := [label for label in KEYS if label in labels]:
                keys[each.title] = found
                rows += [(each.title, row) for row in self._identities(each, labels)]
        self.exporters = [each for each in there if each.title in keys]
        self.keys, self.labels = keys, sorted(known)
        # Who fell silent stays among the others, with the reason.
        self._know({**self._lately_told(), **self._found(rows)})
        if not self._cards:
            raise PrometheusError(
                "No card is to be seen in this Prometheus just now.",
                "Its exporters may have stopped, their labels may have no UUID, or --match fits"
                " none of them.",
            )
        self._rare = {metric: self._values(metric) for metric in _RARELY}
        if not self._rare[_TOTAL]:
            parts = (self._values(_USED), self._values(_FREE), self._rare[_RESERVED])
            self._rare[_TOTAL] = _sums(parts)

    def look_back(self) -> None:
        """For cards of which nobody has told for some minutes."""
        rows: list[tuple[str, Labels]] = []
        for each in self.exporters:
            told = self._identities(each, (*self.keys[each.title], *self.labels), _BACK)
            rows += [(each.title, labels) for labels in told]
        self._know({**self._found(rows), **self._cards})

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
            (*self._notes(ages), *said),
        )

    def _found(self, rows: Sequence[tuple[str, Labels]]) -> Mapping[CardId, FleetCard]:
        found = identified(rows, self.chosen)
        if len(found) > _MOST_CARDS:
            raise PrometheusError(
                "This Prometheus tells of {count} cards, and at most {most} can be shown.",
                "Ask for fewer with --match.",
                count=len(found),
                most=_MOST_CARDS,
            )
        for card in found:
            self._told_at.setdefault(card, self._wall())
        return found

    def _lately_told(self) -> Mapping[CardId, FleetCard]:
        """Of those that are known. Where others come all the time, none of the earlier."""
        since = self._wall() - _HOUR
        cards = self._cards if len(self._cards) <= _MOST_CARDS else {}
        stay = {id_: each for id_, each in cards.items() if self._told_at.get(id_, 0) >= since}
        self._told_at = {card: self._told_at[card] for card in stay}
        return stay

    def _know(self, cards: Mapping[CardId, FleetCard]) -> None:
        """Where nothing is new the very same stay, and so does what was made of them."""
        if cards != self._cards:
            self._cards = cards

    def _identities(
        self, of: Exporter, there: Collection[str], back: str = ""
    ) -> Iterator[Labels]:
        wanted = dict.fromkeys((*WANTED, *filter(None, self.chosen)))
        asked = selector(of.anchor, of.marks, self.match)
        if back:
            asked = f"last_over_time({asked}[{back}])"
        by = [label for label in wanted if label in there]
        return self.server.table(grouped("count", by, asked)).rows()

    def _values(self, metric: MetricId) -> Values:
        """Of who tells it first; what two jobs tell of one card counts once."""
        found: Values = {}
        wrong: set[CardId] = set()
        for each in self.exporters:
            told = each.told.get(metric)
            if told is not None:
                asked = selector(told.name, told.labels, self.match)
                query = grouped("max", self.keys[each.title], asked)
                good = self._good(query, told, wrong)
                found = {**good, **found} if found else good
        self._impossible[metric] = frozenset(wrong - found.keys())
        return found

    def _ages(self) -> Values:
        found: dict[CardId, float] = {}
        for each in self.exporters:
            asked = selector(each.anchor, each.marks, self.match)
            told = self.server.table(aged(self.keys[each.title], asked))
            pairs = zip(self._cards_of(told), told.values, strict=True)
            ages = {card: age if age > 0 else 0.0 for card, age in pairs if card is not None}
            found = {**ages, **found} if found else ages
        return found

    def _states(self) -> Mapping[CardId, CardState]:
        if (ours := self._ours()) is None:
            return {}
        asked = selector(STATE, {}, self.match)
        query = grouped("max", (*self.keys[ours.title], "state"), asked) + " == 1"
        told = {state.value: state for state in CardState}
        return {
            card_id(key_of(labels)): told[labels["state"]]
            for labels in self.server.table(query).rows()
            if labels.get("state") in told
        }

    def _reasons(self) -> Reasons:
        found: Reasons = {}
        if (ours := self._ours()) is not None:
            found = reasons(self.server, self.keys[ours.title], self.match, AT_THE_BEAT)
        for metric, cards in self._impossible.items():
            for card in cards:
                found.setdefault(card, {}).setdefault(metric, Absence.IMPOSSIBLE)
        return found

    def _xids(self) -> Mapping[CardId, int]:
        found: dict[CardId, int] = {}
        for each in self.exporters:
            if each.xid:
                by = (*self.keys[each.title], *filter(None, (each.xid_label,)))
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

    def _notes(self, there: Collection[CardId]) -> Sequence[Message]:
        cards = [self._cards[each] for each in there if each in self._cards]
        notes, seen = [], [each for each in cards if len(each.targets) > 1]
        # One job reads a card at one place.
        alike = [card for card in seen if len(card.targets) > len(card.jobs)]
        if alike:
            one, other, *_ = sorted(plain(instance) for _, instance in alike[0].targets)
            notes.append(
                Message.counted(
                    "The UUID {uuid} is told of at two places, {one} and {other}: of these"
                    " cards only one is shown.",
                    "{count} UUIDs, such as {uuid}, are told of at two places, such as {one}"
                    " and {other}: of these cards only one each is shown.",
                    len(alike),
                    uuid=plain(alike[0].uuid),
                    one=one,
                    other=other,
                )
            )
        if twice := sum(len(card.jobs) > 1 for card in seen):
            notes.append(
                Message.counted(
                    "{count} card is shown by more than one job, and counted once.",
                    "{count} cards are shown by more than one job, and each is counted once.",
                    twice,
                )
            )
        notes += [
            Message("Prometheus warns: {text}", text=text) for text in self.server.warnings
        ]
        return notes

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
