"""FindingsPanel: what stands out, the gravest first, and the rest by kind."""

import statistics
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from gpuexplorer.copies.findings import Bar
from gpuexplorer.copies.kin import Kin
from gpuexplorer.core.units import gigabytes_per_second, ratio
from gpuexplorer.core.words import listed, mark, tr
from gpuexplorer.gui.copies.matrix.pair_question import Head
from gpuexplorer.gui.copies.matrix.words import Callout
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.tables.cell import Cell, Chip, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.controls.buttons import PaintedButton
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    add,
    column,
    label,
    row,
    say,
    wrapped_label,
)
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel, scrolled
from gpuexplorer.gui.widgets.painted import ChipRow, Painted
from gpuexplorer.gui.widgets.pair_grid import Pair, draw_bubble
from gpuexplorer.gui.widgets.sheets.sheet import line_between

_SHARE = "share"
_NOTHING = Cell(absent=("–",))


class RestTable(Table[Kin]):
    """A row each, with the median of its figures."""

    def __init__(self) -> None:
        self._model = TableModel(_columns("", latency=False), lambda kin: kin.words)
        super().__init__("", self._model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_kin(self, heading: str, kin: Sequence[Kin], *, latency: bool) -> None:
        self.setAccessibleName(heading)
        self._model.show_columns(_columns(heading, latency=latency))
        self.columns.show_column(_SHARE, shown=not latency)
        self.show_rows(kin)
        self.show_all_rows()
        self.setVisible(bool(kin))


def _columns(heading: str, *, latency: bool) -> list[Column[Kin]]:
    unit, figure = ("µs", _microseconds) if latency else ("GB/s", _rate)
    return [
        Column("kind", heading, _kind, width=100, stretches=True),
        Column("figure", unit, figure, width=62, right=True),
        Column(_SHARE, tr("of limit"), _share, width=66, right=True, kept=1),
    ]


def _kind(kin: Kin) -> Cell:
    return Cell(tr(kin.words), tone=Tone.QUIET)


def _rate(kin: Kin) -> Cell:
    return _NOTHING if kin.rate is None else Cell(gigabytes_per_second(kin.rate))


def _microseconds(kin: Kin) -> Cell:
    times = [each.seconds for each in kin.results if each.seconds is not None]
    return Cell(f"{statistics.median(times) * 1e6:.1f}") if times else _NOTHING


def _share(kin: Kin) -> Cell:
    if kin.share is None:
        return _NOTHING
    share = ratio(kin.share)
    return Cell(share.number, unit=share.unit)


_LINE, _NUMBER = 28, 27
_LABEL, _FIGURE, _BAR_ROW = 76.0, 44.0, 22
_BESIDE_FROM = 300  # two buttons

_DETOUR = mark("In the lab, through the host")
_DIRECT = mark("In the lab, directly again")
_MEANT = mark(
    "What is dragged or copied by a form from one to the other goes through the host: X.cpu()"
    " first. A typed cell stays as it was typed."
)
_UNDONE = mark("What is dragged or copied by a form goes from card to card again.")


class FindingAct(Enum):
    """What is done about a finding."""

    SHOW = "show its cell"
    AGAIN = mark("Measure again")
    STAGED = mark("Measure through the host")
    DETOUR = _DETOUR  # in the lab too, or no longer
    REPORT = mark("Save a report")


class FindingBlock(QFrame):
    """Pressing its head shows its cell."""

    asked = Signal(object, object)  # a FindingAct, and the Callout

    def __init__(self, callout: Callout, heads: Mapping[str, Head]) -> None:
        super().__init__()
        self.setProperty("panel", "wrong" if callout.wrong else "clear")
        self.callout = callout
        finding = callout.finding
        self._head = _Head(callout, heads)
        self._head.clicked.connect(partial(self._ask, FindingAct.SHOW))
        self._buttons: dict[FindingAct, QPushButton] = {}
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(8)
        parts: list[QWidget] = [
            self._head,
            wrapped_label(tr(finding.sentence), Tone.TEXT),
        ]
        if finding.hint:
            hint = wrapped_label(tr(finding.hint), Tone.QUIET)
            hint.setFont(look().letters.caption.font)
            parts.append(hint)
        if finding.bars:
            known = (heads[each].colour for each in _devices(callout) if each in heads)
            parts.append(_Bars(finding.bars, next(known, None)))
        if callout.wrong and finding.detour and finding.instead is None:
            parts.append(self._button(FindingAct.STAGED))
        if callout.wrong and finding.detour:
            parts.append(self._button(FindingAct.DETOUR))
        for act in (FindingAct.AGAIN, FindingAct.REPORT) if callout.wrong else ():
            self._row.addWidget(self._button(act), 1)
        sides = (12, 10, 12, 12) if callout.wrong else (0, 4, 0, 12)
        column(*parts, *([self._row] if callout.wrong else []), within=self, margins=sides)

    def show_able(self, able: bool) -> None:
        """Whether anything can be measured now."""
        for act in (FindingAct.AGAIN, FindingAct.STAGED):
            if act in self._buttons:
                self._buttons[act].setEnabled(able)

    def show_detours(self, detours: Collection[Pair]) -> None:
        """Between which two the lab goes through host memory."""
        button = self._buttons.get(FindingAct.DETOUR)
        if button is not None:
            taken = any(cell in detours for cell in self.callout.finding.cells)
            button.setText(tr(_DIRECT if taken else _DETOUR))
            button.setToolTip(tr(_UNDONE if taken else _MEANT))

    def _button(self, act: FindingAct) -> QPushButton:
        button = self._buttons[act] = QPushButton(tr(act.value))
        button.setAccessibleDescription(self._head.accessibleName())
        button.clicked.connect(partial(self._ask, act))
        return button

    def _ask(self, act: FindingAct, _checked: bool = False) -> None:
        self.asked.emit(act, self.callout)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._row.setDirection(across if event.size().width() >= _BESIDE_FROM else down)


class _Head(PaintedButton):
    """The number, the chips and the title, which takes a line of its own where it is long."""

    def __init__(self, callout: Callout, heads: Mapping[str, Head]) -> None:
        super().__init__()
        self._callout, finding = callout, callout.finding
        ends = [heads[each] for each in _devices(callout) if each in heads]
        title = tr(finding.title)
        chips = ChipRow(arrows=True)
        chips.show_chips([Chip(each.chip, each.colour) for each in ends])
        words = ElidedLabel(look().letters.strong, Tone.TEXT)
        words.show_text(title)
        said: list[QWidget] = [words]
        if callout.wrong:
            badge = label(tr("WRONG"), look().letters.badge)
            badge.setProperty("kind", "wrong")
            both = tr("both ways at once") if finding.both_ways else ""
            said = [badge, label(both, look().letters.body, Tone.QUIET)]
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(_NUMBER, 4, 8, 4)
        add(self._line, *([chips] if ends else []), row(*said, FREE), GROWS)
        for each in (chips, *said):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._wide = chips.sizeHint().width() + round(look().letters.strong.width(title)) + 60
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(_called(callout, title, [each.words for each in ends]))
        self.setAccessibleDescription(tr(finding.sentence))

    def draw(self, drawing: Drawing) -> None:
        self.draw_ground(drawing, QRectF(self.rect()))
        at, callout = QPointF(9, _LINE / 2), self._callout
        draw_bubble(drawing, at, callout.number, bad=callout.wrong)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        two = self._wide > event.size().width() and self._line.count() > 1
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._line.setDirection(down if two else across)
        self.setFixedHeight(2 * _LINE - 4 if two else _LINE)


def _called(callout: Callout, title: str, words: Sequence[str]) -> str:
    if not words:
        return tr("{number}: {title}", number=callout.number, title=title)
    where = listed(words)
    if len(words) == 2 and not callout.finding.devices:
        where = tr("{source} to {target}", source=words[0], target=words[1])
    return tr("{number}: {where}: {title}", number=callout.number, where=where, title=title)


class _Bars(Painted):
    """Rates beside each other, against the largest of them or what the wire could carry."""

    def __init__(self, bars: Sequence[Bar], colour: int | None) -> None:
        super().__init__()
        self._bars = bars
        self._colour = colour
        said = [f"{tr(each.words)} {gigabytes_per_second(each.rate)} GB/s" for each in bars]
        self.setAccessibleName(", ".join(said))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        most = max(max(each.rate, each.limit or 0.0) for each in self._bars)
        fill = theme.level if self._colour is None else theme.card(self._colour)
        for at, bar in enumerate(self._bars):
            middle = at * _BAR_ROW + _BAR_ROW / 2
            words = Run(tr(bar.words), letters.caption, theme.quiet)
            drawing.elided(0, middle + letters.caption.cap_height / 2, words, _LABEL - 6)
            track = QRectF(_LABEL, middle - 4, self.width() - _LABEL - _FIGURE - 8, 8)
            drawing.bar(track, [(bar.rate / most, fill if not at else faded(fill, 0.55))])
            figure = Run(gigabytes_per_second(bar.rate), letters.body, theme.text)
            baseline = middle + letters.body.cap_height / 2
            drawing.runs_right(self.width(), baseline, [figure])

    def sizeHint(self) -> QSize:
        return QSize(200, _BAR_ROW * len(self._bars))


def _devices(callout: Callout) -> Sequence[str]:
    """Those it names: the ends of its one cell, or the devices it is about."""
    finding = callout.finding
    if finding.devices:
        return finding.devices
    if len(finding.cells) == 1 or len({frozenset(each) for each in finding.cells}) == 1:
        return tuple(dict.fromkeys(finding.cells[0]))
    return ()


class FindingsPanel(Panel):
    """Scrolls by itself, so that the map stays beside it."""

    asked = Signal(object, object)  # a FindingAct, and a Callout

    def __init__(self) -> None:
        super().__init__(tr("What stands out"))
        self._callouts: Sequence[Callout] = ()
        self._heads: Mapping[str, Head] = {}
        self._blocks: list[FindingBlock] = []
        self._drawn: list[QWidget] = []  # blocks, and lines between them
        self._able = True
        self._detours: Collection[Pair] = ()
        self._count = ElidedLabel(look().letters.body, Tone.QUIET)
        self.head.addWidget(self._count)
        self._words = wrapped_label("", Tone.QUIET)
        self.begin = QPushButton(tr("Measure all"))
        self._more = wrapped_label("", Tone.QUIET)
        self._rest = RestTable()
        content = QWidget()
        content.setProperty("panel", "clear")
        self._found = column(gap=4)
        parts = (self._words, self.begin, self._found, self._more, self._rest, FREE)
        column(*parts, within=content, margins=(0, 0, 4, 0))
        area = scrolled(content)
        area.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.body.addWidget(area, 1)

    def show_words(self, count: str, words: str, *, begin: bool) -> None:
        """`words` where nothing stands out; `begin` offers to measure all."""
        self._count.show_text(count)
        say(self._words, words)
        self.begin.setVisible(begin)

    def show_callouts(
        self, callouts: Sequence[Callout], heads: Mapping[str, Head], more: str
    ) -> None:
        say(self._more, more)
        if callouts == self._callouts and heads == self._heads:
            return
        self._callouts, self._heads = callouts, heads
        for old in self._drawn:
            self._found.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._blocks, self._drawn = [], []
        for callout in callouts:
            if self._blocks and not (callout.wrong or self._blocks[-1].callout.wrong):
                self._put(line_between())
            block = FindingBlock(callout, heads)
            block.asked.connect(self.asked)
            block.show_able(self._able)
            block.show_detours(self._detours)
            self._blocks.append(block)
            self._put(block)

    def show_rest(self, kin: Sequence[Kin], *, latency: bool) -> None:
        heading = tr("The rest, by kind") if self._callouts else tr("By kind")
        self._rest.show_kin(heading, kin, latency=latency)

    def show_able(self, able: bool) -> None:
        """Whether anything can be measured now."""
        self._able = able
        self.begin.setEnabled(able)
        for block in self._blocks:
            block.show_able(able)

    def show_detours(self, detours: Collection[Pair]) -> None:
        """Between which cards the lab goes through host memory."""
        self._detours = detours
        for block in self._blocks:
            block.show_detours(detours)

    def _put(self, part: QWidget) -> None:
        self._drawn.append(part)
        self._found.addWidget(part)
