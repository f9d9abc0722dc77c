"""ProcessRow: one program in the overview's short list, and the captions above the columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.tables.cell_drawing import fitting_figure
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.rows.pressable_row import SIDE, PressableRow
from gpuexplorer.gui.widgets.tiles.figure_drawing import absent_run
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.processes.programs import ProgramFace

ROW_HEIGHT = 28
_CAPTIONS_HEIGHT = 24
_CHIP, _CHIP_GAP, _MOST_CHIPS = 20.0, 4.0, 4
_LEAST_COMMAND = 150.0
_GAP = 12.0
_CAPTION_GAP = 4.0


@dataclass(frozen=True, slots=True)
class _Column:
    """Right aligned; `worth` says which goes first where there is no room."""

    name: str
    caption: str
    width: float
    worth: int
    show: Callable[[ProgramFace], Figure]
    measured: bool = True

    @property
    def room(self) -> float:
        """What a figure may be as wide as."""
        return self.width - _GAP


_COLUMNS = (
    _Column(
        "pid",
        mark("PID"),
        74,
        5,
        lambda program: Figure(tr("PID"), number=program.pid),
        measured=False,
    ),
    _Column("user", mark("User"), 60, 2, lambda program: program.user, measured=False),
    _Column("memory", mark("Memory, {unit}"), 94, 6, lambda program: program.memory),
    _Column("busy", mark("SM, %"), 54, 4, lambda program: program.busy),
    _Column("controller", mark("Ctrl, %"), 56, 1, lambda program: program.controller),
    _Column("processor", mark("CPU, %"), 58, 3, lambda program: program.processor),
    _Column("since", mark("Since"), 54, 0, lambda program: program.since, measured=False),
)


def fitting_columns(width: float, chips: float) -> Sequence[tuple[_Column, float]]:
    """Those there is room for, each with its right edge; the others go one by one."""
    columns = list(_COLUMNS)
    room = width - chips - _LEAST_COMMAND
    while columns and sum(each.width for each in columns) > room:
        columns.remove(min(columns, key=lambda each: each.worth))
    placed = []
    right = width
    for column in reversed(columns):
        placed.append((column, right))
        right -= column.width
    return placed[::-1]


def chips_width(most: int) -> float:
    """For rows of which one has so many cards."""
    shown = max(1, min(most, _MOST_CHIPS))
    return shown * (_CHIP + _CHIP_GAP) + 10.0


class ProcessCaptions(Painted):
    """What stands above each column."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._unit = ""
        self._chips = chips_width(1)
        self.setFixedHeight(_CAPTIONS_HEIGHT)

    def show_columns(self, unit: str, chips: float) -> None:
        if (unit, chips) != (self._unit, self._chips):
            self._unit, self._chips = unit, chips
            self.update()

    def draw(self, drawing: Drawing) -> None:
        letters, quiet = drawing.letters.caption, drawing.theme.quiet
        baseline = 4 + letters.ascent
        left, width = SIDE, self.width() - 2 * SIDE
        drawing.text(left, baseline, Run(tr("Card"), letters, quiet))
        drawing.text(left + self._chips, baseline, Run(tr("Command"), letters, quiet))
        for column, right in fitting_columns(width, self._chips):
            caption = tr(column.caption, unit=self._unit)
            room = column.width - _CAPTION_GAP
            run = Run(letters.elided(caption, room), letters, quiet)
            begin = drawing.runs_right(left + right, baseline, [run])
            if run.text != caption:
                drawing.hint(QRectF(begin, 0, run.width, self.height()), caption)
        drawing.hairline(left, left + width, self.height() - 1)

    def sizeHint(self) -> QSize:
        return QSize(300, _CAPTIONS_HEIGHT)


class ProcessRow(PressableRow):
    """Rows are made once and shown again with other content."""

    chosen = Signal(str)  # the card it uses

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._program: ProgramFace | None = None
        self._chips = chips_width(1)
        self.pressed.connect(self._on_pressed)

    def show_program(self, program: ProgramFace, chips: float) -> None:
        if program != self._program or chips != self._chips:
            self._program, self._chips = program, chips
            self.setAccessibleName(program.spoken)
            self.update()

    def draw_row(self, drawing: Drawing, place: QRectF) -> None:
        program = self._program
        if program is None:
            return
        theme, letters = drawing.theme, drawing.letters
        middle = place.center().y()
        baseline = middle + letters.body.cap_height / 2
        self._draw_chips(drawing, program, place)
        columns = fitting_columns(place.width(), self._chips)
        x = place.left() + self._chips
        first = columns[0][1] - columns[0][0].width if columns else place.width()
        if program.known:
            command = Run(program.command, letters.mono, theme.text)
        else:
            command = Run(program.command, letters.caption, theme.faint)
        room = place.left() + first - x - _GAP
        drawing.elided(x, baseline, command, room, program.hint)
        for column, edge in columns:
            figure = column.show(program)
            right, room = place.left() + edge, column.room
            if figure.known:
                ink = theme.text if column.measured else theme.quiet
                said = fitting_figure(letters.body, figure.number, room)
                runs = [Run(said, letters.body, ink)]
            else:
                runs = [absent_run(drawing, figure, letters.caption, room)]
            drawing.runs_right(right, baseline, runs)
            drawing.hint(QRectF(right - room, 0, room, place.height()), figure.hint)

    def _draw_chips(self, drawing: Drawing, program: ProgramFace, place: QRectF) -> None:
        letters = drawing.letters.caption
        chips = program.chips
        shown = chips if len(chips) <= _MOST_CHIPS else chips[: _MOST_CHIPS - 1]
        x, middle = place.left(), place.center().y()
        for chip in shown:
            wide = max(_CHIP, letters.width(chip.text) + 8)
            fill = None if chip.colour is None else drawing.theme.card(chip.colour)
            drawing.chip(QRectF(x, middle - _CHIP / 2, wide, _CHIP), chip.text, letters, fill)
            x += wide + _CHIP_GAP
        if len(shown) < len(chips):
            more = Run(f"+{len(chips) - len(shown)}", letters, drawing.theme.quiet)
            drawing.text(x, middle + letters.cap_height / 2, more)
            numbers = ", ".join(chip.text for chip in chips)
            drawing.hint(
                QRectF(place.left(), 0, self._chips, place.height()),
                tr("Cards {numbers}", numbers=numbers),
            )

    def _on_pressed(self) -> None:
        if self._program is not None:
            self.chosen.emit(self._program.cards[0])

    def sizeHint(self) -> QSize:
        return QSize(300, ROW_HEIGHT)
