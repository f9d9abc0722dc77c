"""LineLayout: where everything of one line stands, for a width of the pane."""

from dataclasses import dataclass

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.views.lab.code.wrapping import wrapped, wrapped_code
from gpuexplorer.gui.wording.lab.code.line_face import LineFace

LEFT, RIGHT = 16.0, 16.0  # from the pane's edges
FIGURES = 108.0  # both columns of times, and the axis under them
COLUMN = 56.0  # of the host's time
CODE_STEP, COST_STEP = 18.0, 16.0
CHIP = 18.0
CURVE = 44.0
RELEASED = 30.0
_ABOVE, _BELOW = 7.0, 7.0
_GAP = 10.0
_MOST_PRINTED = 8
_SHOWN_OF_MORE = 6
_MOST_OPENED = 2000


@dataclass(frozen=True, slots=True)
class Frame:
    """What all lines share."""

    width: float
    chip: float  # as wide as the longest number

    @property
    def code_left(self) -> float:
        return LEFT + self.chip + _GAP

    @property
    def right(self) -> float:
        return self.width - RIGHT

    @property
    def figures_left(self) -> float:
        return self.right - FIGURES


@dataclass(frozen=True, slots=True)
class LineLayout:
    """Distances down from the line's top. `more` says how much of what was printed is not
    shown; empty where all of it is.
    """

    code: tuple[str, ...]
    printed: tuple[str, ...]
    more: str
    cost: tuple[str, ...]
    code_top: float
    printed_top: float
    more_top: float
    curve_top: float
    cost_top: float
    figures_top: float
    axis_y: float
    height: float


def chip_width(letters: Letterings, count: int) -> float:
    return max(CHIP, letters.caption.width("0" * len(str(count))) + 8)


def line_layout(
    face: LineFace, frame: Frame, letters: Letterings, *, opened: bool = False
) -> LineLayout:
    """Long code has all the width, and the figures stand one row lower."""
    mono = letters.mono.width("0")
    room = frame.right - frame.code_left
    beside_room = room - FIGURES - _GAP
    source = face.code.splitlines() or [""]
    timed = face.state in ("done", "running")
    beside = len(source) == 1 and len(source[0]) * mono <= beside_room
    columns = max(8, int((beside_room if beside else room) / mono))
    code = tuple(part for each in source for part in wrapped_code(each, columns))
    code_top = _ABOVE
    y = code_top + CODE_STEP * len(code)
    printed_top = y
    printed, more = _printed(face, max(8, int(room / mono)), opened=opened)
    y += CODE_STEP * len(printed)
    more_top = y
    if more:
        y += COST_STEP + 2
    curve_top = y + 4
    if face.curve is not None:
        y += CURVE + 8
    cost_top = y + 1
    cost = wrapped(face.cost, beside_room if timed else room, letters.caption)
    figures_top = code_top if beside else cost_top - 1
    below_code = cost_top + COST_STEP * len(cost)
    axis_y = (cost_top if beside else figures_top + CODE_STEP) + COST_STEP / 2
    bottom = max(below_code, axis_y + COST_STEP / 2) if timed else below_code
    return LineLayout(
        code,
        printed,
        more,
        cost,
        code_top,
        printed_top,
        more_top,
        curve_top,
        cost_top,
        figures_top,
        axis_y,
        round(bottom + _BELOW),
    )


def _printed(face: LineFace, columns: int, *, opened: bool) -> tuple[tuple[str, ...], str]:
    """What is shown of it, and what the way to the rest is called."""
    lines = face.printed
    most = _MOST_OPENED if opened else _SHOWN_OF_MORE if len(lines) > _MOST_PRINTED else 0
    most = most or _MOST_PRINTED
    parts: list[str] = []
    whole = len(lines) <= most
    for line in lines[:most]:
        # As much of it as is shown at most: it may be a million letters long.
        whole = whole and len(line) <= columns * most
        parts += wrapped_code(line[: columns * most], columns)
        if len(parts) > most:
            break
    whole = whole and len(parts) <= most
    if opened:
        rest = () if whole else (tr("… there is more than has room here"),)
        return (*parts[:most], *rest), tr("Show less")
    if whole:
        return tuple(parts), ""
    words = tr("Show all that was printed")
    if len(lines) > _MOST_PRINTED:
        words = tr("Show all {lines} lines", lines=len(lines))
    return tuple(parts[:_SHOWN_OF_MORE]), words
