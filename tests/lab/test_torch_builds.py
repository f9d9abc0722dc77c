"""Whether a build of PyTorch suits driver and cards, and which one would."""

import pytest

from gpuexplorer.core.cards import Card
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.lab.pythons import TorchBuild, flavour, suits
from tests.commands.conftest import card

PASCAL = card(name="Tesla P100", capability=(6, 0))
BLACKWELL = card(name="RTX 5090", capability=(12, 0))


@pytest.mark.parametrize(
    ("built", "capability", "runs"),
    [
        (("sm_80", "sm_86"), (8, 9), True),  # a later card of the same generation
        (("sm_86",), (8, 0), False),  # an earlier one
        (("sm_90",), (10, 0), False),  # another generation
        (("sm_90", "compute_90"), (10, 0), True),  # compiled at the first use
        (("sm_90a",), (9, 0), True),
    ],
)
def test_a_card_runs_code_for_its_generation_up_to_its_number(
    built: tuple[str, ...], capability: tuple[int, int], runs: bool
) -> None:
    build = TorchBuild("2.11.0", "13.0", architectures=built)
    verdict = suits(build, [card(capability=capability)], "590.48").verdict
    assert (verdict is Verdict.FINE) is runs


@pytest.mark.parametrize(
    ("driver", "capabilities", "cuda"),
    [
        ("590.48", [(8, 9)], "13.0"),
        ("590.48", [(6, 1)], "12.6"),
        ("570.86", [(12, 0)], "12.8"),
        ("470.82", [(8, 6)], None),
        ("590.48", [(6, 1), (12, 0)], None),
    ],
)
def test_the_build_to_install_follows_from_driver_and_cards(
    driver: str, capabilities: list[tuple[int, int]], cuda: str | None
) -> None:
    assert flavour(driver, capabilities) == cuda


@pytest.mark.parametrize(
    ("cards", "driver", "words"),
    [
        ([PASCAL, BLACKWELL], "580.65", "No single build suits all these cards"),
        (
            [card()],
            "470.82",
            "Update NVIDIA's driver to 580, then install PyTorch built for CUDA 13.0",
        ),
        (
            [PASCAL],
            "470.82",
            "Update NVIDIA's driver to 580, then install PyTorch built for CUDA 12.6",
        ),
        ([card(name="K80", capability=(3, 7))], "470.82", "it can only be watched"),
    ],
)
def test_advice_is_given_even_where_no_build_suits(
    cards: list[Card], driver: str, words: str
) -> None:
    assert words in suits(TorchBuild("2.11.0+cpu", None), cards, driver).do
