"""Attention: which cards are worth a look, and why; the gravest first, cards alike together."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.reasons import StateMark
from gpuexplorer.gui.overview.words import more_of
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone

_ORDER = (Tone.BAD, Tone.WARN, Tone.QUIET)


@dataclass(frozen=True, slots=True)
class Attention:
    """One row: "Much too hot", "86 of 87 °C", card 21."""

    icon: Icon
    tone: Tone
    words: str
    more: str
    numbers: str  # "13", or "50–55"
    cards: tuple[CardId, ...]

    @property
    def spoken(self) -> str:
        which = trn("card {numbers}", "cards {numbers}", len(self.cards), numbers=self.numbers)
        return ", ".join(part for part in (self.words, self.more, which) if part)


def worth_a_look(cards: Sequence[CardFace]) -> Sequence[Attention]:
    alike: dict[tuple[str, Tone], list[CardFace]] = {}
    marks: dict[tuple[str, Tone], StateMark] = {}
    for each in cards:
        found = each.mark
        if found is None or found.icon is None:
            continue
        key = (found.word, found.tone)
        marks.setdefault(key, found)
        alike.setdefault(key, []).append(each)
    rows = [_row(marks[key], group) for key, group in alike.items()]
    return sorted(rows, key=lambda row: _ORDER.index(row.tone))


def _row(found: StateMark, group: Sequence[CardFace]) -> Attention:
    count = len(group)
    several = tr(mark("{count} × {mark}"), count=count, mark=found.word)
    return Attention(
        icon=found.icon or Icon.NOTE,
        tone=found.tone,
        words=found.word if count == 1 else several,
        more=more_of(found, group[0], count),
        numbers=ranges([each.index for each in group]),
        cards=tuple(each.id for each in group),
    )


def ranges(numbers: Sequence[int]) -> str:
    """ "0–7, 9": short for many numbers in a row."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    said = []
    for part in parts:
        if len(part) > 2:
            said.append(f"{part[0]}–{part[-1]}")
        else:
            said += [str(number) for number in part]
    return ", ".join(said)
