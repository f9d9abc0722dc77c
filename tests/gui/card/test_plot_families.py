"""Which metrics share a plot, and what is plotted until somebody chooses."""

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardState
from gpuexplorer.core.metrics import METRICS, MetricId, metrics_of
from gpuexplorer.gui.cards.plot_families import (
    FAMILIES,
    grouped,
    offered,
    short_label,
    usual,
)
from gpuexplorer.telemetry.latest import Reading
from tests.gui.fakes import card, instance


def reading(of: Card, never: tuple[MetricId, ...] = (), **values: float) -> Reading:
    known = {MetricId(name): value for name, value in values.items()}
    missing = dict.fromkeys(never, Absence.NOT_SUPPORTED)
    return Reading(of.id, 0.0, CardState.WORKING, known, missing)


def test_a_plot_has_one_unit_and_every_metric_has_a_plot() -> None:
    for metric in METRICS.values():
        if metric.plotted:
            [family] = [each for each in FAMILIES if each.name == metric.plot]
            assert family.unit is metric.unit


@pytest.mark.parametrize("of", [card(0, fans=2, nvlinks=4), instance(card(0), 0)])
def test_every_plotted_metric_of_a_card_is_offered_once(of: Card) -> None:
    plotted = [metric for metric in metrics_of(of) if METRICS[metric].plotted]
    assert sorted(offered(of)) == sorted(plotted)


def test_lines_of_one_plot_have_names_of_their_own() -> None:
    of = card(0, fans=8, nvlinks=18)
    for family, metrics in grouped(offered(of)):
        names = [short_label(METRICS[metric]) for metric in metrics]
        assert len(set(names)) == len(names), family.name


def test_plots_stand_in_their_lasting_order_however_they_were_chosen() -> None:
    chosen = [m.PCIE_RECEIVE, m.TEMPERATURE, m.GPU_UTILIZATION]
    assert [family.title for family, _ in grouped(chosen)] == [
        "Utilisation",
        "Temperature",
        "PCIe",
    ]


def test_the_usual_plots_are_those_a_card_has() -> None:
    of = card(0, nvlinks=2)
    titles = [family.title for family, _ in grouped(usual(of, reading(of)))]
    assert titles == [
        "Utilisation",
        "Memory",
        "Power",
        "Temperature",
        "Clocks",
        "PCIe",
        "NVLink",
    ]
    plain = card(0, fans=1)
    assert [family.title for family, _ in grouped(usual(plain, reading(plain)))][-1] == "Fans"


def test_links_that_are_down_are_not_plotted_unasked() -> None:
    of = card(0, nvlinks=2, fans=0)
    assert m.NVLINK_RECEIVE not in usual(of, reading(of, nvlink_active=0.0))


def test_what_a_card_will_never_tell_is_not_plotted_unasked() -> None:
    of = card(0)
    never = (m.MEMORY_TEMPERATURE,)
    assert m.MEMORY_TEMPERATURE not in usual(of, reading(of, never))
    assert m.TEMPERATURE in usual(of, reading(of, never))


def test_a_card_that_tells_nothing_still_has_plots_that_say_so() -> None:
    of = card(0)
    assert m.MEMORY_USED in usual(of, reading(of, tuple(metrics_of(of))))


def test_a_chip_beside_the_processor_is_offered_no_link() -> None:
    assert m.PCIE_RECEIVE not in offered(card(0, memory_shared=True))
    assert m.CLOCK_SM in offered(card(0, memory_shared=True))
