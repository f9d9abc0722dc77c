"""The table of metrics: what scripts and people rely on."""

import re
from pathlib import Path

from gpuexplorer.core import metrics
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState
from gpuexplorer.core.metrics import METRICS, POWER_DRAW, metrics_of

# Scripts are written against these.
PROMISED = """
gpu_utilization memory_utilization encoder_utilization decoder_utilization jpeg_utilization
ofa_utilization memory_used memory_free memory_reserved memory_total bar1_used bar1_total
temperature memory_temperature power_draw power_limit energy clock_graphics clock_sm
clock_memory clock_video performance_state pcie_generation pcie_generation_max pcie_width
pcie_width_max pcie_receive pcie_transmit nvlink_receive nvlink_transmit pcie_replays fan_speed
ecc_corrected ecc_uncorrected throttle_gpu_idle throttle_sw_power_cap throttle_hw_slowdown
throttle_sync_boost throttle_sw_thermal_slowdown throttle_hw_thermal_slowdown
throttle_hw_power_brake_slowdown nvlink_17_receive fan_1_rpm
"""


def test_the_promised_ids_are_there_and_every_row_can_be_explained() -> None:
    assert set(PROMISED.split()) <= set(METRICS)
    for metric in METRICS.values():
        assert metric.label[0].isupper(), metric.id
        assert metric.meaning[0].isupper(), metric.id
        assert metric.meaning.endswith("."), metric.id
        assert metric.lowest < metric.highest, metric.id
    assert all(" " in absence.sentence for absence in Absence)
    assert all(state.sentence for state in CardState)


def test_every_metric_that_the_program_names_is_in_the_table() -> None:
    """The checker of types takes any name for one."""
    named = re.compile(r"^from gpuexplorer.core import metrics as (\w+)$", re.MULTILINE)
    for path in Path(metrics.__file__).parents[1].rglob("*.py"):
        text = path.read_text("utf-8")
        for called in named.findall(text):
            for name in re.findall(rf"\b{called}\.([A-Z]\w*)", text):
                assert hasattr(metrics, name), path


def test_only_parts_that_a_card_has_are_asked_for_and_the_host_for_its_own() -> None:
    bare = Card(CardId("a"), 0, "a", 1)
    rich = Card(CardId("b"), 0, "b", 1, fans=2, nvlinks=18)
    assert not any(METRICS[metric].part for metric in metrics_of(bare))
    parts = {METRICS[metric].part for metric in metrics_of(rich)} - {None}
    assert parts == {("fan", 0), ("fan", 1), *(("nvlink", n) for n in range(18))}
    assert metrics_of(Card(CardId("HOST"), 0, "cpu", 1, kind=CardKind.HOST)) == {
        *("cpu_utilization", "memory_used", "memory_free", "memory_total"),
        *("swap_used", "swap_total"),
    }


def test_what_is_impossible_is_told_apart_from_what_is_extreme() -> None:
    power, beyond = METRICS[POWER_DRAW], 0xFFFFFFFF / 1000
    assert [power.plausible(each) for each in (700, beyond, float("nan"))] == [
        True,
        False,
        False,
    ]
