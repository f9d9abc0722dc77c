"""CardFace: all that a tile shows of one card. Equal faces look the same."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.figure import Figure


@dataclass(frozen=True, slots=True)
class Mark:
    """How the card is, at the right of its name: "Lost", "At its power limit", "Idle"."""

    word: str
    tone: Tone
    icon: Icon | None = None
    brief: str = ""  # for a narrow tile


@dataclass(frozen=True, slots=True)
class Badge:
    """What a card is besides: "MIG", "display". Unlike a mark it rarely changes."""

    word: str
    hint: str
    minor: bool = False  # said elsewhere too, and so left out on a small tile


@dataclass(frozen=True, slots=True)
class MemoryFace:
    """The bar: shares of the whole, None where they are not known."""

    figure: Figure
    used: float | None
    reserved: float
    parts: tuple[Figure, ...]  # used, reserved: what the colours mean
    total_bytes: float | None = None
    scale: str = ""  # "24 GiB", at the top of its trace


@dataclass(frozen=True, slots=True)
class CardFigures:
    """The small figures, in their fixed places."""

    first: tuple[Figure, ...]  # five that every tile tells, with captions
    brief: tuple[Figure, ...]  # six, for a tile without captions
    make_rest: Callable[[], tuple[Figure, ...]]  # what is told where there is room


@dataclass(frozen=True, slots=True)
class InstanceFace:
    """One MIG instance, a line under its card."""

    number: str
    name: str  # without its card's
    cuda: str
    cuda_reason: str
    memory: MemoryFace
    sentence: str  # in place of the figures, where there are none


@dataclass(frozen=True)
class CardFace:
    """What never changes comes first."""

    number: str
    colour: int | None  # which of the card colours; None where there are too many cards
    name: str  # empty where the driver does not tell it
    cuda: str  # "cuda:0", or that there is no such number
    cuda_reason: str  # why not, as a sentence without its end
    badges: tuple[Badge, ...]
    mark: Mark | None
    sentence: str  # in place of the figures; empty where there are some
    more: str  # a second, quieter sentence
    dimmed: bool  # the figures are of a moment ago
    busy: Figure
    busy_share: float | None
    memory: MemoryFace
    instances: tuple[InstanceFace, ...]
    make_figures: Callable[[], CardFigures] = field(compare=False, repr=False)

    @cached_property
    def _figures(self) -> CardFigures:
        # Most of what a face costs. Among very many cards nobody sees them.
        return self.make_figures()

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The small ones. Not compared: two faces that are equal may differ in them."""
        return (*self._figures.first, *self._figures.make_rest())

    @property
    def brief_figures(self) -> tuple[Figure, ...]:
        return self._figures.brief

    @property
    def title(self) -> str:
        """Who it is, for a reader of screens and for tooltips."""
        return ", ".join(part for part in (f"Card {self.number}", self.name, self.cuda) if part)

    @property
    def summary(self) -> str:
        """What a tile without small figures says, as sentences."""
        return self._spoken(())

    @property
    def spoken_briefly(self) -> str:
        """What a tile says that shows only a few of them."""
        return self._spoken(() if self.sentence else self._figures.first)

    @property
    def spoken(self) -> str:
        """All of it as sentences."""
        return self._spoken(() if self.sentence else self.figures)

    def _spoken(self, figures: tuple[Figure, ...]) -> str:
        said = [] if self.mark is None else [self.mark.word]
        if self.sentence:
            said += [self.sentence.rstrip("."), self.more.rstrip(".")]
        else:
            said += [self.busy.spoken, self.memory.figure.spoken]
            said += [figure.spoken for figure in figures]
        for each in self.instances:
            what = each.sentence or each.memory.figure.spoken
            said.append(f"Instance {each.number}, {each.name}, {each.cuda}: {what}")
            if each.cuda_reason != self.cuda_reason:
                said.append(each.cuda_reason)
        said += [badge.hint.rstrip(".") for badge in self.badges]
        if self.cuda_reason:
            said.append(self.cuda_reason)
        return ". ".join(part for part in said if part) + "."
