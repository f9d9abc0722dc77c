"""HeatMap: every card of every machine as a cell, shaded by how busy it is. A table of Qt's, in
which cells lie in blocks side by side: one for each machine, or for each rack of very many.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate, groupby

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QCursor, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QTableView

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS, POWER_DRAW, TEMPERATURE
from gpuexplorer.core.units import USUAL, Units, part_of_memory, quantity, ratio, trimmed
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.reasons import short_reasons, span_words
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import Drawing, Index, Run, plain_tip
from gpuexplorer.gui.state.groups import GRAVE, WORTH_A_LOOK, CardCell, HostGroup
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, mixed

MOST_APART = 64  # machines with a block of their own
# How wide cells are at least and at most, and their title; how high titles are, and how far
# apart blocks stand.
_APART, _CLOSE = (37, 340, 288, 22, 18, 24), (7, 26, 60, 18, 14, 14)
_LOWEST, _HIGHEST, _LINE, _NAME = 33, 95, 26, 220
_CHUNK, _MOST_IN_PLACE = 20, 48  # machines
_RADIUS, _ICON, _INSET, _SHADES, _ROOMY, _BELOW = 4.0, 14.0, 6.0, 60, 56.0, 18.0
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_TOP = QModelIndex()
Place = tuple[int, int]  # row and column


class HeatMap(QTableView):
    """Where cells lie is found when machines come and go, and when there is other room. Drawn
    here as a whole: Qt would take three times as long, and 8 000 cells go by their shade.
    """

    cell_opened = Signal(object)  # CellKey
    machine_opened = Signal(str)
    pointed_at = Signal()  # another cell, perhaps: `said`

    def __init__(self) -> None:
        super().__init__()
        self.units: Units = USUAL
        self.cells: Sequence[tuple[HostGroup, CardCell]] = ()
        self.blocks: Sequence[Sequence[HostGroup]] = ()  # those without cards by themselves
        self._apart = True  # each machine has a block
        self._shape: object = None
        self._places: Sequence[QRectF] = ()  # of cells
        self._titles: Sequence[QRectF] = ()  # of blocks
        self._grid = _Grid(self)
        self.setModel(self._grid)
        self.setProperty("kind", "bare")
        self.setShowGrid(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.hide()
            header.setMinimumSectionSize(1)
        self.setSelectionMode(self.SelectionMode.NoSelection)
        self.setVerticalScrollMode(self.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setAutoScroll(False)  # only the keyboard takes one elsewhere
        self.setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAccessibleName(tr("Map of all cards"))
        self.clicked.connect(self._on_chosen)
        self.entered.connect(self.pointed_at)
        look().changed.connect(self.viewport().update)

    @property
    def said(self) -> str:
        """Of the cell under the pointer, or else at the keyboard; empty where there is none."""
        there = [each for each in (self._pointed(), self._keyed()) if each is not None]
        return _cell_words(*self.cells[there[0]], self.units) if there else ""

    def show_groups(self, groups: Sequence[HostGroup], units: Units) -> None:
        """Machines without cards come first."""
        at, self.units = self._number(self.currentIndex()) or 0, units
        key = self.cells[at][1].key if self.cells else None
        self.cells = [(group, cell) for group in groups for cell in group.cards]
        self._apart, self.blocks = sum(bool(e.cards) for e in groups) <= MOST_APART, []
        # One machine each; or neighbours in one place together, of which many are cut.
        for place, run in groupby(groups, lambda each: each.place if each.cards else None):
            there = list(run)
            size = _MOST_IN_PLACE if place else _CHUNK
            size = 1 if self._apart or place is None else size
            self.blocks += [there[at : at + size] for at in range(0, len(there), size)]
        shape = [(each[0].key, sum(len(e.cards) for e in each)) for each in self.blocks]
        if shape != self._shape:
            self._shape = shape
            self._lay_out()
        # What the keyboard is at may stand elsewhere now.
        keys = [cell.key for _, cell in self.cells]
        self.setCurrentIndex(self._index(keys.index(key) if key in keys else 0))
        self.viewport().update()

    def words(self, index: Index) -> str:
        """All of it in one line, for a pointer and a screen reader."""
        place = index.row(), index.column()
        if place in self._grid.cells:
            return _cell_words(*self.cells[self._grid.cells[place]], self.units)
        if place not in self._grid.titles:
            return ""
        block = self.blocks[self._grid.titles[place]]
        if not self._apart and block[0].cards:
            return _rack(block)
        said = _remark_on(block[0]) if block[0].cards else block[0].sentence
        return tr("{machine}: {state}", machine=block[0].name, state=said)

    def _number(self, index: Index) -> int | None:
        return self._grid.cells.get((index.row(), index.column()))

    def _index(self, number: int) -> QModelIndex:
        """Of the first, where there are fewer; not valid where there is none."""
        places = list(self._grid.cells)
        known = places[number : number + 1] or places[:1]
        return self._grid.index(*known[0]) if known else QModelIndex()

    def _pointed(self) -> int | None:
        place = self.viewport().mapFromGlobal(QCursor.pos())
        return self._number(self.indexAt(place)) if self.viewport().underMouse() else None

    def _keyed(self) -> int | None:
        """The cell that has a ring because of the keyboard."""
        by_keyboard = self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        return self._number(self.currentIndex()) if self.hasFocus() and by_keyboard else None

    def _lay_out(self) -> None:
        """In as few columns as leave cells high enough for their figure; squares, where they
        stand close. Higher than the room where they would be too small to be seen.
        """
        wide, room, apart = self.viewport().width(), self.viewport().height(), self._apart
        lines = sum(not each[0].cards for each in self.blocks)
        counts = [sum(len(e.cards) for e in each) for each in self.blocks[lines:]]
        most = max((len(each.cards) for each, _ in self.cells), default=1)
        in_a_row = min(8, most) if apart else 8 if most <= 8 else 16
        least, widest, titled, head, below, aside = _APART if apart else _CLOSE
        room -= lines * _LINE - (0 if lines else below)
        narrow = max(titled, in_a_row * least)
        most = max(1, min(len(counts), (wide + aside) // (narrow + aside)))
        for beside in range(1, most + 1):
            across = min(widest, ((wide + aside) // beside - aside) // in_a_row)
            bands = [counts[at : at + beside] for at in range(0, len(counts), beside)]
            rows = [-(-max(each) // in_a_row) for each in bands]
            down = (room - len(rows) * (head + below)) // max(1, sum(rows))
            if down >= (_LOWEST if apart else across):
                break
        down = min(_HIGHEST, max(_LOWEST, down)) if apart else across
        gap = 3 if apart else 2 if down >= 12 else 1
        heights = [_LINE] * lines
        columns = [*[across] * in_a_row, aside] * beside
        columns[-1] = max(1, wide - sum(columns[:-1]))
        cells: dict[Place, int] = {}
        titles: dict[Place, int] = {(at, 0): at for at in range(lines)}
        for band, tall in zip(bands, rows, strict=True):
            start = len(heights)
            heights += [head + (below if start else 0), *[down] * tall]
            for at, count in enumerate(band):
                left = at * (in_a_row + 1)
                titles[start, left] = len(titles)
                for number in range(count):
                    row, column = divmod(number, in_a_row)
                    cells[start + 1 + row, left + column] = len(cells)
        current = self._number(self.currentIndex()) or 0
        self._grid.lay((len(heights), len(columns)), cells, titles)
        self.setCurrentIndex(self._index(current))
        self.clearSpans()
        for header, sizes in (
            (self.verticalHeader(), heights),
            (self.horizontalHeader(), columns),
        ):
            for at, size in enumerate(sizes):
                header.resizeSection(at, size)
        x, y = ([*accumulate(sizes, initial=0)] for sizes in (columns, heights))
        self._places = [QRectF(x[c], y[r], across - gap, down - gap) for r, c in cells]
        self._titles = []
        for (row, column), at in titles.items():
            span = len(columns) if at < lines else in_a_row
            wide = x[column + span] - x[column] - gap
            self._titles.append(QRectF(x[column], y[row], wide, heights[row]))
            if span > 1:  # else Qt warns
                self.setSpan(row, column, 1, span)

    def _on_chosen(self, index: QModelIndex) -> None:
        at, title = self._number(index), self._grid.titles.get((index.row(), index.column()))
        if at is not None:
            self.cell_opened.emit(self.cells[at][1].key)
        elif title is not None and (self._apart or not self.blocks[title][0].cards):
            self.machine_opened.emit(self.blocks[title][0].key)

    @guarded
    def moveCursor(
        self, action: QTableView.CursorAction, held: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Left and right go on into the next block."""
        move, at = QTableView.CursorAction, self._number(self.currentIndex()) or 0
        last = len(self.cells) - 1
        there = {move.MoveHome: 0, move.MoveLeft: at - 1, move.MoveRight: at + 1}
        there[move.MoveEnd] = last
        if action in there:
            return self._index(max(0, min(last, there[action])))
        return super().moveCursor(action, held)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.window().setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        if Qt.Key(event.key()) in _ENTER:
            self._on_chosen(self.currentIndex())
        else:
            super().keyPressEvent(event)
            self.scrollTo(self.currentIndex())
            self.pointed_at.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        down, dirty = self.verticalOffset(), QRectF(event.rect())
        dirty.translate(0, down)
        with QPainter(self.viewport()) as painter:
            painter.translate(0, -down)
            drawing = Drawing(painter)
            for block, place in zip(self.blocks, self._titles, strict=True):
                if place.intersects(dirty):
                    draw = _draw_machine if self._apart or not block[0].cards else _draw_rack
                    draw(drawing, place, block)
            seen = [at for at, place in enumerate(self._places) if place.intersects(dirty)]
            if self._apart:
                for at in seen:
                    _draw_cell(drawing, self._places[at], *self.cells[at], self.units)
            else:
                places = [self._places[at] for at in seen]
                _draw_close(drawing, places, [self.cells[at][1] for at in seen])
            theme = drawing.theme
            for ringed, ink in (self._pointed(), theme.text), (self._keyed(), theme.accent):
                if ringed is not None:
                    drawing.outlined(self._places[ringed], QPen(ink, 2))


class _Grid(QAbstractTableModel):
    """Where cells and titles lie, by their number; what they say is asked of the map."""

    def __init__(self, heat: HeatMap) -> None:
        super().__init__(heat)
        self._heat = heat
        self._size = (0, 0)
        self.cells: Mapping[Place, int] = {}
        self.titles: Mapping[Place, int] = {}

    def lay(self, size: Place, cells: Mapping[Place, int], titles: Mapping[Place, int]) -> None:
        self.beginResetModel()
        self._size, self.cells, self.titles = size, cells, titles
        self.endResetModel()

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else self._size[0]

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else self._size[1]

    def flags(self, index: Index) -> Qt.ItemFlag:
        """The keyboard goes from card to card."""
        is_cell = (index.row(), index.column()) in self.cells
        return Qt.ItemFlag.ItemIsEnabled if is_cell else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._heat.words(index)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(self._heat.words(index))
        return None


def _rack(block: Sequence[HostGroup]) -> str:
    more = "…" if len(block) > 1 else ""
    return block[0].place or f"{block[0].name}{more}"


def _draw_rack(drawing: Drawing, place: QRectF, block: Sequence[HostGroup]) -> None:
    """In `bad` or `warn` where something in it is wrong."""
    tones = {GRAVE: Tone.BAD, WORTH_A_LOOK: Tone.WARN}
    ink = drawing.theme.tone(tones.get(max(each.gravity for each in block), Tone.QUIET))
    title = Run(_rack(block), drawing.letters.caption, ink)
    drawing.elided(place.left(), place.bottom() - 4, title, place.width())


def _draw_machine(drawing: Drawing, place: QRectF, block: Sequence[HostGroup]) -> None:
    """Its name above its cells, with what is remarkable there; without cards its state."""
    theme, letters, group = drawing.theme, drawing.letters, block[0]
    x, right, baseline = place.left(), place.right(), place.bottom() - 8
    if not group.standing.answers:
        icon, tone = group.standing.sign
        top = baseline - (letters.body.cap_height + _ICON) / 2
        drawing.icon(icon, QRectF(x, top, _ICON, _ICON), theme.tone(tone))
        x += _ICON + 6
    name = Run(group.name, letters.strong, theme.text)
    if group.cards:
        room = max(0.0, right - x - min(name.width, (right - x) * 0.6) - 12)
        remark = letters.caption.elided(_remark_on(group), room)
        said = [Run(remark, letters.caption, theme.quiet)]
        drawing.elided(x, baseline, name, drawing.runs_right(right, baseline, said) - x - 12)
    else:
        ink = theme.quiet if group.standing.answers else theme.text
        beside = place.left() + min(_NAME, place.width() / 4)
        drawing.elided(x, baseline, name, beside - x - 16)
        why = Run(group.sentence, letters.body, ink)
        drawing.elided(beside, baseline, why, right - beside)


def _draw_close(drawing: Drawing, places: Sequence[QRectF], cells: Sequence[CardCell]) -> None:
    shades: dict[int, list[QRectF]] = defaultdict(list)
    for place, cell in zip(places, cells, strict=True):
        share = cell.values.get(GPU_UTILIZATION)
        if share is None:
            _draw_hatch(drawing, place, cell, 0.0)
        else:
            shades[round(share * _SHADES)].append(place)
    drawing.painter.setPen(Qt.PenStyle.NoPen)
    for shade, alike in shades.items():
        drawing.painter.setBrush(drawing.theme.heat(shade / _SHADES))
        drawing.painter.drawRects(alike)


def _draw_cell(
    drawing: Drawing, place: QRectF, group: HostGroup, cell: CardCell, units: Units
) -> None:
    """With its figure, and how much memory is free where there is more room."""
    theme, body, small = drawing.theme, drawing.letters.body, drawing.letters.caption
    share, free, total = cell.values.get(GPU_UTILIZATION), cell.memory_free, cell.memory_total
    runs, middle, room = list[Run](), place.center(), place.width() - _INSET
    if share is not None:
        drawing.filled(place, theme.heat(share), _RADIUS)
        read = ratio(share)
        # All of them without their unit, where the widest has no room.
        whole = body.width(str(ratio(1.0))) <= room
        runs.append(Run(str(read) if whole else read.number, body, theme.text))
        if free is not None and total and place.height() >= _ROOMY:
            left = part_of_memory(free, total, units)
            words = tr("{free} {unit} free", free=left.number, unit=left.unit)
            runs += [Run(words, small, theme.text)] if small.width(words) <= room else []
    else:
        _draw_hatch(drawing, place, cell, _RADIUS)
        absence = cell.missing.get(GPU_UTILIZATION, Absence.NOT_ASKED)
        works, answers = cell.state is CardState.WORKING, group.standing.answers
        reasons = short_reasons(absence) if works else (tr(cell.state.word),)
        # All cards of a machine without a connection would say the same.
        fits = [each for each in reasons if answers and small.width(each) <= room]
        runs += [Run(each, small, theme.quiet) for each in fits[:1]]
        for run in runs:
            ground = QRectF(0, 0, run.width + _INSET, small.cap_height + _INSET)
            ground.moveCenter(middle)
            drawing.filled(ground, mixed(theme.surface, theme.ground, 0.7), _RADIUS)
    baseline = middle.y() - (len(runs) - 1) * _BELOW / 2
    for at, run in enumerate(runs):
        under = baseline + run.letters.cap_height / 2 + at * _BELOW
        drawing.text(middle.x() - run.width / 2, under, run)
    if cell.mark is not None and cell.mark.tone in (Tone.WARN, Tone.BAD) and runs:
        drawing.outlined(place, QPen(theme.tone(cell.mark.tone), 1.5))


def _draw_hatch(drawing: Drawing, place: QRectF, cell: CardCell, radius: float) -> None:
    """In another ink where it is lost, which is worse than a figure that is missing."""
    theme, lost = drawing.theme, cell.state in (CardState.LOST, CardState.UNLISTED)
    ink = theme.bad if lost else mixed(theme.surface, theme.faint, 0.6)
    drawing.filled(place, mixed(theme.surface, theme.ground, 0.7), radius)
    drawing.filled(place, QBrush(ink, Qt.BrushStyle.BDiagPattern), radius)


def _remark_on(group: HostGroup) -> str:
    """What is wrong there, how old its figures are, how many cards idle."""
    if not group.standing.answers:
        return group.state
    idle = group.together.idle
    parts = (
        group.state if group.standing is Standing.HERE else "",
        tr("simulated") if group.simulated else "",
        "" if group.late is None else tr("{span} old", span=span_words(group.late)),
        *group.wrong[:1],
        trn("{count} idle", "{count} idle", idle) if idle else "",
        group.place,
    )
    return " · ".join(filter(None, parts))


def _cell_words(group: HostGroup, cell: CardCell, units: Units) -> str:
    name = tr("{machine}, card {number}", machine=group.name, number=cell.number)
    name = ", ".join(filter(None, (name, cell.name)))
    if not group.standing.answers:
        return f"{name}: {group.state}"
    works, free, total = cell.state is CardState.WORKING, cell.memory_free, cell.memory_total
    busy, said = cell.values.get(GPU_UTILIZATION), list[str]()
    if not works:
        said.append(tr(cell.state.sentence))
    elif cell.mark is not None:
        said.append(cell.mark.word)
    if busy is not None:
        said.append(tr("idle") if busy == 0 else tr("{share} busy", share=ratio(busy)))
    if free is not None and total:
        part, whole = (part_of_memory(each, total, units) for each in (free, total))
        size = f"{trimmed(whole.number)} {whole.unit}"
        said.append(tr("{free} of {total} free", free=trimmed(part.number), total=size))
    for metric in (TEMPERATURE, POWER_DRAW):
        if metric in cell.values:
            said.append(str(quantity(METRICS[metric], cell.values[metric], units)))
    if works and not cell.values:
        said.append(tr("not read yet"))
    elif works and busy is None:
        absence, label = cell.missing.get(GPU_UTILIZATION), tr(METRICS[GPU_UTILIZATION].label)
        why = tr("not read") if absence is None else tr(absence.sentence)
        said.append(tr("{label}: {reason}", label=label, reason=why))
    if cell.values and cell.users is not None:
        said.append(tr("used by {users}", users=cell.users_words))
    if group.late is not None:
        said.append(tr("{span} old", span=span_words(group.late)))
    return f"{name}: {', '.join(said)}" if said else name
