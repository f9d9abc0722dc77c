"""MatrixPage: every pair of devices, measured and promised, and what stands out."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.copies.copies_page import MATRIX_KEYS, CopiesPage, Heard, PageCommand
from gpuexplorer.gui.copies.matrix.board import MatrixBoard
from gpuexplorer.gui.copies.matrix.details_panel import DetailsPanel
from gpuexplorer.gui.copies.matrix.findings_panel import FindingAct, FindingsPanel
from gpuexplorer.gui.copies.matrix.found_job import Found, FoundJob
from gpuexplorer.gui.copies.matrix.map_panels import MeasuredPanel, PromisedPanel, Promises
from gpuexplorer.gui.copies.matrix.matrix_files import MatrixFiles
from gpuexplorer.gui.copies.matrix.matrix_tables import matrix_text
from gpuexplorer.gui.copies.matrix.model import MatrixNow
from gpuexplorer.gui.copies.matrix.pair_cells import scale_of_cells
from gpuexplorer.gui.copies.matrix.pair_question import MatrixQuestion
from gpuexplorer.gui.copies.matrix.pair_table import PairTable
from gpuexplorer.gui.copies.matrix.way_line import stops_of
from gpuexplorer.gui.copies.matrix.words import (
    MOST_SAID,
    Callout,
    begin_words,
    by_cell,
    callouts_of,
    caption_words,
    cell_words,
    count_words,
    diagonal_words,
    found_words,
    gone_words,
    pair_words,
    promised_kinds,
    promised_words,
    title_words,
    when_words,
)
from gpuexplorer.gui.copies.matrix.wrong_copies import WrongCopies
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.bars.top_bar import host_name
from gpuexplorer.gui.widgets.controls.buttons import PrimaryButton
from gpuexplorer.gui.widgets.controls.keyboard import line_up
from gpuexplorer.gui.widgets.laid_out import column
from gpuexplorer.gui.widgets.pair_grid import HeatScale, Pair, PairCell

_TITLE = mark("Copies between devices")
_COMPACT_BELOW = 1060
_HEIGHT, _WIDTH, _AROUND = 30, 116, 28  # at least so wide, and so much around its words


class MatrixPage(CopiesPage):
    """One choice for both maps and the details: whichever is clicked, the others follow."""

    key_groups = MATRIX_KEYS

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(copies, parent)
        self._now = MatrixNow(copies)
        self._promises = Promises.RATE
        self._chosen: Pair | None = None
        self._callouts: Sequence[Callout] = ()
        self._cells: Mapping[Pair, PairCell] | None = None
        self._drawn: object = None
        self._stale = True  # findings are told a few times a second at most
        self._began = self._ended = 0.0
        self._was_running = False
        self._measured = MeasuredPanel(
            PairTable(tr("Measured between every two devices"), self._words_measured)
        )
        self._promised = PromisedPanel(
            PairTable(tr("Promised between every two devices"), self._words_promised)
        )
        self._findings = FindingsPanel()
        self._details = DetailsPanel()
        self._board = MatrixBoard(self._measured, self._promised, self._findings, self._details)
        self._finding = FoundJob(self)
        self._finding.done.connect(self._show_found)
        self._files = MatrixFiles(copies.lab.machine, self)
        self._wrong = WrongCopies(copies, self._now, self._findings, self._files)
        what = tr("copies between devices")
        self._saving = self.saved_as("copies", tr(_TITLE), what, self._now.all, self._board)
        self._all = PrimaryButton()
        self._all.show_words(tr("Measure all"))
        wide = round(look().letters.strong.width(tr("Measure all"))) + _AROUND
        self._all.setFixedSize(max(_WIDTH, wide), _HEIGHT)
        self.tools = (self._saving.button, self._all)
        self._connect()
        column(self._board, within=self)
        self._promised.show_promises(self._promises, "")
        stops = (*self._measured.stops(), *self._promised.stops())
        line_up([*stops, self._details.measure, self._findings.begin])

    def pull(self) -> None:
        """Also what was measured since, where that is too much for each time."""
        self._show()
        if self._stale:
            self._stale = False
            self._find()

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("Measure all pairs"), "Ctrl+Return", self.measure),
            (tr("Measure the chosen pair"), "Ctrl+M", self._on_one_asked),
            (tr("Copy the matrix as text"), "Ctrl+C", self.copy_text),
            *self._saving.commands(copies=False),
        )

    def copy_text(self) -> None:
        """To the clipboard, for a spreadsheet."""
        now = self._now
        computer = host_name(self.copies.lab.machine.session)
        text = matrix_text(
            tr("{machine}: {title}", machine=computer, title=title_words(now.question)),
            now.heads,
            now.cells,
            simulated=self.copies.modelled,
        )
        QGuiApplication.clipboard().setText(text)
        self.note.show_done(tr("The matrix is on the clipboard."))

    def measure(self) -> None:
        """All pairs, as the question is just now."""
        self._now.look()
        self.copies.measure(self._now.to_measure())

    def stop(self) -> None:
        self._finding.stop()

    def heard(self) -> Sequence[Heard]:
        return ((self.copies.changed, self._on_changed),)

    def begin(self) -> None:
        self._stale = True
        self.pull()

    def _connect(self) -> None:
        self._measured.asked.connect(self._follow)
        self._promised.choice.chosen.connect(self._on_promises_asked)
        for each in (self._measured.map, self._promised.map):
            each.chosen.connect(self._on_chosen)
            each.opened.connect(self._on_opened)
        self._findings.asked.connect(self._on_finding_asked)
        self._findings.begin.clicked.connect(self.measure)
        self._details.measure.clicked.connect(self._on_one_asked)
        self._all.clicked.connect(self.measure)
        self.tell_of(self._files)
        self.copies.progressed.connect(self._on_progressed)
        self.copies.ways.changed.connect(self._on_ways_changed)

    def _show(self) -> None:
        now = self._now
        before = now.heads
        now.look()
        for panel in (self._measured, self._promised):
            panel.map.show_heads(now.heads)
        if before != now.heads:
            self._keep_choice()
        drawn = (now.question, self._promises, self._ended)
        if self._cells is not now.cells or drawn != self._drawn:
            self._cells, self._drawn = now.cells, drawn
            self._show_cells()
        self._show_running()
        self._show_details()
        if before != now.heads:
            self._board.arrange()

    def _show_cells(self) -> None:
        now = self._now
        scale = scale_of_cells(now.cells.values())
        self._measured.map.show_cells(now.cells, scale)
        self._measured.scale.show_scale(scale, "µs" if now.question.latency else "GB/s")
        self._measured.show_question(now.question)
        modelled = self.copies.modelled
        self._measured.caption.show_text(
            caption_words(now.question, now.shown(), modelled=modelled)
        )
        self._measured.show_notes(*self._notes())
        self._show_promised(scale)

    def _keep_choice(self) -> None:
        """Something is chosen from the first, so that one sees what can be."""
        names = list(self._now.by_name)
        if self._chosen is None or not {*self._chosen} <= {*names}:
            self._chosen = (names[0], names[min(1, len(names) - 1)]) if names else None

    def _notes(self) -> tuple[str, str]:
        now, second = self._now, ""
        if any(each.measured is not None for each in now.shown()):
            second = when_words(self._began, self._ended)
        first = diagonal_words(now.question)
        if not self._measured.map.numbers:
            first = tr("Point at a cell for its figure. {note}", note=first)
        return first, gone_words(now.heads) or second

    def _show_promised(self, scale: HeatScale | None) -> None:
        ratio = self._promises is Promises.RATIO
        cells, routes = self._now.promised(ratio=ratio)
        own = HeatScale(10, 100) if ratio else scale_of_cells(cells.values())
        if not (ratio or self._now.question.latency) and scale is not None and own is not None:
            # The same shade is the same rate in both.
            own = HeatScale(min(scale.least, own.least), max(scale.most, own.most))
        self._promised.map.show_cells(cells, own)
        self._promised.map.show_two_lines(self._measured.map.two_lines)
        caption = tr("% of it measured") if ratio else tr("GB/s one way, in theory")
        self._promised.show_promises(self._promises, caption)
        self._promised.show_notes(
            promised_kinds(routes), tr("Read from the cards and the slots")
        )

    def _show_running(self) -> None:
        progress, running = self.copies.progress, self.copies.running
        pair = self._now.pair_of(progress.copy) if running and progress is not None else None
        share = 0.0
        if progress is not None and progress.samples:
            share = progress.taken / progress.samples
        self._measured.map.show_running(pair, share)
        able = not (running or self.copies.lab.recorded)
        self._all.setEnabled(able)
        self._findings.show_able(able)
        self._details.show_able(self._now.able(self._chosen), able)

    def _show_details(self) -> None:
        pair, now = self._chosen, self._now
        for panel in (self._measured, self._promised):
            panel.map.show_chosen(pair)
        if pair is None:
            self._details.show_nothing()
            return
        details = now.details(pair)
        ends = [now.by_name[each] for each in dict.fromkeys(pair)]
        caption = title_words(now.question)
        unit = "µs" if now.question.latency else "GB/s"
        title = pair_words(now.by_name, *pair)
        self._details.show_details(title, caption, ends, details, unit)
        self._details.show_way(stops_of(now.route(pair), self.copies.ways.shape, now.by_name))
        self._details.show_able(now.able(pair), not self.copies.running)

    def _find(self) -> None:
        """Of very many, while they are measured, only what is wrong."""
        now = self._now
        if not now.crowded:
            self._show_found(now.telling()())
        elif self.copies.running:
            self._show_found((now.grave(), ()))
        else:
            self._finding.start(now.telling())

    def _show_found(self, told: Found) -> None:
        now, (found, rest) = self._now, told
        self._callouts = callouts_of(found)
        shown = now.shown()
        self._measured.map.show_callouts(by_cell(self._callouts))
        running, more = self.copies.running, len(found) - MOST_SAID
        said = ""
        if more > 0:
            said = trn(
                "{count} more like these: see its cell.",
                "{count} more like these: see their cells.",
                more,
            )
        self._findings.show_callouts(self._callouts, now.by_name, said)
        begin, recorded = not shown and not running, self.copies.lab.recorded
        if begin and recorded:
            words = tr("Nothing had been measured at this moment of the recording.")
        elif begin:
            words = begin_words(now.question, now.to_measure(), len(now.heads) - 1)
        else:
            words = found_words(found, running=running)
        count = count_words(shown, modelled=self.copies.modelled)
        self._findings.show_words(count, words, begin=begin and not recorded)
        self._findings.show_able(not (running or recorded))
        self._findings.show_rest(rest, latency=now.question.latency)

    def _words_measured(self, pair: Pair) -> tuple[str, str]:
        now = self._now
        said = cell_words(now.question, now.result(pair), now.why_not(pair))
        number = by_cell(self._callouts).get(pair)
        if number is not None:
            found = tr(
                "Number {number}: {title}.", number=number.number, title=number.finding.title
            )
            said = paragraph([said, found])
        return pair_words(now.by_name, *pair), said

    def _words_promised(self, pair: Pair) -> tuple[str, str]:
        return pair_words(self._now.by_name, *pair), promised_words(self._now.route(pair))

    def _follow(self, question: MatrixQuestion) -> None:
        self._now.question = question
        self._show()
        self._find()
        self._board.arrange()

    def _on_promises_asked(self, promises: Promises) -> None:
        self._promises = promises
        self._show()

    def _on_chosen(self, pair: Pair | None) -> None:
        # What was found may be about a card that is gone since.
        if pair is not None and not {*pair} <= {*self._now.by_name}:
            return
        self._chosen = pair
        self._show_details()

    def _on_opened(self, pair: Pair) -> None:
        """On to what can be done with it."""
        self._on_chosen(pair)
        if self._details.measure.isVisible() and self._details.measure.isEnabled():
            self._board.ensureWidgetVisible(self._details.measure)
            self._details.measure.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_finding_asked(self, act: FindingAct, callout: Callout) -> None:
        cells = [*callout.cells, *callout.finding.cells]
        if act is FindingAct.SHOW and cells:
            self._on_chosen(cells[0])

    def _on_one_asked(self) -> None:
        job = None if self._chosen is None else self._now.jobs.get(self._chosen)
        if job is not None:
            self.copies.measure([job])

    def _on_progressed(self) -> None:
        running = self.copies.running
        if running is not self._was_running:
            self._was_running = running
            wall = self.copies.lab.machine.session.clock.wall()
            self._began, self._ended = (wall, 0.0) if running else (self._began, wall)
            self._stale = True
        if self.isVisible():
            self._show_running()

    def _on_changed(self) -> None:
        self._stale = True
        # Of very many cells they are looked through a few times a second only.
        if not self._now.crowded:
            self._show()

    def _on_ways_changed(self) -> None:
        self._now.forget_promises()
        self._drawn = None
        if self.isVisible():
            self._on_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        compact = event.size().width() < _COMPACT_BELOW
        self._saving.button.show_compact(compact)
        self._measured.show_notes(*self._notes())
        self.note.put_in_view()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._chosen is not None:
            self._on_chosen(None)
        else:
            super().keyPressEvent(event)
