"""BetweenPage: rates between the machines of the window, and all-reduce of all of them."""

from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from gpuexplorer.core.units import bytes_words, duration, rate
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.copies.copies_page import (
    MATRIX_KEYS,
    CopiesPage,
    Heard,
    PageCommand,
    SizeButton,
)
from gpuexplorer.gui.copies.matrix.pair_facts import (
    EMPTY,
    FAILED,
    NOT_YET,
    WRONG,
    Head,
    Heads,
    PairDetails,
    PairFact,
    figure_cell,
    pair_words,
    scale_of,
    wrong_cell,
)
from gpuexplorer.gui.copies.matrix.pair_views import FactGrid, MapPanel, PairPanel, PairTable
from gpuexplorer.gui.state.copies.between_machines import LATENCY_BYTES, BetweenMachines
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Grow,
    Space,
    add,
    column,
    row,
    say,
    show_sentence,
    wrapped_label,
)
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.gui.widgets.pair_grid import Pair, PairCell
from gpuexplorer.ranks.measuring import RankResult
from gpuexplorer.ranks.wire import Way

SIZES = (1 << 20, 16 << 20, 64 << 20, 256 << 20)
_BACKENDS = {"gloo": "gloo (TCP)", "nccl": "NCCL"}


class BetweenPage(CopiesPage):
    """The same map and the same pair as between devices, with machines at its heads."""

    key_groups = MATRIX_KEYS

    def __init__(
        self, copies: CopiesState, between: BetweenMachines, parent: QWidget | None = None
    ) -> None:
        super().__init__(copies, parent)
        self._state, self._latency = between, False
        self._heads: Heads = {}
        self._chosen: Pair | None = None
        name, words = tr("Measured between every two machines"), self._words
        table = PairTable(name, words, host_first=False)
        table.setMinimumHeight(240)
        says = [(False, tr("Rate")), (True, tr("Latency"))]
        self._map = MapPanel(tr("Between machines"), table, tr("What the cells say"), says)
        self._size = SizeButton(tr("Size of each copy"), SIZES)
        self._said, self._bad = wrapped_label("", Tone.QUIET), wrapped_label("", Tone.BAD)
        self._hosts, self._pair, self._facts = _HostsPanel(), PairPanel(), FactGrid()
        self._together = Panel(tr("All-reduce of all"))
        self._none_together = wrapped_label("", Tone.QUIET)
        foot, body = row(self._map.legend, FREE, self._size), self._map.body
        add(body, self._bad, self._said, Space(8), table, GROWS, foot)
        add(self._together.body, self._none_together, self._facts, FREE)
        sheet = QWidget()
        side = column(self._hosts, self._together, GROWS, gap=12)
        above = row(self._map, Grow(3), side, Grow(2), gap=12)
        column(above, GROWS, self._pair, within=sheet, gap=12)
        self.show_scrolled(sheet)
        self._all = self.primary_button(tr("Measure all"), self._on_pressed)
        self.tools = (self._all,)
        self._map.choice.chosen.connect(self._on_figure_chosen)
        table.chosen.connect(self._on_chosen)
        self._size.chosen.connect(between.choose_bytes)
        self._hosts.ticked.connect(between.ask_machine)

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("Measure between all machines"), "Ctrl+Return", self._state.measure),
            (tr("Stop measuring between machines"), "", self._state.cancel),
        )

    def heard(self) -> Sequence[Heard]:
        return ((self._state.changed, self.begin),)

    def begin(self) -> None:
        state, table, running = self._state, self._map.map, self._state.running
        # Numbers: a name has no room at the head of a column.
        heads = [
            Head(e.name, str(number), None, e.name, words=e.name, gone=tr(e.why_not))
            for number, e in enumerate(state.hosts, 1)
        ]
        if heads != [*self._heads.values()]:
            self._heads = {each.name: each for each in heads}
            table.show_heads(heads)
            self._hosts.show_hosts(heads, state.left_out)
            if not {*(self._chosen or ("",))} <= {*self._heads}:
                self._chosen = (heads[0].name, heads[1].name) if len(heads) > 1 else None
        self._hosts.setEnabled(not running)
        latency, names = self._latency, [*self._heads]
        pairs = [(one, other) for one in names for other in names if one != other]
        cells = {pair: self._cell(pair, latency=latency) for pair in pairs}
        scale = scale_of(cells.values())
        table.show_cells(cells, scale)
        table.show_running(state.running_pair)
        self._map.show_scale(scale, "µs" if latency else "GB/s")
        caption = tr("µs for 8 bytes") if latency else tr("GB/s one way")
        if any(each.below for each in cells.values()):
            caption = tr("GB/s, and % of the promise")
        self._map.caption.show_text(caption)
        self._map.choice.show_choice(latency)
        self._size.show_size(state.bytes)
        self._size.setEnabled(not running)
        self._all.setText(tr("Stop") if running else tr("Measure all"))
        self._all.setEnabled(not state.stopped if running else state.able)
        say(self._bad, "" if state.trouble is None else state.trouble.told)
        say(self._said, self._course())
        results = [each for each in state.results if each.way is Way.ALL_REDUCE]
        self._facts.show_rows(_together_facts(results))
        say(self._none_together, "" if results else tr(NOT_YET))
        for each in results[:1]:
            self._together.show_heading(tr("All-reduce of all {count}", count=each.ranks))
        self._show_pair()

    def _course(self) -> str:
        """How far it is."""
        state = self._state
        if state.stopped:
            ending = tr("Stopping: the ranks are being ended.")
            return ending if state.running else tr("It was stopped. What was measured stays.")
        if state.running:
            return tr(state.progress)
        if not state.able:
            return tr("At least two machines have to be connected and ticked, and at most 16.")
        if state.met is not None:
            real = tr("Measured between real computers, though these cards are simulated.")
            return paragraph([*state.met.remarks, real if self.copies.modelled else ""])
        return tr(
            "Nothing is measured yet. PyTorch is started on each machine, and bytes are sent "
            "from each to each other, one after the other. Nothing stays there."
        )

    def _show_pair(self) -> None:
        pair = self._chosen
        self._map.map.show_chosen(pair)
        self._pair.show_nothing()
        if pair is not None:
            ends, details = [self._heads[each] for each in pair], self._details(pair)
            self._pair.show_pair(pair_words(self._heads, *pair), "", ends, details)

    def _result(self, pair: Pair, *, latency: bool) -> RankResult | None:
        results = [each for each in self._state.results if (each.source, each.target) == pair]
        return next((e for e in results if (e.bytes == LATENCY_BYTES) is latency), None)

    def _cell(self, pair: Pair, *, latency: bool) -> PairCell:
        result = self._result(pair, latency=latency)
        if result is None:
            gone = any(self._heads[each].gone for each in pair)
            return FAILED if gone or pair == self._state.failed_pair else EMPTY
        if result.rate is None:
            return wrong_cell()
        if latency:
            return figure_cell(result.quartiles[1] * 1e6, latency=True)
        below = "" if result.share is None else f"{result.share * 100:.0f} %"
        return figure_cell(result.rate / 1e9, below=below)

    def _words(self, pair: Pair) -> tuple[str, str]:
        """What one is told of a cell by pointing at it."""
        return pair_words(self._heads, *pair), self._details(pair).said

    def _details(self, pair: Pair) -> PairDetails:
        large, small = (self._result(pair, latency=each) for each in (False, True))
        rows = [] if large is None else _of_pair(large)
        if small is not None:
            rows.insert(2, PairFact(tr("Latency of 8 bytes"), *duration(small.quartiles[1])))
        trouble, one = self._state.trouble, large or small
        if trouble is not None and large is None and pair == self._state.failed_pair:
            return PairDetails(rows, (), tr(trouble.sentence), tr(trouble.hint))
        if one is None:
            return PairDetails((), [self._why_not(pair)])
        backend = _BACKENDS.get(one.backend, one.backend)
        rows += [
            PairFact(tr("Moved by"), "", backend),
            PairFact(tr("Interface"), "", tr(one.path)),
        ]
        wrong = large is not None and not large.intact
        return PairDetails(rows, bad=tr(WRONG) if wrong else "")

    def _why_not(self, pair: Pair) -> str:
        if pair[0] == pair[1]:
            return tr("Only from one machine to another.")
        if gone := [self._heads[each] for each in pair if self._heads[each].gone]:
            return paragraph([*map(_not_asked, gone)])
        if (trouble := self._state.trouble) is not None:
            return tr("Not measured, since it ended before: {why}", why=trouble.told)
        return tr("It was stopped before.") if self._state.stopped else tr(NOT_YET)

    def _on_pressed(self) -> None:
        (self._state.cancel if self._state.running else self._state.measure)()

    def _on_figure_chosen(self, latency: bool) -> None:
        self._latency = latency
        self.begin()

    def _on_chosen(self, pair: Pair | None) -> None:
        self._chosen = pair
        self._show_pair()


class _HostsPanel(Panel):
    """Which number is which machine, whether it is asked, and why not."""

    ticked = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__(tr("Machines"))
        self._lines: dict[str, tuple[QCheckBox, QLabel]] = {}
        self._list = QWidget()
        add(self.body, self._list, FREE)

    def show_hosts(self, heads: Sequence[Head], left_out: Collection[str]) -> None:
        if [each.name for each in heads] != [*self._lines]:
            self._lines, fresh = {}, QWidget()
            lines = column(within=fresh, gap=6)
            for head in heads:
                box, chip, words = QCheckBox(), ChipRow(), wrapped_label("", Tone.TEXT)
                box.setAccessibleName(tr("Measure {machine}", machine=head.titled))
                box.toggled.connect(partial(self.ticked.emit, head.name))
                chip.show_chips([Chip(head.chip, None)])
                lines.addLayout(row(box, chip, words, GROWS))
                self._lines[head.name] = box, words
            self.body.replaceWidget(self._list, fresh)
            self._list.deleteLater()
            self._list = fresh
        for head in heads:
            box, words = self._lines[head.name]
            with QSignalBlocker(box):
                box.setChecked(head.name not in left_out)
            show_sentence(words, _not_asked(head) if head.gone else head.titled)


def _together_facts(results: Sequence[RankResult]) -> Sequence[PairFact]:
    """Of all-reduce, by nccl-tests' definitions."""
    facts: list[PairFact] = []
    for each in results:
        size, took = bytes_words(each.bytes), duration(each.quartiles[1])
        facts.append(PairFact(tr("{size}, time", size=size), *took))
        if each.rate is None or each.bus_rate is None:
            facts.append(PairFact("algbw, busbw", "", tr(WRONG)))
        elif each.bytes != LATENCY_BYTES:
            facts += [
                PairFact("algbw", *rate(each.rate)),
                PairFact("busbw", *rate(each.bus_rate)),
            ]
            facts += [_share(each), _intact(each)]
    return facts


def _of_pair(result: RankResult) -> list[PairFact]:
    low, middle, high = map(duration, result.quartiles)
    promised = ("", tr("not known")) if result.promised is None else rate(result.promised)
    rates = [f"{result.bytes / each / 1e9:.3f}" for each in result.seconds]
    each_by_itself = PairFact(tr("One by one"), "", f"{', '.join(rates)} GB/s")
    return [
        *([] if result.rate is None else [PairFact(tr("Rate, one way"), *rate(result.rate))]),
        PairFact(tr("Promised"), *promised),
        _share(result),
        PairFact(tr("Time, median"), *middle),
        PairFact(tr("Quartiles"), "", tr("{low} to {high}", low=low, high=high)),
        *([each_by_itself] if result.intact else []),
        PairFact(tr("Size"), "", bytes_words(result.bytes)),
        _intact(result),
    ]


def _share(result: RankResult) -> PairFact:
    share = result.share
    told = ("", tr("not known")) if share is None else (f"{share * 100:.0f}", "%")
    return PairFact(tr("Share"), *told)


def _intact(result: RankResult) -> PairFact:
    return PairFact(tr("Arrived"), "", tr("intact") if result.intact else tr("WRONG"))


def _not_asked(head: Head) -> str:
    return tr("{machine} is not asked: {why}", machine=head.titled, why=head.gone)
