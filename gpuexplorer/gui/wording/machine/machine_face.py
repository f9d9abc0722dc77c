"""What the drawing of a machine shows of each of its parts. Equal faces look the same.

All words are translated.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import listed, tr, trn
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.cards.faces import Known, Shown
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.machine_shape import MachineShape
from gpuexplorer.telemetry.topology import Topology

# Texts are given at falling length: the first that fits is drawn.
Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TileFace:
    """A card. `word` stands in the place of the number where there is none."""

    number: str
    colour: int | None
    model: Texts
    busy: str
    unit: str
    share: float | None
    word: Texts
    tone: Tone
    memory: Texts
    filled: float | None  # how much of its memory is used
    small: tuple[Texts, ...]  # what else it says where there is room
    cuda: str
    silent: bool  # only outlined, since it gives no figures
    lost: bool  # drawn in dashes
    # What it says to screen readers is worked out when somebody asks.
    card: CardFace = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.card.title

    @property
    def spoken(self) -> str:
        return self.card.summary

    @property
    def hint(self) -> str:
        return f"{self.name}\n{self.spoken}"


@dataclass(frozen=True, slots=True)
class BoxFace:
    """Anything else with a name on it."""

    name: str
    spoken: str
    title: Texts
    remark: Texts = ()

    @property
    def hint(self) -> str:
        return f"{self.name}\n{self.spoken}"


@dataclass(frozen=True, slots=True)
class LaneFace:
    """One direction of a wire."""

    word: str = ""  # "in", "0 to 1"
    figure: str = ""  # GB/s; empty where it is not known
    lit: float = 0.0  # 0 to 1: of what it could carry
    colour: int | None = None  # of the card that sends; None: the host, or several cards

    @property
    def spoken(self) -> str:
        """Empty where nothing is known of its traffic."""
        if not self.figure:
            return ""
        return tr("Now {direction}: {figure} GB/s.", direction=self.word, figure=self.figure)


IDLE = LaneFace()


@dataclass(frozen=True, slots=True)
class WireFace:
    """What joins two parts. Lanes lead forth, from the card up, and back."""

    name: str
    kind: Texts = ()
    rate: Texts = ()
    forth: LaneFace = IDLE
    back: LaneFace = IDLE
    absent: Texts = ()  # why there are no figures of its traffic
    tone: Tone = Tone.QUIET
    dark: bool = False  # a card at its end is lost
    lead: str = ""  # a sentence before all that is drawn
    remark: str = ""  # and one after it

    @property
    def spoken(self) -> str:
        said = [self.lead or (f"{self.kind[0]}." if self.kind else "")]
        if self.rate:
            said.append(tr("{rate} each way in theory.", rate=self.rate[0]))
        said += [self.back.spoken, self.forth.spoken]
        if self.absent and not (self.back.spoken or self.forth.spoken):
            said.append(tr("Traffic: {reason}.", reason=self.absent[0]))
        return " ".join(each for each in (*said, self.remark) if each)

    @property
    def hint(self) -> str:
        return f"{self.name}\n{self.spoken}"


Face = TileFace | BoxFace | WireFace


@dataclass(frozen=True, slots=True)
class MachineNow:
    """Every card of the shape is in each of the mappings."""

    shape: MachineShape
    topology: Topology
    listed: object  # the same as long as the same cards are listed
    cards: Mapping[CardId, Shown]
    known: Mapping[CardId, Known]
    faces: Mapping[CardId, CardFace]
    host: CardFace
    units: Units

    def number(self, card: CardId) -> str:
        return tr("host") if card == HOST_ID else self.cards[card].number

    def colour(self, card: CardId) -> int | None:
        return self.cards[card].colour

    def reading(self, card: CardId) -> Reading:
        found = self.known[card].reading
        return found or Reading(card, 0.0, CardState.WORKING, {}, {})

    def lost(self, card: CardId) -> bool:
        """Whether nothing comes from it any more: it fell off the bus, or is not listed."""
        return self.reading(card).state is CardState.LOST or self.unlisted(card)

    def unlisted(self, card: CardId) -> bool:
        return self.reading(card).state is CardState.UNLISTED

    def named(self, cards: Collection[CardId]) -> str:
        """ "card 3", "cards 0 to 7", "cards 0, 2 and 5 to 7"."""
        return _named(tuple(self.number(card) for card in cards))


@lru_cache(maxsize=512)
def _named(numbers: tuple[str, ...]) -> str:
    parts = [part for run in _runs(numbers) for part in _words(run)]
    return trn("card {numbers}", "cards {numbers}", len(numbers), numbers=listed(parts))


def _runs(numbers: Sequence[str]) -> list[list[str]]:
    """Numbers that follow each other stand together."""
    runs: list[list[str]] = []
    for number in sorted(numbers, key=lambda each: (len(each), each)):
        before = runs[-1][-1] if runs else ""
        both = before.isdigit() and number.isdigit()
        if both and int(number) == int(before) + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _words(run: Sequence[str]) -> Sequence[str]:
    return [tr("{first} to {last}", first=run[0], last=run[-1])] if len(run) > 2 else run
