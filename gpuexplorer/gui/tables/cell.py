"""Cell: what one place of a table says, drawn or read aloud."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone


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
        words = self.text or _chips_said([chip.text for chip in self.chips], self.joined)
        words = f"{words} {self.unit}" if self.unit else words
        return tr("{text} ({mark})", text=words, mark=self.mark) if self.mark else words


def _chips_said(texts: Sequence[str], joined: bool) -> str:
    if not joined:
        return " ".join(texts)
    return reduce(lambda start, end: tr("{start} to {end}", start=start, end=end), texts)


NO_CELL = Cell()
