"""What is made of a PCIe link that runs below what it could."""

from collections.abc import Mapping

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.pcie_link import link_words
from tests.gui.fakes import card, instance


@pytest.mark.parametrize(
    ("of", "changes", "sentence", "mendable"),
    [
        (card(0), {}, "Runs at full speed: 4.0 ×16.", False),
        (card(0), {"pcie_width": 8.0}, "Runs at 4.0 ×8 of ×16: check the slot", True),
        (
            card(0),
            {"pcie_width": 8.0, "virtualization_mode": 1.0},
            "Runs at 4.0 ×8 of ×16: this virtual machine was given no more.",
            False,
        ),
        (
            card(0),
            {"pcie_width": 8.0, "pcie_width_slot_max": 8.0},
            "Runs at 4.0 ×8: the slot gives no more, the card could do ×16.",
            True,
        ),
        # A card of eight lanes in a slot of sixteen is as it should be.
        (card(0), {"pcie_width": 8.0, "pcie_width_max": 8.0}, "Runs at full", False),
        (
            card(0),
            {"pcie_generation": 1.0, "gpu_utilization": 0.0},
            "Runs at 1.0 ×16: sleeping to save power, not broken",
            False,
        ),
        (card(0), {"pcie_generation": 2.0}, "Runs at 2.0 ×16 under load", True),
        (
            card(0),
            {"pcie_generation": 3.0, "pcie_generation_max": 3.0},
            "Runs at 3.0 ×16: the card could do 4.0, this slot does 3.0.",
            False,
        ),
        (
            card(0, memory_shared=True),
            {"pcie_width": 1.0},
            "This chip sits beside the processor",
            False,
        ),
        (instance(card(0), 0), {}, "The driver reports the link for the whole", False),
    ],
)
def test_a_link_says_what_it_does_and_warns_of_what_can_be_mended(
    of: Card, changes: Mapping[str, float], sentence: str, mendable: bool
) -> None:
    values = {
        **dict.fromkeys((m.PCIE_GENERATION, m.PCIE_GENERATION_MAX), 4.0),
        **dict.fromkeys((m.PCIE_GENERATION_CARD, m.PCIE_GENERATION_SLOT), 4.0),
        **dict.fromkeys((m.PCIE_WIDTH, m.PCIE_WIDTH_MAX, m.PCIE_WIDTH_SLOT), 16.0),
        m.GPU_UTILIZATION: 0.9,
        **{MetricId(name): value for name, value in changes.items()},
    }
    said, warns = link_words(of, Reading(of.id, 0.0, values))
    assert said.startswith(sentence)
    assert warns is mendable


def test_nothing_is_said_of_a_link_nobody_tells_of() -> None:
    assert link_words(card(0), Reading(CardId("GPU-0"), 0.0, {}))[0] == ""
