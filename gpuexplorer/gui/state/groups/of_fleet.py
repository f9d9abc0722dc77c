"""FleetGroups: the hosts of a Prometheus as groups, made with each of its answers."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.fleet.firing import Alert
from gpuexplorer.fleet.fleet import FleetNow
from gpuexplorer.fleet.identity import FleetCard
from gpuexplorer.fleet.watching import Broken, Watching
from gpuexplorer.gui.cards.reasons import state_mark
from gpuexplorer.gui.state.groups.group import CardCell, CellKey, HostGroup
from gpuexplorer.gui.state.machines import Standing

_SHOWN = tuple(
    MetricId(each)
    for each in (
        *("gpu_utilization", "memory_used", "memory_free", "memory_total"),
        *("temperature", "power_draw", "power_limit"),
    )
)
_SILENT = Message("Prometheus has no new value of its cards.")
_LOOK_THERE = Message("Look whether the exporter runs on that host, and whether it is reached.")
_ASKING = Message("Prometheus is asked which cards there are.")


class FleetGroups:
    """`take` is called from the thread that asks; `groups` never waits."""

    def __init__(self, watching: Watching) -> None:
        self._watching = watching
        self._places = _Places()
        self._groups: Sequence[HostGroup] = (self._whole(None),)
        watching.listen(self.take)

    def groups(self) -> Sequence[HostGroup]:
        return self._groups

    def take(self) -> None:
        now, broken = self._watching.now, self._watching.broken
        if now is None:
            self._groups = (self._whole(broken),)
        elif broken is None:
            groups = _groups(now, self._watching.beat, self._places)
            for each in groups:
                _ = each.together  # here, so that the window need not
            self._groups = groups
        else:
            clock = self._watching.clock.now()
            since = self._watching.answered_at
            self._groups = [
                replace(
                    each,
                    standing=Standing.BROKEN,
                    why=broken.why,
                    hint=broken.hint,
                    for_seconds=clock - broken.since,
                    retry_in=max(0.0, broken.retry_at - clock),
                    age=None if since is None or each.age is None else clock - since,
                )
                for each in self._groups
            ]

    def _whole(self, broken: Broken | None) -> HostGroup:
        """Before the first answer."""
        name = self._watching.fleet.server.where.url
        if broken is None:
            return HostGroup(name, name, Standing.CONNECTING, why=_ASKING)
        now = self._watching.clock.now()
        return HostGroup(
            *(name, name, Standing.BROKEN),
            why=broken.why,
            hint=broken.hint,
            for_seconds=now - broken.since,
            retry_in=max(0.0, broken.retry_at - now),
        )


def _groups(now: FleetNow, beat: float, places: "_Places") -> Sequence[HostGroup]:
    alerts: dict[str, list[Alert]] = defaultdict(list)
    for alert in now.alerts:
        alerts[alert.host].append(alert)
    reasons = _Reasons(now)
    return [
        _group(host, there, alerts.get(host, ()), now, beat, reasons)
        for host, there in places.hosts(now.cards).items()
    ]


def _group(
    host: str,
    there: Sequence[FleetCard],
    alerts: Sequence[Alert],
    now: FleetNow,
    beat: float,
    reasons: "_Reasons",
) -> HostGroup:
    # The oldest: what stands there may be as old as that.
    age = max((now.ages[each.id] for each in there if each.id in now.ages), default=None)
    silent = age is None
    return HostGroup(
        host,
        host,
        Standing.BROKEN if silent else Standing.UP,
        [_cell(each, now, reasons) for each in there],
        place=next((each.rack for each in there if each.rack), ""),
        why=_SILENT if silent else NOTHING,
        hint=_LOOK_THERE if silent else NOTHING,
        age=age,
        beat=beat,
        simulated=any(each.simulated for each in there),
        alerts=[": ".join(filter(None, (each.severity, each.text))) for each in alerts],
    )


def _cell(card: FleetCard, now: FleetNow, reasons: "_Reasons") -> CardCell:
    id_, state = card.id, now.state(card.id)
    values = {metric: told[id_] for metric, told in reasons.told if id_ in told}
    mark = None if state is CardState.WORKING else state_mark(state)
    return CardCell(
        CellKey(card.host, id_),
        card.number,
        card.name,
        state,
        values,
        {} if len(values) == len(_SHOWN) else reasons.missing(card, values),
        mark=mark,
    )


class _Places:
    """Which cards stand on which host, as long as they are the same."""

    def __init__(self) -> None:
        self._known: tuple[object, Mapping[str, Sequence[FleetCard]]] = (None, {})

    def hosts(self, cards: Mapping[CardId, FleetCard]) -> Mapping[str, Sequence[FleetCard]]:
        if self._known[0] is not cards:
            found: dict[str, list[FleetCard]] = defaultdict(list)
            for card in cards.values():
                found[card.host].append(card)
            self._known = (cards, {host: _whole(found[host]) for host in sorted(found)})
        return self._known[1]


def _whole(there: Sequence[FleetCard]) -> Sequence[FleetCard]:
    """Without their parts, where the cards themselves are told of."""
    whole = [each for each in there if each.kind is CardKind.GPU] or there
    return sorted(whole, key=lambda each: (len(each.number), each.number))


class _Reasons:
    """Why figures are missing: of most cards the same ones for the same reasons."""

    def __init__(self, now: FleetNow) -> None:
        self._now = now
        self.told = [(metric, now.values.get(metric, {})) for metric in _SHOWN]
        self._known: dict[object, Mapping[MetricId, Absence]] = {}

    def missing(
        self, card: FleetCard, values: Mapping[MetricId, float]
    ) -> Mapping[MetricId, Absence]:
        wrong = tuple(m for m, ids in self._now.impossible.items() if ids and card.id in ids)
        stamp = (card.exporters, tuple(values), wrong)
        if stamp not in self._known:
            self._known[stamp] = {
                metric: self._now.why(card, metric) for metric in _SHOWN if metric not in values
            }
        return self._known[stamp]
