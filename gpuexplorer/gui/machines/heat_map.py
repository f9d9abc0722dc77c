"""HeatMap: every card of every machine as a cell, shaded by how busy it is. A table of Qt's,
with a row for each machine, or for some neighbours of very many.
"""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
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
from gpuexplorer.gui.paint.drawing import Drawing, Index, Run, picture_of, plain_tip
from gpuexplorer.gui.state.groups import GRAVE, WORTH_A_LOOK, CardCell, HostGroup
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, mixed

_MOST_APART = 64  # machines with a row of their own
_TOGETHER = 20  # machines in a row
# How high rows are at least and at most, and how wide their title and cells are at most.
_APART, _CLOSE = (24, 72, 280, 160), (12, 26, 110, 26)
_ICON, _INSET, _SHADES, _ROOMY, _BELOW = 14.0, 6.0, 60, 48, 9.0
_NOTHING, _MISSING, _LOST = _SHADES + 1, _SHADES + 2, _SHADES + 3  # instead of a shade
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_TOP = QModelIndex()


class HeatMap(QTableView):
    """Drawn as a whole: 8 000 cells go by their shade. The pointer and the keyboard are at one
    and the same cell.
    """

    cell_opened = Signal(str, str)  # a CellKey
    machine_opened = Signal(str)
    pointed_at = Signal()  # another cell, perhaps: `said`

    def __init__(self) -> None:
        super().__init__()
        self.units: Units = USUAL
        self.rows: Sequence[Sequence[HostGroup]] = ()
        self.cells: Sequence[Sequence[tuple[HostGroup, CardCell]]] = ()  # of each row
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
        self.units, self._apart, self.rows = units, len(groups) <= _MOST_APART, []
        # One machine each; or neighbours in one place together.
        for place, run in groupby(groups, lambda each: each.place if each.cards else None):
            there, size = list(run), 1 if self._apart or place is None else _TOGETHER
            self.rows += [there[at : at + size] for at in range(0, len(there), size)]
        self.cells = [[(e, cell) for e in row for cell in e.cards] for row in self.rows]
        if before != list(map(len, self.cells)):
            self._things.beginResetModel()
            self._things.endResetModel()
            self._measure()
        # What the keyboard is at may stand elsewhere now; else it is at the first.
        key = None if current is None else current[1].key
        keys = [cell.key for row in self.cells for _, cell in row]
        self._go_to(keys.index(key) if key in keys else 0)
        self.viewport().update()

    def cell(self, index: Index) -> tuple[HostGroup, CardCell] | None:
        row = self.cells[index.row()] if 0 <= index.row() < len(self.cells) else ()
        return row[index.column() - 1] if 0 < index.column() <= len(row) else None

    def words(self, index: Index) -> str:
        """All of it in one line, for a pointer and a screen reader."""
        cell = self.cell(index)
        if cell is not None:
            return _cell_words(*cell, self.units)
        if index.column() or not index.isValid():
            return ""
        row = self.rows[index.row()]
        if not self._apart and row[0].cards:
            return _rack(row)
        said = _remark_on(row[0]) if row[0].cards else row[0].sentence
        return tr("{machine}: {state}", machine=row[0].name, state=said)

    def _measure(self) -> None:
        """Higher than the room where they would be too small to be seen."""
        least, most, title, widest = _APART if self._apart else _CLOSE
        wide, high = self.viewport().width(), self.viewport().height()
        title = min(title, wide // 4)
        across = (wide - title) // max(1, *map(len, self.cells), 8 if self._apart else 0)
        tall = min(most, max(least, high // max(1, len(self.rows))))
        self.verticalHeader().setDefaultSectionSize(tall)
        self.horizontalHeader().setDefaultSectionSize(max(2, min(widest, across)))
        self.setColumnWidth(0, title)

    def _go_to(self, number: int) -> None:
        """The card at this place among all of them, from the top left on."""
        for row, cells in enumerate(self.cells):
            if number < len(cells):
                self.setCurrentIndex(self._things.index(row, 1 + number))
                return
            number -= len(cells)

    def _on_chosen(self, index: QModelIndex) -> None:
        cell, row = self.cell(index), self.rows[index.row()] if index.isValid() else ()
        if cell is not None:
            self.cell_opened.emit(*cell[1].key)
        elif row and (self._apart or not row[0].cards):
            self.machine_opened.emit(row[0].key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right go on into the next row."""
        key, at = Qt.Key(event.key()), self.currentIndex()
        number = sum(map(len, self.cells[: at.row()])) + at.column() - 1
        last = sum(map(len, self.cells)) - 1
        there = {Qt.Key.Key_Left: max(0, number - 1), Qt.Key.Key_Right: min(last, number + 1)}
        there |= {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        if key in _ENTER:
            self._on_chosen(at)
        elif key in there:
            self._go_to(there[key])
        else:
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
        first, bottom = (self.rowAt(y) for y in (event.rect().top(), event.rect().bottom()))
        rows = self.cells[max(0, first) : 1 + bottom if bottom >= 0 else None]
        most, top = self._things.columnCount() - 1, self.rowViewportPosition(max(0, first))
        whole = QRect(title, top, most * wide, len(rows) * tall)
        hatched: dict[int, list[QRectF]] = {_MISSING: [], _LOST: []}

        def place(row: int, at: int) -> QRectF:
            return QRectF(title + at * wide, top + row * tall, wide - gap, tall - gap)

        shades = np.full((len(rows), most), _NOTHING)
        for row, cells in enumerate(rows):
            shades[row, : len(cells)] = [_shade(cell) for _, cell in cells]
        for row, at in np.argwhere(shades > _NOTHING).tolist():
            hatched[int(shades[row, at])].append(place(row, at))
        with QPainter(self.viewport()) as painter:
            drawing = Drawing(painter)
            theme, ground = drawing.theme, mixed(look().theme.surface, look().theme.ground, 0.7)
            colours = [theme.heat(each / _SHADES) for each in range(_NOTHING)]
            picture = picture_of([*colours, theme.surface, ground, ground], shades)
            painter.drawImage(whole, picture)
            for x in range(title + wide - gap, whole.right() + 1, wide):
                painter.fillRect(x, top, gap, whole.height(), theme.surface)
            for y in range(top + tall - gap, whole.bottom() + 1, tall):
                painter.fillRect(title, y, whole.width(), gap, theme.surface)
            painter.setPen(Qt.PenStyle.NoPen)
            for shade, ink in (
                (_MISSING, mixed(theme.surface, theme.faint, 0.6)),
                (_LOST, theme.bad),
            ):
                painter.setBrush(QBrush(ink, Qt.BrushStyle.BDiagPattern))
                painter.drawRects(hatched[shade])
            for row, cells in enumerate(rows):
                of_row = QRectF(0, top + row * tall, self.viewport().width(), tall - gap)
                _draw_title(drawing, of_row, title, self.rows[max(0, first) + row], self._apart)
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


def _draw_title(
    drawing: Drawing, place: QRectF, title: float, row: Sequence[HostGroup], apart: bool
) -> None:
    """A machine's name, and what is remarkable there; without cards its state. A rack is in
    `bad` or `warn` where something in it is wrong.
    """
    theme, letters, group = drawing.theme, drawing.letters, row[0]
    x, baseline = 0.0, place.center().y() + letters.body.cap_height / 2
    name = Run(group.name, letters.strong, theme.text)
    if group.cards and not apart:
        tones = {GRAVE: Tone.BAD, WORTH_A_LOOK: Tone.WARN}
        ink = theme.tone(tones.get(max(each.gravity for each in row), Tone.QUIET))
        name = Run(_rack(row), letters.caption, ink)
    elif not group.standing.answers:
        icon, tone = group.standing.sign
        top = place.center().y() - _ICON / 2
        drawing.icon(icon, QRectF(x, top, _ICON, _ICON), theme.tone(tone))
        x = _ICON + _INSET
    if not group.cards:
        ink = theme.quiet if group.standing.answers else theme.text
        why = Run(group.sentence, letters.body, ink)
        drawing.elided(title, baseline, why, place.width() - title)
    elif apart:
        room = title - x - min(name.width, (title - x) * 0.6) - 24
        remark = letters.caption.elided(_remark_on(group), max(0.0, room))
        said = Run(remark, letters.caption, theme.quiet)
        title = drawing.runs_right(title - 12, baseline, [said])
    drawing.elided(x, baseline, name, title - x - 12)


def _draw_figure(
    drawing: Drawing, place: QRectF, group: HostGroup, cell: CardCell, units: Units
) -> None:
    """How busy, and how much memory is free where there is room; or the reason."""
    theme, body, small = drawing.theme, drawing.letters.body, drawing.letters.caption
    share, free, total = cell.values.get(GPU_UTILIZATION), cell.memory_free, cell.memory_total
    room, middle, below = place.width() - _INSET, Qt.AlignmentFlag.AlignCenter, ""
    painter, answers = drawing.painter, group.standing.answers
    if share is not None:
        read = ratio(share)
        # All of them without their unit, where the widest has no room.
        words = str(read) if body.width(str(ratio(1.0))) <= room else read.number
        if free is not None and total and place.height() >= _ROOMY:
            left = part_of_memory(free, total, units)
            below = tr("{free} {unit} free", free=left.number, unit=left.unit)
        below = below if small.width(below) <= room else ""
        painter.setPen(theme.text)
        painter.setFont(body.font)
    else:
        absence = cell.missing.get(GPU_UTILIZATION, Absence.NOT_ASKED)
        works = cell.state is CardState.WORKING
        reasons = short_reasons(absence) if works else (tr(cell.state.word),)
        # All cards of a machine without a connection would say the same.
        fits = [each for each in reasons if answers and small.width(each) <= room]
        words = f" {fits[0]} " if fits else ""
        painter.setPen(theme.quiet)
        painter.setFont(small.font)
        painter.setBackground(mixed(theme.surface, theme.ground, 0.7))
    painter.setBackgroundMode(
        Qt.BGMode.OpaqueMode if share is None else Qt.BGMode.TransparentMode
    )
    painter.drawText(place.translated(0, -_BELOW if below else 0), middle, words)
    if below:
        painter.setFont(small.font)
        painter.drawText(place.translated(0, _BELOW), middle, below)
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
