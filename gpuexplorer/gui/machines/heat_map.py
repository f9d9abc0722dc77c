"""HeatMap: every card of every machine as a cell, shaded by how busy it is. A table of Qt's,
with a row for each machine, or for some neighbours of very many.
"""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QTableView

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS, POWER_DRAW, TEMPERATURE
from gpuexplorer.core.units import (
    USUAL,
    Units,
    part_of_memory,
    quantity,
    ratio,
    span_words,
    trimmed,
)
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.reasons import short_reasons
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import (
    Drawing,
    Index,
    Run,
    draw_picture,
    picture_of,
    plain_tip,
)
from gpuexplorer.gui.state.groups import (
    GRAVE,
    WORTH_A_LOOK,
    CardCell,
    HostGroup,
    MachinesSource,
)
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, mixed

_MOST_APART = 64  # machines with a row of their own
_TOGETHER = 20  # machines in a row
_ACROSS = 8  # cards in a row of one machine: of more it has several rows
# How high rows are at least and at most, and how wide their title and cells are at most.
_APART, _CLOSE = (24, 72, 280, 160), (12, 26, 110, 26)
_ICON, _INSET, _SHADES, _ROOMY, _BELOW = 14.0, 6.0, 60, 48, 9.0
_NOTHING, _MISSING, _LOST = _SHADES + 1, _SHADES + 2, _SHADES + 3  # instead of a shade
_Cell = tuple[HostGroup, CardCell]
_TOP, _OF_ALL = QModelIndex(), Qt.KeyboardModifier.ControlModifier


class HeatMap(QTableView):
    """Drawn as a whole: 8 000 cells go by their shade. The pointer and the keyboard are at one
    and the same cell.
    """

    pointed_at = Signal()  # another cell, perhaps: `said`

    def __init__(self, source: MachinesSource) -> None:
        super().__init__()
        self._source, self.units = source, USUAL
        self.rows: Sequence[Sequence[HostGroup]] = ()
        self.cells: Sequence[Sequence[_Cell]] = ()  # of each row
        self._apart = True  # each machine has a row
        self._things = _Things(self)
        self.setModel(self._things)
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
        self.activated.connect(self._on_chosen)
        self.entered.connect(self.setCurrentIndex)
        self.entered.connect(self.pointed_at)
        look().changed.connect(self.viewport().update)

    @property
    def said(self) -> str:
        """Of the current cell, while somebody is here."""
        here = self.hasFocus() or self.viewport().underMouse()
        return self.words(self.currentIndex()) if here else ""

    def show_groups(self, groups: Sequence[HostGroup], units: Units) -> None:
        current, before = self.cell(self.currentIndex()), list(map(len, self.cells))
        self.units, self._apart = units, len(groups) <= _MOST_APART
        rows, cells = list[Sequence[HostGroup]](), list[Sequence[_Cell]]()
        # One machine each; or neighbours in one place together.
        for place, run in groupby(groups, lambda each: each.place if each.cards else None):
            there, size = list(run), 1 if self._apart or place is None else _TOGETHER
            for row in (there[at : at + size] for at in range(0, len(there), size)):
                of_row = [(each, cell) for each in row for cell in each.cards]
                step = _ACROSS if self._apart else max(1, len(of_row))
                for at in range(0, len(of_row) or 1, step):
                    rows.append(row)
                    cells.append(of_row[at : at + step])
        self.rows, self.cells = rows, cells
        if before != list(map(len, self.cells)):
            self._things.beginResetModel()
            self._things.endResetModel()
            self._measure()
        # What the keyboard is at may stand elsewhere now; else it is at the first.
        key = current and current[1].key
        places = (
            self._things.index(row, at)
            for row, cells in enumerate(self.cells)
            for at, (_, cell) in enumerate(cells, start=1)
            if key in (None, cell.key)
        )
        self.setCurrentIndex(next(places, QModelIndex()))
        self.viewport().update()

    def cell(self, index: Index) -> _Cell | None:
        row, at = self.cells[index.row()] if index.isValid() else (), index.column()
        return row[at - 1] if 0 < at <= len(row) else None

    def words(self, index: Index) -> str:
        """All of it in one line, for a pointer and a screen reader."""
        if (cell := self.cell(index)) is not None:
            return _cell_words(*cell, self.units)
        if index.column() or not index.isValid():
            return ""
        first, *_ = row = self.rows[index.row()]
        if not self._apart and first.cards:
            return _rack(row)
        said = _remark_on(first) if first.cards else first.sentence
        return tr("{machine}: {state}", machine=first.name, state=said)

    def _measure(self) -> None:
        """Higher than the room where they would be too small to be seen."""
        least, most, title, widest = _APART if self._apart else _CLOSE
        room = self.viewport().size()
        title = min(title, room.width() // 3)
        across = max(4 if self._apart else 1, *map(len, self.cells), 0)
        tall = min(most, max(least, room.height() // max(1, len(self.rows))))
        wide = min(widest, (room.width() - title) // across)
        self.verticalHeader().setDefaultSectionSize(tall)
        self.horizontalHeader().setDefaultSectionSize(max(2, wide))
        self.setColumnWidth(0, title)

    def _on_chosen(self, index: QModelIndex) -> None:
        group = self.rows[index.row()][0]
        if (cell := self.cell(index)) is not None:
            self._source.open_card(*cell[1].key)
        elif self._apart or not group.cards:
            self._source.open_machine(group.key)

    def moveCursor(
        self, action: QTableView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Left and right go on into the next row; Home and End are of all rows."""
        ways = self.CursorAction
        onward = {ways.MoveLeft: ways.MovePrevious, ways.MoveRight: ways.MoveNext}
        return super().moveCursor(onward.get(action, action), _OF_ALL)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self._on_chosen(self.currentIndex())
        super().keyPressEvent(event)
        self.scrollTo(self.currentIndex())
        self.pointed_at.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """All shades as one picture, then what is written on them."""
        title, wide = self.columnWidth(0), self.horizontalHeader().defaultSectionSize()
        tall, gap = self.verticalHeader().defaultSectionSize(), 3 if self._apart else 1
        first = max(0, self.rowAt(event.rect().top()))
        rows = self.cells[first : 1 + self.rowAt(event.rect().bottom()) or None]
        top = self.rowViewportPosition(first)

        def place(row: int, at: int) -> QRectF:
            return QRectF(title + at * wide, top + row * tall, wide - gap, tall - gap)

        shades = np.full((len(rows), self._things.columnCount() - 1), _NOTHING)
        for row, cells in enumerate(rows):
            shades[row, : len(cells)] = [_shade(cell) for _, cell in cells]
        with QPainter(self.viewport()) as painter:
            drawing = Drawing(painter)
            theme, ground = drawing.theme, _ground(drawing)
            colours = [theme.heat(each / _SHADES) for each in range(_NOTHING)]
            picture = picture_of([*colours, theme.surface, ground, ground], shades)
            step, corner = QSize(wide, tall), QPoint(title, top)
            draw_picture(painter, picture, corner, step, gap, theme.surface)
            painter.setPen(Qt.PenStyle.NoPen)
            missing = mixed(theme.surface, theme.faint, 0.6)
            for shade, ink in ((_MISSING, missing), (_LOST, theme.bad)):
                painter.setBrush(QBrush(ink, Qt.BrushStyle.BDiagPattern))
                painter.drawRects([place(*at) for at in np.argwhere(shades == shade).tolist()])
            for row, cells in enumerate(rows):
                of_row = QRectF(0, top + row * tall, self.viewport().width(), tall - gap)
                groups, above = self.rows[first + row], self.rows[: first + row][-1:]
                if not any(each is groups for each in above):
                    _draw_title(drawing, of_row, title, groups, self._apart)
                for at, each in enumerate(cells if self._apart else ()):
                    _draw_figure(drawing, place(row, at), *each, self.units)
            if self.said:
                ring = QRectF(self.visualRect(self.currentIndex())).adjusted(0, 0, -gap, -gap)
                ink = theme.accent if self.hasFocus() else theme.text
                drawing.outlined(ring, QPen(ink, 2), 0)


class _Things(QAbstractTableModel):
    """Titles, and cells beside them; what they say is asked of the map."""

    def __init__(self, heat: HeatMap) -> None:
        super().__init__(heat)
        self._heat = heat

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._heat.rows)

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else 1 + max(map(len, self._heat.cells), default=0)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """The keyboard goes from card to card."""
        no_cell = self._heat.cell(index) is None
        return Qt.ItemFlag.NoItemFlags if no_cell else Qt.ItemFlag.ItemIsEnabled

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._heat.words(index)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(self._heat.words(index))
        return None


def _rack(row: Sequence[HostGroup]) -> str:
    return row[0].place or (f"{row[0].name}…" if len(row) > 1 else row[0].name)


def _shade(cell: CardCell) -> int:
    """In another ink where it is lost, which is worse than a figure that is missing."""
    share = cell.values.get(GPU_UTILIZATION)
    if share is not None:
        return round(min(1.0, share) * _SHADES)
    return _LOST if cell.state in (CardState.LOST, CardState.UNLISTED) else _MISSING


def _ground(drawing: Drawing) -> QColor:
    """Where there is no figure."""
    return mixed(drawing.theme.surface, drawing.theme.ground, 0.7)


def _draw_title(
    drawing: Drawing, place: QRectF, title: float, row: Sequence[HostGroup], apart: bool
) -> None:
    """A machine's name, and what is remarkable there; without cards its state. A rack is in
    `bad` or `warn` where something in it is wrong.
    """
    theme, letters, group, left = drawing.theme, drawing.letters, row[0], 0.0
    middle = place.center().y()
    baseline = middle + letters.body.cap_height / 2
    name, right = Run(group.name, letters.strong, theme.text), title - 12
    if group.cards and not apart:
        tones = {GRAVE: Tone.BAD, WORTH_A_LOOK: Tone.WARN}
        tone = tones.get(max(each.gravity for each in row), Tone.QUIET)
        name = Run(_rack(row), letters.caption, theme.tone(tone))
    elif not group.standing.answers:
        icon, tone = group.standing.sign
        drawing.icon(icon, QRectF(0, middle - _ICON / 2, _ICON, _ICON), theme.tone(tone))
        left = _ICON + _INSET
    if not group.cards:
        ink = theme.quiet if group.standing.answers else theme.text
        why = Run(group.sentence, letters.body, ink)
        drawing.elided(title, baseline, why, place.width() - title)
    elif apart:
        room = title - left - min(name.width, (title - left) * 0.6) - 24
        remark = letters.caption.elided(_remark_on(group), max(0.0, room))
        right = drawing.runs_right(right, baseline, [Run(remark, letters.caption, theme.quiet)])
        right -= 12
    drawing.elided(left, baseline, name, right - left)


def _draw_figure(
    drawing: Drawing, place: QRectF, group: HostGroup, cell: CardCell, units: Units
) -> None:
    """How busy, and how much memory is free where there is room; or the reason."""
    theme, body, small = drawing.theme, drawing.letters.body, drawing.letters.caption
    share, free, total = cell.values.get(GPU_UTILIZATION), cell.memory_free, cell.memory_total
    room, answers = place.width() - _INSET, group.standing.answers
    if share is not None:
        read, below = ratio(share), ""
        # All of them without their unit, where the widest has no room.
        words = str(read) if body.width(str(ratio(1.0))) <= room else read.number
        if free is not None and total and place.height() >= _ROOMY:
            left = part_of_memory(free, total, units)
            below = tr("{free} {unit} free", free=left.number, unit=left.unit)
        aside = _BELOW if below and small.width(below) <= room else 0
        drawing.centred(place.translated(0, -aside), Run(words, body, theme.text))
        if aside:
            drawing.centred(place.translated(0, aside), Run(below, small, theme.text))
    elif answers:  # all cards of a machine without a connection would say the same
        absence = cell.missing.get(GPU_UTILIZATION, Absence.NOT_ASKED)
        works = cell.state is CardState.WORKING
        reasons = short_reasons(absence) if works else (tr(cell.state.word),)
        fits = next((each for each in reasons if small.width(each) <= room), "")
        behind = QRectF(0, 0, small.width(fits) + 6, small.height)
        behind.moveCenter(place.center())
        if fits:
            drawing.painter.fillRect(behind, _ground(drawing))
        drawing.centred(place, Run(fits, small, theme.quiet))
    if cell.mark is not None and answers and cell.mark.tone in (Tone.WARN, Tone.BAD):
        drawing.outlined(place, QPen(theme.tone(cell.mark.tone), 1.5), 0)


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
    busy, said, metric = cell.values.get(GPU_UTILIZATION), list[str](), METRICS[GPU_UTILIZATION]
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
    for each in (TEMPERATURE, POWER_DRAW):
        if each in cell.values:
            said.append(str(quantity(METRICS[each], cell.values[each], units)))
    if works and not cell.values:
        said.append(tr("not read yet"))
    elif works and busy is None:
        absence = cell.missing.get(metric.id, Absence.NOT_ASKED)
        why = tr("{label}: {reason}", label=tr(metric.label), reason=tr(absence.sentence))
        said.append(why)
    if cell.values and cell.users is not None:
        said.append(tr("used by {users}", users=cell.users_words))
    if group.late is not None:
        said.append(tr("{span} old", span=span_words(group.late)))
    return f"{name}: {', '.join(said)}" if said else name
