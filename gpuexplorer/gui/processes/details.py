"""ProcessDetails: the chosen process in full and over time, and the button that ends it."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.programs import gigabyte, gigabytes, percent
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.processes.columns import ProcessColumns, Spark, known
from gpuexplorer.gui.processes.model import ProcessLine
from gpuexplorer.gui.tables.cell import PADDING
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.sheets.sheet import line_between

PAST_HEIGHT = 66
_MARGIN, _CAPTION = 8.0, 18.0
_LINES = 2
_LOW = 64
_STACKED_BELOW = 640
_SPOKEN = mark("{label}: {now}, most {most}")
_SPOKEN_OF_SEVERAL = mark("{label}: {now}, most {most} on one card")
_NOTHING = mark("Choose a process to see its whole command, or to end it.")
_NOTHING_READ_ONLY = mark("Choose a process to see its whole command.")


class PastCurve(NamedTuple):
    """What a process took over time, on each of its cards, and what it says."""

    label: str
    now: str
    most: str  # where its scale ends
    sparks: Sequence[Spark]

    @property
    def spoken(self) -> str:
        said = _SPOKEN if len(self.sparks) == 1 else _SPOKEN_OF_SEVERAL
        return tr(said, label=self.label, now=self.now, most=self.most)


def past_curves(line: ProcessLine, columns: ProcessColumns) -> list[PastCurve]:
    """Of one process: on each card in the card's colour, and on the computer without one.
    None where nothing was told. What it takes now is said as in its row.
    """
    count, gigas = len(line.rows), gigabyte(columns.units)
    cells = {column.key: column.cell for column in columns.all()}
    cards = [(columns.past(*row.key), columns.chip(row.key[0]).colour) for row in line.rows]
    host = [(max((past for past, _ in cards), key=lambda past: len(past.times)), None)]
    on_cards = trn("Memory of the card", "Memory of {count} cards", count)
    curves = []
    for key, label, pasts, unit in (
        ("sm", trn("SM", "SM on {count} cards", count), cards, "%"),
        ("memory", on_cards, cards, gigas),
        ("cpu", tr("Processor"), host, "%"),
        ("host_memory", tr("Memory of the computer"), host, gigas),
    ):
        drawn = [(past.times, getattr(past, key), colour) for past, colour in pasts]
        if not (finite := [value for _, values, _ in drawn for value in known(values)]):
            continue
        most, cell = max(finite), cells[key](line)
        said = percent(most) if unit == "%" else gigabytes(most, columns.units)
        top = max(most, 1.0 if unit == "%" else 1e-9)
        sparks = [
            Spark(times, values, columns.now, top, colour, filled=len(drawn) == 1)
            for times, values, colour in drawn
        ]
        told = f"{cell.text} {unit}" if cell.text else cell.said
        curves.append(PastCurve(label, told, f"{said} {unit}", sparks))
    return curves


class PastStrip(Painted):
    """The curves side by side over the same four minutes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curves: Sequence[PastCurve] = ()
        self.setFixedHeight(PAST_HEIGHT)
        self.setAccessibleName(tr("Last 4 minutes"))

    def show_curves(self, curves: Sequence[PastCurve]) -> None:
        self._curves = curves
        self.setAccessibleDescription("\n".join(curve.spoken for curve in curves))
        self.update()

    def draw(self, drawing: Drawing) -> None:
        letters, theme = drawing.letters.caption, drawing.theme
        width = (self.width() - 2 * _MARGIN) / max(1, len(self._curves))
        for at, curve in enumerate(self._curves):
            place = QRectF(_MARGIN + at * width, 0, width, PAST_HEIGHT - 6)
            right = place.right() - PADDING
            baseline = place.top() + _CAPTION - 5
            number = Run(curve.now, letters, theme.text)
            end = drawing.runs_right(right, baseline, [number])
            left = place.left() + PADDING
            label = Run(curve.label, letters, theme.quiet)
            drawing.elided(left, baseline, label, end - left - PADDING, curve.spoken)
            below = place.adjusted(PADDING, _CAPTION - 6, -PADDING, 0)
            for spark in curve.sparks:
                spark.draw(drawing, below)
            drawing.hint(below, curve.spoken)


class ProcessDetails(QWidget):
    """Low until a process is chosen for the first time; then of one height, chosen or not: the
    table above must not jump.
    """

    end_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands: Sequence[str] = ()
        self._command = QPlainTextEdit()
        self._command.setReadOnly(True)
        self._command.setTabChangesFocus(True)
        self._command.setAccessibleName(tr("Whole command"))
        self._command.setProperty("kind", "plain")
        self._command.setFont(look().letters.mono.font)
        self._command.document().setDocumentMargin(0)
        self._command.setFixedHeight(round(_LINES * look().letters.mono.height) + 4)
        self._command.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._facts = ElidedLabel(look().letters.body, Tone.QUIET)
        self._reason = ElidedLabel(look().letters.body, Tone.QUIET)
        self._copy = QPushButton(tr("Copy command"))
        self._copy.clicked.connect(self._on_copy_clicked)
        self._end = QPushButton(tr("End…"))
        self._end.clicked.connect(self.end_asked)
        self._past = PastStrip()
        words = column(self._command, self._facts, self._reason, FREE, gap=2)
        self._buttons = row(self._copy, top := Qt.AlignmentFlag.AlignTop, self._end, top)
        above = row(words, GROWS, self._buttons, gap=16, margins=(16, 10, 16, 10))
        column(line_between(), above, self._past, within=self, gap=0)
        self._past.hide()
        height = round(_LINES * look().letters.mono.height + 2 * look().letters.body.height)
        self._full_height = height + 32 + PAST_HEIGHT
        self._low_with_words = _LOW + round(look().letters.body.height)
        self.setFixedHeight(_LOW)
        self.show_nothing("")

    def show_past(self, curves: Sequence[PastCurve]) -> None:
        """None where several are picked, or nothing is known of the past."""
        self._past.show_curves(curves)

    def show_nothing(self, refusal: str) -> None:
        """`refusal`: why nothing may be ended, whatever is chosen; else empty."""
        self._past.show_curves(())
        ending = not refusal
        self._show((), tr(_NOTHING if ending else _NOTHING_READ_ONLY), refusal, "")
        self._end.setVisible(ending)
        self._end.setEnabled(False)
        if self.maximumHeight() < self._full_height:
            self.setFixedHeight(_LOW if ending else self._low_with_words)

    def show_processes(
        self, commands: Sequence[str], facts: str, refusal: str, *, ending: bool
    ) -> None:
        """`refusal` is why they cannot be ended; empty where they can."""
        self._past.show()
        self.setFixedHeight(self._full_height)
        self._show(commands, "", facts, refusal)
        self._end.setVisible(ending)
        self._end.setEnabled(ending and not refusal)
        self._end.setToolTip(refusal)

    def _show(self, commands: Sequence[str], instead: str, facts: str, refusal: str) -> None:
        self._commands = commands
        letters = look().letters
        text = "\n".join(commands) or instead
        if text != self._command.toPlainText():
            self._command.setFont((letters.mono if commands else letters.body).font)
            self._command.setPlainText(text)
        for line, words in ((self._facts, facts), (self._reason, refusal)):
            line.show_text(words)
            line.setVisible(bool(words))
        self._copy.setVisible(bool(commands))

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._commands))

    def resizeEvent(self, event: QResizeEvent) -> None:
        direction = QBoxLayout.Direction
        narrow = event.size().width() < _STACKED_BELOW
        self._buttons.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)
        super().resizeEvent(event)
