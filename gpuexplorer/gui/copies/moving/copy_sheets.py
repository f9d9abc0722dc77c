"""CompareSheet: two copies side by side; what differs stands out, with its ratio."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QWidget

from gpuexplorer.copies.copy_book import CopyRow
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import Units, bytes_words, duration, rate
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.copies.moving.moved import Moved, called
from gpuexplorer.gui.copies.moving.words import Said
from gpuexplorer.gui.copies.shared_parts import factor_words
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import label, wrapped_label
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, line_between


class CompareSheet(Sheet):
    """What is the same in both is quiet."""

    def __init__(self, one: Moved, other: Moved, units: Units, window: QWidget) -> None:
        super().__init__(tr("Two copies compared"), window, 620)
        modelled = one.row.modelled or other.row.modelled
        note = tr("Times are modelled.") if modelled else ""
        self.add_sentence(paragraph((heading(one, other), note)))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.setColumnMinimumWidth(0, 98)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        for column, each in enumerate((one, other), 1):
            head = tr("{what}, cell {cell}", what=each.what, cell=each.row.place)
            title = wrapped_label(head, Tone.TEXT)
            title.setFont(look().letters.strong.font)
            grid.addWidget(title, 0, column)
        grid.addWidget(line_between(), 1, 0, 1, 4)
        for at, row in enumerate(differences(one, other, units), 2):
            tone = Tone.TEXT if row.one != row.other else Tone.QUIET
            caption = label(row.caption, look().letters.body, Tone.QUIET)
            grid.addWidget(caption, at, 0, Qt.AlignmentFlag.AlignTop)
            for column, said in enumerate((row.one, row.other), 1):
                text = wrapped_label(said, tone)
                text.setAlignment(Qt.AlignmentFlag.AlignTop)
                grid.addWidget(text, at, column)
            ratio = label(row.ratio, look().letters.body, tone)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
            grid.addWidget(ratio, at, 3, right)
        self.body.addLayout(grid)
        self.add_close()


_UNKNOWN = mark("not known")


class Difference(NamedTuple):
    """One fact of both. `ratio` is empty where there is none."""

    caption: str
    one: str
    other: str
    ratio: str = ""


def differences(one: Moved, other: Moved, units: Units) -> Sequence[Difference]:
    """The figures first, and then what explains them."""
    a, b = one.row, other.row
    return [
        _figure(tr("Size"), a.bytes, b.bytes, lambda value: bytes_words(value, units)),
        _figure(tr("Copies"), a.copies, b.copies, lambda value: f"{value:.0f}"),
        _figure(tr("Device"), a.seconds, b.seconds, lambda s: str(duration(s))),
        _figure(tr("Host"), a.host_seconds, b.host_seconds, lambda s: str(duration(s))),
        _figure(
            tr("Rate"), a.rate, b.rate, lambda value: str(rate(value)), _no_rate(a), _no_rate(b)
        ),
        _figure(tr("Of its limit"), a.share, b.share, lambda value: f"{value * 100:.0f} %"),
        Difference(tr("From, to"), _way(one), _way(other)),
        Difference(tr("Path"), tr(a.path or _UNKNOWN), tr(b.path or _UNKNOWN)),
        Difference(tr("Host side"), _side(a), _side(b)),
        Difference(tr("Python waited"), _yes(a.blocking), _yes(b.blocking)),
        Difference(tr("Asked for"), _yes(a.asked), _yes(b.asked)),
        Difference(tr("Arrived intact"), _intact(one), _intact(other)),
    ]


def heading(one: Moved, other: Moved) -> str:
    """The one thing to take along."""
    a, b = one.row, other.row
    if a.rate is not None and b.rate is not None:
        return _faster(one, other, a.rate, b.rate)
    mine, theirs = one.each_seconds, other.each_seconds
    if mine and theirs:
        return _faster(one, other, 1 / mine, 1 / theirs, each=True)
    return tr("They cannot be compared by their rates: one has none.")


def _faster(one: Moved, other: Moved, mine: float, theirs: float, *, each: bool = False) -> str:
    first, second = (one, other) if mine >= theirs else (other, one)
    factor = max(mine, theirs) / min(mine, theirs)
    if factor < 1.02:
        return tr("Both went as fast.")
    values = {
        "times": f"{factor:.1f}" if factor < 100 else f"{factor:.0f}",
        "first": _called(first),
        "second": _called(second),
    }
    if each:
        return tr(
            "Each copy of {first} went {times} times as fast as each copy of {second}.",
            **values,
        )
    return tr("{first} went {times} times as fast as {second}.", **values)


def _called(moved: Moved) -> str:
    return tr("{what} of cell {cell}", what=moved.what, cell=moved.row.place)


def _figure(
    caption: str,
    one: float | None,
    other: float | None,
    words: Callable[[float], str],
    no_one: str = "",
    no_other: str = "",
) -> Difference:
    ratio = ""
    if one and other:
        factor = one / other
        turned = 1 / factor
        ratio = f"×{factor_words(factor)}" if factor >= 1 else f"÷{factor_words(turned)}"
        if abs(factor - 1) < 0.005:
            ratio = tr("the same")
    said = [
        words(value) if value is not None else why or tr(_UNKNOWN)
        for value, why in ((one, no_one), (other, no_other))
    ]
    return Difference(caption, said[0], said[1], ratio)


def _way(moved: Moved) -> str:
    return tr(
        "{source} to {target}", source=called(moved.row.source), target=called(moved.row.target)
    )


def _yes(value: bool | None) -> str:
    if value is None:
        return tr(_UNKNOWN)
    return tr("yes") if value else tr("no")


def _no_rate(row: CopyRow) -> str:
    return "" if row.no_rate is None else tr(row.no_rate.sentence)


def _side(row: CopyRow) -> str:
    return tr(row.host_side) or tr("no part")


def _intact(moved: Moved) -> str:
    if moved.row.wrong:
        return tr("WRONG")
    return tr("not checked") if moved.row.intact is None else tr("yes")


class CureSheet(Sheet):
    """Made when it is asked for."""

    begun = Signal(int)  # its command
    refused = Signal(str)

    def __init__(self, lab: Lab, said: Said, window: QWidget) -> None:
        super().__init__(tr("Cell {cell}, cured", cell=said.place), window, 580)
        self._lab = lab
        self._code = said.code
        self.add_sentence(said.sentence)
        self._add_lines(tr("As it was"), said.before, Tone.QUIET)
        self.add_sentence(said.cure)
        self._add_lines(tr("As it could be"), said.code, Tone.TEXT)
        self._take = self.add_button(tr("Copy the code"), ROLE.ActionRole)
        run = self.add_button(tr("Run it in the lab"), ROLE.ActionRole, default=True)
        self.add_button(tr("Close"), ROLE.RejectRole)
        self._take.clicked.connect(self._on_take_asked)
        run.clicked.connect(self._on_run_asked)

    def _add_lines(self, caption: str, lines: str, tone: Tone) -> None:
        self.body.addSpacing(2)
        small = label(caption, look().letters.caption, Tone.QUIET)
        self.body.addWidget(small)
        code = self.add_sentence(lines, tone)
        code.setFont(look().letters.mono.font)
        self.body.addSpacing(2)

    def _on_take_asked(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._code}\n")
        self._take.setText(tr("Copied"))

    def _on_run_asked(self) -> None:
        try:
            command = self._lab.run(self._code)
        except Trouble as trouble:
            self.refused.emit(trouble.told)
        else:
            self.begun.emit(command)
        self.accept()
