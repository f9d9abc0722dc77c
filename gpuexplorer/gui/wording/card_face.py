"""CardFace: all that a tile shows of one card. Equal faces look the same."""

from dataclasses import dataclass

from gpuexplorer.gui.paint.icons import Icon
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.wording.figure import Figure


@dataclass(frozen=True, slots=True)
class Mark:
    """How the card is, at the right of its name: "Lost", "At its power limit", "Idle"."""

    word: str
    tone: Tone
    icon: Icon | None = None
    brief: str = ""  # for a narrow tile


@dataclass(frozen=True, slots=True)
class MemoryFace:
    """The bar: shares of the whole, None where they are not known."""

    figure: Figure
    used: float | None
    reserved: float
    parts: tuple[Figure, ...]  # used, reserved, free: what the colours mean


@dataclass(frozen=True, slots=True)
class InstanceFace:
    """One MIG instance, a line under its card."""

    number: str
    name: str  # without its card's
    cuda: str
    cuda_reason: str
    memory: MemoryFace
    sentence: str  # in place of the figures, where there are none


@dataclass(frozen=True, slots=True)
class CardFace:
    """What never changes comes first."""

    number: str
    colour: int | None  # which of the card colours; None where there are too many cards
    name: str  # empty where the driver does not tell it
    cuda: str  # "cuda:0", or that there is no such number
    cuda_reason: str  # why not, as a sentence without its end
    mark: Mark | None
    sentence: str  # in place of the figures; empty where there are some
    more: str  # a second, quieter sentence
    dimmed: bool  # the figures are of a moment ago
    busy: Figure
    busy_share: float | None
    memory: MemoryFace
    figures: tuple[Figure, ...]
    instances: tuple[InstanceFace, ...]

    @property
    def title(self) -> str:
        """Who it is, for a reader of screens and for tooltips."""
        return ", ".join(part for part in (f"Card {self.number}", self.name, self.cuda) if part)

    @property
    def spoken(self) -> str:
        """All of it as sentences."""
        said = [] if self.mark is None else [self.mark.word]
        if self.sentence:
            said += [self.sentence.rstrip("."), self.more.rstrip(".")]
        else:
            said += [self.busy.spoken, self.memory.figure.spoken]
            said += [figure.spoken for figure in self.figures]
        for each in self.instances:
            what = each.sentence or each.memory.figure.spoken
            said.append(f"Instance {each.number}, {each.name}, {each.cuda}: {what}")
            if each.cuda_reason != self.cuda_reason:
                said.append(each.cuda_reason)
        if self.cuda_reason:
            said.append(self.cuda_reason)
        return ". ".join(part for part in said if part) + "."
