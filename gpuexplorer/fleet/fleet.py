"""Fleet: which cards a Prometheus knows, by the labels of the exporters that tell of them, and
what it says of all of them at one moment.
"""

import math
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
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
    Names,
    own_name,
    served_name,
)

STATE = "gpuexplorer_card_state"
_LABEL = r"[a-zA-Z_][a-zA-Z0-9_]*"
_TEXT = r'"(?:[^"\\\n]|\\.)*"' + r"|'(?:[^'\\\n]|\\.)*'" + r"|`[^`]*`"
_ONE = rf"\s*(?!__name__\b){_LABEL}\s*(?:=~|!~|!=|=)\s*(?:{_TEXT})\s*"
_MATCHERS = re.compile(rf"(?:{_ONE}(?:,|$))*", re.ASCII)
_SPECIAL = re.compile(r"([\\.+*?()|\[\]{}^$])")
_FORM = 'Such as: --match \'cluster="a",node=~"gpu-.*"\''
_USUAL = tuple(
    MetricId(each)
    for each in ("gpu_utilization", "memory_used", "temperature", "power_draw", "clock_sm")
)

# What the map, the table and the sums of hosts are made of.
AT_THE_BEAT = (
    *(ids.GPU_UTILIZATION, ids.MEMORY_USED, ids.MEMORY_FREE, ids.TEMPERATURE, ids.POWER_DRAW),
)
_MEMORY = (ids.MEMORY_USED, ids.MEMORY_FREE, ids.MEMORY_RESERVED, ids.MEMORY_TOTAL)
_RARELY = (*_MEMORY, ids.POWER_LIMIT)
_HALF_AN_HOUR, _HOUR = 1800.0, 3600.0  # a card is listed for an hour after its last word
_FIGURES = 4  # of an Xid
_MOST_ALERTS = 2000
_GRAVITY = ("critical", "page", "emergency", "error", "high", "major", "warning", "minor")

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
_SERVED = {
    (name.name, tuple(name.labels.items())): metric.id
    for metric in METRICS.values()
    for name in [served_name(metric)]
}
_PARTED = sorted({label for _, own in _SERVED for label, _ in own})
_ABSENCES = {each.value: each for each in Absence}
_STATES = {each.value: each for each in CardState}


class Exporter(NamedTuple):
    """One that is there, and what it tells there. `anchor`: a metric that each card has."""

    title: str
    told: Mapping[MetricId, Name]
    anchor: str = ""
    xid: str = ""  # its name for Xid errors
    xid_label: str = ""  # that has the number, where it is not the figure
    keys: Sequence[str] = ()  # its labels that say which card

    def series(self, matched: str) -> str:
        """One of each card."""
        return selector(self.anchor, {}, matched)


def exporters(names: Collection[str]) -> Sequence[Exporter]:
    """Of all names of metrics in a Prometheus. The one that is believed first comes first."""
    names, found = frozenset(names), []
    for each in _KNOWN:
        told = {metric: name for metric, name in each.told.items() if name.name in names}
        anchors = [told[metric].name for metric in _USUAL if metric in told]
        if each.anchor:
            anchors = [each.anchor] if each.anchor in names else []
        if anchors:
            xid = each.xid if each.xid in names else ""
            found.append(each._replace(told=told, anchor=anchors[0], xid=xid))
    return found


def _told(name_of: Callable[[Names], Name | None]) -> Mapping[MetricId, Name]:
    # What has a unit of which its versions disagree is left out, rather than be wrong.
    return {
        metric: name
        for metric, each in EXPORTER_NAMES.items()
        if (name := name_of(each)) is not None and not name.doubtful
    }


_KNOWN = (
    # `gpuexplorer serve` speaks so too, for what this exporter has names for.
    Exporter("DCGM exporter", _told(lambda each: each.dcgm), xid=XID),
    Exporter(
        "gpuexplorer serve",
        {each.id: own_name(each) for each in METRICS.values()},
        STATE,  # told of each card, also of one that gives no figure
    ),
    Exporter(
        "nvidia_gpu_exporter",
        _told(lambda each: each.smi),
        "nvidia_smi_gpu_info",
        xid=XID_COUNT,
        xid_label="xid",
    ),
    Exporter("nvitop-exporter", _told(lambda each: each.nvitop)),
)


def is_label(text: str) -> bool:
    return re.fullmatch(_LABEL, text, re.ASCII) is not None


def match(text: str) -> str:
    """What a person typed behind --match, without braces. Raises Trouble for anything but
    labels and what they are to be; so nothing but that comes into a question.
    """
    inside = text.strip()
    if inside.startswith("{") and inside.endswith("}"):
        inside = inside[1:-1]
    read = _MATCHERS.match(inside)
    if read is None or read.end() < len(inside) or not inside:
        raise Trouble(
            "The selector {text!r} cannot be read from letter {place} on.",
            _FORM,
            text=text,
            place=text.find(inside) + (0 if read is None else read.end()) + 1,
        )
    return inside.strip().removesuffix(",")


def quoted(value: str) -> str:
    """As PromQL writes a text, whatever is in it."""
    value = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + value.replace("\n", "\\n").replace("\r", "\\r") + '"'


def one_of(label: str, values: Collection[str]) -> str:
    """A matcher for any of these values."""
    told = "|".join(_SPECIAL.sub(r"\\\1", each) for each in sorted(values))
    return f"{label}=~{quoted(told)}"


def selector(metric: str, labels: Mapping[str, str], matched: str) -> str:
    """Of one metric, always."""
    own = [f"{name}={quoted(value)}" for name, value in labels.items()]
    return f"{metric}{{{','.join(filter(None, (*own, matched)))}}}"


def grouped(by: Collection[str], what: str, how: str = "max") -> str:
    """One value of what has the same labels."""
    return f"{how} by ({','.join(by)}) ({what})"


def aged(by: Collection[str], what: str) -> str:
    """How many seconds ago the newest of them came."""
    return f"time() - {grouped(by, f'timestamp({what})')}"


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


class FleetNow(NamedTuple):
    """All that is known at one moment. What is in `values` of nobody is missing: see `why`."""

    cards: Mapping[CardId, FleetCard]
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
        self._rare: Mapping[MetricId, dict[CardId, float]] = {}

    def look_for_cards(self) -> None:
        """And for what hardly ever changes of them. Raises Trouble where there is none."""
        self.exporters = exporters(self.server.names(self._wall() - _HALF_AN_HOUR))
        if not self.exporters:
            raise PrometheusError(
                "Nobody tells this Prometheus of graphics cards.",
                "It knows no metric of the DCGM exporter, nvidia_gpu_exporter, nvitop-exporter"
                " or `gpuexplorer serve`: let one run on each host, and Prometheus read it.",
            )
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
        self._rare = self.told(_RARELY).values

    def look_back(self) -> None:
        """For cards of which nobody has told for some minutes."""
        self._know({**self._found("1h"), **self._cards})

    def now(self) -> FleetNow:
        """A beat: the values of these, how old they are, and which alerts fire."""
        told = self.told(AT_THE_BEAT)
        if not self._cards.keys() >= told.ages.keys():
            self.look_for_cards()
        self._told_at.update(dict.fromkeys(told.ages, self._wall()))
        values = {**self._rare, **told.values}
        _complete_memory(values)
        alerts, said = self._alerts()
        notes = [self.server.exposed] if self.server.exposed else []
        notes += shown_twice([self._cards[card] for card in told.ages if card in self._cards])
        notes += [
            Message("Prometheus warns: {text}", text=each) for each in self.server.warnings
        ]
        self.server.warnings = ()
        return told._replace(
            cards=self._cards, values=values, alerts=alerts, notes=(*notes, *said)
        )

    def told(
        self, metrics: Collection[MetricId], cards: Collection[FleetCard] | None = None
    ) -> FleetNow:
        """Of some cards, or of all. Who tells a figure first is believed; what two jobs tell of
        one card counts once.
        """
        by_exporter = {each.title: each.told.keys() for each in self.exporters}
        now = FleetNow(self._cards, by_exporter, {each: {} for each in metrics}, {}, {}, {}, {})
        for exporter, meant in self.about(cards):
            self._read_figures(now, exporter, meant)
            by = exporter.keys
            for card, _, age in self._rows(aged(by, exporter.series(meant))):
                now.ages.setdefault(card, max(0.0, age))
            if exporter.xid:
                label = exporter.xid_label
                xids = selector(exporter.xid, {}, meant)
                asked = grouped((*by, label) if label else by, xids)
                for card, labels, value in self._rows(f"{asked} > 0"):
                    code = labels.get(label, "") if label else f"{value:.0f}"
                    if code.isdecimal() and len(code) <= _FIGURES:
                        now.xids[card] = max(int(code), now.xids.get(card, 0))
            if exporter.anchor == STATE:
                states = grouped((*by, "state"), exporter.series(meant))
                for card, labels, _ in self._rows(f"{states} == 1"):
                    if (state := _STATES.get(labels.get("state", ""))) is not None:
                        now.states[card] = state
                named = one_of("metric", {served_name(METRICS[each]).name for each in metrics})
                why = f"{_INFO}{{{','.join(filter(None, (meant, named)))}}}"
                for card, labels, _ in self._rows(
                    grouped((*by, "metric", "reason", *_PARTED), why)
                ):
                    metric = _SERVED.get(_named(labels, "metric", _PARTED))
                    reason = _ABSENCES.get(labels.get("reason", ""))
                    if metric is not None and reason is not None:
                        now.reasons.setdefault(card, {})[metric] = reason
        _complete_memory(now.values)
        return now

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

    def _rows(self, query: str) -> Iterator[tuple[CardId, Labels, float]]:
        """Those of which is known whose they are."""
        for labels, value in self.server.table(query):
            if card := card_id(labels):
                yield card, labels, value

    def _read_figures(self, now: FleetNow, exporter: Exporter, meant: str) -> None:
        names = {
            (name.name, tuple(name.labels.items())): (METRICS[metric], name.factor)
            for metric, name in exporter.told.items()
            if metric in now.values
        }
        if not names:
            return
        parts = sorted({part for _, own in names for part, _ in own})
        named = "|".join(sorted({name for name, _ in names}))
        inside = ",".join(filter(None, (f'__name__=~"{named}"', meant)))
        asked = grouped(("__name__", *exporter.keys, *parts), f"{{{inside}}}")
        for card, row, told in self._rows(asked):
            known = names.get(_named(row, "__name__", parts))
            if known is None or not math.isfinite(told):
                continue
            metric, factor = known
            if metric.plausible(value := told / factor):
                now.values[metric.id].setdefault(card, value)
            else:
                why = now.reasons.setdefault(card, {})
                why.setdefault(metric.id, Absence.IMPOSSIBLE)

    def _found(self, back: str = "") -> Mapping[CardId, FleetCard]:
        """Who tells first gives the names; targets and exporters are put together."""
        found: dict[CardId, FleetCard] = {}
        told, by = [], dict.fromkeys((*_WANTED, *filter(None, (self.host_label,))))
        for exporter in self.exporters:
            asked = exporter.series(self.match)
            asked = f"last_over_time({asked}[{back}])" if back else asked
            keys: set[str] = set()
            for id_, labels, _ in self._rows(grouped(by, asked, "count")):
                card = self._card(id_, labels, exporter.title)
                found[id_] = _both(found[id_], card) if id_ in found else card
                keys |= labels.keys()
            keep = [label for label in _KEYS if label in keys]
            told += [exporter._replace(keys=keep)] if keep else []
        self.exporters = told
        for id_ in found:
            self._told_at.setdefault(id_, self._wall())
        return found

    def _card(self, id_: CardId, labels: Labels, title: str) -> FleetCard:
        part = labels.get(_PART) or labels.get(_OWN_PART, "")
        number = _plain(_first(labels, NUMBER_LABELS))
        uuid = _first(labels, UUID_LABELS)
        bus = _BUS_ADDRESS.fullmatch(labels.get(_BUS, ""))
        return FleetCard(
            id_,
            uuid,
            self._host_of(labels),
            _plain(labels.get(_RACK, "")),
            f"{number}.{_plain(part)}" if part else number,
            _plain(_first(labels, _NAMES)),
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

    def _alerts(self) -> tuple[Sequence[Alert], Sequence[Message]]:
        """Those of these cards and of their hosts. Some keep their rules elsewhere, and answer
        all but this.
        """
        try:
            told = self.server.alerts()
        except PrometheusError as error:
            if not error.status:
                raise
            return (), (Message("Alerts are not told here: {why}", why=error.sentence),)
        hosts, found = {card.host for card in self._cards.values()}, []
        for labels, notes, _ in sorted(told, key=lambda each: each.since)[:_MOST_ALERTS]:
            card = self._cards.get(card_id(labels))
            host = self._host_of(labels) if card is None else card.host
            if host in hosts:
                name, severity = (_plain(labels.get(e, "")) for e in ("alertname", "severity"))
                text = clean(_first(notes, ("summary", "description", "message")), 300)
                found.append(Alert(name, text or name, severity, host))
        return sorted(found, key=lambda each: each.gravity), ()


def _complete_memory(values: Mapping[MetricId, dict[CardId, float]]) -> None:
    """Some tell of a card's memory in parts alone. What is reserved is not free."""
    used, free, reserved, total = (values.get(each, {}) for each in _MEMORY)
    for card, value in used.items():
        if card in free and card in reserved:
            total.setdefault(card, value + free[card] + reserved[card])
        if card in total:
            free[card] = max(0.0, total[card] - value - reserved.get(card, 0.0))


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
    for each in names:
        if found := labels.get(each):
            return found
    return ""


def _plain(text: str) -> str:
    return clean(text, 200)
