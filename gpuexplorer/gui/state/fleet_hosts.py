"""FleetHosts: the hosts of a fleet for the window: as groups, made with each answer of its
Prometheus, and each as a machine.
"""

import gc
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.fleet.fleet import Alert, FleetCard, FleetNow
from gpuexplorer.fleet.host import Watching, host_session
from gpuexplorer.gui.cards.reasons import state_mark
from gpuexplorer.gui.state.groups import CardCell, CellKey, HostGroup
from gpuexplorer.gui.state.machines import MachinesState, Standing
from gpuexplorer.remote.link import LinkNow, LinkState

_SHOWN = tuple(
    MetricId(each)
    for each in (
        *("gpu_utilization", "memory_used", "memory_free", "memory_total"),
        *("temperature", "power_draw", "power_limit"),
    )
)
_ASKING = Message("Prometheus is asked which cards there are.")
_SILENT = Message("Prometheus has no new value of its cards.")
_LOOK_THERE = Message("Look whether the exporter runs on that host, and whether it is reached.")


class FleetHosts:
    """Lives as long as the window. Asks nothing itself, and never waits."""

    def __init__(self, watching: Watching) -> None:
        self.watching = watching
        self._cards: Mapping[CardId, FleetCard] | None = None
        self._hosts: Mapping[str, Sequence[FleetCard]] = {}
        server = watching.fleet.server.where.url
        # As of the last answer; without the figures while there is none.
        self._answered: Sequence[HostGroup] = (
            HostGroup(server, server, Standing.CONNECTING, why=_ASKING),
        )
        watching.listen(self._take)

    @property
    def groups(self) -> Sequence[HostGroup]:
        """The very same until there is news; of an outage the seconds are counted."""
        broken, answered = self.watching.broken, self._answered
        if broken is None:
            return answered
        now, read_at = self.watching.clock.now(), self.watching.answered_at
        return [
            replace(
                each,
                standing=Standing.BROKEN,
                why=broken.why,
                hint=broken.hint,
                for_seconds=now - broken.since,
                retry_in=max(0.0, broken.retry_at - now),
                age=None if read_at is None or each.age is None else now - read_at,
            )
            for each in answered
        ]

    @property
    def link(self) -> LinkNow:
        """Of every host that is one of the window's machines."""
        broken = self.watching.broken
        if broken is None:
            return LinkNow(LinkState.UP, 0.0)
        return LinkNow(LinkState.BROKEN, *broken)

    def open(self, host: str, machines: MachinesState) -> str:
        """Among the machines of the window from now on, under this key."""
        key = tr("{host} (Prometheus)", host=host)
        machines.add_host(key, partial(host_session, self.watching, host))
        return key

    def _take(self) -> None:
        """From the thread that asks, with every answer and every failure."""
        now = self.watching.now
        if self.watching.broken is not None or now is None:
            self._answered = [
                replace(each, cards=[cell.silent() for cell in each.cards])
                for each in self._answered
            ]
            return
        if self._cards is not now.cards:
            self._cards, self._hosts = now.cards, _by_host(now.cards)
            # They stay, and going through them in search of rubbish would take 100 ms.
            gc.freeze()
        alerts: dict[str, list[Alert]] = defaultdict(list)
        for alert in now.alerts:
            alerts[alert.host].append(alert)
        groups = [
            self._group(host, cards, alerts[host], now) for host, cards in self._hosts.items()
        ]
        for each in groups:
            _ = each.together  # here, so that the window need not
        self._answered = groups

    def _group(
        self,
        host: str,
        cards: Sequence[FleetCard],
        alerts: Sequence[Alert],
        now: FleetNow,
    ) -> HostGroup:
        ages = [now.ages[each.id] for each in cards if each.id in now.ages]
        said = [": ".join(filter(None, (each.severity, each.text))) for each in alerts]
        said += [
            tr("Xid error {code} on card {number}", code=now.xids[each.id], number=each.number)
            for each in cards
            if each.id in now.xids
        ]
        return HostGroup(
            *(host, host, Standing.UP if ages else Standing.BROKEN),
            cards=[_cell(now, each) for each in cards],
            place=next((each.rack for each in cards if each.rack), ""),
            why=NOTHING if ages else _SILENT,
            hint=NOTHING if ages else _LOOK_THERE,
            # The oldest: what stands there may be as old as that.
            age=max(ages, default=None),
            beat=self.watching.beat,
            simulated=any(each.simulated for each in cards),
            alerts=said,
            urgent=any(each.urgent for each in alerts),
        )


def _by_host(cards: Mapping[CardId, FleetCard]) -> Mapping[str, Sequence[FleetCard]]:
    """Without parts of cards, where the cards themselves are told of."""
    found: dict[str, list[FleetCard]] = defaultdict(list)
    for card in cards.values():
        found[card.host].append(card)
    hosts = {}
    for host, there in sorted(found.items()):
        whole = [each for each in there if each.kind is CardKind.GPU] or there
        hosts[host] = sorted(whole, key=lambda each: (len(each.number), each.number))
    return hosts


def _cell(now: FleetNow, card: FleetCard) -> CardCell:
    told = {each: now.values.get(each, {}).get(card.id) for each in _SHOWN}
    values = {each: value for each, value in told.items() if value is not None}
    missing = {each: now.why(card, each) for each in _SHOWN if each not in values}
    key, state = CellKey(card.host, card.id), now.state(card.id)
    mark = None if state is CardState.WORKING else state_mark(state)
    return CardCell(key, card.number, card.name, state, values, missing, mark=mark)
