"""Flags: moments on an axis of time, each with a pole through all plots. Numbered ones are
cells of the lab; those that would lie on each other become one.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPolygonF

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.content import FLAGS, Flag, Layout
from gpuexplorer.gui.state.lab.lab_course import CellFlag, LabCourse
from gpuexplorer.gui.state.time_window import Marked
from gpuexplorer.gui.theme.palette import Tone, faded, mixed

_CLOTH = 8.0
_APART = 16.0  # or they are one
_WORD = 12.0  # from the pole
_LEAST_SENTENCE = 16  # letters: a stump such as "7: T…" says nothing
_LISTED = 6
_CHOSEN = 0.25
_BETWEEN_POLES = 4.0
_POLE = 0.12  # as faint as a hairline, and seen on a band too
_FIRST_LINE = 60  # letters


def flags_of(
    course: LabCourse, card: CardId, start: float, end: float, colour: int | None = None
) -> Sequence[Flag]:
    """One for each cell of the lab that had to do with this card from `start` to `end`. In the
    card's colour, and in that of trouble where the cell failed.
    """
    return [flag_of(each, colour) for each in course.flags_of({card}, start, end)]


def flag_of(cell: CellFlag, colour: int | None) -> Flag:
    first, _, rest = cell.code.partition("\n")
    code = f"{first[:_FIRST_LINE]}…" if rest or len(first) > _FIRST_LINE else first
    words = tr("Cell {number} of the lab: {code}", number=cell.number, code=code)
    tone, ink = (Tone.BAD, None) if cell.failed else (Tone.QUIET, colour)
    return Flag(cell.at, words, tone, ink, cell.number)


class _Cloth(NamedTuple):
    """What is drawn once: a flag, or several that would lie on each other."""

    x: float
    flags: list[Flag]


def draw_poles(drawing: Drawing, layout: Layout) -> None:
    """Behind the lines, through all plots; each place says what took place there."""
    area = layout.area
    for pole in _side_by_side(_in_view(layout), _BETWEEN_POLES):
        place = QRectF(int(pole.x), area.top(), 1, area.height())
        drawing.painter.fillRect(place, faded(drawing.theme.text, _POLE))
        drawing.hint(place.adjusted(-3, 0, 3, 0), _listed(pole))


def draw_flags(drawing: Drawing, layout: Layout, row: QRectF, marked: Marked | None) -> None:
    """`row` is where they hang; the flag of the marked moment stands out, with its event."""
    cloths, letters = _side_by_side(_in_view(layout), _APART), drawing.letters.caption
    covered, text = QRectF(), ""
    if marked is not None and layout.stretch.holds(marked.at):
        x = layout.x(marked.at)
        text = letters.elided(marked.text, layout.right - x - _WORD)
        covered = QRectF(int(x) - 3, row.top() + 2, _WORD + letters.width(text) + 6, FLAGS - 2)
    for cloth, end in zip(
        cloths, [*(each.x for each in cloths[1:]), layout.right], strict=False
    ):
        over = covered.left() <= cloth.x < covered.right()
        word = "" if over else _word(drawing, cloth, end - cloth.x)
        _draw_cloth(drawing, cloth, row, word, drawing.theme.quiet)
        place = QRectF(cloth.x - 2, row.top(), _WORD + 2 + letters.width(word), row.height())
        drawing.hint(place, _listed(cloth))
    if marked is not None and not covered.isEmpty():
        # Over the others.
        chosen = _Cloth(
            layout.x(marked.at), [each for each in layout.flags if each.at == marked.at]
        )
        theme = drawing.theme
        drawing.filled(covered, mixed(theme.surface, theme.accent, _CHOSEN), 3)
        _draw_cloth(drawing, chosen, row, text, theme.text)


def _side_by_side(placed: Sequence[_Cloth], apart: float) -> list[_Cloth]:
    """Flags that would hide each other are one: a day may have thousands of them."""
    places: list[_Cloth] = []
    for each in placed:
        if places and each.x < places[-1].x + apart:
            places[-1].flags.extend(each.flags)
        else:
            places.append(_Cloth(each.x, [*each.flags]))
    return places


def _word(drawing: Drawing, cloth: _Cloth, room: float) -> str:
    """As much as there is room for, up to the next flag."""
    letters, alone = drawing.letters.caption, len(cloth.flags) == 1
    numbers = [str(each.number) for each in cloth.flags if each.number is not None]
    short = "–".join(dict.fromkeys([*numbers[:1], *numbers[-1:]]))
    text = cloth.flags[0].text if alone else short
    word = letters.elided(text, room - _WORD - 8)
    if len(word) >= min(_LEAST_SENTENCE, len(text)):
        return word
    return short if letters.width(short) <= room - _WORD else ""


def _draw_cloth(drawing: Drawing, cloth: _Cloth, row: QRectF, word: str, ink: QColor) -> None:
    """Of cards of two colours in halves."""
    theme, letters = drawing.theme, drawing.letters.caption
    left, top = float(int(cloth.x)), row.top() + 6
    inks = [
        theme.tone(each.tone) if each.colour is None else theme.card(each.colour)
        for each in cloth.flags
    ]
    middle, bottom, notch = top + _CLOTH / 2, top + _CLOTH, QPointF(left + 6, top + _CLOTH / 2)
    drawing.painter.setPen(Qt.PenStyle.NoPen)
    for edge, half in ((top, inks[0]), (bottom, inks[-1])):
        corners = (
            QPointF(left, edge),
            QPointF(left + _CLOTH, edge),
            notch,
            QPointF(left, middle),
        )
        drawing.painter.setBrush(half)
        drawing.painter.drawPolygon(QPolygonF(corners))
    drawing.text(left + _WORD, middle + letters.cap_height / 2, Run(word, letters, ink))


def _listed(cloth: _Cloth) -> str:
    """One below the other; of many the first, and how many more."""
    said = list(dict.fromkeys(flag.text for flag in cloth.flags))
    more = len(said) - _LISTED
    rest = [trn("and {count} more", "and {count} more", more)] if more > 0 else []
    return "\n".join([*said[:_LISTED], *rest])


def _in_view(layout: Layout) -> list[_Cloth]:
    seen = sorted(
        filter(lambda flag: layout.stretch.holds(flag.at), layout.flags), key=attrgetter("at")
    )
    return [_Cloth(layout.x(flag.at), [flag]) for flag in seen]
