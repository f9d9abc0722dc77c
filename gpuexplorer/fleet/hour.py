"""Hour: how a fleet's racks did within the last hour, or its hosts where nobody tells racks."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.catalogue.utilization import GPU_UTILIZATION
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.fleet.answers import Floats
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.identity import RACK, FleetCard, host_of
from gpuexplorer.fleet.names import Told
from gpuexplorer.fleet.refusals import PrometheusError, plain
from gpuexplorer.fleet.selector import grouped, selector
from gpuexplorer.telemetry.exporter_names import HOST_LABELS

STEP, COLUMNS = 60.0, 60
# A minute may hold no value, where exporters are read once a minute.
_STRETCH = "2m"
_MOST_PLACES = 300


class Hour(NamedTuple):
    """How busy cards were: a mean per minute, NaN where there is none."""

    start: float  # wall clock of the first
    places: Mapping[str, Floats] = {}  # empty of more than anybody looks at
    together: Floats = np.full(COLUMNS, np.nan)
    why: Message = NOTHING  # the server did not tell it


def hour_of(fleet: Fleet, cards: Mapping[CardId, FleetCard], wall: float) -> Hour:
    """Raises Trouble where the server does not answer at all."""
    start = (wall // STEP - COLUMNS + 1) * STEP
    try:
        return _asked(fleet, cards, start)
    except PrometheusError as error:
        if not error.status:
            raise
        return Hour(start, why=error.sentence)


def _asked(fleet: Fleet, cards: Mapping[CardId, FleetCard], start: float) -> Hour:
    racked = any(card.rack for card in cards.values())
    rack, host = fleet.chosen.rack or RACK, fleet.chosen.host
    by = (rack,) if racked else tuple(dict.fromkeys(filter(None, (host, *HOST_LABELS))))
    if len({card.rack if racked else card.host for card in cards.values()}) > _MOST_PLACES:
        by = ()
    sums: dict[str, Floats] = defaultdict(lambda: np.zeros(COLUMNS))
    counts: dict[str, Floats] = defaultdict(lambda: np.zeros(COLUMNS))
    for exporter in fleet.exporters:
        told = exporter.told.get(GPU_UTILIZATION)
        if told is None:
            continue
        known = selector(told.name, told.labels, fleet.match)
        each = f"avg_over_time({known}[{_STRETCH}]){_possible(told)}"
        # What two jobs tell of one card counts once.
        each = grouped("max", (*fleet.keys[exporter.title], *by), each)
        stretch = (start, start + (COLUMNS - 1) * STEP, STEP)
        means = {}
        for line in fleet.server.range(grouped("avg", by, each), *stretch):
            means[frozenset(line.labels.items())] = line.laid(start, STEP, COLUMNS)
        for line in fleet.server.range(grouped("count", by, each), *stretch):
            count = np.nan_to_num(line.laid(start, STEP, COLUMNS))
            mean = means.get(frozenset(line.labels.items()))
            if mean is not None:
                place = (
                    line.labels.get(rack, "") if racked else host_of(line.labels, fleet.chosen)
                )
                sums[plain(place)] += np.nan_to_num(mean) * count / told.factor
                counts[plain(place)] += count
    together = _mean(
        sum(sums.values(), np.zeros(COLUMNS)), sum(counts.values(), np.zeros(COLUMNS))
    )
    places = {each: _mean(sums[each], counts[each]) for each in sums} if by else {}
    return Hour(start, places, together)


def _possible(told: Told) -> str:
    """Exporters write impossible figures where a card tells none: those count for nothing."""
    metric = METRICS[told.metric]
    highest = metric.highest * told.factor
    above = f" >= {metric.lowest * told.factor:g}" if np.isfinite(metric.lowest) else ""
    return above + (f" <= {highest:g}" if np.isfinite(highest) else "")


def _mean(total: Floats, count: Floats) -> Floats:
    mean: Floats = np.divide(total, count, out=np.full(COLUMNS, np.nan), where=count > 0)
    return mean
