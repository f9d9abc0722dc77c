"""Which metrics share a plot, and what is plotted until somebody chooses."""

from collections.abc import Iterable

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card
from gpuexplorer.core.metrics import (
    CLOCK_SM,
    GPU_UTILIZATION,
    MEMORY_TEMPERATURE,
    MEMORY_USED,
    METRICS,
    NVLINK_RECEIVE,
    PCIE_RECEIVE,
    TEMPERATURE,
    MetricId,
    metrics_of,
)
from gpuexplorer.gui.cards.plot_families import (
    FAMILIES,
    grouped,
    offered,
    short_label,
    usual,
)
from gpuexplorer.telemetry.facts import Reading
from tests.gui.fakes import card, instance


def reading(of: Card, never: tuple[MetricId, ...] = (), **values: float) -> Reading:
    known = {MetricId(name): value for name, value in values.items()}
    missing = dict.fromkeys(never, Absence.NOT_SUPPORTED)
    return Reading(of.id, 0.0, known, missing)


def test_a_plot_has_one_unit_and_every_metric_has_a_plot() -> None:
    for metric in METRICS.values():
        if metric.plotted:
            [family] = [each for each in FAMILIES if each.name == metric.plot]
            assert family.unit is metric.unit


def test_every_plotted_metric_is_offered_once_and_by_a_name_of_its_own() -> None:
    for of in (card(0, fans=8, nvlinks=18), instance(card(0), 0)):
        assert sorted(offered(of)) == sorted(m for m in metrics_of(of) if METRICS[m].plotted)
        for family, metrics in grouped(offered(of)):
            names = [short_label(METRICS[metric]) for metric in metrics]
            assert len(set(names)) == len(names), family.name


def titles(metrics: Iterable[MetricId]) -> list[str]:
    return [family.title for family, _ in grouped(list(metrics))]


def test_plots_stand_in_their_lasting_order_and_the_usual_ones_are_those_a_card_has() -> None:
    chosen = [PCIE_RECEIVE, TEMPERATURE, GPU_UTILIZATION]
    assert titles(chosen) == ["Utilisation", "Temperature", "PCIe"]
    linked, plain = card(0, nvlinks=2), card(0, fans=1)
    ordinary = ["Utilisation", "Memory", "Power", "Temperature", "Clocks", "PCIe"]
    assert titles(usual(linked, reading(linked))) == [*ordinary, "NVLink"]
    assert titles(usual(plain, reading(plain))) == [*ordinary, "Fans"]


def test_what_a_card_will_never_tell_is_not_plotted_unasked() -> None:
    of = card(0, nvlinks=2, fans=0)
    shown = usual(of, reading(of, (MEMORY_TEMPERATURE,), nvlink_active=0.0))
    assert NVLINK_RECEIVE not in shown  # its links are down
    assert MEMORY_TEMPERATURE not in shown
    assert TEMPERATURE in shown
    # One that tells nothing still has plots that say so.
    assert MEMORY_USED in usual(of, reading(of, tuple(metrics_of(of))))


def test_a_chip_beside_the_processor_is_offered_no_link() -> None:
    there = offered(card(0, memory_shared=True))
    assert (PCIE_RECEIVE in there, CLOCK_SM in there) == (False, True)
