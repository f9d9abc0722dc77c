"""Flags: moments on an axis of time, each with a pole through all plots. Numbered ones are
cells of the lab; those that would lie on each other become one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPolygonF

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.content import FLAGS, Flag, Layout
from gpuexplorer.gui.state.lab.cell_flags import CellFlags
from gpuexplorer.gui.state.time_window import Marked
from gpuexplorer.gui.theme.palette import Tone, faded, mixed

_CLOTH = 8.0
_WORD = 12.0  # from the pole
_LEAST_SENTENCE = 16  # letters: a stump such as "7: T…" says nothing
_LISTED = 6
_CHOSEN = 0.25
_BETWEEN_POLES = 4.0
_POLE = 0.12  # as faint as a hairline, and seen on a band too
_FIRST_LINE = 60  # letters


def flags_of(
    cells: CellFlags, card: CardId, start: float, end: float, colour: int | None = None
) -> Sequence[Flag]:
    """One for each cell of the lab that had to do with this card from `start` to `end`. In the
    card's colour, and in that of trouble where the cell failed.
    """
    flags = []
    for each in cells.of(card, start, end):
        first, _, rest = each.code.partition("\n")
        code = f"{first[:_FIRST_LINE]}…" if rest or len(first) > _FIRST_LINE else first
        words = tr("Cell {number} of the lab: {code}", number=each.number, code=code)
        tone, ink = (Tone.BAD, None) if each.failed else (Tone.QUIET, colour)
        flags.append(Flag(each.at, words, tone, ink, each.number))
    return flags


def with_marked(flags: tuple[Flag, ...], marked: Marked | None) -> tuple[Flag, ...]:
    """The marked moment has one too, whatever took place then."""
    if marked is None or any(flag.at == marked.at for flag in flags):
        return flags
    return (*flags, Flag(marked.at, marked.text, Tone.TEXT))


@dataclass(frozen=True, slots=True)
class _Cloth:
    """What is drawn once: a flag, or several that would lie on each other."""

    x: float
    flags: tuple[Flag, ...]

    @property
    def short(self) -> str:
        numbers = [flag.number for flag in self.flags if flag.number is not None]
        return "–".join(str(each) for each in sorted({*numbers[:1], *numbers[-1:]}))

    @property
    def text(self) -> str:
        return self.flags[0].text if len(self.flags) == 1 else self.short


def draw_poles(drawing: Drawing, layout: Layout) -> None:
    """Behind the lines, through all plots; each place says what took place there."""
    seen, area = _in_view(layout), layout.area
    for pole in _side_by_side(seen, _BETWEEN_POLES):
        place = QRectF(int(pole.x), area.top(), 1, area.height())
        drawing.painter.fillRect(place, faded(drawing.theme.text, _POLE))
    texts: dict[int, list[str]] = {}
    for flag, x in seen:
        texts.setdefault(int(x), []).append(flag.text)
    for left, said in texts.items():
        drawing.hint(QRectF(left - 3, area.top(), 7, area.height()), _listed(said))


def draw_flags(drawing: Drawing, layout: Layout, row: QRectF, marked: Marked | None) -> None:
    """`row` is where they hang; the flag of the marked moment stands out, with its event."""
    cloths, letters = _cloths(drawing, layout), drawing.letters.caption
    ends = layout.labels.left() if layout.compact else layout.right
    top, chosen = row.top() + 6, None
    for at, cloth in enumerate(cloths):
        if marked is not None and any(flag.at == marked.at for flag in cloth.flags):
            chosen = _Cloth(layout.x(marked.at), cloth.flags)
        end = cloths[at + 1].x if at + 1 < len(cloths) else ends
        left = float(int(cloth.x))
        _draw_cloth(drawing, left, top, cloth)
        word = _word(drawing, cloth, end - cloth.x)
        if word:
            run = Run(word, letters, drawing.theme.quiet)
            drawing.text(left + _WORD, top + 4 + letters.cap_height / 2, run)
        width = _WORD + 2 + letters.width(word)
        drawing.hint(
            QRectF(left - 2, row.top(), width, row.height()),
            _listed([flag.text for flag in cloth.flags]),
        )
    if chosen is not None and marked is not None:
        _draw_chosen(drawing, layout, chosen, marked.text, top, ends)


def _draw_chosen(
    drawing: Drawing, layout: Layout, cloth: _Cloth, text: str, top: float, ends: float
) -> None:
    """Over the others, and its words before the pole where there is no room behind it."""
    theme, letters, left = drawing.theme, drawing.letters.caption, float(int(cloth.x))
    word = letters.elided(text, layout.area.width() - _WORD)
    width, start = letters.width(word), left + _WORD
    if start + width > ends:
        start = max(layout.area.left(), left - 6 - width)
    first, last = min(left, start), max(left + _CLOTH, start + width)
    behind = QRectF(first - 3, top - 4, last - first + 6, FLAGS - 2)
    drawing.filled(behind, mixed(theme.surface, theme.accent, _CHOSEN), 3)
    _draw_cloth(drawing, left, top, cloth)
    drawing.text(start, top + 4 + letters.cap_height / 2, Run(word, letters, theme.text))


def _cloths(drawing: Drawing, layout: Layout) -> list[_Cloth]:
    seen = _in_view(layout)
    apart = _WORD + drawing.letters.caption.width(" 00–00 ")
    numbered = [each for each in seen if each[0].number is not None]
    others = [each for each in seen if each[0].number is None]
    cloths = _side_by_side(numbered, apart) + _side_by_side(others, _CLOTH)
    return sorted(cloths, key=attrgetter("x"))


def _side_by_side(placed: Sequence[tuple[Flag, float]], apart: float) -> list[_Cloth]:
    """Flags that would hide each other are one: a day may have thousands of them."""
    places: list[tuple[float, list[Flag]]] = []
    for flag, x in placed:
        if places and x < places[-1][0] + apart:
            places[-1][1].append(flag)
        else:
            places.append((x, [flag]))
    return [_Cloth(x, tuple(flags)) for x, flags in places]


def _word(drawing: Drawing, cloth: _Cloth, room: float) -> str:
    """As much as there is room for, up to the next flag."""
    letters = drawing.letters.caption
    word = letters.elided(cloth.text, room - _WORD - 8)
    if len(word) >= min(_LEAST_SENTENCE, len(cloth.text)):
        return word
    return cloth.short if letters.width(cloth.short) <= room - _WORD else ""


def _draw_cloth(drawing: Drawing, left: float, top: float, cloth: _Cloth) -> None:
    """Of two colours in halves; of more the upper half is the first's, the rest is quiet."""
    painter, theme = drawing.painter, drawing.theme
    marks = dict.fromkeys(
        flag.tone if flag.colour is None else flag.colour for flag in cloth.flags
    )
    inks: list[QColor] = [
        theme.card(mark) if isinstance(mark, int) else theme.tone(mark) for mark in marks
    ]
    right, middle, bottom = left + _CLOTH, top + _CLOTH / 2, top + _CLOTH
    notch = QPointF(left + 6, middle)
    upper = [QPointF(left, top), QPointF(right, top), notch, QPointF(left, middle)]
    lower = [QPointF(left, middle), notch, QPointF(right, bottom), QPointF(left, bottom)]
    painter.setPen(Qt.PenStyle.NoPen)
    below = inks[-1] if len(inks) <= 2 else theme.quiet
    for half, ink in ((upper, inks[0]), (lower, below)):
        painter.setBrush(ink)
        painter.drawPolygon(QPolygonF(half))


def _listed(texts: Sequence[str]) -> str:
    """One below the other; of many the first, and how many more."""
    said = list(dict.fromkeys(texts))
    more = len(said) - _LISTED
    rest = [trn("and {count} more", "and {count} more", more)] if more > 0 else []
    return "\n".join([*said[:_LISTED], *rest])


def _in_view(layout: Layout) -> list[tuple[Flag, float]]:
    start, end = layout.stretch.start, layout.stretch.end
    ordered = sorted(layout.flags, key=attrgetter("at"))
    return [(flag, layout.x(flag.at)) for flag in ordered if start <= flag.at <= end]
