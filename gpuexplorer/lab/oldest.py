"""The oldest Python and PyTorch that the lab runs with, and what is said of older ones.

Any Python 3 can read this file.
"""

import re

OLDEST_PYTHON = (3, 10)
OLDEST_TORCH = (2, 4)


def torch_too_old(version: str) -> bool:
    """One without a number is tried: whoever built it knows what it is."""
    line = tuple(int(each) for each in re.findall(r"\d+", version)[:2])
    return bool(line) and line < OLDEST_TORCH


def python_too_old_in_words() -> str:
    return "The lab needs Python {}.{} or newer.".format(*OLDEST_PYTHON)


def too_old_in_words(version: str) -> str:
    return "The lab needs PyTorch {}.{} or newer; this is {}.".format(*OLDEST_TORCH, version)
