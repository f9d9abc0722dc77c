"""Hour: how a fleet's racks did within the last hour, or its hosts where nobody tells racks."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.identity import JOB, RACK, FleetCard, host_of
from gpuexplorer.fleet.laid import Floats, laid
from gpuexplorer.fleet.refusals import PrometheusError, plain
from gpuexplorer.fleet.selector import grouped
from gpuexplorer.telemetry.exporter_names import HOST_LABELS

STEP, COLUMNS = 60.0, 60
# A minute may hold no value, where exporters are read once a minute.
_STRETCH = "2m"
_MOST_PLACES = 300
_HAIR = 1e-6
_NOTHING = np.full(COLUMNS, np.nan)


class Hour(NamedTuple):
    """How busy cards were: a mean per minute, NaN where there is none."""

    start: float  # wall clock of the first
    places: Mapping[str, Floats] = {}  # empty of more than anybody looks at
    together: Floats = _NOTHING
    why: Message = NOTHING  # the server did not tell it


def hour_of(fleet: Fleet, cards: Mapping[CardId, FleetCard], wall: float) -> Hour:
    """A server that does not answer is the reason; the next beat says more of it."""
    start = (wall // STEP - COLUMNS + 1) * STEP
    try:
        return _asked(fleet, cards, start)
    except PrometheusError as error:
        return Hour(start, why=error.sentence)


def _asked(fleet: Fleet, cards: Mapping[CardId, FleetCard], start: float) -> Hour:
    racked = any(card.rack for card in cards.values())
    rack, host = fleet.chosen.rack or RACK, fleet.chosen.host
    by = (rack,) if racked else tuple(dict.fromkeys(filter(None, (host, *HOST_LABELS))))
    shown = {
        (card.rack if racked else card.host, len(card.jobs) > 1) for card in cards.values()
    }
    twice = {place for place, by_several in shown if by_several}
    if len({place for place, _ in shown}) > _MOST_PLACES:
        by = ()
    elif twice:
        by = (*by, JOB)
    sums: dict[str, Floats] = defaultdict(lambda: np.zeros(COLUMNS))
    counts: dict[str, Floats] = defaultdict(lambda: np.zeros(COLUMNS))
    for exporter in fleet.exporters:
        told = exporter.told.get(GPU_UTILIZATION)
        if told is None:
            continue
        # To look at each figure and each card would cost the server ten times as much.
        each = f"avg_over_time({told.series(fleet.match)}[{_STRETCH}])"
        stretch = (start, start + (COLUMNS - 1) * STEP, STEP)
        lines = fleet.server.range(grouped("avg", by, each), *stretch)
        most = told.factor * (1 + _HAIR)
        if not all(0 <= value <= most for line in lines for value in line.values):
            # Only then: to leave out what cannot be costs the server twice as much.
            each = f"{each} >= 0 <= {told.factor:g}"
            lines = fleet.server.range(grouped("avg", by, each), *stretch)
        means = {}
        for line in lines:
            mean = laid(line, start, STEP, COLUMNS) / told.factor
            # Sums of very many may end a hair above.
            mean[~((mean >= 0.0) & (mean < 1.0 + _HAIR))] = np.nan
            means[frozenset(line.labels.items())] = mean
        for line in fleet.server.range(grouped("count", by, each), *stretch):
            mean = means.get(frozenset(line.labels.items()), _NOTHING)
            count = np.where(np.isnan(mean), 0.0, laid(line, start, STEP, COLUMNS))
            count = np.nan_to_num(count)
            place = line.labels.get(rack, "") if racked else host_of(line.labels, fleet.chosen)
            place = plain(place)
            if place in twice:
                # Whichever job shows the most of its cards counts alone.
                more = count > counts[place]
                sums[place][more] = counts[place][more] = 0.0
                count *= more
            sums[place] += np.nan_to_num(mean) * count
            counts[place] += count
    together = _mean(
        sum(sums.values(), np.zeros(COLUMNS)), sum(counts.values(), np.zeros(COLUMNS))
    )
    places = {each: _mean(sums[each], counts[each]) for each in sums} if by else {}
    return Hour(start, places, together)


def _mean(total: Floats, count: Floats) -> Floats:
    mean: Floats = np.divide(total, count, out=np.full(COLUMNS, np.nan), where=count > 0)
    return mean
