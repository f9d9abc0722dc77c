"""The oldest Python and PyTorch that the lab runs with.

Any Python 3 can read this file.
"""

import re

OLDEST_PYTHON = (3, 10)
OLDEST_TORCH = (2, 4)


def torch_too_old(version: str) -> bool:
    """One without a number is tried: whoever built it knows what it is."""
    line = tuple(int(each) for each in re.findall(r"\d+", version)[:2])
    return bool(line) and line < OLDEST_TORCH
