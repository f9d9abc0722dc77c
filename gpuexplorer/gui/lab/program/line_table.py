"""LineTable: the program's lines that copied, or at which a card idled."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QStackedLayout, QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.units import USUAL, Units, duration, grouped, memory
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.state.lab.devices import BenchDevice, chip_of
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.cell import PADDING, Cell, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.live_view import EmptyState
from gpuexplorer.programs.program_run import Line

_REMEMBERED = "lab/program/lines"
_WIDEST_PLACE = 136  # beside it there has to be room for the way


class LineTable(QWidget):
    """The costliest first, until a person sorts them. Rows stand still while somebody reads
    along.
    """

    def __init__(self, settings: Settings, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._letters = look().letters.mono
        self._place_width = 0
        self._cells = LineCells()
        self._model = TableModel(line_columns(self._cells), lambda line: line.spot)
        self.table = Table(tr("Lines of the program"), self._model, clock)
        self.table.columns.remember_in(settings, _REMEMBERED)
        self._empty = EmptyState(Icon.WATCH)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.table)

    @property
    def lines(self) -> Sequence[Line]:
        """As they stand, from the top down."""
        return self._model.things

    def show_program(self, path: Path, text: str) -> None:
        self._cells.path, self._cells.text = str(path), text.split("\n")

    def show_nothing(self, heading: str, more: str) -> None:
        self._empty.show_words(heading, more)

    def show_lines(
        self,
        lines: Sequence[Line],
        devices: Sequence[BenchDevice],
        units: Units,
        *,
        in_order: bool,
    ) -> None:
        """`in_order`: sorted now, even where somebody reads along."""
        self._cells.units = units
        self._cells.devices = {each.name: each for each in devices}
        self._make_room(lines)
        self.table.show_rows(lines, in_order=in_order)
        self._pages.setCurrentWidget(self.table if lines else self._empty)

    def _make_room(self, lines: Sequence[Line]) -> None:
        """For the longest place, whenever another one is; a person may drag it since."""
        longest = max((self._letters.width(tr(each.place)) for each in lines), default=0.0)
        width = max(PLACE_WIDTH, min(math.ceil(longest + 2 * PADDING), _WIDEST_PLACE))
        if width != self._place_width:
            self._place_width = width
            self.table.columns.set_width(PLACE, width)


PLACE = "place"
PLACE_WIDTH = 100


class LineCells:
    """They are asked anew with each look; what is set here says what holds then."""

    def __init__(self) -> None:
        self.units = USUAL
        self.devices: Mapping[str, BenchDevice] = {}
        self.path = ""  # of the program itself
        self.text: Sequence[str] = ()  # its lines

    def place(self, line: Line) -> Cell:
        """Its number stands last, and is never cut."""
        place = tr(line.place)
        return Cell(place, mono=True, end=True, hint=line.spot.file or place)

    def code(self, line: Line) -> Cell:
        whole = self._whole(line)
        return Cell(line.what or whole, mono=True, hint=whole)

    def copies(self, line: Line) -> Cell:
        if not line.copies:
            return Cell(hint=tr("It copied nothing."))
        return Cell(grouped(line.copies), hint=tr(line.asked_words))

    def bytes(self, line: Line) -> Cell:
        if not line.copies:
            return Cell(hint=tr("It copied nothing."))
        size = memory(line.bytes, self.units)
        return Cell(size.number, unit=size.unit, hint=tr(line.memory))

    def waited(self, line: Line) -> Cell:
        if line.waited is None:
            return Cell(hint=tr("The host waited for no copy here."))
        time = duration(line.waited)
        return Cell(time.number, unit=time.unit)

    def idle(self, line: Line) -> Cell:
        if not line.idled:
            return Cell(hint=tr("No card idled because of this line."))
        time = duration(line.idle_seconds)
        return Cell(time.number, unit=time.unit, hint=paragraph(_why(line)))

    def way(self, line: Line) -> Cell:
        """That of most bytes."""
        if not line.copied:
            return Cell(hint=tr("It copied nothing."))
        most = line.copied[0]
        ends = (chip_of(most.source, self.devices), chip_of(most.target, self.devices))
        return Cell(chips=ends, joined=True, hint=tr(line.way))

    def share(self, line: Line) -> Cell:
        if line.share is None:
            return Cell(hint=tr("No share of the wire's limit is known."))
        return Cell(f"{line.share * 100:.0f}", gauge=Gauge(line.share, None))

    def _whole(self, line: Line) -> str:
        """The line as it stands in the file, where that is the program's own."""
        at = line.spot.line - 1
        known = line.spot.file == self.path and 0 <= at < len(self.text)
        return self.text[at].strip() if known else line.what


def _why(line: Line) -> Sequence[str]:
    return [
        tr(
            "{device} idled {time}, {times} times.",
            device=each.device,
            time=duration(each.seconds),
            times=grouped(each.times),
        )
        for each in line.idled
    ]


def line_columns(cells: LineCells) -> list[Column[Line]]:
    return [
        Column(PLACE, tr("Line"), cells.place,
               lambda line: f"{line.spot.file}:{line.spot.cell:06}:{line.spot.line:08}",
               tr("The line of the program's own code, or of a file it imports."),
               width=PLACE_WIDTH),
        Column("code", tr("Code"), cells.code, lambda line: line.what,
               tr("The expression that copied, or at which a card idled."), width=120,
               stretches=True),
        Column("way", tr("From, to"), cells.way, lambda line: str(line.way),
               tr("H is the host, a number is a card; the way of most of the bytes."),
               width=72, kept=3),
        Column("copies", tr("Copies"), cells.copies, lambda line: line.copies,
               tr("How often it copied, explicitly or implicitly."), **_figure(64, kept=6)),
        Column("bytes", tr("Bytes"), cells.bytes, lambda line: line.bytes,
               tr("Of all its copies together."), **_figure(74, kept=7)),
        Column("waited", tr("Host waited"), cells.waited, lambda line: line.waited,
               tr("For how long its copies kept Python waiting."), **_figure(82, kept=5)),
        Column("idle", tr("Card idle"), cells.idle, lambda line: line.idle_seconds,
               tr("For how long cards had nothing to do because of this line, of all cards."),
               **_figure(88)),
        Column("share", tr("Of limit, %"), cells.share, lambda line: line.share,
               tr("Of what the narrowest wire of the way could carry in theory."),
               **_figure(80, kept=2)),
    ]  # fmt: skip


def _figure(width: int, kept: int = 0) -> dict[str, Any]:
    return {"width": width, "kept": kept, "right": True, "largest_first": True}
