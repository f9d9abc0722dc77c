"""Attention: which cards are worth a look, and why; the gravest first, cards alike together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.catalogue.clocks import throttle
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.card_face import CardFace, Mark
from gpuexplorer.gui.wording.cards.faces import Shown

_OF_HEAT = frozenset(
    METRICS[throttle(reason)].label for reason in ("sw_thermal_slowdown", "hw_thermal_slowdown")
)
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
        who = "card" if len(self.cards) == 1 else "cards"
        return ", ".join(
            part for part in (self.words, self.more, f"{who} {self.numbers}") if part
        )


def worth_a_look(
    cards: Sequence[Shown], faces: Mapping[CardId, CardFace]
) -> Sequence[Attention]:
    alike: dict[tuple[str, Tone], list[Shown]] = {}
    marks: dict[tuple[str, Tone], Mark] = {}
    for each in cards:
        mark = faces[each.card.id].mark
        if mark is None or mark.icon is None:
            continue
        key = (mark.word, mark.tone)
        marks.setdefault(key, mark)
        alike.setdefault(key, []).append(each)
    rows = [_row(marks[key], group, faces) for key, group in alike.items()]
    return sorted(rows, key=lambda row: _ORDER.index(row.tone))


def _row(mark: Mark, group: Sequence[Shown], faces: Mapping[CardId, CardFace]) -> Attention:
    count = len(group)
    # "PCIe" begins as it does in the middle of a sentence, too.
    plain = mark.word[1:2].islower()
    several = f"{mark.word[:1].lower()}{mark.word[1:]}" if plain else f"× {mark.word}"
    words = mark.word if count == 1 else f"{count} {several}"
    return Attention(
        icon=mark.icon or Icon.NOTE,
        tone=mark.tone,
        words=words,
        more=_more(mark, faces[group[0].card.id], count),
        numbers=ranges([each.card.index for each in group]),
        cards=tuple(each.card.id for each in group),
    )


def _more(mark: Mark, face: CardFace, count: int) -> str:
    if mark.icon is Icon.ASLEEP:
        return "not woken to be read"
    if count > 1:
        return ""
    if face.sentence:
        said = face.sentence.partition(";")[0].rstrip(".")
        return said.removeprefix(mark.word).strip()
    if mark.word.startswith("PCIe"):
        return "the link is slower than it could be"
    temperature = face.figures[1]
    if mark.word not in _OF_HEAT or not temperature.known:
        return ""
    return " ".join(
        part for part in (temperature.number, temperature.of, temperature.unit) if part
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
