"""Flags: moments on the axis of time, each with a pole through all plots."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPolygonF

from gpuexplorer.core.words import trn
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.content import Flag
from gpuexplorer.gui.plots.layout import FLAGS, Layout
from gpuexplorer.gui.plots.merged_flags import Pole, merged_flags
from gpuexplorer.gui.state.time_window import Marked
from gpuexplorer.gui.theme.palette import Tone, faded, mixed

_CLOTH = 8.0
_WORD = 12.0  # from the pole
_LEAST_SENTENCE = 16  # letters: a stump such as "7: T…" says nothing
_LISTED = 6
_CHOSEN = 0.25
_BETWEEN_POLES = 4.0
_POLE = 0.12  # as faint as a hairline, and seen on a band too


@dataclass(frozen=True, slots=True)
class _Cloth:
    """What is drawn once: a flag, or several numbered ones that would lie on each other."""

    x: float
    flags: tuple[Flag, ...]
    short: str = ""

    @property
    def text(self) -> str:
        return self.flags[0].text if len(self.flags) == 1 else self.short


def with_marked(flags: tuple[Flag, ...], marked: Marked | None) -> tuple[Flag, ...]:
    """The marked moment has one too, whatever took place then."""
    if marked is None or any(flag.at == marked.at for flag in flags):
        return flags
    return (*flags, Flag(marked.at, marked.text, Tone.TEXT))


def draw_flag_poles(drawing: Drawing, layout: Layout, flags: Sequence[Flag]) -> None:
    """Behind the lines, through all plots; each place says what took place there."""
    seen, area = _in_view(layout, flags), layout.area
    for pole in _side_by_side(seen, _BETWEEN_POLES):
        place = QRectF(int(pole.x), area.top(), 1, area.height())
        drawing.painter.fillRect(place, faded(drawing.theme.text, _POLE))
    texts: dict[int, list[str]] = {}
    for flag, x in seen:
        texts.setdefault(int(x), []).append(flag.text)
    for left, said in texts.items():
        drawing.hint(QRectF(left - 3, area.top(), 7, area.height()), _listed(said))


def draw_flags(
    drawing: Drawing,
    layout: Layout,
    flags: Sequence[Flag],
    row: QRectF,
    marked: Marked | None,
) -> None:
    """`row` is where they hang; the flag of the marked moment stands out, with its event."""
    cloths = _cloths(drawing, layout, flags)
    letters, chosen = drawing.letters.caption, None
    for at, cloth in enumerate(cloths):
        if marked is not None and any(flag.at == marked.at for flag in cloth.flags):
            x = layout.area.left() + layout.area.width() * layout.stretch.share(marked.at)
            chosen = replace(cloth, x=x, short=marked.text)
        end = cloths[at + 1].x if at + 1 < len(cloths) else layout.flags_end
        left, top = float(int(cloth.x)), row.top() + 6
        _draw_cloth(drawing, left, top, _inks(drawing, cloth.flags))
        word = _word(drawing, cloth, end - cloth.x)
        width = _WORD + 2 + letters.width(word)
        if word:
            baseline = top + 4 + letters.cap_height / 2
            drawing.text(left + _WORD, baseline, Run(word, letters, drawing.theme.quiet))
        place = QRectF(left - 2, row.top(), width, row.height())
        drawing.hint(place, _listed([flag.text for flag in cloth.flags]))
    if chosen is not None:
        _draw_chosen(drawing, layout, chosen, row.top() + 6)


def _draw_chosen(drawing: Drawing, layout: Layout, cloth: _Cloth, top: float) -> None:
    """Over the others, and its words before the pole where there is no room behind it."""
    theme, letters, left = drawing.theme, drawing.letters.caption, float(int(cloth.x))
    word = letters.elided(cloth.short, layout.area.width() - _WORD)
    width = letters.width(word)
    start = left + _WORD
    if start + width > layout.flags_end:
        start = max(layout.area.left(), left - 6 - width)
    first, last = min(left, start), max(left + _CLOTH, start + width)
    behind = QRectF(first - 3, top - 4, last - first + 6, FLAGS - 2)
    drawing.filled(behind, mixed(theme.surface, theme.accent, _CHOSEN), 3)
    _draw_cloth(drawing, left, top, _inks(drawing, cloth.flags))
    drawing.text(start, top + 4 + letters.cap_height / 2, Run(word, letters, theme.text))


def _cloths(drawing: Drawing, layout: Layout, flags: Sequence[Flag]) -> list[_Cloth]:
    seen = _in_view(layout, flags)
    numbered = [
        Pole(at, flag.number, x, failed=False)
        for at, (flag, x) in enumerate(seen)
        if flag.number is not None
    ]
    cloths = _side_by_side([each for each in seen if each[0].number is None], _CLOTH)
    if numbered:
        letters = drawing.letters.caption
        for merged in merged_flags(
            numbered,
            lambda text: _WORD + letters.width(text),
            layout.area.left(),
            layout.area.right(),
        ):
            together = tuple(seen[pole.key][0] for pole in merged.poles)
            cloths.append(_Cloth(merged.poles[0].x, together, merged.text))
        cloths.sort(key=lambda cloth: cloth.x)
    return cloths


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
    fits = letters.width(cloth.short) <= room - _WORD
    return cloth.short if fits else ""


def _inks(drawing: Drawing, flags: Sequence[Flag]) -> list[QColor]:
    """Each once: of which cards they are, and whether something went wrong."""
    theme = drawing.theme
    marks = dict.fromkeys((flag.tone if flag.colour is None else flag.colour) for flag in flags)
    return [theme.card(mark) if isinstance(mark, int) else theme.tone(mark) for mark in marks]


def _draw_cloth(drawing: Drawing, left: float, top: float, inks: Sequence[QColor]) -> None:
    """Of two colours in halves; of more the upper half is the first's, the rest is quiet."""
    right, middle, bottom = left + _CLOTH, top + _CLOTH / 2, top + _CLOTH
    notch = QPointF(left + 6, middle)
    upper = [QPointF(left, top), QPointF(right, top), notch]
    lower = [QPointF(right, bottom), QPointF(left, bottom)]
    painter = drawing.painter
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(inks[0])
    if len(inks) == 1:
        painter.drawPolygon(QPolygonF([*upper, *lower]))
        return
    painter.drawPolygon(QPolygonF([*upper, QPointF(left, middle)]))
    painter.setBrush(inks[1] if len(inks) == 2 else drawing.theme.quiet)
    painter.drawPolygon(QPolygonF([QPointF(left, middle), notch, *lower]))


def _listed(texts: Sequence[str]) -> str:
    """One below the other; of many the first, and how many more."""
    said = list(dict.fromkeys(texts))
    more = len(said) - _LISTED
    rest = [trn("and {count} more", "and {count} more", more)] if more > 0 else []
    return "\n".join([*said[:_LISTED], *rest])


def _in_view(layout: Layout, flags: Sequence[Flag]) -> list[tuple[Flag, float]]:
    start, end = layout.stretch.start, layout.stretch.end
    left, span, width = layout.area.left(), end - start, layout.area.width()
    ordered = sorted(flags, key=attrgetter("at"))
    return [
        (flag, left + (flag.at - start) / span * width)
        for flag in ordered
        if start <= flag.at <= end
    ]
