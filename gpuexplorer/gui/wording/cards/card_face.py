"""CardFace: all that a tile shows of one card. Equal faces look the same."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.figure import Figure


class Matter(Enum):
    """What a mark is about, where more is said of it elsewhere."""

    OTHER = auto()
    LOST = auto()
    UNLISTED = auto()
    REFUSED = auto()
    ASLEEP = auto()
    NO_ANSWER = auto()
    NO_DRIVER = auto()
    HEAT = auto()
    LINK = auto()


@dataclass(frozen=True, slots=True)
class Mark:
    """How the card is, at the right of its name: "Lost", "At its power limit", "Idle"."""

    word: str
    tone: Tone
    icon: Icon | None = None
    brief: str = ""  # for a narrow tile
    several: str = ""  # "{count} lost": a template for several cards
    matter: Matter = Matter.OTHER


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
    name: str  # empty where the driver does not report it
    cuda: str  # "cuda:0", or that there is no such number
    cuda_reason: str  # why not, as a sentence
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
    silence: float | None = None  # seconds without an answer
    word: str = ""  # "lost": in the place of a number, where there are no figures
    detail: str = ""  # what to say beside the mark in a narrow row
    host: bool = False  # the computer itself

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
        """Which card it is, for screen readers and for tooltips."""
        if self.host:
            return tr("This computer, {name}", name=self.name)
        card = tr("Card {number}", number=self.number)
        return ", ".join(part for part in (card, self.name, self.cuda) if part)

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

    @property
    def lines(self) -> str:
        """The same line by line, for tooltips."""
        return "\n".join(self._sentences(() if self.sentence else self.figures))

    def _spoken(self, figures: tuple[Figure, ...]) -> str:
        return " ".join(self._sentences(figures))

    def _sentences(self, figures: tuple[Figure, ...]) -> list[str]:
        said = [] if self.mark is None else [f"{self.mark.word}."]
        if self.sentence:
            said += [self.sentence, self.more]
        else:
            known = (self.busy, self.memory.figure, *figures)
            said += [f"{figure.spoken}." for figure in known]
        for each in self.instances:
            what = each.sentence or f"{each.memory.figure.spoken}."
            said.append(
                tr(
                    "Instance {number}, {name}, {cuda}: {what}",
                    number=each.number,
                    name=each.name,
                    cuda=each.cuda,
                    what=what,
                )
            )
            if each.cuda_reason != self.cuda_reason:
                said.append(each.cuda_reason)
        said += [badge.hint for badge in self.badges]
        return [each for each in (*said, self.cuda_reason) if each]
