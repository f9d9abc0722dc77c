"""FindingList: what makes the cards wait in a program that is watched, each with its cure;
LineTable: its lines that copied, or at which a card idled.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.units import (
    USUAL,
    Quantity,
    Units,
    duration,
    grouped,
    memory,
    seconds_words,
)
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.state.lab.devices import BenchDevice, chip_of
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.keyboard import ArrowKeys
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row, say, wrapped_label
from gpuexplorer.gui.widgets.live_view import EmptyState, scrolled
from gpuexplorer.programs.findings import Finding
from gpuexplorer.programs.program_run import Line

# The last is what it is sorted by.
_COLUMNS = (
    ("place", mark("Line"), mark("A line of the program, or of a file it imports."), 120, 0,
     "spot.file spot.cell spot.line"),
    ("code", mark("Code"), mark("The expression that copied, or kept a card idle."), 112, 0,
     "what"),
    ("way", mark("From, to"), mark("H is the host, a number a card; of most bytes."), 72, 3,
     "way"),
    ("copies", mark("Copies"), mark("How often it copied, asked for or not."), 64, 6, "copies"),
    ("bytes", mark("Bytes"), mark("Of all its copies together."), 74, 7, "bytes"),
    ("waited", mark("Host waited"), mark("How long its copies kept Python waiting."), 82, 5,
     "waited"),
    ("idle", mark("Card idle"), mark("How long cards did nothing because of it."), 88, 0,
     "idle_seconds"),
    ("share", mark("Of limit, %"), mark("Of what the narrowest wire could carry."), 80, 2,
     "share"),
)  # fmt: skip
_FIGURE, _MOST = 72, 50  # pixels of "100 %"; findings, of which each lays out two paragraphs


class FindingCard(QFrame):
    """What could be saved, a sentence with its figures, what would help, and the place, which
    can be copied.
    """

    copied = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._place = ""
        self._share = label("", look().letters.number)
        self._time = label("", look().letters.caption, Tone.QUIET)
        for each in (self._share, self._time):
            each.setAlignment(Qt.AlignmentFlag.AlignRight)
            each.setFixedWidth(_FIGURE)
        self._sentence, self._cure = wrapped_label("", Tone.TEXT), wrapped_label("", Tone.QUIET)
        self.copy = IconButton(Icon.COPY)
        self.copy.clicked.connect(self._on_copy_asked)
        saved = column(self._share, self._time, FREE, gap=0)
        words = column(self._sentence, self._cure, FREE, gap=2)
        top = Qt.AlignmentFlag.AlignTop
        row(saved, words, GROWS, self.copy, top, within=self, gap=16, margins=(0, 8, 0, 8))

    def show_finding(self, finding: Finding, seconds: float) -> None:
        """`seconds`: that were watched."""
        share, self._place = finding.share(seconds), tr(finding.place)
        saved = tr("What it could save cannot be estimated.")
        if share:
            saved = tr("It could save {share} % of the time at most.", share=share)
        self._share.setText(f"{share} %" if share else "–")
        self._time.setText(seconds_words(finding.seconds or 0.0) if share else "")
        for each in (self._share, self._time):
            each.setToolTip(saved)
        say(self._sentence, tr(finding.sentence))
        say(self._cure, tr(finding.cure))
        self.copy.show_meaning(Icon.COPY, tr("Copy {place}", place=self._place))
        # The keyboard comes to this button alone: here the whole is read aloud.
        spoken = paragraph([finding.sentence, finding.cure, saved]).replace("`", "")
        self.copy.setAccessibleDescription(spoken)
        self.setAccessibleName(spoken)

    def _on_copy_asked(self) -> None:
        QGuiApplication.clipboard().setText(self._place)
        self.copied.emit(tr("Copied: {place}", place=self._place))


class FindingList(QStackedWidget):
    """The worst first; one stop for the Tab key."""

    copied = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._cards: list[FindingCard] = []
        self.empty = EmptyState(Icon.WATCH)
        inner, area = QWidget(), QWidget()
        inner.setProperty("panel", "clear")
        self._column = column(FREE, within=inner, gap=0)
        self._scrolled = scrolled(inner)
        self._scrolled.setAccessibleName(tr("Findings"))
        heading = label(tr("Could save"), look().letters.caption, Tone.QUIET)
        heading.setFixedWidth(_FIGURE)
        heading.setAlignment(Qt.AlignmentFlag.AlignRight)
        column(heading, self._scrolled, GROWS, within=area, gap=0)
        self._keys = ArrowKeys(self)
        self._keys.moved_to.connect(
            lambda button: self._scrolled.ensureWidgetVisible(button.parentWidget(), 0, 8)
        )
        self.addWidget(self.empty)
        self.addWidget(area)

    def show_findings(self, findings: Sequence[Finding], seconds: float) -> None:
        """`seconds`: that were watched."""
        shown = findings[:_MOST]
        while len(self._cards) < len(shown):
            card = FindingCard()
            card.copied.connect(self.copied)
            self._column.insertWidget(len(self._cards), card)
            self._cards.append(card)
        for at, card in enumerate(self._cards):
            card.setVisible(at < len(shown))
            if at < len(shown):
                card.show_finding(shown[at], seconds)
        self._keys.take([card.copy for card in self._cards[: len(shown)]])
        self.setCurrentIndex(1 if shown else 0)


class LineTable(QStackedWidget):
    """The costliest first, until a person sorts them. Rows stand still while somebody reads
    along.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__()
        self._units = USUAL
        self._devices: Mapping[str, BenchDevice] = {}
        self._path, self._text = "", [""]  # of the program itself, and its lines
        model = TableModel(self._columns(), lambda line: line.spot)
        self.table = Table(tr("Lines of the program"), model, clock)
        self.table.columns.remember_in(settings, "lab/program/lines")
        empty = EmptyState(Icon.WATCH)
        empty.show_words(tr("No line copied anything, and none kept a card idle."))
        self.addWidget(empty)
        self.addWidget(self.table)

    def show_program(self, path: Path, text: str) -> None:
        self._path, self._text = str(path), text.split("\n")

    def show_lines(
        self,
        lines: Sequence[Line],
        devices: Sequence[BenchDevice],
        units: Units,
        *,
        in_order: bool,
    ) -> None:
        """`in_order`: sorted now, even where somebody reads along."""
        self._units, self._devices = units, {each.name: each for each in devices}
        self.table.show_rows(lines, in_order=in_order)
        self.setCurrentIndex(1 if lines else 0)

    def _columns(self) -> list[Column[Line]]:
        return [
            Column(
                key,
                tr(heading),
                partial(self._cell, key),
                cast("Callable[[Line], float | str | None]", attrgetter(*by.split())),
                tr(meaning),
                width=width,
                kept=kept,
                stretches=key == "code",
                right=(figure := key not in ("place", "code", "way")),
                largest_first=figure,
            )
            for key, heading, meaning, width, kept, by in _COLUMNS
        ]

    def _cell(self, key: str, line: Line) -> Cell:
        size: Quantity | None = None
        hint = ""
        match key:
            case "place":  # its number stands last, and is never cut
                place = tr(line.place)
                return Cell(place, mono=True, end=True, hint=line.spot.file or place)
            case "code":  # as it stands in the file, where that is the program's own
                at = line.spot.line - 1
                known = line.spot.file == self._path and 0 <= at < len(self._text)
                whole = self._text[at].strip() if known else line.what
                return Cell(line.what or whole, mono=True, hint=whole)
            case "way" | "copies" | "bytes" if not line.copies:
                return Cell(hint=tr("It copied nothing."))
            case "way":
                most = line.copied[0]
                ends = [chip_of(each, self._devices) for each in (most.source, most.target)]
                return Cell(chips=tuple(ends), joined=True, hint=tr(line.way))
            case "copies":
                return Cell(grouped(line.copies), hint=tr(line.asked_words))
            case "bytes":
                size, hint = memory(line.bytes, self._units), tr(line.memory)
            case "waited":
                size = None if line.waited is None else duration(line.waited)
                hint = tr("The host waited for no copy here.") if size is None else ""
            case "idle" if not line.idled:
                hint = tr("No card idled because of this line.")
            case "idle":
                size = duration(line.idle_seconds)
                idled = mark("{device} idled {time}, {times} times.")
                for each in line.idled:
                    often = {"time": duration(each.seconds), "times": grouped(each.times)}
                    hint = paragraph([hint, tr(idled, device=each.device, **often)])
            case _ if line.share is None:
                hint = tr("No share of the wire's limit is known.")
            case _:
                return Cell(f"{line.share * 100:.0f}", gauge=Gauge(line.share, None))
        return Cell(hint=hint) if size is None else Cell(size.number, unit=size.unit, hint=hint)
