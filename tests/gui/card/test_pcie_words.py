"""What is said of a PCIe link: what it does, and whether something can be mended."""

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.gui.cards.pcie import link_now, link_words
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading
from tests.gui.fakes import card, instance

FULL: dict[str, float | None] = {
    m.PCIE_GENERATION: 4.0,
    m.PCIE_GENERATION_MAX: 4.0,
    m.PCIE_GENERATION_CARD: 4.0,
    m.PCIE_GENERATION_SLOT: 4.0,
    m.PCIE_WIDTH: 16.0,
    m.PCIE_WIDTH_MAX: 16.0,
    m.PCIE_WIDTH_SLOT: 16.0,
    m.GPU_UTILIZATION: 0.9,
}


def reading(**changes: float | None) -> Reading:
    values = {**FULL, **changes}
    known = {MetricId(name): value for name, value in values.items() if value is not None}
    return Reading(CardId("GPU-0"), 0.0, known)


def words(of: Card | None = None, **changes: float | None) -> str:
    return link_words(of or card(0), reading(**changes)).sentence


def tone(**changes: float | None) -> Tone:
    return link_words(card(0), reading(**changes)).tone


def test_a_link_at_full_speed_is_said_to_be() -> None:
    assert words() == "Runs at full speed: generation 4 on 16 lanes."
    assert link_now(reading()).text == "4.0 ×16"
    assert link_now(reading()).rate == pytest.approx(31.5e9, rel=0.01)


def test_few_lanes_in_a_slot_nobody_knows_ask_to_check_the_slot() -> None:
    said = "Runs at ×8 of ×16: the slot or a riser gives no more, check the slot."
    assert words(pcie_width=8.0, pcie_width_slot_max=None) == said
    assert tone(pcie_width=8.0, pcie_width_slot_max=None) is Tone.WARN


def test_few_lanes_in_a_virtual_machine_are_what_it_was_given() -> None:
    said = "Runs at ×8 of ×16: this virtual machine was given no more."
    assert words(pcie_width=8.0, virtualization_mode=1.0) == said
    assert tone(pcie_width=8.0, virtualization_mode=1.0) is Tone.QUIET


def test_a_slot_of_eight_lanes_is_named_as_the_reason() -> None:
    said = "Runs at ×8: the slot gives no more, the card could do ×16."
    assert words(pcie_width=8.0, pcie_width_slot_max=8.0) == said


def test_few_lanes_where_card_and_slot_could_do_more_ask_for_the_seat() -> None:
    assert words(pcie_width=4.0) == (
        "Runs at ×4 although card and slot could do ×16: check the slot, and a riser if there "
        "is one."
    )


def test_a_card_of_eight_lanes_in_a_slot_of_sixteen_is_as_it_should_be() -> None:
    said = words(pcie_width=8.0, pcie_width_max=8.0)
    assert said == "Runs at full speed: generation 4 on 8 lanes."


def test_a_slow_generation_at_rest_is_sleep_and_no_warning() -> None:
    resting = {"pcie_generation": 1.0, "gpu_utilization": 0.0}
    assert words(None, **resting) == (
        "Generation 1 now: sleeping to save power, not broken; under load it goes up to 4."
    )
    assert tone(**resting) is Tone.QUIET


def test_a_slow_generation_under_load_is_a_warning() -> None:
    assert words(pcie_generation=2.0).startswith("Generation 2 of 4 under load: check")
    assert tone(pcie_generation=2.0) is Tone.WARN


def test_a_slot_that_is_older_than_the_card_is_said_quietly() -> None:
    older = {"pcie_generation": 3.0, "pcie_generation_max": 3.0}
    assert words(None, **older) == "The card could do generation 4, this slot does 3."
    assert tone(**older) is Tone.QUIET


def test_few_lanes_and_sleep_are_both_said() -> None:
    said = words(pcie_width=8.0, pcie_generation=1.0, gpu_utilization=0.0)
    assert "Runs at ×8" in said
    assert "sleeping to save power" in said


def test_placeholders_of_a_chip_beside_the_processor_are_not_shown() -> None:
    assert "placeholder" in words(card(0, memory_shared=True), pcie_width=1.0)


def test_an_instance_refers_to_its_card() -> None:
    assert "look at the card it is a part of" in words(instance(card(0), 0))


def test_nothing_is_said_of_a_link_nobody_tells_of() -> None:
    assert words(pcie_generation=None, pcie_width=None) == ""
