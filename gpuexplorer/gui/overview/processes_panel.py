"""ProcessesPanel: who uses the cards most, in a few rows, and the way to all of them."""

from collections.abc import Callable, Sequence

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.overview.short_table import ShortTable
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.tables.cell import PADDING, Cell, Column, chips_width
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel, NowTag
from gpuexplorer.gui.widgets.live_view import Panel

_MOST_CHIPS = 4
# Which stands where, how wide it is, and which goes first where there is no room.
_FIGURES: Sequence[tuple[str, str, int, int, Callable[[ProgramFace], Figure]]] = (
    ("pid", mark("PID"), 82, 6, lambda face: Figure(tr("PID"), number=face.pid)),
    ("user", mark("User"), 66, 3, lambda face: face.user),
    ("memory", mark("Memory, {unit}"), 100, 7, lambda face: face.memory),
    ("busy", mark("SM, %"), 58, 5, lambda face: face.busy),
    ("controller", mark("Memory ctrl, %"), 104, 2, lambda face: face.controller),
    ("processor", mark("CPU, %"), 62, 4, lambda face: face.processor),
    ("since", mark("Since"), 60, 1, lambda face: face.since),
)
_SAID_BY_ITSELF = ("pid", "user", "since")  # what was not measured


class ProcessesPanel(Panel):
    """A row leads to the card it uses."""

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__(tr("Processes"))
        self._shown: Sequence[ProgramFace] = ()
        self._unit = ""
        self._remark = ElidedLabel(look().letters.caption, Tone.QUIET)
        self.all = link_button(tr("All processes"))
        self.head.insertSpacing(1, 8)
        self.head.insertWidget(2, NowTag(time_window))
        self.head.insertWidget(3, self._remark, 100)
        self.head.addWidget(self.all)
        self._nobody = wrapped_label("", Tone.QUIET)
        side = round(PADDING)
        self._nobody.setMargin(side)
        self.table = ShortTable(
            tr("Processes"), _columns(""), lambda face: (face.pid, face.cards), headed=True
        )
        self.body.setContentsMargins(16 - side, 14, 16 - side, 12)
        self.head.setContentsMargins(side, 0, side, 0)
        self.body.addWidget(self._nobody)
        self.body.addWidget(self.table, 1)

    def show_programs(self, programs: Sequence[ProgramFace], remark: str, nobody: str) -> None:
        """`nobody` is what to say where there are none: that, or why it is not known."""
        self._remark.show_text(remark)
        if self._nobody.text() != nobody:
            self._nobody.setText(nobody)
        self._nobody.setVisible(not programs)
        self.table.setVisible(bool(programs))
        if programs is self._shown:
            return
        self._shown = programs
        if programs and programs[0].unit != self._unit:
            self._unit = programs[0].unit
            self.table.show_columns(_columns(self._unit))
        most = max((len(each.chips) for each in programs), default=1)
        width = round(chips_width(min(most, _MOST_CHIPS)))
        if width != self.table.columnWidth(0):
            self.table.columns.set_width("card", width)
        self.table.show_first(programs)


def _columns(unit: str) -> Sequence[Column[ProgramFace]]:
    return [
        Column("card", tr("Card"), _cards, width=round(chips_width(1)), spoken=_spoken),
        Column("command", tr("Command"), _command, width=150, stretches=True, spoken=_spoken),
        *(
            Column(
                key,
                tr(heading, unit=unit),
                _cell_of(figure, Tone.QUIET if key in _SAID_BY_ITSELF else Tone.TEXT),
                width=width,
                kept=kept,
                right=True,
                spoken=_spoken,
                meaning=tr(heading, unit=unit),
            )
            for key, heading, width, kept, figure in _FIGURES
        ),
    ]


def _spoken(face: ProgramFace) -> str:
    return face.spoken


def _cards(face: ProgramFace) -> Cell:
    numbers = ", ".join(chip.text for chip in face.chips)
    hint = tr("Cards {numbers}", numbers=numbers) if len(face.chips) > 1 else ""
    return Cell(chips=face.chips, hint=hint)


def _command(face: ProgramFace) -> Cell:
    tone = Tone.TEXT if face.known else Tone.FAINT
    return Cell(face.command, tone=tone, mono=face.known, hint=face.hint)


def _cell_of(
    figure: Callable[[ProgramFace], Figure], tone: Tone
) -> Callable[[ProgramFace], Cell]:
    def cell(face: ProgramFace) -> Cell:
        shown = figure(face)
        return Cell(shown.number, absent=shown.absent, tone=tone, hint=shown.hint)

    return cell
