"""Cell: what one place of a table says, and how it is drawn; Column: all under a heading."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QRectF

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone, mixed

T = TypeVar("T")
PADDING = 8.0
_CHIP, _CHIP_GAP, _ARROW, _ICON, _BAR = 20.0, 4.0, 14.0, 16.0, 4.0
_SAME = "–"  # the reason stands in the cell before


@dataclass(frozen=True, slots=True)
class Chip:
    """A card's number in the card's colour; outlined where it has none."""

    text: str
    colour: int | None


class Drawable(Protocol):
    """What a cell shows that is no words; where two are equal, they look alike."""

    def draw(self, drawing: Drawing, place: QRectF) -> None: ...


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
    drawn: Drawable | None = None
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
        words = self.text or " ".join(chip.text for chip in self.chips)
        if self.joined:
            start, *_, end = self.chips
            words = tr("{start} to {end}", start=start.text, end=end.text)
        words = f"{words} {self.unit}" if self.unit else words
        if not words and self.icon is not None:
            return self.hint
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
    return 2 * PADDING + count * _CHIP + max(0, count - 1) * _CHIP_GAP


def draw_cell(
    drawing: Drawing, place: QRectF, cell: Cell, *, right: bool, same: bool = False
) -> None:
    """`same`: the cell before is empty for the same reason, which need not be said twice."""
    inner = place.adjusted(PADDING, 0, -PADDING, 0)
    middle, letters = inner.center().y(), drawing.letters.caption
    high = QRectF(inner.left(), middle - _CHIP / 2, inner.width(), _CHIP)
    if inner.width() <= 0:
        return
    if cell.drawn is not None:
        cell.drawn.draw(drawing, inner)
    elif cell.absent:
        fitting = (each for each in cell.absent if letters.width(each) <= inner.width())
        run = Run(_SAME if same else next(fitting, _SAME), letters, drawing.theme.faint)
        left = inner.right() - run.width if right else inner.left()
        drawing.text(left, middle + letters.cap_height / 2, run)
    elif cell.wrong:
        drawing.wrong(high, lettered=True)
    elif cell.chips:
        _draw_chips(drawing, high, cell.chips, joined=cell.joined)
    elif cell.flag:
        solid = cell.flag == "solid"
        high.setWidth(min(inner.width(), max(_CHIP - 2, letters.width(cell.text) + 8)))
        high.adjust(0, 1, 0, -1)
        fill, ink = (drawing.theme.track, drawing.theme.text) if solid else (None, None)
        drawing.chip(high, cell.text, letters, fill, ink, dashed=not solid)
    else:
        _draw_words(drawing, inner, cell, right=right)


def _draw_words(drawing: Drawing, inner: QRectF, cell: Cell, *, right: bool) -> None:
    """At the left with what stands before and after them; a figure at the right."""
    theme, caption = drawing.theme, drawing.letters.caption
    mono, middle = drawing.letters.mono if cell.mono else None, inner.center().y()
    if not cell.below:
        letters = mono or drawing.letters.body
    else:
        letters, small = drawing.letters.body, mono or caption
        below = Run(small.elided(cell.below, inner.width()), small, theme.faint)
        left = inner.right() - below.width if right else inner.left()
        drawing.text(left, middle + small.ascent + 2, below)
        middle -= letters.height / 2
    baseline, colour = middle + letters.cap_height / 2, theme.tone(cell.tone)
    if right:
        end, text = inner.right(), letters.elided(cell.text, inner.width())
        if text != cell.text and any(each.isdigit() for each in cell.text):
            text = "…"  # a part of a figure would be another one
        unit = Run(f"{THIN_SPACE}{cell.unit}", caption, theme.quiet)
        if cell.unit and letters.width(text) + unit.width <= inner.width():
            end = drawing.runs_right(end, baseline, [unit])
        number = drawing.runs_right(end, baseline, [Run(text, letters, colour)])
        if cell.gauge is not None:
            # As long in every row, however many digits the number has.
            most = min(number, end - letters.width("100")) - PADDING if number < end else end
            _draw_gauge(drawing, inner.left(), most, middle, cell.gauge)
        return
    left = inner.left()
    if cell.icon is not None:
        drawing.icon(cell.icon, QRectF(left, middle - _ICON / 2, _ICON, _ICON), colour)
        left += _ICON + PADDING
    marked = caption.width(cell.mark) + 12 if cell.mark else -PADDING
    room = max(0.0, inner.right() - left - marked - PADDING)
    shown = letters.elided(cell.short or cell.text, room, end=cell.end)
    after = drawing.text(left, baseline, Run(shown, letters, colour)) + PADDING
    if cell.mark:
        drawing.chip(QRectF(after, middle - 9, marked, 18), cell.mark, caption)


def _draw_gauge(
    drawing: Drawing, left: float, right: float, middle: float, gauge: Gauge
) -> None:
    theme, colour = drawing.theme, drawing.theme.card(gauge.colour)
    place = QRectF(left, middle - _BAR / 2, right - left, _BAR)
    if place.width() < 2 * _BAR:
        return
    ink = colour if gauge.full else mixed(theme.surface, colour, 0.55)
    drawing.bar(place, ((min(1.0, gauge.share), ink),))
    if gauge.limit is not None:
        at = left + min(1.0, gauge.limit) * place.width() - 1
        drawing.painter.fillRect(QRectF(at, middle - 2 * _BAR, 1.5, 4 * _BAR), theme.quiet)


def _draw_chips(
    drawing: Drawing, place: QRectF, chips: Sequence[Chip], *, joined: bool
) -> None:
    """As many as fit, one in any case, and how many more; joined, all with arrows between."""
    theme, letters, middle = drawing.theme, drawing.letters.caption, place.center().y()
    gap = _ARROW + 2 if joined else _CHIP_GAP
    wide = [max(_CHIP, letters.width(chip.text) + 8) for chip in chips]
    ends = list(accumulate(wide, lambda end, next_: end + gap + next_))
    shown = len(chips)
    if not joined and ends[-1] > place.width() + 1:
        room = place.width() - letters.width(f"+{shown}") - _CHIP_GAP
        shown = max(1, sum(end <= room for end in ends))
    for chip, width, end in zip(chips[:shown], wide, ends, strict=False):
        left = place.left() + end - width
        if joined and end > width:
            arrow = QRectF(left - _ARROW - 1, middle - _ARROW / 2, _ARROW, _ARROW)
            drawing.icon(Icon.ARROW, arrow, theme.quiet)
        fill = None if chip.colour is None else theme.card(chip.colour)
        drawing.chip(QRectF(left, place.top(), width, _CHIP), chip.text, letters, fill)
    if shown < len(chips):
        rest = Run(f"+{len(chips) - shown}", letters, theme.quiet)
        after = place.left() + ends[shown - 1] + gap
        drawing.text(after, middle + letters.cap_height / 2, rest)
