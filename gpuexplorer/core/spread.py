"""Spreading: labels that would touch move apart, and stay in the order of their lines."""

from collections.abc import Sequence


def spread(wanted: Sequence[float], apart: float, lowest: float, highest: float) -> list[float]:
    """Where labels go that would like to be at `wanted`: as near to it as their neighbours
    allow, `apart` from each other, from `lowest` to `highest`. Closer where all do not fit.
    """
    count = len(wanted)
    if count == 0:
        return []
    if count > 1:
        apart = min(apart, max(0.0, highest - lowest) / (count - 1))
    order = sorted(range(count), key=lambda label: wanted[label])
    # Labels that touch form a block, which lies where its labels would like to be on average.
    blocks: list[list[int]] = []
    tops: list[float] = []
    for label in order:
        blocks.append([label])
        tops.append(_top(blocks[-1], wanted, apart, lowest, highest))
        while len(blocks) > 1 and tops[-2] + len(blocks[-2]) * apart > tops[-1] + 1e-9:
            blocks[-2:] = [blocks[-2] + blocks[-1]]
            tops[-2:] = [_top(blocks[-1], wanted, apart, lowest, highest)]
    places = [0.0] * count
    for block, top in zip(blocks, tops, strict=True):
        for at, label in enumerate(block):
            places[label] = top + at * apart
    return places


def _top(
    block: Sequence[int], wanted: Sequence[float], apart: float, lowest: float, highest: float
) -> float:
    height = (len(block) - 1) * apart
    middle = sum(wanted[label] for label in block) / len(block)
    return max(lowest, min(middle - height / 2, highest - height))
