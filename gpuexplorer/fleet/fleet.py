"""Fleet: which cards a Prometheus knows, by the labels of whoever tells of them, and what it
says of all of them at one moment.
"""

import math
import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.client import Labels, Prometheus, Table
from gpuexplorer.fleet.exporters import (
    STATE,
    Exporter,
    aged,
    exporters,
    grouped,
    one_of,
    selector,
)
from gpuexplorer.fleet.refusals import PrometheusError
from gpuexplorer.telemetry.exporter_names import (
    HOST_LABELS,
    MODEL_LABELS,
    NUMBER_LABELS,
    UUID_LABELS,
    served_name,
)

# What the map, the table and the sums of hosts are made of.
AT_THE_BEAT = tuple(
    MetricId(each)
    for each in ("gpu_utilization", "memory_used", "memory_free", "temperature", "power_draw")
)
TOTAL = MetricId("memory_total")
# Some tell of a card's memory in parts alone.
_PARTS = tuple(MetricId(f"memory_{each}") for each in ("used", "free", "reserved"))
_RARELY = (*_PARTS, TOTAL, MetricId("power_limit"))
_HALF_AN_HOUR, _HOUR = 1800.0, 3600.0  # a card is listed for an hour after its last word
_FIGURES = 4  # of an Xid
_MOST_ALERTS = 2000
_GRAVITY = ("critical", "page", "emergency", "error", "high", "major", "warning", "minor")

_PART = "GPU_I_ID"  # the DCGM exporter's for a part of a card, which has the card's UUID
_PROFILE = "GPU_I_PROFILE"
_OWN_PART = "mig"  # of ours, where each part has a UUID of its own
_RACK, _JOB, _TARGET, _SIMULATED, _BUS = "rack", "job", "instance", "simulated", "pci_bus_id"
_WANTED = (
    *(*UUID_LABELS, *HOST_LABELS, *NUMBER_LABELS, *MODEL_LABELS),
    *(_PART, _PROFILE, _OWN_PART, _JOB, _TARGET, _SIMULATED, _BUS, _RACK),
)
_KEYS = (*UUID_LABELS, _PART)
_OF_OURS = "SIM-"  # our simulated cards' UUIDs, should the label have been taken away
# What a host engine elsewhere calls its computer is nobody's name.
_NO_NAMES = ("localhost", "localhost.localdomain", "127.0.0.1", "::1", "")
_PORT = re.compile(r"(?<=[^:]):\d{1,5}$|(?<=\]):\d{1,5}$", re.ASCII)
_BUS_ADDRESS = re.compile(r"[0-9a-fA-F]{0,4}([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F.]+)")

# Why a figure is missing, as `gpuexplorer serve` tells it; others tell none.
_INFO = "gpuexplorer_missing_info"
_SERVED = {
    (name.name, tuple(name.labels.items())): metric.id
    for metric in METRICS.values()
    for name in [served_name(metric)]
}
_PARTED = sorted({label for _, own in _SERVED for label, _ in own})
_ABSENCES = {each.value: each for each in Absence}
_STATES = {each.value: each for each in CardState}

Values = Mapping[CardId, float]
T = TypeVar("T")
Reasons = dict[CardId, dict[MetricId, Absence]]


class FleetCard(NamedTuple):
    """What labels say of a card. All of it is a stranger's text, made plain."""

    id: CardId
    uuid: str  # as it stands in the label: to ask for it
    host: str
    rack: str
    number: str
    name: str
    kind: CardKind = CardKind.GPU
    bus_id: str | None = None
    simulated: bool = False
    targets: frozenset[tuple[str, str]] = frozenset()  # job and instance: who was read
    exporters: frozenset[str] = frozenset()  # titles of who tells of it


class Alert(NamedTuple):
    """One that fires, in the words of whoever wrote its rule."""

    name: str
    text: str
    severity: str
    host: str

    @property
    def gravity(self) -> int:
        """The lower the worse."""
        low = self.severity.lower()
        return _GRAVITY.index(low) if low in _GRAVITY else len(_GRAVITY)

    @property
    def urgent(self) -> bool:
        """It would wake somebody."""
        return self.gravity < _GRAVITY.index("error")


class Told(NamedTuple):
    """What is told of some cards just now."""

    values: Mapping[MetricId, dict[CardId, float]]
    ages: dict[CardId, float]  # seconds since the exporter was read
    reasons: Reasons  # why a figure is missing, where that is known


class FleetNow(NamedTuple):
    """All that is known at one moment. What is in `values` of nobody is missing: see `why`."""

    cards: Mapping[CardId, FleetCard]
    values: Mapping[MetricId, Values]
    ages: Values  # seconds since the exporter was read; not there for cards of before
    states: Mapping[CardId, CardState]  # where somebody tells
    told: Mapping[str, Collection[MetricId]]  # by exporter
    reasons: Reasons  # why a figure is missing, where more is known than that
    xids: Mapping[CardId, int]  # the newest Xid error, or the highest of them
    alerts: Sequence[Alert] = ()  # the worst first
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


def card_id(labels: Labels) -> CardId:
    """By UUID and part; empty without a UUID, since nobody knows then which card it is."""
    uuid, part = _first(labels, UUID_LABELS), labels.get(_PART)
    return CardId(_plain(f"{uuid}/{part}" if uuid and part else uuid))


class Fleet:
    """One thread at a time asks. Each question names its metric, and --match is in all."""

    def __init__(
        self,
        server: Prometheus,
        match: str = "",
        host_label: str = "",
        wall: Callable[[], float] = time.time,
    ) -> None:
        """`match` as `exporters.match` gave it. `host_label`: the one by which a person wants
        hosts named; empty: the likeliest.
        """
        self.server, self.match, self.host_label = server, match, host_label
        self.exporters: Sequence[Exporter] = ()
        self._wall = wall
        self._cards: Mapping[CardId, FleetCard] = {}
        self._told_at: dict[CardId, float] = {}  # its last word, or when it was found
        # Any: what the rows of a question are, by the question.
        self._known: dict[str, tuple[Sequence[Labels] | None, list[Any]]] = {}
        self._rare = Told({}, {}, {})

    def look_for_cards(self) -> None:
        """And for what hardly ever changes of them. Raises Trouble where there is none."""
        since = self._wall() - _HALF_AN_HOUR
        there = exporters(self.server.names(since))
        if not there:
            raise PrometheusError(
                "Nobody tells this Prometheus of graphics cards.",
                "It knows no metric of the DCGM exporter, nvidia_gpu_exporter, nvitop-exporter"
                " or `gpuexplorer serve`: let one run on each host, and Prometheus read it.",
            )
        self.exporters = there
        # Who fell silent stays for a while, with the reason.
        found, before = self._found(), self._wall() - _HOUR
        self._told_at = {card: at for card, at in self._told_at.items() if at >= before}
        stay = {card: each for card, each in self._cards.items() if card in self._told_at}
        self._know({**stay, **found})
        if not self._cards:
            raise PrometheusError(
                "No card is to be seen in this Prometheus just now.",
                "Its exporters may have stopped, their labels may have no UUID, or --match fits"
                " none of them.",
            )
        self._rare = self.told(self.server, _RARELY)

    def look_back(self) -> None:
        """For cards of which nobody has told for some minutes."""
        self._know({**self._found("1h"), **self._cards})

    def now(self) -> FleetNow:
        """A beat: the values of these, how old they are, and which alerts fire."""
        told = self.told(self.server, AT_THE_BEAT)
        if not self._cards.keys() >= told.ages.keys():
            self.look_for_cards()
        self._told_at.update(dict.fromkeys(told.ages, self._wall()))
        values = {**self._rare.values, **told.values}
        states, xids, (alerts, said) = self._states(), self._xids(), self._alerts()
        warned = [
            Message("Prometheus warns: {text}", text=each)
            for each in self.server.taken_warnings()
        ]
        exposed = filter(None, (self.server.exposed,))
        twice = shown_twice([self._cards[card] for card in told.ages if card in self._cards])
        return FleetNow(
            self._cards,
            values,
            told.ages,
            states,
            {each.title: each.told.keys() for each in self.exporters},
            told.reasons,
            xids,
            alerts,
            (*exposed, *twice, *warned, *said),
        )

    def told(
        self,
        server: Prometheus,
        metrics: Collection[MetricId],
        cards: Collection[FleetCard] | None = None,
    ) -> Told:
        """Of some cards, or of all, by one question to each exporter, and one for how old that
        is. Who tells a figure first is believed; what two jobs tell of one card counts once.
        """
        told = Told({metric: {} for metric in metrics}, {}, {})
        for exporter, meant in self.about(cards):
            query, figure_of = _asked(exporter, metrics, meant)
            table = server.table(query) if query else Table((), ())
            targets = self._meant(query, table.labels, figure_of)
            for target, value in zip(targets, table.values, strict=True):
                if target is not None:
                    card, metric, factor, lowest, highest = target
                    if lowest <= value / factor <= highest:
                        told.values[metric].setdefault(card, value / factor)
                    elif math.isfinite(value):
                        why = told.reasons.setdefault(card, {})
                        why.setdefault(metric, Absence.IMPOSSIBLE)
            query = aged(exporter.keys, exporter.series(meant))
            table = server.table(query)
            ids = self._meant(query, table.labels, card_id)
            for card, age in zip(ids, table.values, strict=True):
                told.ages.setdefault(card, max(0.0, age))
            if exporter.anchor == STATE:
                named = metrics if cards is None else ()
                for card, why in reasons(server, exporter.keys, meant, named).items():
                    told.reasons.setdefault(card, {}).update(why)
        told.ages.pop(CardId(""), None)
        if TOTAL in metrics:
            used, *parts = (told.values[each] for each in _PARTS)
            for card, value in used.items():
                if all(card in part for part in parts):
                    whole = value + sum(part[card] for part in parts)
                    told.values[TOTAL].setdefault(card, whole)
        return told

    def about(
        self, cards: Collection[FleetCard] | None = None
    ) -> Iterator[tuple[Exporter, str]]:
        """Each exporter, and which of its series are meant: of some cards, or of all."""
        for exporter in self.exporters:
            if cards is None:
                yield exporter, self.match
                continue
            for label in exporter.keys:
                if label in UUID_LABELS and cards:
                    meant = one_of(label, {each.uuid for each in cards})
                    yield exporter, ",".join(filter(None, (meant, self.match)))

    def _found(self, back: str = "") -> Mapping[CardId, FleetCard]:
        """Who tells first gives the names; targets and exporters are put together."""
        found: dict[CardId, FleetCard] = {}
        told, by = [], dict.fromkeys((*_WANTED, *filter(None, (self.host_label,))))
        for exporter in self.exporters:
            asked = exporter.series(self.match)
            asked = f"last_over_time({asked}[{back}])" if back else asked
            rows = self.server.table(grouped(by, asked, "count")).labels
            for labels in rows:
                if card_id(labels):
                    card = self._card(labels, exporter.title)
                    before = found.get(card.id)
                    found[card.id] = card if before is None else _both(before, card)
            keys = [label for label in _KEYS if any(label in labels for labels in rows)]
            told.append(exporter._replace(keys=keys))
        self.exporters = [each for each in told if each.keys]
        for id_ in found:
            self._told_at.setdefault(id_, self._wall())
        return found

    def _card(self, labels: Labels, title: str) -> FleetCard:
        part = labels.get(_PART) or labels.get(_OWN_PART, "")
        number = _plain(_first(labels, NUMBER_LABELS))
        uuid = _first(labels, UUID_LABELS)
        # Exporters write eight figures before the first colon, and the kernel four.
        bus = _BUS_ADDRESS.fullmatch(labels.get(_BUS, ""))
        return FleetCard(
            card_id(labels),
            uuid,
            self._host_of(labels),
            _plain(labels.get(_RACK, "")),
            f"{number}.{_plain(part)}" if part else number,
            _plain(_first(labels, (*MODEL_LABELS, _PROFILE))),
            CardKind.MIG if part else CardKind.GPU,
            bus[1].lower() if bus else None,
            labels.get(_SIMULATED) == "true" or uuid.startswith(_OF_OURS),
            frozenset(((labels.get(_JOB, ""), labels.get(_TARGET, "")),)),
            frozenset((title,)),
        )

    def _host_of(self, labels: Labels) -> str:
        """Also for labels of other things, such as alerts."""
        for label in (self.host_label, *HOST_LABELS):
            value = labels.get(label, "").strip()
            if label == _TARGET:
                value = _PORT.sub("", value)
            if value not in _NO_NAMES:
                return _plain(value)
        return _plain(labels.get(_TARGET, ""))

    def _know(self, cards: Mapping[CardId, FleetCard]) -> None:
        """Where nothing is new the very same stay, and so does what was made of them."""
        if cards != self._cards:
            self._cards = cards

    def _meant(
        self, query: str, labels: Sequence[Labels], of: Callable[[Labels], T]
    ) -> Sequence[T]:
        """What each row is; they are the same at each beat."""
        before, found = self._known.get(query, (None, []))
        if before != labels:
            found = list(map(of, labels))
            self._known[query] = labels, found
        return found

    def _states(self) -> Mapping[CardId, CardState]:
        found = {}
        for each in self.exporters:
            if each.anchor == STATE:
                query = grouped((*each.keys, "state"), selector(STATE, {}, self.match))
                for labels in self.server.table(f"{query} == 1").labels:
                    if labels.get("state") in _STATES:
                        found[card_id(labels)] = _STATES[labels["state"]]
        return found

    def _xids(self) -> Mapping[CardId, int]:
        found: dict[CardId, int] = {}
        for each in self.exporters:
            if each.xid:
                by = (*each.keys, *filter(None, (each.xid_label,)))
                asked = grouped(by, selector(each.xid, {}, self.match)) + " > 0"
                for labels, value in zip(*self.server.table(asked), strict=True):
                    code = labels.get(each.xid_label, "") if each.xid_label else f"{value:.0f}"
                    if code.isdecimal() and len(code) <= _FIGURES:
                        card = card_id(labels)
                        found[card] = max(int(code), found.get(card, 0))
        return found

    def _alerts(self) -> tuple[Sequence[Alert], Sequence[Message]]:
        """Those of these cards and of their hosts. Some keep their rules elsewhere, and answer
        all but this.
        """
        try:
            told = self.server.alerts()[:_MOST_ALERTS]
        except PrometheusError as error:
            if not error.status:
                raise
            return (), (Message("Alerts are not told here: {why}", why=error.sentence),)
        hosts, found = {card.host for card in self._cards.values()}, []
        for labels, notes in told:
            card = self._cards.get(card_id(labels))
            host = self._host_of(labels) if card is None else card.host
            if host in hosts:
                name, severity = (_plain(labels.get(e, "")) for e in ("alertname", "severity"))
                text = clean(_first(notes, ("summary", "description", "message")), 300)
                found.append(Alert(name, text or name, severity, host))
        return sorted(found, key=lambda each: (each.gravity, each.name)), ()


# Whose and which, by what it is to be divided, and within which bounds.
_Target = tuple[CardId, MetricId, float, float, float] | None


def _asked(
    exporter: Exporter, metrics: Collection[MetricId], meant: str
) -> tuple[str, Callable[[Labels], _Target]]:
    """The question, empty where it tells none of them, and what a row of its answer is."""
    names = {
        (name.name, tuple(name.labels.items())): (metric, name.factor)
        for metric, name in exporter.told.items()
        if metric in metrics
    }
    parts = sorted({part for _, labels in names for part, _ in labels})
    named = "|".join(sorted({name for name, _ in names}))
    inside = ",".join(filter(None, (f'__name__=~"{named}"', meant)))

    def figure_of(row: Labels) -> _Target:
        found, card = names.get(_named(row, "__name__", parts)), card_id(row)
        if found is None or not card:
            return None
        bounds = METRICS[found[0]]
        return card, *found, bounds.lowest, min(bounds.highest, sys.float_info.max)

    query = grouped(("__name__", *exporter.keys, *parts), f"{{{inside}}}")
    return query if names else "", figure_of


def reasons(
    server: Prometheus, keys: Sequence[str], matched: str, metrics: Iterable[MetricId] = ()
) -> Reasons:
    """`matched` says of which cards. Of all metrics unless some are named."""
    names = {served_name(METRICS[each]).name for each in metrics}
    inside = ",".join(filter(None, (matched, one_of("metric", names) if names else "")))
    asked = grouped((*keys, "metric", "reason", *_PARTED), f"{_INFO}{{{inside}}}")
    found: Reasons = {}
    for labels in server.table(asked).labels:
        metric = _SERVED.get(_named(labels, "metric", _PARTED))
        reason = _ABSENCES.get(labels.get("reason", ""))
        if metric is not None and reason is not None:
            found.setdefault(card_id(labels), {})[metric] = reason
    return found


def _named(
    row: Labels, label: str, parts: Sequence[str]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The name of a metric, and which part of the card it is about."""
    return row.get(label, ""), tuple((part, row[part]) for part in parts if row.get(part))


def shown_twice(cards: Iterable[FleetCard]) -> Sequence[Message]:
    """What is to be known of cards of which several tell."""
    notes, alike, twice = [], [], 0
    for card in cards:
        jobs = len({job for job, _ in card.targets})
        twice += jobs > 1
        if len(card.targets) > jobs:  # one job reads a card at one place
            alike.append(card)
    if alike:
        one, other, *_ = sorted(_plain(instance) for _, instance in alike[0].targets)
        notes.append(
            Message.counted(
                "The UUID {uuid} is told of at two places, {one} and {other}: of these"
                " cards only one is shown.",
                "{count} UUIDs, such as {uuid}, are told of at two places, such as {one}"
                " and {other}: of these cards only one each is shown.",
                len(alike),
                uuid=_plain(alike[0].uuid),
                one=one,
                other=other,
            )
        )
    if twice:
        notes.append(
            Message.counted(
                "{count} card is shown by more than one job, and counted once.",
                "{count} cards are shown by more than one job, and each is counted once.",
                twice,
            )
        )
    return notes


def _both(first: FleetCard, other: FleetCard) -> FleetCard:
    lacking = ("rack", "number", "name", "bus_id", "simulated")
    return first._replace(
        targets=first.targets | other.targets,
        exporters=first.exporters | other.exporters,
        **{each: getattr(first, each) or getattr(other, each) for each in lacking},
    )


def _first(labels: Labels, names: Sequence[str]) -> str:
    return next((labels[each] for each in names if labels.get(each)), "")


def _plain(text: str) -> str:
    return clean(text, 200)
