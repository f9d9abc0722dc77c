"""The catalogue: what scripts and people rely on."""

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState
from gpuexplorer.core.metrics import METRICS, Part, metrics_of

# Scripts are written against these.
_PROMISED = """
gpu_utilization memory_utilization encoder_utilization decoder_utilization jpeg_utilization
ofa_utilization memory_used memory_free memory_reserved memory_total bar1_used bar1_total
temperature memory_temperature power_draw power_limit energy clock_graphics clock_sm
clock_memory clock_video performance_state pcie_generation pcie_generation_max pcie_width
pcie_width_max pcie_receive pcie_transmit nvlink_receive nvlink_transmit pcie_replays fan_speed
ecc_corrected
ecc_uncorrected throttle_gpu_idle throttle_sw_power_cap throttle_hw_slowdown throttle_sync_boost
throttle_sw_thermal_slowdown throttle_hw_thermal_slowdown throttle_hw_power_brake_slowdown
"""
PROMISED = _PROMISED.split()


def test_the_promised_ids_are_there() -> None:
    assert set(PROMISED) <= set(METRICS)


def test_every_entry_can_be_explained() -> None:
    for metric in METRICS.values():
        assert metric.label[0].isupper(), metric.id
        assert metric.meaning[0].isupper(), metric.id
        assert metric.meaning.endswith("."), metric.id
        assert metric.lowest < metric.highest, metric.id


def test_only_parts_that_a_card_has_are_asked_for() -> None:
    bare = Card(CardId("a"), 0, "a", 1)
    rich = Card(CardId("b"), 0, "b", 1, fans=2, nvlinks=18)
    assert not any(METRICS[metric].part for metric in metrics_of(bare))
    parts = {METRICS[metric].part for metric in metrics_of(rich)} - {None}
    assert parts == {(Part.FAN, 0), (Part.FAN, 1), *((Part.NVLINK, n) for n in range(18))}


def test_the_host_is_asked_for_its_own() -> None:
    host = Card(CardId("HOST"), 0, "cpu", 1, kind=CardKind.HOST)
    assert metrics_of(host) == {
        *("cpu_utilization", "memory_used", "memory_free", "memory_total"),
        *("swap_used", "swap_total"),
    }


def test_every_absence_and_state_has_words() -> None:
    for absence in Absence:
        assert " " in absence.sentence
    for state in CardState:
        assert state.sentence


def test_what_is_impossible_is_told_apart_from_what_is_extreme() -> None:
    assert METRICS[PROMISED_POWER].plausible(700)
    assert not METRICS[PROMISED_POWER].plausible(0xFFFFFFFF / 1000)
    assert not METRICS[PROMISED_POWER].plausible(float("nan"))


PROMISED_POWER = next(metric for metric in METRICS if metric == "power_draw")
