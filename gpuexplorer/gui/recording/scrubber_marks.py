"""Marks on the scrubber: what happened, put together where it would lie on one spot."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gpuexplorer.core.harmless import clean
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.reasons import sign
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.recording.recording import MOST_HAPPENINGS
from gpuexplorer.telemetry.happenings import Happening

SPOT = 5  # pixels
# What is worse lies on top, and is told first.
_TONES = (Tone.QUIET, Tone.GOOD, Tone.WARN, Tone.BAD)
_MOST_TOLD = 6
_LONGEST = 160  # letters of a sentence


class Mark(NamedTuple):
    spot: int  # the first from 0
    tone: Tone  # that of the worst
    first: int  # which of all happenings lie there
    end: int

    @property
    def several(self) -> bool:
        return self.end - self.first > 1


class Marks:
    """Of all that happened, oldest first; as many spots as there is room for."""

    def __init__(self, happenings: Sequence[Happening]) -> None:
        self.happenings = happenings
        self._at = np.array([each.at for each in happenings])
        self._weights = np.array([_weight(each) for each in happenings], np.int64)

    @property
    def cut(self) -> bool:
        """There were more, before `began`: a recording tells only the newest."""
        return len(self.happenings) >= MOST_HAPPENINGS

    @property
    def began(self) -> float:
        return float(self._at[0])

    def within(self, began: float, seconds: float, width: float) -> dict[int, Mark]:
        """By spot."""
        if not self.happenings or not seconds:
            return {}
        spots = ((self._at - began) / seconds * width / SPOT).astype(np.int64)
        found, firsts = np.unique(spots, return_index=True)
        worst = np.maximum.reduceat(self._weights, firsts)
        ends = [*firsts[1:].tolist(), len(self.happenings)]
        told = zip(found.tolist(), worst.tolist(), firsts.tolist(), ends, strict=True)
        return {
            spot: Mark(spot, _TONES[weight], first, end) for spot, weight, first, end in told
        }

    def worst(self, mark: Mark) -> Happening:
        """Where a click leads."""
        weights = self._weights[mark.first : mark.end]
        return self.happenings[mark.first + int(np.argmax(weights))]

    def sentences(self, mark: Mark) -> list[str]:
        """The worst first, and of many how many more there are."""
        order = np.argsort(-self._weights[mark.first : mark.end], kind="stable")
        told = [self.happenings[mark.first + at] for at in order[:_MOST_TOLD].tolist()]
        lines = [clean(tr(each.sentence), _LONGEST) for each in told]
        if more := mark.end - mark.first - len(lines):
            lines.append(trn("and {count} more", "and {count} more", more))
        return lines


def _weight(happening: Happening) -> int:
    tone = sign(happening)[1]
    return _TONES.index(tone) if tone in _TONES else 0
