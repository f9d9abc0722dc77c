"""What cards are called where there is room for a word or two."""

import pytest

from gpuexplorer.gui.cards.card_face import short_name


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("NVIDIA TITAN RTX", "TITAN RTX"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("Tesla T4", "T4"),
        ("NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada Generation"),
        ("NVIDIA", "NVIDIA"),
        ("", ""),
    ],
)
def test_the_model_is_what_is_left(name: str, short: str) -> None:
    assert short_name(name) == short
