"""Cell and Column: what one place of a table says, and what stands below one heading."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Generic, TypeVar

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone

T = TypeVar("T")
PADDING = 8.0
CHIP, CHIP_GAP = 20.0, 4.0


@dataclass(frozen=True, slots=True)
class Chip:
    """A card's number in the card's colour; outlined where it has none."""

    text: str
    colour: int | None


@dataclass(frozen=True, slots=True)
class Spark:
    """A small curve from `start` to `end`, from nothing at its foot to `top`. NaN is a gap."""

    times: Sequence[float]
    values: Sequence[float]
    start: float
    end: float
    top: float
    colour: int | None
    filled: bool = True  # down to its foot; not where others lie over it


@dataclass(frozen=True, slots=True)
class Gauge:
    """A short bar before a number: a share of 1, in a card's colour."""

    share: float
    colour: int | None
    limit: float | None = None  # where a stroke stands, as a share too
    full: bool = True  # in the whole strength of its colour


@dataclass(frozen=True, slots=True)
class Cell:
    """Words or a number; or, without them, the reason in shorter and shorter words."""

    text: str = ""
    absent: tuple[str, ...] = ()
    tone: Tone = Tone.TEXT
    mono: bool = False  # where there is a second line, this is about it
    below: str = ""  # a second line, in rows that are high enough
    end: bool = False  # where it is cut, its end is what stays
    icon: Icon | None = None  # before the text, in its tone
    chips: tuple[Chip, ...] = ()
    mark: str = ""  # a word in an outline behind the text
    spark: Spark | None = None
    unit: str = ""  # behind the number, smaller and dimmer
    gauge: Gauge | None = None
    joined: bool = False  # an arrow leads from each chip to the next
    flag: str = ""  # of the text: "solid" or "dashed", the frame of a line's number
    wrong: bool = False  # nothing but that it arrived WRONG
    checked: bool | None = None  # where it can be chosen
    short: str = ""  # drawn in the place of the text, which is what is said and copied
    hint: str = ""  # what to say on asking

    @property
    def said(self) -> str:
        """In words, for a screen reader, a copy or a test."""
        if self.absent:
            return self.absent[0]
        chips = [chip.text for chip in self.chips]
        words = self.text or (reduce(_to, chips) if self.joined else " ".join(chips))
        words = f"{words} {self.unit}" if self.unit else words
        return tr("{text} ({mark})", text=words, mark=self.mark) if self.mark else words


NO_CELL = Cell()


@dataclass(frozen=True)
class Column(Generic[T]):
    """`key` is the name under which it is remembered."""

    key: str
    heading: str
    cell: Callable[[T], Cell]
    # What it is sorted by, None where that is not known; without it, the column does not sort.
    sorts: Callable[[T], float | str | None] | None = None
    meaning: str = ""  # told by its heading
    name: str = ""  # in menus, where there is room for more than the heading
    width: int = 80
    right: bool = False
    largest_first: bool = False  # by the first click on its heading
    kept: int = 0  # where the window is narrow, the lowest goes first; 0 is always there
    stretches: bool = False  # takes the room that the others leave, `width` at least
    share: float = 0.0  # of the whole room, at least, where it stretches
    spoken: Callable[[T], str] | None = None  # to a screen reader, instead of the cell
    copied: bool = True  # of a curve there is nothing to take along

    @property
    def named(self) -> str:
        return self.name or self.heading


def chips_width(count: int) -> float:
    """How wide a column has to be for so many cards in one row."""
    return 2 * PADDING + count * CHIP + max(0, count - 1) * CHIP_GAP


def _to(start: str, end: str) -> str:
    return tr("{start} to {end}", start=start, end=end)
