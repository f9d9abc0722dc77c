"""CardFace: all that a tile shows of one card. Equal faces look the same."""

from dataclasses import dataclass

from gpuexplorer.gui.paint.icons import Icon
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.widgets.figure import Figure


@dataclass(frozen=True, slots=True)
class Mark:
    """How the card is, at the right of its name: "Lost", "At its power limit", "Idle"."""

    word: str
    tone: Tone
    icon: Icon | None = None


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
    name: str
    cuda: str
    memory: MemoryFace
    sentence: str  # in place of the figures, where there are none


@dataclass(frozen=True, slots=True)
class CardFace:
    """What never changes comes first."""

    number: str
    colour: int | None  # which of the card colours; None where there are too many cards
    name: str
    cuda: str  # "cuda:0", or the reason why there is no such number
    has_cuda: bool
    mark: Mark | None
    sentence: str  # in place of the figures; empty where there are some
    more: str  # a second, quieter sentence
    busy: Figure
    busy_share: float | None
    memory: MemoryFace
    figures: tuple[Figure, ...]
    instances: tuple[InstanceFace, ...]

    @property
    def title(self) -> str:
        """Who it is, for a reader of screens and for tooltips."""
        return f"Card {self.number}, {self.name}, {self.cuda}"

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
        return ". ".join(part for part in said if part) + "."
