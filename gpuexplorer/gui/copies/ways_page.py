"""WaysPage: rates over size of several ways, and what is compared of the chosen one."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QLineF, QModelIndex, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QMenu, QPushButton, QWidget

from gpuexplorer.copies.jobs import HOST, USUAL_BYTES, Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.cards import short_name
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import Quantity, bytes_words, duration
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.copies.copies_page import (
    SWEEP_KEYS,
    CopiesPage,
    PageCommand,
    ResultsSaving,
    SizeButton,
    on_keys,
)
from gpuexplorer.gui.copies.ways_facts import (
    COMPARISONS,
    SIZES,
    Comparison,
    Devices,
    Pair,
    SweepRow,
    SweepWay,
    Trial,
    ends_words,
    jobs_of,
    proposed,
    rows_of,
    ways_between,
)
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.plots.curves import line_pen
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Theme, Tone, faded
from gpuexplorer.gui.widgets.controls.buttons import MenuButton, ToolButton
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Space,
    add,
    column,
    label,
    row,
    say,
    wrapped_label,
)
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.lab.wire import CopyJob

_WIDE, _GAP = 900, 12
_REMOVE, _FLOOR = 6, 3  # the column whose cells take a way out; of the figures
_LINE = "<br><font color={}>●</font> {}"
Place = tuple[float, float]


class WaysPage(CopiesPage):
    """The curves, their table, and a panel for each comparison."""

    key_groups = SWEEP_KEYS

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(copies, parent)
        self.ways: list[SweepWay] = []
        self._begun = False  # ways were proposed
        self._chosen: SweepWay | None = None
        self._size = USUAL_BYTES
        self._news: object = None
        self._compared = [ComparisonPanel(each, copies) for each in COMPARISONS]
        remark = mark("GB/s one way, each dot a median of 7")
        modelled = mark("GB/s one way, modelled: no bytes are moved")
        curves = Panel(tr("Rate over size"), tr(modelled if copies.modelled else remark))
        self._plot = RatePlot()
        self._plot.way_chosen.connect(self.choose)
        add(curves.body, self._plot, GROWS)
        self._panels = [curves, self._table_and_pair(), *self._compared]
        content, self._grid = QWidget(), QGridLayout()
        self._grid.setSpacing(_GAP)
        column(self._grid, FREE, within=content)
        self.show_scrolled(content)
        self._measure = self.primary_button(tr("Measure"), self.measure)
        self._saving = ResultsSaving(self, "ways", tr("Ways"), tr("ways"), content)
        self.tools = (self._saving.button, self._measure)

    def _table_and_pair(self) -> Panel:
        """Below the table, what is compared of the way that is chosen in it."""
        model = TableModel(self._columns(), lambda each: each.way)
        self._table = Table(tr("Ways that are compared"), model)
        self._table.setSelectionMode(Table.SelectionMode.SingleSelection)
        self._table.columns.setSectionsMovable(False)
        self._table.picked_changed.connect(self._on_picked_changed)
        self._table.clicked.connect(self._on_clicked)
        on_keys(self._table, ("Del", "Backspace"), self.remove_chosen)
        more = MenuButton(tr("Add this way"))
        more.show_words(tr("Add a way"))
        more.about_to_open.connect(self._fill_sources)
        self._bytes = SizeButton(tr("Size"))
        self._bytes.chosen.connect(self.choose_size)
        self._all = QPushButton(tr("Measure all"))
        self._all.setToolTip(tr("Measure what has no figure here yet"))
        self._all.clicked.connect(self.measure_comparisons)
        stroke = label(tr("| what the wire could carry"), look().letters.caption, Tone.QUIET)
        stroke.setAccessibleName(tr("what the wire could carry"))
        panel, compare = Panel(tr("Ways")), row(stroke, FREE, self._bytes, self._all)
        add(panel.body, self._table, Space(_GAP), more, FREE, compare)
        return panel

    def _columns(self) -> list[Column[SweepRow]]:
        def figure(at: int, heading: str, width: int, kept: int = 0) -> Column[SweepRow]:
            def cell(each: SweepRow) -> Cell:
                told = each.figures[at]
                if isinstance(told, Quantity):
                    hint, curve = "", each.curve
                    if at == _FLOOR and curve is not None and curve.floor_bytes:
                        size = bytes_words(curve.floor_bytes)
                        hint = tr("Copies of up to {size} take no longer", size=size)
                    return Cell(told.number, unit=told.unit if at else "", hint=hint)
                if at == 0 and each.curve is None and each.wrong:
                    return Cell(tr("WRONG"), wrong=True, hint=told)
                return Cell(absent=("–",), hint=told)

            return Column(str(at), heading, cell, width=width, right=True, kept=kept)

        def name(each: SweepRow) -> Cell:
            some = each.curve is not None and each.trouble  # sizes have a time, and some not
            return Cell(each.words, icon=Icon.WARNING if some else None, hint=each.trouble)

        out = tr("Take this way out")
        remove = Cell(icon=Icon.CLOSE, tone=Tone.FAINT, hint=out)
        return [
            Column("sample", "", lambda each: Cell(drawn=_Sample(each)), width=38),
            Column("way", tr("Way"), name, width=120, stretches=True),
            figure(0, tr("top GB/s"), 66),
            figure(1, tr("of limit"), 58),
            figure(2, tr("half at"), 68, kept=2),
            figure(_FLOOR, tr("floor"), 62, kept=1),
            Column("remove", "", lambda _: remove, name=out, width=36, copied=False),
        ]

    def commands(self) -> Sequence[PageCommand]:
        compare = tr("Measure all comparisons"), "Ctrl+Shift+Return", self.measure_comparisons
        return (
            (tr("Measure rates over size"), "Ctrl+Return", self.measure),
            compare,
            (tr("Propose ways for rates over size"), "", self.propose),
            *self._saving.commands(),
        )

    def pull(self) -> None:
        copies, devices = self.copies, self.copies.devices()
        known = copies.ways.routes is not None or not any(each.is_card for each in devices)
        faces = [(each.name, each.chip, each.colour) for each in devices]
        news = faces, copies.ways.routes, copies.running
        if not self._begun and devices and known:
            self.propose()
        elif news != self._news:
            self.begin()
        self._news = news

    def measure(self) -> None:
        """What of the ways was not measured yet; all of it where nothing is left."""
        self.copies.measure(self._left(jobs_of(self.ways)) or jobs_of(self.ways))

    def measure_comparisons(self) -> None:
        self.copies.measure(self._left(self._jobs()) or self._jobs())

    def propose(self) -> None:
        """Begin anew with the ways that show most."""
        self._begun = True
        self.ways = proposed([each.name for each in self.copies.devices()], self._route)
        self.choose(self.ways[0] if self.ways else None)

    def choose(self, way: SweepWay | None) -> None:
        """The way of which figures are shown in the plot, and whose pair is compared."""
        self._chosen = way
        self.begin()

    def choose_size(self, size: int) -> None:
        """What the comparisons copy, from now on."""
        self._size = size
        self.begin()

    def add(self, way: SweepWay) -> None:
        self.ways += [] if way in self.ways else [way]
        self.choose(way)

    def remove_chosen(self) -> None:
        """Its results stay, should it come back."""
        if self._chosen in self.ways:
            at = self.ways.index(self._chosen)
            del self.ways[at]
            self.choose((*self.ways[at:], *self.ways[-1:], None)[0])

    def begin(self) -> None:
        copies, devices = self.copies, {each.name: each for each in self.copies.devices()}
        rows = rows_of(self.ways, copies.results, devices, self._route)
        self._table.show_rows(rows)
        self._table.show_all_rows()
        self._table.pick(self._chosen, scroll=False)
        self._plot.show_rows(rows, self._chosen)
        way = self._chosen or SweepWay(HOST, HOST)
        cards = [each for each in devices if each != HOST]
        pair = Pair(way.source, way.target, self._size, cards)
        known = self._begun and {*pair[:2]} <= devices.keys()
        for panel in self._compared if known else ():
            panel.show_pair(pair, devices)
        self._bytes.show_size(self._size)
        jobs, compared = jobs_of(self.ways), self._jobs()
        left = self._left(jobs)
        self._measure.setText(tr("Measure") if left or not jobs else tr("Measure again"))
        again = compared and not self._left(compared)
        self._all.setText(tr("Measure all again") if again else tr("Measure all"))
        one = mark("Measure {count} copy, from 4 B to 1 GiB")
        many = mark("Measure {count} copies, from 4 B to 1 GiB")
        self._measure.setToolTip(trn(one, many, len(left or jobs)))
        self._measure.setEnabled(bool(jobs) and not copies.running)
        self._all.setEnabled(bool(compared) and not copies.running)
        self._saving.button.setEnabled(bool(self.results()))

    def _left(self, jobs: Sequence[CopyJob]) -> Sequence[CopyJob]:
        return [each for each in jobs if each not in self.copies.results]

    def _jobs(self) -> Sequence[CopyJob]:
        """Of the comparisons."""
        return list(dict.fromkeys(job for panel in self._compared for job in panel.jobs))

    def results(self) -> Sequence[CopyResult]:
        results, jobs = self.copies.results, (*jobs_of(self.ways), *self._jobs())
        return [results[job] for job in dict.fromkeys(jobs) if job in results]

    def _route(self, way: SweepWay) -> Route | None:
        find = self.copies.ways.staged if way.kind is Kind.STAGED else self.copies.route
        return find(way.source, way.target)

    def _on_picked_changed(self) -> None:
        for each in self._table.picked():
            self.choose(each.way)

    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == _REMOVE:
            self.remove_chosen()

    def _fill_sources(self, menu: QMenu) -> None:
        """From where, then to where, then how."""
        places = {
            each.name: f"{tr('host') if each.is_host else short_name(each.label)} {each.chip}"
            for each in self.copies.devices()
        }
        for name, words in places.items():
            more = menu.addMenu(tr("From {device}", device=words))
            more.aboutToShow.connect(partial(self._fill_targets, more, name, places))

    def _fill_targets(self, menu: QMenu, source: str, places: Mapping[str, str]) -> None:
        menu.clear()
        for target, words in places.items():
            for way in ways_between(source, target):
                said = tr("to {device}", device=words)
                said = f"{said}, {way.how()}" if way.how() else said
                action = menu.addAction(said, partial(self.add, way))
                action.setEnabled(way not in self.ways)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        columns = 2 if self.width() >= _WIDE else 1
        for at, panel in enumerate(self._panels):
            self._grid.addWidget(panel, at // columns, at % columns)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)


class ComparisonPanel(Panel):
    """Its question, a bar for each way, and what follows from them."""

    def __init__(self, comparison: Comparison, copies: CopiesState) -> None:
        super().__init__(tr(comparison.title))
        self.comparison, self._copies = comparison, copies
        self.jobs: Sequence[CopyJob] = ()
        self._colour: int | None = None
        self._longest = 0.0
        self._pair = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._measure = ToolButton("word", Icon.PLAY, tr("Measure"))
        self._measure.setEnabled(False)
        self._measure.clicked.connect(lambda: copies.measure(self.jobs))
        model = TableModel(self._columns(), lambda each: each.words)
        self._bars = Table(tr(comparison.title), model, row_height=40)
        self._bars.setSelectionMode(Table.SelectionMode.NoSelection)
        self._bars.columns.setSectionsMovable(False)
        self._sentence = wrapped_label("", Tone.TEXT, look().letters.strong)
        self._remark = label("", look().letters.caption, Tone.QUIET)
        question = wrapped_label(tr(comparison.question), Tone.QUIET)
        add(self.head, self._pair, self._measure)
        add(self.body, question, Space(10), self._bars, Space(10))
        add(self.body, self._sentence, self._remark, FREE)

    def show_pair(self, pair: Pair, devices: Devices) -> None:
        comparison, results = self.comparison, self._copies.results
        trials: Sequence[Trial] = ()
        try:
            trials = comparison.trials(pair)
            trials = [replace(each, result=results.get(each.job)) for each in trials]
            say(self._sentence, comparison.follows(trials))
        except Trouble as trouble:
            say(self._sentence, trouble.told)
        self.jobs = list(dict.fromkeys(each.job for each in trials))
        done, words, instead = [each in results for each in self.jobs], "", ""
        for job in self.jobs[:1]:
            self._colour = devices[job.source].colour
            words = ends_words(job.source, job.target, devices)
            chosen = (job.source, job.target, job.bytes) == pair[:3]
            instead = "" if chosen else tr(comparison.instead)
        say(self._remark, instead)
        modelled = words and self._copies.modelled
        self._pair.show_text(tr("{pair}, modelled", pair=words) if modelled else words)
        measure = tr("Measure again") if done and all(done) else tr("Measure")
        self._measure.setText(measure)
        self._measure.setAccessibleName(f"{measure}: {tr(comparison.title)}")
        self._measure.setEnabled(bool(done) and not self._copies.running)
        limits = [each.result.limit for each in trials if each.rate and each.result]
        lengths = [each.rate or each.seconds for each in trials]
        self._longest = max(filter(None, (*lengths, *limits)), default=0.0)
        self._bars.show_rows(trials)
        self._bars.show_all_rows()
        self._bars.setVisible(bool(trials))

    def _columns(self) -> list[Column[Trial]]:
        def way(trial: Trial) -> Cell:
            return Cell(trial.words, below=trial.code, mono=bool(trial.code))

        def bar(trial: Trial) -> Cell:
            length, why = trial.rate or trial.seconds, trial.trouble
            if trial.wrong:
                return Cell(tr("WRONG"), wrong=True, hint=why)
            if not length:
                return Cell(absent=(why, "–"), hint=why)
            limit = trial.result.limit if trial.rate and trial.result else None
            at = limit / self._longest if limit else None
            gauge = Gauge(length / self._longest, self._colour, at)
            return Cell(gauge=gauge, hint=f"{gbs(limit)} GB/s" if limit else "")

        def figure(trial: Trial) -> Cell:
            took = duration(trial.seconds) if trial.seconds else Quantity("")
            if trial.rate:
                return Cell(gbs(trial.rate), unit="GB/s", below=str(took), hint=str(took))
            return Cell(took.number, unit=took.unit, hint=trial.trouble)

        return [
            Column("way", tr("Way"), way, width=180, share=0.42, stretches=True),
            Column("bar", "", bar, width=120, right=True, copied=False, stretches=True),
            Column("figure", tr("Rate, time"), figure, width=82, right=True),
        ]


@dataclass(frozen=True)
class _Sample:
    """A piece of the row's curve, to know it by."""

    row: SweepRow

    def draw(self, drawing: Drawing, place: QRectF) -> None:
        drawing.painter.setPen(line_pen(_ink(drawing.theme, self.row), 2.0, self.row.dash))
        y = place.center().y()
        drawing.painter.drawLine(QLineF(place.left(), y, place.right(), y))


def _ink(theme: Theme, row: SweepRow) -> QColor:
    """The card's whose data it is; the host has none."""
    if row.colour is not None:
        return theme.card(row.colour)
    return theme.quiet if row.way.source == HOST else theme.level


class RatePlot(Graph):
    """In its view sizes are powers of two, rates powers of ten. A crosshair steps through."""

    way_chosen = Signal(object)  # SweepWay

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[SweepRow] = ()
        self._chosen: SweepWay | None = None
        self.crosshair: int | None = None  # the size at which it stands
        self._rates, sizes = Axis("left"), Axis("bottom")
        self._rates.setWidth(56)
        sizes.setHeight(30)
        powers = [math.log2(size) for size in SIZES]
        sizes.show_ticks([(each, bytes_words(2.0**each)) for each in powers[::4]])
        self._view = self.add_plot(left=self._rates, bottom=sizes)
        self._view.setXRange(powers[0] - 0.25, powers[-1] + 0.25, padding=0)
        self.grid.setContentsMargins(0, 8, 20, 0)
        self._line, self._told = pg.InfiniteLine(angle=90), pg.TextItem()
        self._told.setZValue(20)
        self.setProperty("kind", "ring")
        self.setAccessibleName(tr("Rate over size"))
        self.setMinimumSize(300, 264)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.dress()
        self.point_at(None)

    def show_rows(self, rows: Sequence[SweepRow], chosen: SweepWay | None) -> None:
        self._rows, self._chosen = rows, chosen
        self.dress()
        self.point_at(self.crosshair)

    def point_at(self, size: int | None) -> None:
        """All curves at one size: what they reach, and how long that takes."""
        self.crosshair = size
        said = tr("Left and right go from size to size, up and down from way to way")
        for item in (self._line, self._told):
            item.setVisible(size is not None)
        if size is not None:
            at, view, title = math.log2(size), self._view.viewRect(), bytes_words(size)
            told = [each.said_at(size) for each in self._rows]
            said = tr("{size}: {figures}", size=title, figures="; ".join(told))
            inks = [_ink(self.look.theme, each).name() for each in self._rows]
            lines = map(_LINE.format, inks, map(escape, told))
            self._told.setHtml(f"<b>{title}</b>{''.join(lines)}")
            self._told.setAnchor((1.05 if at > view.center().x() else -0.05, 1.1))
            self._told.setPos(at, view.top())  # which is the lowest rate
            self._line.setValue(at)
        self.setAccessibleDescription(said)

    def dress(self) -> None:
        view, theme, ratio = self._view, self.look.theme, self.devicePixelRatioF()
        rates = [size / took for row in self._rows for size, took in row.times.items()]
        routes = [each.route for each in self._rows if each.route is not None]
        limits = {each.limit: tr(each.limit_reason) for each in routes if each.limit}
        highest = 1.4 * max([*rates, *limits], default=100e9)
        lowest = min([*rates, highest / 1e3])
        low, high = math.log10(lowest) - 0.2, math.log10(highest) + 0.1
        view.clear()
        view.setYRange(low, high, padding=0)
        powers = range(math.ceil(low), math.floor(high) + 1)
        # In GB/s, without an exponent.
        ticks = [(each, f"{10.0 ** (each - 9):.{max(0, 9 - each)}f}") for each in powers]
        self._rates.show_ticks(ticks)
        dots = line_pen(theme.quiet, 1.2, ratio=1.0)
        dots.setDashPattern([1.0, 2.2])
        for limit, words in limits.items():
            at, left = math.log10(limit), view.viewRect().left()
            view.addItem(pg.InfiniteLine(at, angle=0, pen=dots))
            self._say(f"{gbs(limit)} GB/s: {words}", (left, at), (0, 1), theme.quiet)
        for each in sorted(self._rows, key=lambda each: each.way == self._chosen):
            if each.times:
                self._add_row(each, chosen=each.way == self._chosen)
        if not rates:
            words, middle = tr("Nothing has been measured yet."), view.viewRect().center()
            self._say(words, middle.toTuple(), (0.5, 0.5), theme.text)
        self._line.setPen(line_pen(theme.quiet, 1.0, ratio=ratio))
        self._told.setFont(self.look.letters.caption.font)
        self._told.setColor(theme.text)
        self._told.fill, self._told.border = pg.mkBrush(theme.raised), pg.mkPen(theme.line)
        view.addItem(self._line)
        view.addItem(self._told)

    def _add_row(self, each: SweepRow, *, chosen: bool) -> None:
        ink, (sizes, times) = _ink(self.look.theme, each), np.array([*each.times.items()]).T
        x, y, ratio = np.log2(sizes), np.log10(sizes / times), self.devicePixelRatioF()
        pen = line_pen(ink, 1.5, each.dash, ratio=ratio)
        dots = {"symbol": "o", "symbolSize": 4, "symbolPen": None, "symbolBrush": ink}
        curve = pg.PlotDataItem(x, y, pen=pen, antialias=True, **dots)
        curve.setCurveClickable(state=True, width=14)
        later = Qt.ConnectionType.QueuedConnection  # since all items are made anew
        for clicked in (curve.sigClicked, curve.sigPointsClicked):
            clicked.connect(lambda *_: self.way_chosen.emit(each.way), later)
        self._view.addItem(curve)
        if chosen:  # from the slowest sample of each size to the fastest
            samples = [one.seen.samples_s for one in each.results if one.seconds]
            most, least = (np.log10(sizes / [*map(end, samples)]) for end in (min, max))
            bars = {"y": (most + least) / 2, "height": most - least}
            self._view.addItem(pg.ErrorBarItem(x=x, pen=pg.mkPen(faded(ink, 0.6)), **bars))

    def _say(self, words: str, at: Place, anchor: Place, ink: QColor) -> None:
        text = pg.TextItem(words, ink, anchor=anchor, fill=faded(self.look.theme.surface, 0.88))
        text.setFont(self.look.letters.caption.font)
        text.setPos(*at)
        self._view.addItem(text)

    def _on_mouse_moved(self, place: QPointF) -> None:
        inside = self._view.sceneBoundingRect().contains(place)
        at = self._view.mapSceneToView(place).x()
        nearest = min(SIZES, key=lambda size: abs(math.log2(size) - at))
        if (nearest if inside else None) != self.crosshair:
            self.point_at(nearest if inside else None)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, last = Qt.Key(event.key()), len(SIZES) - 1
        at = last + 1 if self.crosshair is None else SIZES.index(self.crosshair)
        steps = {Qt.Key.Key_Left: at - 1, Qt.Key.Key_Right: min(last, at + 1)}
        steps |= {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        ways = [each.way for each in self._rows]
        if key in steps:
            self.point_at(SIZES[max(0, steps[key])])
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self._chosen in ways:
            there = ways.index(self._chosen) + (1 if key == Qt.Key.Key_Down else -1)
            self.way_chosen.emit(ways[min(len(ways) - 1, max(0, there))])
        elif key == Qt.Key.Key_Escape and self.crosshair is not None:
            self.point_at(None)
        else:
            super().keyPressEvent(event)
