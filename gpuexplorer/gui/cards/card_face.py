"""CardFace: all that screens show of one card. Equal faces look the same."""

import re
from dataclasses import dataclass, field
from functools import cached_property

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.figures import (
    MemoryFace,
    brief_figures,
    first_figures,
    host_swap,
    more_figures,
)
from gpuexplorer.gui.cards.reasons import StateMark
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading

_MAKERS = ("NVIDIA ", "GeForce ", "Quadro ", "Tesla ")
_SIZE = re.compile(r"[ -]\d+ ?[GT]B$")
_LESS_TELLING = re.compile(r"[ -](?:HBM\w*|PCIe|PCIE|SXM\d?|NVL|Edition|GPU)$")


@dataclass(frozen=True, slots=True)
class CardBadge:
    """What a card is besides: "MIG", "display". Unlike a mark it rarely changes."""

    word: str
    hint: str
    minor: bool = False  # said elsewhere too, and so left out on a small tile


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

    id: CardId
    index: int  # in the driver's order
    number: str
    colour: int | None  # which of the card colours; None where there are too many cards
    name: str  # empty where the driver does not report it
    cuda: str  # "cuda:0", or that there is no such number
    cuda_reason: str  # why not, as a sentence
    badges: tuple[CardBadge, ...]
    mark: StateMark | None
    sentence: str  # in place of the figures; empty where there are some
    more: str  # a second, quieter sentence
    dimmed: bool  # the figures are of a moment ago
    busy: Figure
    busy_share: float | None
    memory: MemoryFace
    instances: tuple[InstanceFace, ...]
    # The small figures are made of these when somebody asks.
    reading: Reading = field(compare=False, repr=False)
    units: Units
    nvlinks: bool = False
    silence: float | None = None  # seconds without an answer
    since: str = ""  # when it ceased to give figures: "14:03:21", where that was seen
    word: str = ""  # "lost": in the place of how busy it is, where that is not known
    detail: str = ""  # what to say beside the mark in a narrow row
    host: bool = False  # the computer itself

    @cached_property
    def _first(self) -> tuple[Figure, ...]:
        # Most of what a face costs. Among very many cards nobody sees them.
        return first_figures(self.reading, self.units)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The small ones. Not compared: two faces that are equal may differ in them."""
        if self.host:
            return host_swap(self.reading, self.units)
        return (*self._first, *more_figures(self.reading, self.units, self.nvlinks))

    @cached_property
    def brief_figures(self) -> tuple[Figure, ...]:
        return brief_figures(self._first, self.reading, self.units, self.nvlinks)

    @property
    def state(self) -> CardState:
        """How it is now; what is known of one that does not answer may be older."""
        return CardState.NO_ANSWER if self.silence is not None else self.reading.state

    @property
    def answers(self) -> bool:
        return not self.sentence

    @property
    def worry(self) -> StateMark | None:
        """Its mark where something is wrong."""
        wrong = self.mark is not None and self.mark.tone in (Tone.WARN, Tone.BAD)
        return self.mark if wrong else None

    @property
    def warning(self) -> Icon | None:
        """Beside the name of a card that answers."""
        return self.worry.icon if self.worry is not None and self.answers else None

    @property
    def word_tone(self) -> Tone:
        return self.worry.tone if self.worry is not None and not self.answers else Tone.FAINT

    @property
    def short_name(self) -> str:
        if self.host:
            return tr("Host")
        return short_name(self.name) or tr("Card {number}", number=self.number)

    @property
    def title(self) -> str:
        """Which card it is, for screen readers and for tooltips."""
        if self.host:
            return tr("The computer, {name}", name=self.name)
        card = tr("Card {number}", number=self.number)
        return ", ".join(part for part in (card, self.name, self.cuda) if part)

    @property
    def summary(self) -> str:
        """What a tile without small figures says, as sentences."""
        return self._spoken(())

    @property
    def spoken_briefly(self) -> str:
        """What a tile says that shows only a few of them."""
        return self._spoken(self._first)

    @property
    def spoken(self) -> str:
        """All of it as sentences."""
        return self._spoken(self.figures)

    @property
    def spoken_in_a_line(self) -> str:
        """How it is and how busy, beside others in a list."""
        if self.host:
            return self.spoken
        said = self.sentence or f"{self.busy.spoken}."
        return said if self.mark is None else f"{self.mark.word}. {said}"

    @property
    def hint(self) -> str:
        """All of it, line by line, for whoever asks by pointing."""
        return "\n".join([self.title, *self._sentences(self.figures)])

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


def short_name(name: str) -> str:
    """ "NVIDIA H100 80GB HBM3" becomes "H100": the model, without its maker and its memory."""
    short = name.strip()
    for maker in _MAKERS:
        short = short.removeprefix(maker)
    while True:
        shorter = _SIZE.sub("", _LESS_TELLING.sub("", short))
        if shorter == short or not shorter:
            return short or name
        short = shorter
