"""The hosts of a Prometheus as groups, made with each of its answers."""

import gc
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.fleet.fleet import Alert, FleetCard, FleetNow
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


def groups_of(now: FleetNow, beat: float, places: "Seating") -> Sequence[HostGroup]:
    """`places`: of the same Prometheus, from one answer to the next."""
    alerts: dict[str, list[Alert]] = defaultdict(list)
    for alert in now.alerts:
        alerts[alert.host].append(alert)
    places.take(now.cards)
    cells = _cells(now, places.seats)
    return [
        _group(host, list(islice(cells, len(host.seats))), alerts.get(host.name, ()), now, beat)
        for host in places.hosts
    ]


def _group(
    host: "_Host",
    cells: Sequence[CardCell],
    alerts: Sequence[Alert],
    now: FleetNow,
    beat: float,
) -> HostGroup:
    ages = [now.ages[key.card] for _, key in host.seats if key.card in now.ages]
    said = [": ".join(filter(None, (each.severity, each.text))) for each in alerts]
    if now.xids:
        said += [
            tr("Xid error {code} on card {number}", code=now.xids[key.card], number=card.number)
            for card, key in host.seats
            if key.card in now.xids
        ]
    return HostGroup(
        host.name,
        host.name,
        Standing.UP if ages else Standing.BROKEN,
        cells,
        place=host.rack,
        why=NOTHING if ages else _SILENT,
        hint=NOTHING if ages else _LOOK_THERE,
        # The oldest: what stands there may be as old as that.
        age=max(ages, default=None),
        beat=beat,
        simulated=host.simulated,
        alerts=said,
        urgent=any(each.urgent for each in alerts),
    )


def _cells(now: FleetNow, seats: Sequence["_Seat"]) -> Iterator[CardCell]:
    """What one misses, most others miss for the same reasons."""
    ids = [seat.key.card for seat in seats]
    told = [metric for metric in _SHOWN if now.values.get(metric)] or _SHOWN[:1]
    columns = [map(now.values.get(metric, {}).get, ids) for metric in told]
    missing: dict[object, Mapping[MetricId, Absence]] = {}
    stamp: object
    for (card, key), row in zip(seats, zip(*columns, strict=True), strict=True):
        stamp, values = card.exporters, dict(zip(told, row, strict=True))
        if None in row or key.card in now.reasons:
            values = {metric: each for metric, each in values.items() if each is not None}
            stamp = card.exporters, *values, *now.reasons.get(key.card, {}).items()
        if (reasons := missing.get(stamp)) is None:
            reasons = {each: now.why(card, each) for each in _SHOWN if each not in values}
            missing[stamp] = reasons
        state = now.state(key.card)
        mark = None if state is CardState.WORKING else state_mark(state)
        yield CardCell(key, card.number, card.name, state, values, reasons, None, None, 0, mark)


class _Seat(NamedTuple):
    card: FleetCard
    key: CellKey


class _Host(NamedTuple):
    name: str
    seats: Sequence[_Seat]
    rack: str
    simulated: bool


class Seating:
    """Which cards stand on which host, as long as they are the same."""

    def __init__(self) -> None:
        self._cards: Mapping[CardId, FleetCard] | None = None
        self.hosts: Sequence[_Host] = ()
        self.seats: Sequence[_Seat] = ()  # of all of them, one after the other

    def take(self, cards: Mapping[CardId, FleetCard]) -> None:
        if self._cards is not cards:
            self._cards = cards
            found: dict[str, list[FleetCard]] = defaultdict(list)
            for card in cards.values():
                found[card.host].append(card)
            self.hosts = [_host(name, found[name]) for name in sorted(found)]
            self.seats = [seat for host in self.hosts for seat in host.seats]
            # They stay, and going through them in search of rubbish would take 100 ms.
            gc.freeze()


def _host(name: str, there: Sequence[FleetCard]) -> _Host:
    """Without parts of cards, where the cards themselves are told of."""
    whole = [each for each in there if each.kind is CardKind.GPU] or there
    whole = sorted(whole, key=lambda each: (len(each.number), each.number))
    return _Host(
        name,
        [_Seat(each, CellKey(each.host, each.id)) for each in whole],
        next((each.rack for each in whole if each.rack), ""),
        any(each.simulated for each in whole),
    )
