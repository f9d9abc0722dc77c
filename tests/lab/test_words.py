"""The page about the lab names every word that the lab understands."""

import re
from pathlib import Path

from gpuexplorer.lab import vocabulary

PAGE = Path(__file__).parents[2] / "docs" / "lab.md"
KNOWN = (
    vocabulary.FUNCTIONS
    | vocabulary.CUDA
    | vocabulary.DTYPES
    | vocabulary.LAYERS
    | vocabulary.LOSSES
    | vocabulary.WRAPPERS
    | vocabulary.FUNCTIONAL
    | vocabulary.OPTIMISERS
    | vocabulary.METHODS
    | vocabulary.ATTRIBUTES
    | vocabulary.BUILTINS
    | vocabulary.HELPERS
    | vocabulary.MODELS
)


def test_the_page_lists_just_the_words_that_are_understood() -> None:
    text = PAGE.read_text("utf-8")
    listed = text.partition("## Words")[2].partition("## Switches")[0]
    assert set(re.findall(r"`(\w+)`", listed)) - {"torch", "nn", "F"} == KNOWN
