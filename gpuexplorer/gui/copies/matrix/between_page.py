"""BetweenPage: rates between the machines of the window, and all-reduce of all of them."""

from collections.abc import Container, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QGridLayout, QLabel, QWidget

from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.copies.copies_page import MATRIX_KEYS, CopiesPage, Heard, PageCommand
from gpuexplorer.gui.copies.matrix.details_panel import DetailsPanel, FactGrid
from gpuexplorer.gui.copies.matrix.machine_cells import (
    Between,
    RankFigure,
    heads_of,
    not_asked,
    together_facts,
)
from gpuexplorer.gui.copies.matrix.map_panels import MapPanel, PairScale
from gpuexplorer.gui.copies.matrix.pair_cells import scale_of_cells
from gpuexplorer.gui.copies.matrix.pair_question import Head
from gpuexplorer.gui.copies.matrix.pair_table import PairTable
from gpuexplorer.gui.copies.shared_parts import SizeButton
from gpuexplorer.gui.state.copies.between_machines import BetweenMachines
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import PrimaryButton
from gpuexplorer.gui.widgets.controls.keyboard import line_up
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Space,
    add,
    column,
    row,
    say,
    show_sentence,
    wrapped_label,
)
from gpuexplorer.gui.widgets.live_view import Panel, scrolled
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.gui.widgets.pair_grid import Pair
from gpuexplorer.ranks.wire import Way

SIZES = (1 << 20, 16 << 20, 64 << 20, 256 << 20)
_GAP = 12
_LEAST_MAP, _LEAST_DETAILS, _WIDTH, _HEIGHT = 240, 260, 132, 30
_ALL_REDUCE = mark("All-reduce of all")


class BetweenPage(CopiesPage):
    """The same map and details as between devices, with machines at its heads."""

    key_groups = MATRIX_KEYS

    def __init__(
        self, copies: CopiesState, between: BetweenMachines, parent: QWidget | None = None
    ) -> None:
        super().__init__(copies, parent)
        self._state = between
        self._heads: Sequence[Head] = ()
        self._shown = Between(between, ())
        self._figure = RankFigure.RATE
        self._chosen: Pair | None = None
        self._map = MapPanel(
            tr("Between machines"),
            PairTable(tr("Measured between every two machines"), self._words, host_first=False),
            tr("What the cells say"),
            [(each, tr(each.value)) for each in RankFigure],
        )
        self._map.map.setMinimumHeight(_LEAST_MAP)
        self._scale = PairScale()
        self._size = SizeButton(tr("Size of each copy"), SIZES)
        self._said = wrapped_label("", Tone.QUIET)
        self._bad = wrapped_label("", Tone.BAD)
        self._hosts = _HostsPanel()
        self._together = Panel(tr(_ALL_REDUCE))
        self._facts = FactGrid()
        self._none_together = wrapped_label(tr("Not measured yet."), Tone.QUIET)
        self._details = DetailsPanel()
        self._details.setMinimumHeight(_LEAST_DETAILS)
        self._all = PrimaryButton()
        self._all.setFixedSize(_WIDTH, _HEIGHT)
        self.tools = (self._all,)
        self._lay_out()
        self._map.choice.chosen.connect(self._on_figure_chosen)
        self._map.map.chosen.connect(self._on_chosen)
        self._size.chosen.connect(between.choose_bytes)
        self._hosts.ticked.connect(between.ask_machine)
        self._all.clicked.connect(self._on_pressed)
        choices = self._map.choice.findChildren(QAbstractButton)
        line_up([*choices, self._size, self._map.map])

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("Measure between all machines"), "Ctrl+Return", self._state.measure),
            (tr("Stop measuring between machines"), "", self._state.cancel),
        )

    def heard(self) -> Sequence[Heard]:
        return ((self._state.changed, self._show),)

    def begin(self) -> None:
        self._show()

    def _lay_out(self) -> None:
        foot = row(self._scale, FREE, self._size)
        add(self._map.body, self._bad, self._said, Space(8), self._map.map, GROWS, foot)
        add(self._together.body, self._none_together, self._facts, FREE)
        sheet = QWidget()
        sheet.setProperty("panel", "page")
        grid = QGridLayout(sheet)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(_GAP)
        grid.addWidget(self._map, 0, 0, 2, 1)
        grid.addWidget(self._hosts, 0, 1)
        grid.addWidget(self._together, 1, 1)
        grid.addWidget(self._details, 2, 0, 1, 2)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        grid.setRowStretch(1, 1)
        column(scrolled(sheet), within=self)

    def _show(self) -> None:
        state, table = self._state, self._map.map
        heads = heads_of(state.hosts)
        self._shown = Between(state, heads)
        if heads != self._heads:
            self._heads = heads
            table.show_heads(heads)
            self._hosts.show_hosts(heads, state.left_out)
            names = [each.name for each in heads]
            if self._chosen is None or not {*self._chosen} <= {*names}:
                self._chosen = (names[0], names[1]) if len(names) > 1 else None
        self._hosts.setEnabled(not state.running)
        cells = self._shown.cells(self._figure)
        scale = scale_of_cells(cells.values())
        table.show_cells(cells, scale)
        table.show_running(state.running_pair)
        latency = self._figure is RankFigure.LATENCY
        self._scale.show_scale(scale, "µs" if latency else "GB/s")
        caption = tr("µs for 8 bytes") if latency else tr("GB/s one way")
        if any(each.below for each in cells.values()):
            caption = tr("GB/s, and % of the promise")
        self._map.caption.show_text(caption)
        self._map.choice.show_choice(self._figure)
        self._size.show_size(state.bytes)
        self._size.setEnabled(not state.running)
        self._all.show_words(tr("Stop") if state.running else tr("Measure all"))
        self._all.setEnabled(not state.stopped if state.running else state.able)
        trouble = state.trouble
        say(self._bad, "" if trouble is None else trouble.told)
        say(self._said, self._course())
        self._show_together()
        self._show_details()

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
        if state.trouble is not None:
            return ""
        return tr(
            "Nothing is measured yet. PyTorch is started on each machine, and bytes are sent "
            "from each to each other, one after the other. Nothing stays there."
        )

    def _show_together(self) -> None:
        results = [each for each in self._state.results if each.way is Way.ALL_REDUCE]
        self._facts.show_rows(together_facts(results))
        self._facts.setVisible(bool(results))
        self._none_together.setVisible(not results)
        ranks = results[0].ranks if results else 0
        counted = trn("All-reduce of {count}", "All-reduce of all {count}", ranks)
        self._together.show_heading(counted if results else tr(_ALL_REDUCE))

    def _show_details(self) -> None:
        self._map.map.show_chosen(self._chosen)
        if self._chosen is None:
            self._details.show_nothing()
            return
        ends = [each for name in self._chosen for each in self._heads if each.name == name]
        details = self._shown.details(self._chosen)
        self._details.show_details(_title(self._chosen), "", ends, details, "GB/s")
        self._details.show_able(there=False, able=False)

    def _words(self, pair: Pair) -> tuple[str, str]:
        return _title(pair), self._shown.words(pair)

    def _on_pressed(self) -> None:
        (self._state.cancel if self._state.running else self._state.measure)()

    def _on_figure_chosen(self, figure: RankFigure) -> None:
        self._figure = figure
        self._show()

    def _on_chosen(self, pair: Pair | None) -> None:
        self._chosen = pair
        self._show_details()


def _title(pair: Pair) -> str:
    return tr("{source} to {target}", source=pair[0], target=pair[1])


class _HostsPanel(Panel):
    """Which number is which machine, whether it is asked, and why not."""

    ticked = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__(tr("Machines"))
        self._lines: dict[str, tuple[QCheckBox, QLabel]] = {}
        self._list = QWidget()
        add(self.body, self._list, FREE)

    def show_hosts(self, heads: Sequence[Head], left_out: Container[str]) -> None:
        if [each.name for each in heads] != [*self._lines]:
            self._fill(heads)
        for head in heads:
            box, words = self._lines[head.name]
            with QSignalBlocker(box):
                box.setChecked(head.name not in left_out)
            said = not_asked(head) if head.gone else head.titled
            show_sentence(words, said)

    def _fill(self, heads: Sequence[Head]) -> None:
        self._lines = {}
        fresh = QWidget()
        lines = column(within=fresh, gap=6)
        for head in heads:
            box = QCheckBox()
            box.setAccessibleName(tr("Measure {machine}", machine=head.titled))
            box.toggled.connect(partial(self.ticked.emit, head.name))
            chip = ChipRow()
            chip.show_chips([Chip(head.chip, None)])
            words = wrapped_label("", Tone.TEXT)
            lines.addLayout(row(box, chip, words, GROWS))
            self._lines[head.name] = box, words
        self.body.replaceWidget(self._list, fresh)
        self._list.deleteLater()
        self._list = fresh
