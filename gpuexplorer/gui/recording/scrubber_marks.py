"""Marks on the scrubber: what happened, put together where it would lie on one spot."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.event_words import sign
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.happenings import Happening

SPOT = 5  # pixels
_WEIGHT = {Tone.BAD: 3, Tone.WARN: 2, Tone.GOOD: 1}
_MOST_TOLD = 6


@dataclass(slots=True)
class Mark:
    """`tone` is that of the worst of them."""

    at: float  # of the worst, to jump to
    tone: Tone
    told: list[Happening]  # the first few
    count: int


def marks_of(
    happenings: Sequence[Happening], began: float, seconds: float, width: float
) -> dict[int, Mark]:
    """By spot, the first from 0."""
    found: dict[int, Mark] = {}
    scale = width / SPOT / seconds if seconds else 0.0
    for each in happenings:
        spot, tone = int((each.at - began) * scale), sign(each)[1]
        mark = found.get(spot)
        if mark is None:
            found[spot] = Mark(each.at, tone, [each], 1)
            continue
        mark.count += 1
        if _WEIGHT.get(tone, 0) > _WEIGHT.get(mark.tone, 0):
            mark.at, mark.tone = each.at, tone
            mark.told.insert(0, each)
            del mark.told[_MOST_TOLD:]
        elif len(mark.told) < _MOST_TOLD:
            mark.told.append(each)
    return found


def sentences_of(mark: Mark) -> list[str]:
    return [tr(each.sentence) for each in mark.told]
