"""FleetGroups: the hosts of a Prometheus as groups, made with each of its answers."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
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
        self._groups: Sequence[HostGroup] = (self._whole(None),)
        watching.listen(self.take)

    def groups(self) -> Sequence[HostGroup]:
        return self._groups

    def take(self) -> None:
        now, broken = self._watching.now, self._watching.broken
        if now is None:
            self._groups = (self._whole(broken),)
        elif broken is None:
            groups = _groups(now, self._watching.beat)
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


def _groups(now: FleetNow, beat: float) -> Sequence[HostGroup]:
    hosts: dict[str, list[FleetCard]] = defaultdict(list)
    for card in now.cards.values():
        hosts[card.host].append(card)
    alerts: dict[str, list[Alert]] = defaultdict(list)
    for alert in now.alerts:
        alerts[alert.host].append(alert)
    return [
        _group(host, cards, alerts[host], now, beat) for host, cards in sorted(hosts.items())
    ]


def _group(
    host: str, there: Sequence[FleetCard], alerts: Sequence[Alert], now: FleetNow, beat: float
) -> HostGroup:
    whole = [each for each in there if each.kind is CardKind.GPU] or there
    cells = [_cell(each, now) for each in sorted(whole, key=lambda each: each.number)]
    # The oldest: what stands there may be as old as that.
    age = max((now.ages[each.id] for each in there if each.id in now.ages), default=None)
    silent = age is None
    return HostGroup(
        host,
        host,
        Standing.BROKEN if silent else Standing.UP,
        cells,
        place=next((each.rack for each in there if each.rack), ""),
        why=_SILENT if silent else Message(""),
        hint=_LOOK_THERE if silent else Message(""),
        age=age,
        beat=beat,
        simulated=any(each.simulated for each in there),
        alerts=[
            f"{each.severity}: {each.text}" if each.severity else each.text for each in alerts
        ],
    )


def _cell(card: FleetCard, now: FleetNow) -> CardCell:
    state, values = now.state(card.id), _values(card.id, now.values)
    missing: dict[MetricId, Absence] = {}
    for metric in _SHOWN:
        if metric not in values:
            missing[metric] = now.why(card, metric)
    return CardCell(
        CellKey(card.host, card.id),
        card.number,
        card.name,
        state,
        values,
        missing,
        mark=None if state is CardState.WORKING else state_mark(state),
    )


def _values(
    card: CardId, told: Mapping[MetricId, Mapping[CardId, float]]
) -> Mapping[MetricId, float]:
    return {metric: values[card] for metric, values in told.items() if card in values}
