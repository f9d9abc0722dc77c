"""The facts of a card: every metric once, each explained, each missing one with its reason."""

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState
from gpuexplorer.core.metrics import ECC_UNCORRECTED, METRICS, metrics_of
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.cards.fact import FactGroup, as_text
from gpuexplorer.gui.cards.facts import architecture, card_facts
from gpuexplorer.telemetry.facts import Reading
from tests.gui.fakes import NVML, SIMULATED, Answer, card, instance, working


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
def test_every_metric_of_a_card_stands_among_its_facts_once(of: Card) -> None:
    told = [m for g in groups(of, working()) for fact in g.facts for m in fact.metrics]
    assert sorted(told) == sorted(metrics_of(of))


def test_every_metric_says_what_it_means_its_unit_and_its_field() -> None:
    for group in groups(card(0, nvlinks=2), working()):
        for fact in group.facts:
            for metric in fact.metrics:
                assert METRICS[metric].meaning in fact.hint
                assert "Unit: " in fact.hint
                if METRICS[metric].smi:
                    assert f"nvidia-smi: {METRICS[metric].smi}" in fact.hint


@pytest.mark.parametrize("absence", list(Absence))
def test_a_missing_value_says_its_reason_and_no_number(absence: Absence) -> None:
    found = groups(card(0, memory_bytes=None), Answer(otherwise=absence))
    missing = [fact for group in found for fact in group.facts if fact.metrics]
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
    assert "Model: it never reported its name" in said
    assert "UUID: it could not be asked for it" in said
    assert "CUDA number: one at a time" in said
    assert "Architecture: not reported by the driver" in said


def test_a_simulated_card_has_no_driver_and_says_so() -> None:
    of = card(0, simulated=True)
    found = card_facts(of, SIMULATED, reading(working(), of), USUAL)
    assert "Driver: none: simulated" in lines(list(found))


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
    assert "The slot could: not reported by this card" in said
    (pcie,) = [group for group in found if group.title == "PCIe"]
    assert pcie.note == "Runs at full speed: generation 3 on 16 lanes."


def test_a_chip_beside_the_processor_has_no_link_to_tell_of() -> None:
    (pcie,) = [
        group
        for group in groups(card(0, memory_shared=True), working())
        if group.title == "PCIe"
    ]
    assert pcie.facts == ()
    assert pcie.note is not None
    assert "placeholder" in pcie.note


@pytest.mark.parametrize(
    ("capability", "family"),
    [((7, 0), "Volta"), ((7, 5), "Turing"), ((8, 9), "Ada Lovelace"), ((12, 0), "Blackwell")],
)
def test_the_architecture_follows_from_the_capability(
    capability: tuple[int, int], family: str
) -> None:
    assert architecture(capability) == family


def test_a_chip_that_is_not_known_yet_gets_no_name_made_up() -> None:
    assert architecture((99, 0)) is None


def test_units_are_those_a_person_chose() -> None:
    units = Units(decimal_memory=True, fahrenheit=True)
    said = lines(groups(card(0), working(), units))
    assert "Memory: 25.8 GB" in said
    assert "Temperature: 158 °F" in said


def test_all_facts_as_text_have_headings_and_the_note() -> None:
    text = as_text("GPU Explorer: card 0", groups(card(0), working()))
    assert text.startswith("GPU Explorer: card 0\n\nSilicon\n  Model: NVIDIA TITAN RTX\n")
    assert "  Power limit: 280 W\n" in text
    assert "  Runs at full speed" in text


def test_health_stands_with_health() -> None:
    (found,) = [g for g in groups(card(0), working()) if g.title == "Health"]
    assert ECC_UNCORRECTED in [fact.key for fact in found.facts]
