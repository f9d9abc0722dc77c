"""SweepPage: rate over size for chosen ways, and the question how long a copy will take."""

import math
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import (
    QLineF,
    QModelIndex,
    QPropertyAnimation,
    QRectF,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QMenu,
    QProgressBar,
    QPushButton,
    QSlider,
    QStyleOptionViewItem,
    QWidget,
)

from gpuexplorer.copies.plan import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.route import Route
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.copies.copies_page import SWEEP_KEYS, CopiesPage, Heard, PageCommand
from gpuexplorer.gui.copies.rate_plot import RatePlot, ink_of
from gpuexplorer.gui.copies.shared_parts import SizeButton, place_choice, size_words, tick_words
from gpuexplorer.gui.copies.sweep_rows import (
    SweepRow,
    SweepWay,
    answer,
    jobs_of,
    proposed,
    rows_of,
    ways_between,
)
from gpuexplorer.gui.paint.delegate import Delegate, Index
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.plots.pens import line_pen
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.tables.cell import Cell
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, add, column, label, row
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.scrolled import scrolled
from gpuexplorer.gui.widgets.sheets.sheet import line_between

_SIDE, _WIDE, _ANY_WIDTH = 468, 900, 16_777_215
_REMOVE = 6  # the column whose cells take a way out
_GUESSED = 4, 4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20, 1 << 30
_FASTEST, _DECADES, _STEPS, _FIRST = 268e9, 4, 80, 30  # a scale of time, by the size alone
_GROWS = 900  # milliseconds in which the copy is shown, however long it takes


class SweepPage(CopiesPage):
    """The curves, their table, and the prediction."""

    key_groups = SWEEP_KEYS

    def __init__(self, look: Look, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(look, copies, parent)
        self.ways: list[SweepWay] = []
        self._begun = False  # ways were proposed
        self._chosen: SweepWay | None = None
        self._news: tuple[object, ...] = ()
        remark = mark("GB/s one way, each dot a median of 7")
        modelled = mark("GB/s one way, modelled: no bytes are moved")
        panel = Panel(look, tr("Rate over size"), tr(modelled if copies.modelled else remark))
        self._plot, self._table = RatePlot(look), WayTable(look)
        self._guess = GuessPanel(look)
        self._add = MenuButton(tr("Add this way"))
        self._add.show_words(tr("Add a way"))
        self._add.about_to_open.connect(self._fill_sources)
        self._measure = self.primary_button(tr("Measure"), self.measure)
        title, what = tr("Size sweep"), tr("size sweep")
        self._saving = self.saved_as("size-sweep", title, what, self._results, panel)
        self.tools = (self._saving.button, self._measure)
        self._aside = QWidget()
        parts = (self._table, self._add, Space(8), line_between(), Space(4), self._guess, FREE)
        column(*parts, within=self._aside, gap=12)
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        add(self._beside, self._plot, GROWS, self._aside)
        panel.body.addLayout(self._beside, 1)
        row(scrolled(panel, "page"), within=self)
        self._table.chosen.connect(self.choose)
        self._plot.way_chosen.connect(self.choose)
        self._table.removed.connect(self.remove)
        self._guess.measure_wanted.connect(self._on_measure_wanted)

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("Measure rates over size"), "Ctrl+Return", self.measure),
            (tr("Propose ways for rates over size"), "", self.propose),
            *self._saving.commands(),
        )

    def heard(self) -> Sequence[Heard]:
        return ((self.copies.changed, self._show), (self.copies.progressed, self.pull))

    def begin(self) -> None:
        self._show()

    def pull(self) -> None:
        copies, devices = self.copies, self.copies.devices()
        known = copies.ways.routes is not None or not any(each.is_card for each in devices)
        if not self._begun and devices and known:
            self.propose()
        faces = [(each.name, each.chip, each.colour) for each in devices]
        if (faces, copies.ways.routes, copies.running) != self._news:
            self._show()
        self._news = faces, copies.ways.routes, copies.running

    def measure(self) -> None:
        """What of the ways was not measured yet; all of it where nothing is left."""
        jobs = jobs_of(self.ways)
        self.copies.measure([each for each in jobs if each not in self.copies.results] or jobs)

    def propose(self) -> None:
        """Begin anew with the ways that show most."""
        self._begun = True
        self.ways = proposed(self.copies.devices(), self.copies.route)
        self.choose(self.ways[0] if self.ways else None)

    def choose(self, way: SweepWay | None) -> None:
        """The way of which figures are shown in the plot, and the question is asked."""
        self._chosen = way
        self._show()

    def add(self, way: SweepWay) -> None:
        self.ways += [] if way in self.ways else [way]
        self.choose(way)

    def remove(self, way: SweepWay) -> None:
        """Its results stay, should it come back."""
        at = self.ways.index(way)
        self.ways.remove(way)
        left = self.ways[min(at, len(self.ways) - 1)] if self.ways else None
        self.choose(left if way == self._chosen else self._chosen)

    def _show(self) -> None:
        copies, devices = self.copies, self.copies.devices()
        chips = {each.name: each.chip for each in devices}
        colours = {each.name: each.colour for each in devices}
        rows = rows_of(self.ways, copies.results, chips, colours, self._route)
        self._table.show_ways(rows, self._chosen, measuring=copies.running)
        self._plot.show_rows(rows, self._chosen)
        chosen = next((each for each in rows if each.way == self._chosen), None)
        self._guess.show_row(chosen, rows, measuring=copies.running, modelled=copies.modelled)
        jobs = jobs_of(self.ways)
        left = [each for each in jobs if each not in copies.results]
        self._measure.setText(tr("Measure") if left or not jobs else tr("Measure again"))
        self._measure.setEnabled(bool(jobs) and not copies.running)
        one = mark("Measure {count} copy, from 4 B to 1 GiB")
        many = mark("Measure {count} copies, from 4 B to 1 GiB")
        self._measure.setToolTip(trn(one, many, len(left or jobs)))
        self._saving.button.setEnabled(any(each.results for each in rows))

    def _route(self, way: SweepWay) -> Route | None:
        staged = way.kind is Kind.STAGED
        return (self.copies.ways.staged if staged else self.copies.route)(
            way.source, way.target
        )

    def _results(self) -> Sequence[CopyResult]:
        results = self.copies.results
        return [results[job] for job in jobs_of(self.ways) if job in results]

    def _fill_sources(self, menu: QMenu) -> None:
        """From where, then to where, then how."""
        for name, words in self._places().items():
            more = menu.addMenu(tr("From {device}", device=words))
            more.aboutToShow.connect(partial(self._fill_targets, more, name))

    def _fill_targets(self, menu: QMenu, source: str) -> None:
        menu.clear()
        for target, words in self._places().items():
            for way in ways_between(source, target):
                said = tr("to {device}", device=words)
                said = f"{said}, {way.how()}" if way.how() else said
                action = menu.addAction(said, partial(self.add, way))
                action.setEnabled(way not in self.ways)

    def _places(self) -> dict[str, str]:
        devices = self.copies.devices()
        choices = [place_choice(devices, each.name) for each in devices]
        return {str(each.key): f"{each.words} {each.chip}" for each in choices}

    def _on_measure_wanted(self, way: SweepWay, size: int) -> None:
        job = way.job(size)
        self.copies.measure([job] if job is not None else [])
        if not self.copies.running:  # why not, the strip above says
            self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide, direction = self.width() >= _WIDE, QBoxLayout.Direction
        self._beside.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self._aside.setMaximumWidth(_SIDE if wide else _ANY_WIDTH)
        self._aside.setMinimumWidth(_SIDE if wide else 0)


class WayTable(Table[SweepRow]):
    """As high as its rows. Arrow keys choose one, Delete takes it out."""

    chosen = Signal(object)  # SweepWay
    removed = Signal(object)

    def __init__(self, look: Look) -> None:
        self._rows_shown = TableModel(self._columns(), lambda row: row.way)
        super().__init__(look, tr("Ways that are compared"), self._rows_shown)
        self._measuring = False
        self.setItemDelegateForColumn(0, _Sample(look, self, self._rows_shown))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.headings.setSectionsMovable(False)
        self.picked_changed.connect(self._on_picked_changed)
        self.clicked.connect(self._on_clicked)

    def show_ways(
        self, rows: Sequence[SweepRow], chosen: SweepWay | None, *, measuring: bool
    ) -> None:
        self._measuring = measuring
        self.show_rows(rows)
        self.show_all_rows()
        self.pick(chosen, scroll=False)
        said = next((each.said for each in rows if each.way == chosen), "")
        self.setAccessibleDescription(said)

    def _columns(self) -> list[Column[SweepRow]]:
        def figure(
            key: str, heading: str, at: int, width: int, kept: int = 0
        ) -> Column[SweepRow]:
            cell = partial(self._figure, at)
            return Column(key, heading, cell, width=width, right=True, kept=kept)

        out = tr("Take this way out")
        remove = Cell(icon=Icon.CLOSE, tone=Tone.FAINT, hint=out)
        return [
            Column("sample", "", lambda _: Cell(), width=38, spoken=_said),
            Column("way", tr("Way"), _name, width=120, stretches=True, spoken=_said),
            figure("top", tr("top GB/s"), 0, 66),
            figure("share", tr("of limit"), 1, 58),
            figure("half", tr("half at"), 2, 68, kept=2),
            figure("floor", tr("floor"), 3, 62, kept=1),
            Column("remove", "", lambda _: remove, name=out, width=36, copied=False),
        ]

    def _figure(self, at: int, row: SweepRow) -> Cell:
        figure, why = row.figures[at]
        if figure is not None:
            return Cell(figure.number, unit=figure.unit)
        if row.curve is None and row.wrong:
            return Cell(tr("WRONG"), wrong=True, hint=row.trouble) if at == 0 else Cell()
        if row.curve is not None or row.trouble:
            return Cell(absent=("–",), hint=why)
        return Cell(
            absent=(tr("measuring") if self._measuring else tr("not yet"), "…"), hint=why
        )

    def _on_picked_changed(self) -> None:
        for each in self.picked():
            self.chosen.emit(each.way)

    def _on_clicked(self, index: QModelIndex) -> None:
        row = self._rows_shown.thing(index)
        if row is not None and index.column() == _REMOVE:
            self.removed.emit(row.way)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            super().keyPressEvent(event)
            return
        for each in self.picked():
            self.removed.emit(each.way)


def _said(row: SweepRow) -> str:
    return row.said


def _name(row: SweepRow) -> Cell:
    """Where not all sizes have a time, a sign says so."""
    if row.curve is None or not row.trouble:
        return Cell(row.words, hint=row.trouble)
    tone = Tone.BAD if row.wrong else Tone.TEXT
    return Cell(row.words, icon=Icon.WARNING, tone=tone, hint=row.trouble)


class _Sample(Delegate):
    """A piece of the row's curve, to know it by."""

    def __init__(self, look: Look, table: WayTable, model: TableModel[SweepRow]) -> None:
        super().__init__(look, table)
        self._model = model

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        if row := self._model.thing(index):
            drawing.painter.setPen(line_pen(ink_of(drawing.theme, row), 2.0, row.dash))
            y = place.center().y()
            drawing.painter.drawLine(QLineF(place.left() + 8, y, place.right() - 8, y))


class GuessPanel(QWidget):
    """How long will so many bytes take? One guesses first, and then sees it."""

    measure_wanted = Signal(object, int)  # SweepWay, bytes; where nobody knows the answer yet

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._row: SweepRow | None = None
        self._rows: Sequence[SweepRow] = ()
        self._size, self._asked = _GUESSED[-2], False
        self._waits = self._modelled = False
        self._heading, self._way = label("", look.letters.title), label("", look.letters.body)
        self._sizes = SizeButton(tr("Size"), _GUESSED)
        self._sizes.chosen.connect(self.choose_size)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setMaximum(_STEPS)
        self.slider.setValue(_FIRST)
        self.slider.setAccessibleName(tr("Your guess"))
        self.slider.valueChanged.connect(self._on_guessed)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            within = Qt.ShortcutContext.WidgetShortcut
            QShortcut(key, self.slider, self.compare, context=within)
        self._truth = QProgressBar(maximum=_STEPS * 10, textVisible=False)
        self._truth.setFixedHeight(4)
        self._growing = QPropertyAnimation(self._truth, b"value", self)
        self._growing.setDuration(_GROWS)
        self._ticks = [label("", look.letters.caption, Tone.FAINT) for _ in range(_DECADES + 1)]
        self._guessed = label("", look.letters.caption, Tone.QUIET)
        self._compare = QPushButton(tr("Compare"))
        self._compare.clicked.connect(self.compare)
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        self._known = label("", look.letters.caption, Tone.QUIET)
        ticks = [part for each in self._ticks for part in (each, FREE)][:-1]
        column(
            row(self._heading, FREE, self._sizes),
            row(self._way, FREE, self._guessed),
            column(self.slider, self._truth, row(*ticks), gap=4),
            row(self._compare, self._known, FREE, gap=12),
            self._sentence,
            within=self,
        )

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    @property
    def growing(self) -> bool:
        return self._growing.state() is QPropertyAnimation.State.Running

    @property
    def guess(self) -> float:
        """In seconds."""
        return self._least * math.pow(10, _DECADES * self.slider.value() / _STEPS)

    @property
    def _least(self) -> float:
        """Where the scale begins: by the size alone, which does not give the answer away."""
        return max(1e-6, 10.0 ** math.floor(math.log10(self._size / _FASTEST)))

    def show_row(
        self,
        row: SweepRow | None,
        rows: Sequence[SweepRow],
        *,
        measuring: bool,
        modelled: bool,
    ) -> None:
        """`row` is of what the question is."""
        if (row and row.way) != (self._row and self._row.way):
            self._asked = False
        self._row, self._rows, self._modelled = row, rows, modelled
        self._waits = self._asked and measuring
        self._show()

    def choose_size(self, size: int) -> None:
        self._size, self._asked = size, False
        with QSignalBlocker(self.slider):
            self.slider.setValue(_FIRST)
        self._show()

    def compare(self) -> None:
        """Show what it takes, or have it measured first."""
        if self._row is not None and not self._asked:
            self._asked = True
            if self._row.seconds(self._size) is None:
                self._waits = True
                self.measure_wanted.emit(self._row.way, self._size)
            self._show()

    def _show(self) -> None:
        row, size, words = self._row, self._size, size_words(self._size)
        truth = None if row is None else row.seconds(size)
        if truth is None and not self._waits:
            self._asked = False  # it could not be measured
        shown = truth if self._asked else None
        self._heading.setText(tr("How long will {size} take?", size=words))
        self._way.setText("" if row is None else row.words)
        self._sizes.show_size(size)
        for power, tick in enumerate(self._ticks):
            tick.setText(tick_words(self._least * 10.0**power))
        guess = str(duration(self.guess))
        self._guessed.setText(tr("your guess {time}", time=guess))
        self.slider.setAccessibleDescription(guess)
        self._grow(shown)
        self._compare.setEnabled(row is not None and not self._asked)
        self._sentence.setText("" if row is None else self._said(row, truth))
        known = row is not None and size in row.times
        whence = tr("modelled") if self._modelled else tr("measured")
        between = tr("{whence}, between two sizes", whence=whence)
        self._known.setText("" if shown is None else whence if known else between)

    def _said(self, row: SweepRow, truth: float | None) -> str:
        if self._asked and truth is not None:
            return answer(row, self._rows, self._size, self.guess)
        if self._asked:
            return tr("Measuring it.")
        if truth is not None:
            return tr("Move the mark to where you think it is, then compare.")
        if any(each.job.bytes == self._size for each in row.results):
            return tr("This size could not be measured on this way.")
        return tr(
            "Nothing has been measured on this path yet: comparing measures this one size."
        )

    def _grow(self, truth: float | None) -> None:
        """Up to the truth, where things may move; to nothing where it is not to be seen."""
        share = 0.0 if truth is None else math.log10(truth / self._least) / _DECADES
        end = round(min(1.0, max(0.0, share)) * self._truth.maximum())
        if end != self._growing.endValue():
            self._growing.stop()
            self._growing.setEndValue(end)
            if end and self._look.motion and self.isVisible():
                self._growing.setStartValue(0)
                self._growing.start()
            else:
                self._truth.setValue(end)

    def _on_guessed(self) -> None:
        self._asked = False
        self._show()
