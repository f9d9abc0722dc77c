"""Fleet: which cards a Prometheus knows, by the labels of the exporters that tell of them, and
what it says of all of them at one moment.
"""

import gc
import json
import math
import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.fleet.client import Labels, Prometheus, PrometheusError
from gpuexplorer.telemetry.exporter_names import (
    EXPORTER_NAMES,
    HOST_LABELS,
    MODEL_LABELS,
    NUMBER_LABELS,
    UUID_LABELS,
    XID,
    XID_COUNT,
    Name,
    own_name,
    served_name,
)

STATE = "gpuexplorer_card_state"
# A metric's name, and the labels that say of which part of a card it tells.
_Key = tuple[str, tuple[tuple[str, str], ...]]


def _key(name: Name) -> _Key:
    return name.name, tuple(name.labels.items())


# What the map, the table and the sums of hosts are made of.
AT_THE_BEAT = (
    ids.GPU_UTILIZATION,
    ids.MEMORY_USED,
    ids.MEMORY_FREE,
    ids.TEMPERATURE,
    ids.POWER_DRAW,
)
_MEMORY = (ids.MEMORY_USED, ids.MEMORY_FREE, ids.MEMORY_RESERVED, ids.MEMORY_TOTAL)
_RARELY = (*_MEMORY, ids.POWER_LIMIT)
_LISTED = 3600.0  # seconds after its last word
_SEVERITIES = ("critical", "page", "emergency", "error", "high", "major", "warning", "minor")
_GRAVITY = {severity: place for place, severity in enumerate(_SEVERITIES)}

_PART = "GPU_I_ID"  # the DCGM exporter's for a part of a card, which has the card's UUID
_OWN_PART = "mig"  # of ours, where each part has a UUID of its own
_RACK, _JOB, _TARGET, _SIMULATED, _BUS = "rack", "job", "instance", "simulated", "pci_bus_id"
_NAMES = (*MODEL_LABELS, "GPU_I_PROFILE")
_WANTED = (
    *(*UUID_LABELS, *HOST_LABELS, *NUMBER_LABELS, *_NAMES),
    *(_PART, _OWN_PART, _JOB, _TARGET, _SIMULATED, _BUS, _RACK),
)
_KEYS = (*UUID_LABELS, _PART)
_OF_OURS = "SIM-"  # our simulated cards' UUIDs, should the label have been taken away
# What a host engine elsewhere calls its computer is nobody's name.
_NO_NAMES = ("localhost", "localhost.localdomain", "127.0.0.1", "::1", "")
_PORT = re.compile(r"(?<=[^:]):\d{1,5}$|(?<=\]):\d{1,5}$", re.ASCII)
# Exporters write eight figures before the first colon, and the kernel four.
_BUS_ADDRESS = re.compile(r"[0-9a-fA-F]{0,4}([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F.]+)")

# Why a figure is missing, as `gpuexplorer serve` tells it; others tell none.
_INFO = "gpuexplorer_missing_info"
_SERVED = {_key(served_name(metric)): metric.id for metric in METRICS.values()}
_PARTED = sorted({label for _, own in _SERVED for label, _ in own})
_BESIDE = ("xid", "state", "metric", "reason", *_PARTED)  # labels that say what is told
_ABSENCES = {each.value: each for each in Absence}
_STATES = {each.value: each for each in CardState}


class Exporter(NamedTuple):
    """One that is there, and what it tells there. `anchor`: a metric that each card has."""

    title: str
    told: Mapping[MetricId, Name]
    anchor: str = ""
    besides: Sequence[str] = ()  # what else it tells of cards
    keys: Sequence[str] = ()  # its labels that say which card


def _told(exporter: str) -> Mapping[MetricId, Name]:
    # What has a unit of which its versions disagree is left out, rather than be wrong.
    names = ((metric, getattr(each, exporter)) for metric, each in EXPORTER_NAMES.items())
    return {metric: name for metric, name in names if name and not name.doubtful}


# The one that is believed first comes first.
_KNOWN = (
    # `gpuexplorer serve` speaks so too, for what this exporter has names for.
    Exporter("DCGM exporter", _told("dcgm"), besides=(XID,)),
    Exporter(
        "gpuexplorer serve",
        {each.id: own_name(each) for each in METRICS.values()},
        STATE,  # told of each card, also of one that gives no figure
        (_INFO,),
    ),
    Exporter("nvidia_gpu_exporter", _told("smi"), "nvidia_smi_gpu_info", (XID_COUNT,)),
    Exporter("nvitop-exporter", _told("nvitop")),
)


def is_label(text: str) -> bool:
    return re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", text) is not None


def match(text: str) -> str:
    """What a person typed behind --match, without braces: what it means the server knows."""
    return text.strip().removeprefix("{").removesuffix("}").strip().removesuffix(",")


def quoted(value: str) -> str:
    """As PromQL writes a text, whatever is in it."""
    return json.dumps(value, ensure_ascii=False)


def one_of(label: str, values: Collection[str]) -> str:
    """A matcher for any of these values."""
    return f"{label}=~{quoted('|'.join(map(re.escape, sorted(values))))}"


def selector(metric: str, *matched: str, **labels: str) -> str:
    """Of one metric, always; or of those that `matched` names."""
    own = [f"{name}={quoted(value)}" for name, value in labels.items()]
    return f"{metric}{{{','.join(filter(None, (*own, *matched)))}}}"


def grouped(by: Iterable[str], what: str, how: str = "max") -> str:
    """One value of what has the same labels."""
    return f"{how} by ({','.join(by)}) ({what})"


class FleetCard(NamedTuple):
    """What labels say of a card."""

    id: CardId
    uuid: str
    host: str
    rack: str
    number: str
    name: str
    kind: CardKind = CardKind.GPU
    bus_id: str | None = None
    simulated: bool = False
    places: frozenset[str] = frozenset()  # job and instance: who was read
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
        return _GRAVITY.get(self.severity.lower(), len(_GRAVITY))

    @property
    def urgent(self) -> bool:
        """It would wake somebody."""
        return self.gravity < _GRAVITY["error"]


class FleetNow(NamedTuple):
    """All that is known at one moment. What is in `values` of nobody is missing: see `why`."""

    cards: Mapping[CardId, FleetCard]
    hosts: Mapping[str, Sequence[FleetCard]]  # the same, in their order
    told: Mapping[str, Collection[MetricId]]  # by exporter
    values: Mapping[MetricId, dict[CardId, float]]
    ages: dict[CardId, float]  # seconds since the exporter was read; not of cards of before
    states: dict[CardId, CardState]  # where somebody tells
    reasons: dict[CardId, dict[MetricId, Absence]]  # for a missing figure, where one is told
    xids: dict[CardId, int]  # the newest Xid error, or the highest of them
    alerts: Sequence[Alert] = ()  # the worst first, of those alike the oldest
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
    return CardId(f"{uuid}/{part}" if uuid and part else uuid)


class Fleet:
    """One thread at a time asks. Each question names its metric, and --match is in all."""

    def __init__(self, server: Prometheus, match: str = "", host_label: str = "") -> None:
        """`match` as `match` gave it. `host_label`: the one by which a person wants hosts
        named; empty: the likeliest.
        """
        self.server, self.match, self.host_label = server, match, host_label
        self.exporters: list[Exporter] = []
        self._cards: Mapping[CardId, FleetCard] = {}
        self._hosts: Mapping[str, Sequence[FleetCard]] = {}
        self._rare: Mapping[MetricId, dict[CardId, float]] = {}

    def look_for_cards(self) -> None:
        """And for what hardly ever changes of them. Raises Trouble where there is none."""
        names = frozenset(self.server.names(time.time() - _LISTED))
        self.exporters = []
        before: dict[CardId, FleetCard] = {}  # who fell silent is listed for a while
        cards: dict[CardId, FleetCard] = {}
        for each in _KNOWN:
            told = {metric: name for metric, name in each.told.items() if name.name in names}
            usual = (told[metric].name for metric in AT_THE_BEAT if metric in told)
            anchor = each.anchor or next(usual, "")
            if anchor in names:
                series = selector(anchor, self.match)
                last = f"last_over_time({series}[{_LISTED:.0f}s])"
                labels = self._find(last, each.title, before)
                labels |= self._find(series, each.title, cards)
                if keys := [label for label in _KEYS if label in labels]:
                    self.exporters.append(each._replace(told=told, anchor=anchor, keys=keys))
        cards = {**before, **cards}
        if not cards:
            raise PrometheusError(
                "No graphics card is to be seen in this Prometheus.",
                "It has to read the DCGM exporter, nvidia_gpu_exporter, nvitop-exporter or"
                " `gpuexplorer serve` on each host. They may have stopped, their labels may"
                " have no UUID, or --match fits none of them.",
            )
        # Where nothing is new the very same stay, and so does what was made of them.
        if cards != self._cards:
            self._cards, self._hosts = cards, _by_host(cards.values())
            # They stay, and going through them in search of rubbish would take 100 ms.
            gc.freeze()
        self._rare = self.told(_RARELY).values

    def now(self) -> FleetNow:
        """A beat: the values of these, how old they are, and which alerts fire."""
        told = self.told(AT_THE_BEAT)
        if not self._cards.keys() >= told.ages.keys():
            self.look_for_cards()
        values = {**self._rare, **told.values}
        _complete_memory(values)
        warnings, self.server.warnings = self.server.warnings, ()
        said = [Message("Prometheus warns: {text}", text=each) for each in warnings]
        listed = [self._cards[card] for card in told.ages if card in self._cards]
        notes = [*filter(None, (self.server.exposed, _shown_twice(listed))), *said]
        alerts: Sequence[Alert] = ()
        try:
            alerts = self._alerts()
        except PrometheusError as error:
            # Some keep their rules elsewhere, and answer all but this.
            if not error.status:
                raise
            notes.append(Message("Alerts are not told here: {why}", why=error.sentence))
        told = told._replace(cards=self._cards, hosts=self._hosts)  # those looked for meanwhile
        return told._replace(values=values, alerts=alerts, notes=notes)

    def told(
        self, metrics: Collection[MetricId], cards: Collection[FleetCard] | None = None
    ) -> FleetNow:
        """Of some cards, or of all. Who tells a figure first is believed; what two jobs tell of
        one card counts once.
        """
        by_exporter = {each.title: each.told.keys() for each in self.exporters}
        values: dict[MetricId, dict[CardId, float]] = {each: {} for each in metrics}
        now = FleetNow(self._cards, self._hosts, by_exporter, values, {}, {}, {}, {})
        for exporter, meant in self.about(cards):
            series = selector(exporter.anchor, meant)
            ages = grouped(exporter.keys, f"timestamp({series})")
            for card, _, age in self._rows(f"time() - {ages}"):
                now.ages.setdefault(card, max(0.0, age))
            self._read(now, exporter, meant)
        _complete_memory(now.values)
        return now

    def _read(self, now: FleetNow, exporter: Exporter, meant: str) -> None:
        """All that it tells besides, by one question."""
        figures = {
            _key(name): (METRICS[metric], name.factor)
            for metric, name in exporter.told.items()
            if metric in now.values
        }
        names = {exporter.anchor, *exporter.besides, *(name for name, _ in figures)}
        parts = {part for _, own in figures for part, _ in own}
        served = {"", *(served_name(METRICS[each]).name for each in now.values)}
        asked = selector("", one_of("__name__", names), one_of("metric", served), meant)
        by = ("__name__", *exporter.keys, *_BESIDE)
        for card, row, told in self._rows(grouped(by, asked)):
            name = row.get("__name__", "")
            if name in (XID, XID_COUNT):
                code = row.get("xid", f"{told:.0f}")
                if told > 0 and code.isdecimal():
                    now.xids[card] = max(int(code), now.xids.get(card, 0))
            elif name == STATE:
                if told == 1 and row.get("state") in _STATES:
                    now.states[card] = _STATES[row["state"]]
            elif name == _INFO:
                missing = _SERVED.get(_named(row, "metric", _PARTED))
                if missing is not None and row.get("reason") in _ABSENCES:
                    now.reasons.setdefault(card, {})[missing] = _ABSENCES[row["reason"]]
            elif (known := figures.get(_named(row, "__name__", parts))) and math.isfinite(told):
                metric, factor = known
                if metric.plausible(value := told / factor):
                    now.values[metric.id].setdefault(card, value)
                else:
                    now.reasons.setdefault(card, {}).setdefault(metric.id, Absence.IMPOSSIBLE)

    def about(
        self, cards: Collection[FleetCard] | None = None
    ) -> Iterator[tuple[Exporter, str]]:
        """Each exporter, and which of its series are meant: of some cards, or of all."""
        uuids = {each.uuid for each in cards or ()}
        for exporter in self.exporters:
            label = next((each for each in exporter.keys if each in UUID_LABELS), "")
            only = one_of(label, uuids) if label and cards is not None else ""
            yield exporter, ",".join(filter(None, (only, self.match)))

    def _rows(self, query: str) -> Iterator[tuple[CardId, Labels, float]]:
        """Those of which is known whose they are."""
        for labels, value in self.server.table(query):
            if card := card_id(labels):
                yield card, labels, value

    def _find(self, series: str, title: str, found: dict[CardId, FleetCard]) -> set[str]:
        """Adds cards to those that are found, and says which labels they have. Who tells first
        gives the names.
        """
        by = dict.fromkeys((*_WANTED, *filter(None, (self.host_label,))))
        names: set[str] = set()
        for id_, labels, _ in self._rows(grouped(by, series, "count")):
            first = found.get(id_) or self._card(id_, labels)
            place = f"{labels.get(_JOB, '')} {labels.get(_TARGET, '')}".strip()
            places, titles = first.places | {place}, first.exporters | {title}
            found[id_] = first._replace(places=places, exporters=titles)
            names |= labels.keys()
        return names

    def _card(self, id_: CardId, labels: Labels) -> FleetCard:
        part = labels.get(_PART) or labels.get(_OWN_PART, "")
        number, uuid = _first(labels, NUMBER_LABELS), _first(labels, UUID_LABELS)
        bus = _BUS_ADDRESS.fullmatch(labels.get(_BUS, ""))
        return FleetCard(
            id_,
            uuid,
            self._host_of(labels),
            labels.get(_RACK, ""),
            f"{number}.{part}" if part else number,
            _first(labels, _NAMES),
            CardKind.MIG if part else CardKind.GPU,
            bus[1].lower() if bus else None,
            labels.get(_SIMULATED) == "true" or uuid.startswith(_OF_OURS),
        )

    def _host_of(self, labels: Labels) -> str:
        """Also for labels of other things, such as alerts."""
        for label in (self.host_label, *HOST_LABELS):
            value = labels.get(label, "").strip()
            value = _PORT.sub("", value) if label == _TARGET else value
            if value not in _NO_NAMES:
                return value
        return labels.get(_TARGET, "")

    def _alerts(self) -> Sequence[Alert]:
        """Those of these cards and of their hosts."""
        hosts, found = {card.host for card in self._cards.values()}, []
        for labels, notes in self.server.alerts():
            card = self._cards.get(card_id(labels))
            host = self._host_of(labels) if card is None else card.host
            if host in hosts:
                name = labels.get("alertname", "")
                text = _first(notes, ("summary", "description", "message")) or name
                found.append(Alert(name, text, labels.get("severity", ""), host))
        return sorted(found, key=lambda each: each.gravity)


def _by_host(cards: Iterable[FleetCard]) -> Mapping[str, Sequence[FleetCard]]:
    found: dict[str, list[FleetCard]] = defaultdict(list)
    for card in sorted(cards, key=_place):
        found[card.host].append(card)
    return found


def _place(card: FleetCard) -> tuple[str, tuple[int, ...], str]:
    numbers = (int(each) for each in card.number.split(".") if each.isdecimal())
    return card.host, tuple(numbers), card.id


def _complete_memory(values: Mapping[MetricId, dict[CardId, float]]) -> None:
    """Some tell of a card's memory in parts alone. What is reserved is not free."""
    used, free, reserved, total = (values.get(each, {}) for each in _MEMORY)
    for card, value in used.items():
        if card in free and card in reserved:
            total.setdefault(card, value + free[card] + reserved[card])
        if card in total:
            free[card] = max(0.0, total[card] - value - reserved.get(card, 0.0))


def _named(row: Labels, label: str, parts: Collection[str]) -> _Key:
    """The name of a metric, and which part of the card it is about."""
    return row.get(label, ""), tuple([(each, row[each]) for each in parts if row.get(each)])


def _shown_twice(cards: Sequence[FleetCard]) -> Message:
    twice = [card for card in cards if len(card.places) > 1]
    if not twice:
        return NOTHING
    one, other, *_ = sorted(twice[0].places)
    return Message.counted(
        "The UUID {uuid} is told of at several places, such as {one} and {other}: that card is"
        " shown and counted once.",
        "{count} UUIDs, such as {uuid}, are told of at several places, such as {one} and"
        " {other}: each of these cards is shown and counted once.",
        len(twice),
        uuid=twice[0].uuid,
        one=one,
        other=other,
    )


def _first(labels: Labels, names: Sequence[str]) -> str:
    return next(filter(None, map(labels.get, names)), "")
