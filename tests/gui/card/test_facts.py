"""The facts of a card, what is made of its link, and which metrics share a plot."""

from collections.abc import Mapping, Sequence

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState
from gpuexplorer.core.metrics import METRICS, MetricId, metrics_of
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.cards.facts import (
    PLOTS,
    FactGroup,
    architecture,
    card_facts,
    grouped,
    offered,
    short_label,
    usual,
)
from gpuexplorer.gui.cards.figure import link_words
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading
from tests.gui.fakes import NVML, Answer, card, instance, working


def reading(answer: Answer, of: Card) -> Reading:
    missing = {
        metric: answer.missing.get(metric, answer.otherwise)
        for metric in metrics_of(of)
        if metric not in answer.values
    }
    return Reading(of.id, 0.0, answer.values, missing, answer.state)


def groups(of: Card, answer: Answer, units: Units = USUAL) -> list[FactGroup]:
    return list(card_facts(of, NVML, reading(answer, of), units))


def lines(found: list[FactGroup]) -> list[str]:
    return [fact.line for group in found for fact in group.facts]


@pytest.mark.parametrize("of", [card(0, nvlinks=18, fans=3), instance(card(0), 1), card(1)])
def test_every_metric_of_a_card_says_what_it_means_and_its_field(of: Card) -> None:
    said = "\n".join(fact.hint for group in groups(of, working()) for fact in group.facts)
    for metric in map(METRICS.__getitem__, metrics_of(of)):
        assert metric.meaning in said
        assert not metric.smi or f"nvidia-smi: {metric.smi}" in said


@pytest.mark.parametrize("absence", list(Absence))
def test_a_missing_value_says_its_reason_and_no_number(absence: Absence) -> None:
    found = groups(card(0, memory_bytes=None), Answer(otherwise=absence))
    missing = [e for group in found for e in group.facts if e.key in METRICS]
    assert all(not fact.value and fact.absent for fact in missing)
    # A sentence of its own begins with a capital.
    assert all(absence.sentence[1:] in fact.hint for fact in missing)


def test_who_the_card_is_stands_among_its_facts() -> None:
    of = card(3, bus_id="0000:17:00.0", compute_capability=(8, 6), cuda_index=1)
    said = lines(groups(of, working()))
    for line in (
        "Model: NVIDIA TITAN RTX",
        "Architecture: Ampere",
        "Compute capability: 8.6",
        "CUDA number: cuda:1",
        "Driver's number: 3",
        "PCI address: 0000:17:00.0",
        "UUID: GPU-3",
        "Driver: 590.48.01",
        "CUDA of the driver: 13.1",
    ):
        assert line in said


def test_what_is_not_told_of_a_card_is_said_in_words() -> None:
    of = card(0, id=CardId("NAMELESS-0"), cuda_index=None, cuda_reason="one at a time")
    said = lines(groups(of, working()))
    assert "Model: not reported" in said
    assert "UUID: not reported" in said
    assert "CUDA number: one at a time" in said


def test_a_lost_card_still_tells_its_size() -> None:
    lost = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    said = lines(groups(card(0), lost))
    assert "Memory: 24.0 GiB" in said
    assert "Memory used: card lost" in said


def test_the_link_is_told_by_now_card_and_slot() -> None:
    found = groups(card(0), working())
    said = lines(found)
    assert "Link now: 3.0 ×16" in said
    assert "The card could: ×16" in said
    assert "The slot could: not supported" in said
    (pcie,) = [group for group in found if group.title == "PCIe"]
    assert pcie.facts[-1].line == "Runs at full speed: 3.0 ×16."


@pytest.mark.parametrize(
    ("capability", "family"),
    [((7, 0), "Volta"), ((7, 5), "Turing"), ((12, 0), "Blackwell"), ((99, 0), "")],
)
def test_the_architecture_follows_from_the_capability(
    capability: tuple[int, int], family: str
) -> None:
    assert architecture(capability) == family


CHIP = card(0, memory_shared=True, fans=0)


@pytest.mark.parametrize(
    ("of", "changes", "sentence", "tone"),
    [
        (card(0), {}, "Runs at full speed: 4.0 ×16.", Tone.QUIET),
        (card(0), {"pcie_width": 8.0}, "Runs at 4.0 ×8 of ×16: check the slot", Tone.WARN),
        (
            card(0),
            {"pcie_width": 8.0, "virtualization_mode": 1.0},
            "Runs at 4.0 ×8 of ×16: this virtual machine was given no more.",
            Tone.QUIET,
        ),
        (
            card(0),
            {"pcie_width": 8.0, "pcie_width_slot_max": 8.0},
            "Runs at 4.0 ×8: the slot gives no more, the card could do ×16.",
            Tone.WARN,
        ),
        # A card of eight lanes in a slot of sixteen is as it should be.
        (card(0), {"pcie_width": 8.0, "pcie_width_max": 8.0}, "Runs at full", Tone.QUIET),
        (
            card(0),
            {"pcie_generation": 1.0, "gpu_utilization": 0.0},
            "Runs at 1.0 ×16: sleeping to save power, not broken",
            Tone.QUIET,
        ),
        (card(0), {"pcie_generation": 2.0}, "Runs at 2.0 ×16 under load", Tone.WARN),
        (
            card(0),
            {"pcie_generation": 3.0, "pcie_generation_max": 3.0},
            "Runs at 3.0 ×16: the card could do 4.0, this slot does 3.0.",
            Tone.QUIET,
        ),
        (CHIP, {"pcie_width": 1.0}, "This chip sits beside the processor", Tone.QUIET),
        (instance(card(0), 0), {}, "The driver reports the link for the whole", Tone.QUIET),
    ],
)
def test_a_link_says_what_it_does_and_warns_of_what_can_be_mended(
    of: Card, changes: Mapping[str, float], sentence: str, tone: Tone
) -> None:
    values = {
        **dict.fromkeys((m.PCIE_GENERATION, m.PCIE_GENERATION_MAX), 4.0),
        **dict.fromkeys((m.PCIE_GENERATION_CARD, m.PCIE_GENERATION_SLOT), 4.0),
        **dict.fromkeys((m.PCIE_WIDTH, m.PCIE_WIDTH_MAX, m.PCIE_WIDTH_SLOT), 16.0),
        m.GPU_UTILIZATION: 0.9,
        **{MetricId(name): value for name, value in changes.items()},
    }
    said, shown = link_words(of, Reading(of.id, 0.0, values))
    assert said.startswith(sentence)
    assert shown is tone


def test_nothing_is_said_of_a_link_nobody_tells_of() -> None:
    assert link_words(card(0), Reading(CardId("GPU-0"), 0.0, {}))[0] == ""


def test_a_plot_has_one_unit_and_every_metric_has_a_plot() -> None:
    for metric in METRICS.values():
        if metric.plotted:
            assert metric.plot in PLOTS
            units = {each.unit for each in METRICS.values() if each.plot == metric.plot}
            assert units == {metric.unit}


@pytest.mark.parametrize("of", [card(0, fans=8, nvlinks=18), instance(card(0), 0)])
def test_every_plotted_metric_is_offered_once_and_by_a_name_of_its_own(of: Card) -> None:
    assert sorted(offered(of)) == sorted(e for e in metrics_of(of) if METRICS[e].plotted)
    for plot, metrics in grouped(offered(of)).items():
        names = [short_label(METRICS[metric]) for metric in metrics]
        assert len(set(names)) == len(names), plot


@pytest.mark.parametrize(
    ("of", "never", "last"),
    [
        (card(0, nvlinks=2), (), "NVLink"),
        (card(0, fans=1), (), "Fans"),
        (card(0, fans=0), (m.MEMORY_TEMPERATURE, m.CLOCK_VIDEO), "PCIe"),
        # One that tells nothing still has plots that say so.
        (card(0, fans=0), tuple(metrics_of(card(0))), "PCIe"),
        (CHIP, (), "Clocks"),
    ],
)
def test_the_usual_plots_are_those_a_card_has(
    of: Card, never: Sequence[MetricId], last: str
) -> None:
    missing = dict.fromkeys(never, Absence.NOT_SUPPORTED)
    plots = grouped(usual(of, Reading(of.id, 0.0, {}, missing)))
    titles = [PLOTS[each] for each in plots]
    assert titles[:5] == ["Utilisation", "Memory", "Power", "Temperature", "Clocks"]
    assert titles[-1] == last
