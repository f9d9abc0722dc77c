"""TopologyView: the machine drawn, the matrix beside it, and the facts of what was chosen."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QBoxLayout, QGraphicsScene, QHeaderView, QWidget

from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.cards import HOST_ID, CardId, CardKind, CardState
from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.gui.state.wiring import Wiring, WiringAnswer
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.topology.wiring_facts import PartFactsPanel, cell_words, lost_words
from gpuexplorer.gui.widgets.bars.top_bar import SIMULATED, host_name
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton, with_keys
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, add, column, row, say, wrapped_label
from gpuexplorer.gui.widgets.live_view import EmptyState, KeyGroup, LiveView, Page, Panel
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.gui.widgets.machine.machine_drawing import MOST_DRAWN, MachineDrawing
from gpuexplorer.gui.widgets.machine.machine_faces import (
    INFERRED,
    MachineNow,
    machine_faces,
    machine_now,
)
from gpuexplorer.gui.widgets.pair_grid import (
    CellState,
    HeatScale,
    Pair,
    PairCell,
    PairGrid,
    PairHead,
)
from gpuexplorer.gui.widgets.saving import PNG, SVG, Saving, Write, png, suggested_name
from gpuexplorer.telemetry.topology import PathKind
from gpuexplorer.telemetry.whole_file import write_whole

_KEYS: KeyGroup = (
    mark("Topology"),
    (
        ("Arrows", mark("In the list of parts: show what is known about the next")),
        ("Enter", mark("Open the card, or the computer")),
        ("Esc", mark("Choose nothing")),
    ),
)
_WIDE_FROM, _LEAST_BESIDE = 1080, 412  # drawing and matrix side by side
_LONG = 3.0  # seconds, after which a person may wonder whether anything goes on at all
_HEAD, _FINER = 88, 3  # above the drawing as a file; pixels of a PNG for one of the drawing
_NODE = CardId("NUMA")
_HEADS, _ROW, _LARGE_ROW, _FEW = 30, 28, 36, 4  # of a few cards rows are higher
_BAR, _ROWS_IN_SIGHT, _LEAST_CELL, _AROUND = 14, 16, 28, 3
_SCALE = HeatScale(2e9, 1e12)  # from a slow slot to the fastest NVLinks


class TopologyView(LiveView):
    """One choice for drawing, matrix and facts: whichever is clicked, the others follow."""

    key_groups = (_KEYS,)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, cadences=(Cadence.ON_DEMAND,))
        self._wiring = Wiring(desk.machine.session, self)
        self._wiring.changed.connect(self._refresh)
        self._chosen: Part | None = None
        self._written = ""
        self._saving = Saving(desk.machine.settings, self)
        self._saving.done.connect(self._on_told)
        self._saving.refused.connect(self._on_told)
        command = self.add_command
        self._save = command(tr("Save picture…"), "Ctrl+S", self._on_save_asked)
        self._copy = command(tr("Copy the matrix as text"), "Ctrl+C", self._on_copy_asked)
        self._ask = command(tr("Ask again how the cards are wired"), "F5", self._wiring.ask)
        self._panel = Panel(tr("How the cards are wired"))
        self._empty = EmptyState(Icon.TOPOLOGY)
        for action, icon, words in (
            (self._ask, Icon.BACK, tr("Ask again")),
            (self._save, Icon.EXPORT, tr("Save picture")),
        ):
            meaning = with_keys(action.text(), action.shortcut().toString())
            button = ToolButton("word", icon, words, meaning)
            button.clicked.connect(action.trigger)
            action.enabledChanged.connect(button.setVisible)
            self._panel.head.addWidget(button)
        self._ask.setEnabled(desk.machine.past.ended is None)  # else there is nobody to ask
        self._drawing, self._board = MachineDrawing(), QWidget()
        self._notes = wrapped_label("", Tone.TEXT)
        self._legend = wrapped_label("", Tone.QUIET, look().letters.caption)
        parts = self._notes, self._legend, self._drawing.below
        column(FREE, self._drawing, FREE, *parts, within=self._board)
        add(self._panel.body, self._empty, GROWS, self._board, GROWS)
        self._matrix, self._facts, self._side = MatrixPanel(), PartFactsPanel(), QWidget()
        self._side.setMinimumWidth(_LEAST_BESIDE)
        names = {"machine": self._panel, "matrix": self._matrix, "facts": self._facts}
        for name, panel in names.items():
            panel.setObjectName(f"topology.{name}")
        self._matrix.copy.clicked.connect(self._copy.trigger)
        for chosen in (self._drawing.chosen, self._matrix.table.chosen):
            chosen.connect(self._choose)
        for opened in (self._drawing.opened, self._facts.open_asked):
            opened.connect(desk.navigation.open_card)
        self._beside = row(self._matrix, self._facts, GROWS, within=self._side, gap=16)
        self._places, page = row(self._panel, self._side, GROWS, gap=16), Page()
        add(page.body, self._places, GROWS)
        column(page, within=self)
        self.begin_at(page)

    def pull(self) -> None:
        self._wiring.look()
        self._refresh()

    def stop(self) -> None:
        super().stop()
        self._wiring.stop()

    def _refresh(self) -> None:
        now = machine_now(self.machine, self._wiring)
        late = self._wiring.answer is WiringAnswer.WAITING and self._wiring.waited >= _LONG
        waiting = tr(
            "The driver has not answered for {seconds:.0f} s how the cards are wired. It is "
            "waited for; the rest of the window goes on, with what it reported before.",
            seconds=self._wiring.waited if late else 0,
        )
        self._copy.setEnabled(now is not None)
        self._empty.setVisible(now is None)
        for each in (self._board, self._side):
            each.setVisible(now is not None)
        if now is None:
            self._save.setEnabled(False)
            heading, more = self._why_not()
            self._empty.show_words(waiting if late else heading, more)
            return
        shape, notes = now.shape, lost_words(now, now.shape.home)
        if notes:
            notes.append(tr("Wires are drawn as they were."))
        if shape.loose:
            cards = now.named(shape.loose)
            notes.append(tr("How {cards} would be reached is not reported.", cards=cards))
        said = *notes, waiting if late else "", self._written
        say(self._notes, " ".join(filter(None, said)))
        legend = tr(
            "A wire has a lane for each direction, as wide as it is fast; the more it carries "
            "of that, the stronger its colour. Rates are in GB/s, traffic is as seen from the "
            "card."
        )
        self._legend.setText(f"{legend} {tr(INFERRED)}" if shape.junctions else legend)
        faces, part = machine_faces(now), self._chosen
        self._drawing.show_machine(shape, faces)
        self._matrix.show_machine(now)
        pair = part and part.kind is Kind.LINK and {*part[1:3]} <= shape.home.keys()
        # Nothing, where it is there no longer.
        self._chosen = part = part if part in faces or pair else None
        self._drawing.show_chosen(part)
        self._matrix.table.show_chosen(part)
        self._facts.show_part(now, part, faces, self.machine.session.source)
        drawn = bool(self._drawing.cards)
        self._save.setEnabled(drawn)
        for each in (self._drawing, self._legend):
            each.setVisible(drawn)
        self._arrange()

    def _why_not(self) -> tuple[str, str]:
        """What to say in the place of the drawing, and what more."""
        listed, answer = self.machine.cards(), self._wiring.answer
        states = {self.machine.face(shown).state for shown in listed}
        if {shown.card.kind for shown in listed} == {CardKind.MIG}:
            heading = tr("Only MIG instances are visible here.")
            return heading, tr("How cards are wired is known for whole cards only.")
        if why := self.machine.session.source.figures_alone:
            return tr("How the cards are wired is not known."), tr(why)
        if answer is WiringAnswer.REFUSED:
            heading = tr("The driver could not be asked how the cards are wired.")
            return heading, self._wiring.refusal
        if answer is WiringAnswer.WAITING:
            return tr("The driver is asked how the cards are wired."), ""
        if states == {CardState.ASLEEP}:
            heading = tr("All cards sleep and are not woken to ask how they are wired.")
            return heading, tr("The driver is asked when one of them is used.")
        if CardState.NO_DRIVER in states:
            more = tr("It is asked how the cards are wired when it is back.")
            return tr("The driver is gone."), more
        heading = tr("The driver does not report how the cards are wired.")
        return heading, tr("It is asked again.")

    def _choose(self, part: Part | None) -> None:
        self._chosen = part
        self._refresh()

    def _arrange(self) -> None:
        """Of very many cards the matrix shows most, and stands first."""
        way = QBoxLayout.Direction
        many = len(self._matrix.table.pairs.rows) > MOST_DRAWN
        wide = self.width() >= _WIDE_FROM and not many
        below = way.BottomToTop if many else way.TopToBottom
        self._places.setDirection(way.LeftToRight if wide else below)
        self._beside.setDirection(way.TopToBottom if wide else way.LeftToRight)
        # What stands at the end takes the height that is left, so that no panel ends alone.
        self._places.setStretch(0, 2 if wide else 0)
        self._beside.setStretch(0, 0 if wide else 1 + many)

    def _origin(self) -> str:
        session = self.machine.session
        time, source = moment_word(session.clock.wall(), 0.0), tr(session.source.label)
        said = f"{host_name(session)}, {source}, {time}"
        return f"{tr(SIMULATED)}: {said}" if session.simulated else said

    def _picture_for(self, path: Path) -> Write:
        words = f"{self._origin()}. {self._legend.text()}"
        return partial(write_whole, path, [drawing_file(self._drawing.drawn, words, path)])

    def _on_save_asked(self) -> None:
        session = self.machine.session
        name = suggested_name("topology", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Save the drawing"), name, [SVG, PNG], self._picture_for)

    def _on_told(self, words: str) -> None:
        self._written = words
        self._refresh()

    def _on_copy_asked(self) -> None:
        text = "\n\n".join([self._origin(), self._matrix.text()])
        QGuiApplication.clipboard().setText(text)
        self._on_told(tr("The matrix is on the clipboard."))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._chosen is not None:
            self._choose(None)
        else:
            super().keyPressEvent(event)


class MatrixPanel(Panel):
    """`table` and `copy` are connected by who holds this."""

    def __init__(self) -> None:
        super().__init__(tr("Connections"))
        self.table = MatrixTable()
        choices = (False, tr("Path")), (True, "GB/s")
        self._choice = Segmented(tr("What the cells say"), choices)
        self._choice.show_choice(key=False)
        self._choice.chosen.connect(self._on_rates_chosen)
        self.copy = IconButton(Icon.COPY, tr("Copy the matrix as text"), "Ctrl+C")
        add(self.head, self._choice, self.copy)
        self._legend = wrapped_label("", Tone.QUIET, look().letters.caption)
        add(self.body, self.table, GROWS, self._legend, FREE)

    def show_machine(self, now: MachineNow) -> None:
        self.table.show_machine(now)
        kinds = {link.path for link in now.shape.topology.links}
        if now.shape.loose:
            kinds.add(PathKind.UNKNOWN)
        lines = [tr("Each way, in theory: what the narrowest wire could carry.")]
        if not self.table.rates:
            found = [each for each in PathKind if each in kinds]
            letters = {each: each.value for each in found} | {PathKind.NVLINK: "NV#"}
            lines = [f"{letters[each]}: {tr(each.sentence)}" for each in found]
        self._legend.setText("\n".join(lines))

    def text(self) -> str:
        """What it shows, with tabs: for a spreadsheet, and where letters have one width."""
        pairs, near = self.table.pairs, self.table.now.shape.topology.cpu_affinity
        rows = [["", *(each.chip for each in pairs.columns), tr("CPUs")]]
        for at, head in enumerate(pairs.rows):
            cells = [str(pairs.index(at, x).data()) for x in range(len(pairs.columns))]
            rows.append([head.chip, *cells, near.get(CardId(head.name), "–")])
        return "\n".join([*map("\t".join, rows), "", self._legend.text()]) + "\n"

    def _on_rates_chosen(self, rates: bool) -> None:
        self._choice.show_choice(rates)
        self.table.rates = rates
        self.show_machine(self.table.now)


class MatrixTable(PairGrid):
    """A cell that is clicked, or chosen with Enter, says which link is meant."""

    chosen = Signal(object)
    now: MachineNow

    def __init__(self) -> None:
        super().__init__(tr("Which card reaches which, and how"), self._words_of)
        self.gap = 2
        self.rates = False  # in the place of paths
        self._shown: object = None
        self._ringed: Sequence[Pair] = ()
        self.horizontalHeader().setFixedHeight(_HEADS)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().setFixedWidth(_HEADS)
        self.setVerticalScrollMode(self.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(self.ScrollMode.ScrollPerPixel)
        self.viewport().setAutoFillBackground(False)
        self.clicked.connect(self.open)

    def show_machine(self, now: MachineNow) -> None:
        self.now, before = now, self._shown
        self._shown = now.shape, now.listed, self.rates
        if self._shown == before:
            return
        drawn = {*now.shape.home, *now.shape.loose}
        rows = [
            PairHead(card, shown.number, shown.colour, tr("Card {number}", number=shown.number))
            for card, shown in now.cards.items()
            if card in drawn
        ]
        columns = [PairHead(HOST_ID, "H", None, tr("Host")), *rows]
        if now.shape.topology.numa_nodes:
            columns.append(PairHead(_NODE, tr("NUMA"), None, tr("NUMA node"), boxed=False))
        if columns != self.pairs.columns:
            self.pairs.show_heads(rows, columns)
            height = _LARGE_ROW if len(rows) <= _FEW else _ROW
            self.verticalHeader().setDefaultSectionSize(height)
            self.setMinimumHeight(_HEADS + min(_ROWS_IN_SIGHT, len(rows)) * height + _BAR)
            self.setMaximumHeight(_HEADS + len(rows) * height + _BAR)
        pairs = [(row.name, column.name) for row in rows for column in columns]
        cells = {pair: self._cell(*map(CardId, pair)) for pair in pairs}
        self.show_cells(cells, _SCALE)
        width = self.look.letters.caption.width
        widest = max(width(text) for text in {cell.text for cell in cells.values()})
        self.horizontalHeader().setMinimumSectionSize(max(_LEAST_CELL, round(widest) + _AROUND))

    def show_chosen(self, part: Part | None) -> None:
        """Rings its cell, and scrolls there. Tells nobody."""
        pair = (part.card, part.to or part.card) if part else ("", "")
        if pair not in self._ringed:
            # Both cells of a pair: there and back.
            self._ringed = pair, pair[::-1]
            index = self.pairs.index_of(pair)
            if index.isValid():
                self.setCurrentIndex(index)
                self.scrollTo(index)
            self.viewport().update()

    def open(self, index: Index) -> None:
        pair = self.pairs.pair(index)
        if pair is not None:
            row, column = map(CardId, pair)
            link = self.now.shape.link(row, column)
            if link is not None:
                self.chosen.emit(Part(Kind.LINK, link.a, link.b))
            elif column in (row, _NODE):
                self.chosen.emit(Part(Kind.CARD, row))

    def rings(self) -> Iterator[tuple[Index, QColor, float]]:
        for pair in self._ringed:
            yield self.pairs.index_of(pair), self.look.theme.text, 2.0
        if self.hasFocus():
            yield self.currentIndex(), self.look.theme.accent, 2.0

    def _cell(self, row: CardId, column: CardId) -> PairCell:
        link, known = self.now.shape.link(row, column), PathKind.UNKNOWN.value
        if column == _NODE:
            known = str(self.now.shape.topology.numa_nodes.get(row, "–"))
        elif row == column:
            known = PathKind.SELF.value
        elif link is not None and not self.rates:
            known = link.letters
        elif link is not None and link.rate is not None:
            known = gigabytes_per_second(link.rate)
        if link is None or not link.rate:
            return PairCell(CellState.LOCAL, known)
        return PairCell(CellState.FIGURE, known, link.rate)

    def _words_of(self, pair: Pair) -> tuple[str, str]:
        row, column = map(CardId, pair)
        if column not in (row, _NODE):
            return cell_words(self.now, row, column)
        node = tr("NUMA node {number}", number=self.pairs.cells[pair].text)
        card = tr("Card {number}", number=self.now.number(row))
        return card, node if column == _NODE else ""


def drawing_file(scene: QGraphicsScene, words: str, path: Path) -> bytes:
    """With words above it. SVG, or PNG for any other ending."""
    room = scene.sceneRect()
    whole = room.adjusted(0, -_HEAD, 0, 0).toRect()
    image = QImage(whole.size() * _FINER, QImage.Format.Format_RGB32)
    content, drawn = QBuffer(), QSvgGenerator()
    content.open(QIODevice.OpenModeFlag.WriteOnly)
    drawn.setOutputDevice(content)
    drawn.setSize(whole.size())
    drawn.setTitle(words)
    as_svg = path.suffix.lower() == ".svg"
    with QPainter(drawn if as_svg else image) as painter:
        painter.setWindow(whole)
        painter.fillRect(whole, look().theme.surface)
        painter.setPen(look().theme.text)
        painter.setFont(look().letters.body.font)
        painter.drawText(whole.adjusted(8, 8, -8, 0), Qt.TextFlag.TextWordWrap, words)
        scene.render(painter, room, room)
    return bytes(content.data().data()) if as_svg else png(image)
