"""TilePlan: where everything goes on a tile, large or compact; a cell has no plan."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import ceil

from PySide6.QtCore import QRectF, Qt

from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.theme.look import look

MARGIN, HEADER = 16.0, 24.0
INSTANCE_HEIGHT, PROGRAM_HEIGHT = 30.0, 22.0
CELL_HEIGHT, MOST_CELL_HEIGHT = 54.0, 196.0
BETWEEN_SENTENCES = 6.0
WRAP = int(Qt.TextFlag.TextWordWrap)
# Large: a plot, the legend below the bar, a figure's column; without curves how busy it is
# stands beside the bar.
_PLOT, _LEGEND, _COLUMN, _BESIDE_TRACE = 108.0, 22.0, 116.0, 6.0
_ROW, _BUSY_WIDTH, _BEFORE_BAR = 42.0, 84.0, 76.0
_SIDE_BY_SIDE_FROM, _BETWEEN_SIDES = 960.0, 40.0
_PLOT_SHARE, _SPARK_SHARE = 0.62, 0.6  # of height that is left over; the memory gets the rest
SPARK, _LOW_SPARK, BRIEF_FIGURES = 54.0, 40.0, 6
# Where columns of small figures begin; those with a word before take more room.
_EDGES = {2: (0.0, 0.5, 1.0), 3: (0.0, 0.39, 0.63, 1.0)}


class TileSize(Enum):
    """How much of a card is told."""

    FULL = "full"
    COMPACT = "compact"
    CELL = "cell"


@dataclass(frozen=True, slots=True)
class Measures:
    """In what a large tile and one among eight differ."""

    gap: float
    rule: float  # a hairline with what is above and below it
    numbers: float  # at the right of a plot
    beside: float  # between a plot and them
    bar: float
    trace: float
    figure: float  # the height of a row of small ones
    caption: float  # above programs
    programs: int
    link: float  # below a sentence


FULL = Measures(14.0, 23.0, 132.0, 16.0, 10.0, 44.0, 44.0, 20.0, 4, 34.0)
COMPACT = Measures(12.0, 17.0, 104.0, 12.0, 8.0, 28.0, 20.0, 0.0, 3, 28.0)


@dataclass(frozen=True, slots=True)
class TilePlan:
    """`beside`: how full it is stands at the right of how busy it is, each with its plot."""

    measures: Measures
    inner: QRectF
    busy: QRectF | None  # its plot, where it is not drawn elsewhere
    busy_right: float  # where its numbers end
    memory: QRectF | None  # trace, where there is room
    bar: QRectF
    memory_right: float
    rule: float  # the hairline above the small figures
    figures: tuple[QRectF, ...]
    programs: QRectF | None
    instances_top: float
    sentence: QRectF
    beside: bool = False


def tile_height(size: TileSize, width: float, face: CardFace, *, curve: bool) -> float:
    """What the tile takes at least. A sentence has the height of its neighbours' figures, and
    those that come in its place do not make the tile jump.
    """
    inner = width - 2 * MARGIN
    if size is TileSize.CELL:
        return CELL_HEIGHT
    if size is TileSize.COMPACT:
        return _compact_height(inner, face)
    least = _full_height(inner, face, curve=curve)
    if face.sentence:
        past = _PLOT + FULL.gap + FULL.link if curve else 0.0
        words = 2 * MARGIN + HEADER + FULL.gap + sentence_height(inner, face)
        return max(least, words + past)
    return least


def sentence_height(width: float, face: CardFace) -> float:
    room = QRectF(0, 0, width, 10_000)
    texts = (face.sentence, face.more) if face.more else (face.sentence,)
    metrics = look().letters.body.metrics
    heights = [metrics.boundingRect(room, WRAP, text).height() for text in texts]
    return sum(heights) + BETWEEN_SENTENCES * (len(heights) - 1)


def tile_plan(
    place: QRectF, size: TileSize, face: CardFace, programs: int, *, curve: bool
) -> TilePlan:
    inner = place.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    if size is TileSize.FULL:
        return _full_plan(inner, face, programs, curve=curve)
    return _compact_plan(inner, face, programs)


def _compact_plan(inner: QRectF, face: CardFace, programs: int) -> TilePlan:
    """Height beyond what it takes goes to the memory's trace, to programs, then to traces."""
    m, columns = COMPACT, _brief_columns(inner.width())
    spare = max(0.0, inner.height() + 2 * MARGIN - _compact_height(inner.width(), face))
    trace = m.trace if spare >= m.trace + m.gap and not face.sentence else 0.0
    spare -= trace + m.gap if trace else 0.0
    lines = _program_lines(programs, m, spare)
    spare -= m.rule + lines * PROGRAM_HEIGHT if lines else 0.0
    share = 1.0 if face.sentence or not trace else _SPARK_SHARE
    grown = _least_spark(inner.width()) + (0.0 if face.sentence else spare * share)
    width = inner.width() - m.numbers - m.beside
    busy = QRectF(inner.left(), inner.top() + HEADER + m.gap, width, grown)
    y = below = busy.bottom() + m.gap
    memory = None
    if trace:
        memory = QRectF(inner.left(), y, width, trace + spare * (1 - share))
        y = memory.bottom() + 6
    bar = QRectF(inner.left(), y, width, m.bar)
    top = bar.bottom() + m.rule
    figures = []
    for position in range(BRIEF_FIGURES):
        row, at = divmod(position, columns)
        first, last = (edge * inner.width() for edge in _EDGES[columns][at : at + 2])
        y = top + row * m.figure - 1
        figures.append(QRectF(inner.left() + first, y, last - first - 4, m.figure))
    y = top + ceil(BRIEF_FIGURES / columns) * m.figure
    listing = None
    if lines:
        listing = QRectF(inner.left(), y + m.rule - 4, inner.width(), lines * PROGRAM_HEIGHT)
        y = listing.bottom()
    return TilePlan(
        measures=m,
        inner=inner,
        busy=busy,
        busy_right=inner.right(),
        memory=memory,
        bar=bar,
        memory_right=inner.right(),
        rule=top - 7,
        figures=tuple(figures),
        programs=listing,
        instances_top=y,
        sentence=QRectF(inner.left(), below, inner.width(), inner.bottom() - below),
    )


def _full_plan(inner: QRectF, face: CardFace, programs: int, *, curve: bool) -> TilePlan:
    """Height beyond what it takes goes to more figures, to the memory's trace, to programs,
    and what is left then makes the plots taller.
    """
    m, wide = FULL, inner.width() >= _SIDE_BY_SIDE_FROM
    columns = _columns(inner.width())
    rows = 1 if columns >= 5 else 2
    numbers = m.numbers + m.beside
    spare = inner.height() + 2 * MARGIN - _full_height(inner.width(), face, curve=curve)
    trace = m.trace if curve and (wide or spare >= m.trace + _BESIDE_TRACE) else 0.0
    if trace and not wide:
        spare -= m.trace + _BESIDE_TRACE
    count = 0 if face.sentence else len(face.figures)
    if rows * columns < count and spare >= m.figure:
        rows += 1
        spare -= m.figure
    lines = _program_lines(programs, m, spare)
    listed = m.rule + m.caption + lines * PROGRAM_HEIGHT if lines else 0.0
    spare = max(0.0, spare - listed)
    top, left, right = inner.top() + HEADER + m.gap, inner.left(), inner.right()
    busy_right = right
    if not curve:
        plot, busy_right = _ROW, left + _BUSY_WIDTH
        left = busy_right + _BEFORE_BAR
        memory = QRectF(left, top, right - left - numbers, 0)
        bar_top = top + 8
    elif wide:
        half = (inner.width() - _BETWEEN_SIDES) / 2
        plot, busy_right, left = _PLOT + spare, left + half, left + half + _BETWEEN_SIDES
        height = plot - _BESIDE_TRACE - m.bar - _LEGEND
        memory = QRectF(left, top, right - left - numbers, height)
        bar_top = memory.bottom() + _BESIDE_TRACE
    else:
        plot = _PLOT + spare * (_PLOT_SHARE if trace else 1.0)
        height = trace + spare * (1 - _PLOT_SHARE) if trace else 0.0
        memory = QRectF(left, top + plot + m.gap, right - left - numbers, height)
        bar_top = memory.bottom() + (_BESIDE_TRACE if trace else 0.0)
    busy = QRectF(inner.left(), top, busy_right - inner.left() - numbers, plot)
    bar = QRectF(memory.left(), bar_top, memory.width(), m.bar)
    first = top + plot if wide or not curve else bar.bottom() + _LEGEND
    figures_top = first + m.rule
    y = figures_top + rows * m.figure - 4
    listing = None
    if lines:
        listing = QRectF(inner.left(), y + m.rule, inner.width(), listed - m.rule)
        y += listed
    below = top + (plot if wide else _PLOT) + m.gap if curve else top
    return TilePlan(
        measures=m,
        inner=inner,
        busy=busy if curve else None,
        busy_right=busy_right,
        memory=memory if trace else None,
        bar=bar,
        memory_right=right,
        rule=figures_top - 12,
        figures=_in_rows(inner, figures_top, count, rows, columns),
        programs=listing,
        instances_top=y,
        sentence=QRectF(inner.left(), below, inner.width(), inner.bottom() - below),
        beside=curve and wide,
    )


def _in_rows(
    inner: QRectF, top: float, count: int, rows: int, columns: int
) -> tuple[QRectF, ...]:
    """As evenly as it gets where there are fewer than fit."""
    columns = min(columns, max(1, ceil(count / rows)))
    width = inner.width() / columns
    places: Sequence[tuple[int, int]] = [
        divmod(position, columns) for position in range(min(count, rows * columns))
    ]
    return tuple(
        QRectF(inner.left() + at * width, top + row * FULL.figure - 2, width - 6, FULL.figure)
        for row, at in places
    )


def _full_height(inner: float, face: CardFace, *, curve: bool) -> float:
    """With figures, and without what only stands there where there is height to spare."""
    rows = 1 if _columns(inner) >= 5 else 2
    figures = FULL.rule + rows * FULL.figure - 4
    blocks = _PLOT if curve else _ROW
    if curve and inner < _SIDE_BY_SIDE_FROM:
        blocks += FULL.gap + FULL.bar + _LEGEND
    return 2 * MARGIN + HEADER + FULL.gap + blocks + figures + _instances(face, FULL)


def _compact_height(inner: float, face: CardFace) -> float:
    m, rows = COMPACT, ceil(BRIEF_FIGURES / _brief_columns(inner))
    around = 2 * MARGIN + HEADER + m.bar + 2 * m.gap
    figures = m.rule + rows * m.figure
    return around + _least_spark(inner) + figures + _instances(face, m)


def _instances(face: CardFace, measures: Measures) -> float:
    return len(face.instances) * INSTANCE_HEIGHT + measures.rule if face.instances else 0.0


def _program_lines(programs: int, measures: Measures, spare: float) -> int:
    """How many lines they get: all they want, or at least two, or none at all."""
    room = max(0.0, spare - measures.rule - measures.caption)
    fitting = int(room // PROGRAM_HEIGHT)
    return min(programs, measures.programs, fitting) if fitting >= 2 else 0


def _columns(inner: float) -> int:
    return max(2, min(10, int(inner // _COLUMN)))


def _brief_columns(inner: float) -> int:
    return 3 if inner >= 264 else 2


def _least_spark(inner: float) -> float:
    """Lower beside the third line of figures that a narrow tile has."""
    return SPARK if _brief_columns(inner) == 3 else _LOW_SPARK
