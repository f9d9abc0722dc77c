"""What the choice of plots offers: every metric with its value now, or why there is none."""

from collections.abc import Sequence

from gpuexplorer.core.cards import Card
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.facts.fact import FactGroup
from gpuexplorer.gui.wording.facts.facts import metric_fact
from gpuexplorer.gui.wording.facts.plot_families import grouped, offered
from gpuexplorer.telemetry.latest import Reading


def plot_offer(card: Card, reading: Reading, units: Units) -> Sequence[FactGroup]:
    """A group for each plot there can be."""
    return [
        FactGroup(
            family.name,
            tr(family.title),
            tuple(metric_fact(reading, metric, units) for metric in metrics),
        )
        for family, metrics in grouped(offered(card))
    ]
