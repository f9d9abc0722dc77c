"""MatrixPage: every pair of devices, measured and promised, and what stands out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from gpuexplorer.copies.findings import findings
from gpuexplorer.copies.jobs import Kind
from gpuexplorer.copies.result import SAMPLES, CopyResult
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.copies.copies_page import (
    MATRIX_KEYS,
    CopiesPage,
    Heard,
    PageCommand,
    ResultsSaving,
    SizeButton,
)
from gpuexplorer.gui.copies.matrix.findings_panel import (
    SIMULATED,
    Act,
    FindingsPanel,
    wrong_report,
)
from gpuexplorer.gui.copies.matrix.pair_facts import (
    AskedPath,
    Callout,
    Found,
    MatrixNow,
    MatrixQuestion,
    callouts_of,
    facts_of,
    pair_words,
    path_words,
    scale_of,
    staged_of,
)
from gpuexplorer.gui.copies.matrix.pair_views import CellWords, MapPanel, PairPanel, PairTable
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.top_bar import host_name
from gpuexplorer.gui.widgets.controls.buttons import switch
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, add, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.pair_grid import HeatScale, Pair, PairCell
from gpuexplorer.gui.widgets.saving import FileKind, Saving, in_a_thread, suggested_name
from gpuexplorer.telemetry.whole_file import write_whole

_REPORT = FileKind(mark("Report"), "txt")
_MOST_KINDS, _COMPACT_BELOW, _WAYS_FROM = 3, 1060, 600
_LEAST_MAP, _OTHERS, _FINDINGS = 290, 150, 316
# From so wide a page on, where the panels stand: maps, the pair, findings; and the shares of
# columns and rows.
_PLACES = (
    (1150, ((0, 0, 1, 1), (0, 1, 1, 1), (1, 0, 1, 2), (0, 2, 2, 1)), (52, 34, 0), (0, 1)),
    (640, ((0, 0, 1, 2), (1, 0, 1, 1), (1, 1, 1, 2), (0, 2, 1, 1)), (50, 15, 35), (0, 0)),
    (0, ((0, 0, 1, 3), (3, 0, 1, 3), (2, 0, 1, 3), (1, 0, 1, 3)), (1, 1, 1), (0, 0)),
)


class MeasuredPanel(MapPanel):
    """What was measured, and the choice of what that is to be."""

    asked = Signal(object)  # a MatrixQuestion

    def __init__(self, words: CellWords) -> None:
        kinds = {Kind.ONE_WAY: tr("One way"), Kind.BOTH_WAYS: tr("Both ways")}
        kinds[Kind.LATENCY] = tr("Latency")
        table = PairTable(tr("Measured between every two devices"), words)
        super().__init__(tr("Measured"), table, tr("What is measured"), [*kinds.items()])
        self._question = MatrixQuestion()
        ways = [(way, tr(way.value)) for way in AskedPath]
        self._ways = Segmented(tr("Which way between cards"), ways)
        pinned = tr("Pinned host memory")
        self._pinned, self._size = switch(pinned), SizeButton(tr("Size of each copy"))
        self._pinned.setToolTip(tr("It stays in its place, and cards fetch from it"))
        self._words = ElidedLabel(look().letters.body, Tone.QUIET, pinned)
        self._words.setBuddy(self._pinned)
        self._notes = [ElidedLabel(look().letters.caption, Tone.QUIET) for _ in range(2)]
        # There also where nothing is to be chosen, so that the map stays in its place.
        choices = QWidget()
        choices.setFixedHeight(28)
        row(self._ways, FREE, self._words, self._pinned, Space(4), self._size, within=choices)
        foot = row(self.legend, column(*self._notes, gap=1), GROWS, gap=16)
        add(self.body, choices, Space(12), self.map, GROWS, Space(10), foot)
        self.choice.chosen.connect(partial(self._ask, "kind"))
        self._ways.chosen.connect(partial(self._ask, "way"))
        self._pinned.clicked.connect(lambda on: self._ask("pinned", on))
        self._size.chosen.connect(partial(self._ask, "bytes"))

    def show_question(self, question: MatrixQuestion, caption: str, *notes: str) -> None:
        self._question = question
        self.choice.show_choice(question.kind)
        self._ways.show_choice(question.way)
        self._pinned.setChecked(question.pinned)
        self._size.show_size(question.bytes)
        for part in (self._ways, self._pinned, self._words):
            part.setVisible(question.one_way)
        self._size.setVisible(not question.latency)
        self.caption.show_text(caption)
        for line, words in zip(self._notes, notes, strict=True):
            line.show_text(words)

    def _ask(self, field: str, value: object) -> None:
        question = replace(self._question, **{field: value})  # type: ignore[arg-type]  # its own
        if question != self._question:
            self.asked.emit(question)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ways.show_compact(event.size().width() < _WAYS_FROM)


class MatrixPage(CopiesPage):
    """One choice for both maps and the pair: whichever is clicked, the others follow."""

    key_groups = MATRIX_KEYS

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(copies, parent)
        self._now, self._ratio = MatrixNow(copies), False
        self._chosen: Pair | None = None
        self._callouts: Sequence[Callout] = ()
        self._promises: Mapping[Pair, PairCell] = {}
        self._drawn: tuple[object, ...] = ()
        self._count = ""  # of what was measured, in words
        self._stale = True  # findings are told a few times a second at most
        self._began = self._ended = 0.0
        self._was_running = self._searching = False
        self._measured, self._pair = MeasuredPanel(self._words_measured), PairPanel()
        self._findings, self._board = FindingsPanel(), QWidget()
        table = PairTable(tr("Promised between every two devices"), self._words_promised)
        says, meaning = [(False, "GB/s"), (True, tr("Ratio"))], tr("What the cells say")
        self._promised = MapPanel(tr("Promised"), table, meaning, says)
        self._kinds = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._kinds.setFixedHeight(28)
        read = tr("Read from the cards and the slots")
        whence = ElidedLabel(look().letters.caption, Tone.QUIET, read)
        foot = column(row(self._promised.legend, FREE), whence, gap=1)
        add(self._promised.body, self._kinds, Space(12), table, GROWS, Space(10), foot)
        self._grid = QGridLayout(self._board)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(12)
        self._findings.setMinimumWidth(_FINDINGS)
        self._area = self.show_scrolled(self._board)
        self._area.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._reports = Saving(copies.lab.machine.settings, self)
        title, what = tr("Copies between devices"), tr("copies between devices")
        self._saving = ResultsSaving(self, "copies", title, what, self._board)
        self._all = self.primary_button(tr("Measure all"), self.measure)
        self.tools = (self._saving.button, self._all)
        self._measured.asked.connect(self._on_question_asked)
        self._promised.choice.chosen.connect(self._on_promises_asked)
        for each in (self._measured.map, self._promised.map):
            each.chosen.connect(self._on_chosen)
            each.opened.connect(self._on_opened)
        self._findings.asked.connect(self._on_finding_asked)
        self._findings.begin.clicked.connect(self.measure)
        self._pair.measure.clicked.connect(self._on_one_asked)
        self.tell_of(self._reports)
        self.copies.progressed.connect(self._on_progressed)
        self.copies.ways.changed.connect(self._on_changed)
        self.copies.lab.switches_changed.connect(self._show_state)

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("Measure all pairs"), "Ctrl+Return", self.measure),
            (tr("Measure the chosen pair"), "Ctrl+M", self._on_one_asked),
            (tr("Copy the matrix as text"), "Ctrl+C", self.copy_text),
            *self._saving.commands(copies=False),
        )

    def results(self) -> Sequence[CopyResult]:
        return self._now.all

    def heard(self) -> Sequence[Heard]:
        return ((self.copies.changed, self._on_changed),)

    def begin(self) -> None:
        self._stale = True
        self.pull()

    def pull(self) -> None:
        """Also what was measured since, where that is too much for each time."""
        self._show()
        if self._stale:
            self._find()

    def measure(self) -> None:
        """All pairs, as the question is just now."""
        self._now.look()
        self.copies.measure(self._now.to_measure())

    def copy_text(self) -> None:
        """To the clipboard, for a spreadsheet: with tabs, and what is empty stays so."""
        now = self._now
        lines = [*self._about(), now.question.title]
        lines += ["\t".join([tr("from \\ to"), *now.by_name])]
        for name in now.by_name:
            told = (now.cells[name, other].text for other in now.by_name)
            lines.append("\t".join([name, *told]))
        QGuiApplication.clipboard().setText("\n".join(lines) + "\n")
        self.note.show_done(tr("The matrix is on the clipboard."))

    def _about(self) -> list[str]:
        """What is taken along says first of which computer it is, and of when."""
        session = self.copies.lab.machine.session
        moment = datetime.fromtimestamp(session.clock.wall()).astimezone()
        machine = f"{host_name(session)}, {tr(session.source.label)}"
        return [
            *([tr(SIMULATED)] if self.copies.modelled else []),
            tr("Computer: {machine}", machine=machine),
            tr("Written: {moment}", moment=f"{moment:%Y-%m-%d %H:%M:%S}"),
        ]

    def _show(self) -> None:
        now, before = self._now, self._now.heads
        now.look()
        for panel in (self._measured, self._promised):
            panel.map.show_heads(now.heads)
        names = list(now.by_name)
        if before != now.heads and not {*(self._chosen or ("",))} <= {*names}:
            # Something is chosen from the first, so that one sees what can be.
            self._chosen = (names[0], names[min(1, len(names) - 1)]) if names else None
        routes = self.copies.ways.routes
        drawn = now.cells, now.question, self._ratio, self._ended, routes
        if drawn != self._drawn:
            self._drawn = drawn
            self._show_maps()
        self._show_pair()
        self._show_state()

    def _show_maps(self) -> None:
        now, measured, promised = self._now, self._measured, self._promised
        question, shown = now.question, now.shown
        scale = scale_of(now.cells.values())
        measured.map.show_cells(now.cells, scale)
        measured.show_scale(scale, question.unit)
        self._count = self._count_words(shown)
        caption = question.caption
        if shown:
            caption = tr("{caption}, median of {count}", caption=caption, count=SAMPLES)
        if self.copies.modelled:
            caption = tr("Modelled {caption}", caption=caption)
        first = tr("Diagonal: copied inside one device, bytes counted once")
        if set(now.jobs) < set(now.cells):
            first = question.why_not
        if not measured.map.numbers:
            first = tr("Point at a cell for its figure. {note}", note=first)
        measured.show_question(question, caption, first, self._gone_words() or self._when())
        ratio = self._ratio
        if ratio or not (now.crowded and self.copies.running):  # else it stays as it was
            self._promises = now.promised(ratio=ratio)
        own = HeatScale(10, 100) if ratio else scale_of(self._promises.values())
        if not (ratio or question.latency) and scale is not None and own is not None:
            # The same shade is the same rate in both.
            own = HeatScale(min(scale.least, own.least), max(scale.most, own.most))
        promised.map.show_cells(self._promises, own)
        promised.show_scale(own, "%" if ratio else "GB/s")
        promised.choice.show_choice(ratio)
        caption = tr("% of it measured") if ratio else tr("GB/s one way, in theory")
        promised.caption.show_text(caption)
        self._kinds.show_text(self._kinds_words())

    def _show_pair(self) -> None:
        pair, now = self._chosen, self._now
        for panel in (self._measured, self._promised):
            panel.map.show_chosen(pair)
        if pair is None:
            self._pair.show_nothing()
            return
        ends = [now.by_name[each] for each in dict.fromkeys(pair)]
        title, question = pair_words(now.by_name, *pair), now.question
        path = path_words(now.route(pair), self.copies.ways.shape, now.by_name)
        self._pair.show_pair(title, question.title, ends, now.details(pair), path)

    def _show_state(self) -> None:
        """What is being measured, and what can be."""
        progress, now = self.copies.progress, self._now
        job, lab = None if progress is None else progress.copy, self.copies.lab
        pair = None if job is None else (job.source, job.target)
        its = pair is not None and now.jobs.get(pair) == job
        self._measured.map.show_running(pair if its else None)
        able = not (self.copies.running or lab.recorded)
        self._all.setEnabled(able)
        if self._chosen is not None:
            self._pair.show_able(now.able(self._chosen), able)
        begin, detours = able and not self._count, lab.switches.by_host
        self._findings.show_state(self._count, begin=begin, able=able, detours=detours)

    def _find(self) -> None:
        """Of very many it takes a while: they are searched in a thread, when all are there."""
        now = self._now
        if not now.crowded:
            self._stale = False
            self._on_found(now.telling()())
        elif self.copies.running:
            self._on_found((findings(now.wrong()), ()))
        elif not self._searching:
            self._searching, self._stale = True, False
            in_a_thread(now.telling(), self, self._on_found, self.note.show_refused)

    def _on_found(self, found: Found) -> None:
        now, self._callouts = self._now, callouts_of(found[0])
        self._searching = False
        self._measured.map.show_callouts(self._by_cell())
        words = tr("Nothing stands out: every path is as fast as others of its kind.")
        if self.copies.running:
            words = tr("Nothing stands out so far.")
        elif not now.shown:
            words = self._begin_words()
        self._findings.show_found(found, self._callouts, now.by_name, words)
        self._show_state()

    def _count_words(self, shown: Sequence[CopyResult]) -> str:
        told, wrong = sum(e.measured is not None for e in shown), sum(e.wrong for e in shown)
        intact = sum(each.seen.intact is True for each in shown)
        words = mark("{told} pairs measured")
        if self.copies.modelled:
            words = mark("{told} pairs modelled")
        if intact:
            words = mark("{intact} of {told} pairs intact")
        if wrong:
            words = mark("{wrong} of {told} pairs WRONG")
        return tr(words, wrong=wrong, intact=intact, told=told) if shown else ""

    def _by_cell(self) -> Mapping[Pair, Callout]:
        return {cell: each for each in self._callouts for cell in each.cells}

    def _begin_words(self) -> str:
        """Before anything is measured."""
        question, jobs = self._now.question, self._now.to_measure()
        if self.copies.lab.recorded:
            return tr("Nothing had been measured at this moment of the recording.")
        if len(self._now.heads) < 2:
            return tr(
                "No card is there to copy to or from: only the host's own memory can be "
                "measured."
            )
        size = tr("16 bytes") if question.latency else memory(question.bytes)
        one_by_one = mark(
            "Nothing is measured yet. Measure all copies {size} between every two devices, one "
            "after another: {all} measurements. Or choose a cell and measure that one."
        )
        said = tr(one_by_one, size=size, all=len(jobs))
        pairs = {(each.source, each.target) for each in jobs}
        staged = mark("These are {pairs} pairs, {more} of them through host memory as well.")
        more = tr(staged, pairs=len(pairs), more=len(jobs) - len(pairs))
        return paragraph((said, more)) if len(jobs) > len(pairs) else said

    def _gone_words(self) -> str:
        """Of all that cannot be measured; empty where all can."""
        gone = [head.titled for head in self._now.heads if head.gone]
        one = mark("{device} cannot be measured now; its cells say why")
        many = mark("{count} cards cannot be measured now; their cells say why")
        return trn(one, many, len(gone), device=gone[0]) if gone else ""

    def _when(self) -> str:
        if not (self._began and self._ended and self._now.shown):
            return ""
        ends = self._began, self._ended
        start, end = (datetime.fromtimestamp(each).astimezone() for each in ends)
        return tr("Measured {start:%H:%M:%S} to {end:%H:%M:%S}", start=start, end=end)

    def _kinds_words(self) -> str:
        """The commonest kinds of wires with what they could carry."""
        counts = Counter[str]()
        for route in map(self._now.route, self._now.jobs):
            if route is not None and route.limit is not None and route.source != route.target:
                legs = [leg for leg in route.legs if leg.rate == route.limit and leg.words]
                wire = tr(legs[0].words if legs else route.limit_reason)
                counts[f"{wire}: {gbs(route.limit)}"] += 1
        return "   ".join(each for each, _ in counts.most_common(_MOST_KINDS))

    def _words_measured(self, pair: Pair) -> tuple[str, str]:
        said, callout = self._now.details(pair).said, self._by_cell().get(pair)
        if callout is not None:
            title = callout.finding.title
            found = tr("Number {number}: {title}.", number=callout.number, title=title)
            said = f"{found}\n{said}"
        return pair_words(self._now.by_name, *pair), said

    def _words_promised(self, pair: Pair) -> tuple[str, str]:
        told = (each.said for each in facts_of(self._now.route(pair), MatrixQuestion()))
        return pair_words(self._now.by_name, *pair), "\n".join(told)

    def _on_question_asked(self, question: MatrixQuestion) -> None:
        self._now.question = question
        self.begin()

    def _on_promises_asked(self, ratio: bool) -> None:
        self._ratio = ratio
        self._show()

    def _on_chosen(self, pair: Pair | None) -> None:
        # What was found may be about a card that is gone since.
        if pair is None or {*pair} <= {*self._now.by_name}:
            self._chosen = pair
            self._show_pair()
            self._show_state()

    def _on_opened(self, pair: Pair) -> None:
        """On to what can be done with it."""
        self._on_chosen(pair)
        if self._pair.measure.isVisible() and self._pair.measure.isEnabled():
            self._area.ensureWidgetVisible(self._pair.measure)
            self._pair.measure.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_finding_asked(self, act: Act, callout: Callout) -> None:
        cells, lab = [*callout.cells, *callout.finding.cells], self.copies.lab
        wrong = self._now.wrong(cells[0]) if cells else []
        match act:
            case Act.SHOW if cells:
                self._on_chosen(cells[0])
            case Act.AGAIN:
                self.copies.measure([each.job for each in wrong])
            case Act.STAGED:
                self.copies.measure(staged_of(each.job for each in wrong[:1]))
            case Act.DETOUR:
                # The lab's own copies between the two, as long as the program runs.
                by_host = lab.switches.by_host ^ {*callout.finding.cells}
                lab.choose(replace(lab.switches, by_host=by_host))
            case Act.REPORT:
                heads, known = self._now.by_name, self._now.all
                text = wrong_report(self._about(), heads, cells[0], known).encode()
                wall, simulated = lab.machine.session.clock.wall(), self.copies.modelled
                name = suggested_name("wrong-copies", wall, simulated=simulated)
                caption = tr("Save a report of what arrived wrong")
                write = partial(partial, write_whole)
                self._reports.ask(caption, name, [_REPORT], lambda path: write(path, [text]))

    def _on_one_asked(self) -> None:
        if job := self._now.jobs.get(self._chosen or ("", "")):
            self.copies.measure([job])

    def _on_progressed(self) -> None:
        running = self.copies.running
        if running is not self._was_running:
            self._was_running, self._stale = running, True
            wall = self.copies.lab.machine.session.clock.wall()
            self._began, self._ended = (wall, 0.0) if running else (self._began, wall)
        if self.isVisible():
            self._show_state()

    def _on_changed(self) -> None:
        self._stale = True
        # Of very many cells they are looked through a few times a second only.
        if self.isVisible() and not self._now.crowded:
            self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        size = event.size()
        self._saving.button.show_compact(size.width() < _COMPACT_BELOW)
        self.note.put_in_view()
        wide, places, columns, rows = next(e for e in _PLACES if size.width() >= e[0])
        panels = (self._measured, self._promised, self._pair, self._findings)
        for panel, place in zip(panels, places, strict=True):
            self._grid.addWidget(panel, *place)
        for at, share in enumerate(columns):
            self._grid.setColumnStretch(at, share)
        for at, share in enumerate(rows):
            self._grid.setRowStretch(at, share)
        for table in (self._measured.map, self._promised.map):
            most = size.height() - _OTHERS
            least = _LEAST_MAP if wide == _PLACES[0][0] else most
            table.setMinimumHeight(max(_LEAST_MAP, min(least, table.sizeHint().height())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._chosen is not None:
            self._on_chosen(None)
        else:
            super().keyPressEvent(event)
