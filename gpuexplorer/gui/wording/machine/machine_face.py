"""What the drawing of a machine shows of each of its parts. Equal faces look the same.

All words are translated.
"""

from dataclasses import dataclass, field

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.card_face import CardFace

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
