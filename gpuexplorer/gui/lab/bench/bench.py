"""Bench: the devices side by side, with blocks on them that can be carried over."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QToolButton, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.bench.bench_actions import BenchActions
from gpuexplorer.gui.lab.bench.bench_question import question_of
from gpuexplorer.gui.lab.bench.block_list import THING
from gpuexplorer.gui.lab.bench.blocks import BenchBlocks, Block, Key
from gpuexplorer.gui.lab.bench.device_column import BenchColumn
from gpuexplorer.gui.lab.bench.overlay import BenchOverlay, LineEnd
from gpuexplorer.gui.lab.bench.peeks import Peeks
from gpuexplorer.gui.lab.bench.words import (
    foot_notes,
    foot_of,
    more_devices,
    spoken_question,
    title_of,
    where_nothing_lies,
)
from gpuexplorer.gui.lab.device_table import DeviceTable, key_of
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets import laid_out
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.live_view import scrolled

_EDGE, _GAP = 24, 8
_LEAST = 168  # pixels of a column: a block can be read, with three values in a row
_MOST_COLUMNS = 10  # the host, eight cards and meta
_READ = 6000  # milliseconds that a refusal stays to be read
_WIDEST = 240  # of a refusal


class Bench(QWidget):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed. Of
    devices that have no room side by side as many whole ones are seen as fit; a row above leads
    to the others.
    """

    open_asked = Signal(str)  # the name of a thing to look into

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._blocks = BenchBlocks(lab)
        self._there: Mapping[str, Sequence[Block]] = {}
        self._peeks = Peeks(lab, self)
        self._actions = BenchActions(lab, self)
        self._newest: int | None = None
        # Also those that are not shown just now: a block may be dragged from one that goes.
        self._made: dict[str, BenchColumn] = {}
        self._columns: Sequence[BenchColumn] = ()
        self._places: Sequence[QWidget] = ()  # with the list of the rest
        self._field = _BenchField()
        self._area = scrolled(self._field, sideways=True)
        self._rest = DeviceTable("", self._field)  # of devices that hold nothing
        self._rest.setProperty("panel", "card")
        self._rest.hide()
        self._overlay = BenchOverlay(self._field)
        self._refusal = laid_out.label("", look().letters.body)
        self._refusal.setParent(self._field)
        self._refusal.setProperty("kind", "refusal")
        self._refusal.setWordWrap(True)
        self._refusal.hide()
        self._reading = QTimer(self, singleShot=True, interval=_READ)
        self._reach: Segmented | None = None  # where not all columns have room
        self._reached: list[str] = []
        self._laid_out = laid_out.column(self._area, within=self, gap=_GAP)
        self.setAccessibleName(tr("Bench"))
        self.setAcceptDrops(True)
        self._field.resized.connect(self._arrange)
        self._area.horizontalScrollBar().valueChanged.connect(self._on_scrolled)
        self._actions.opened.connect(self.open_asked)
        self._actions.refused.connect(self._on_refused)
        self._actions.touched.connect(self._refusal.hide)
        self._reading.timeout.connect(self._refusal.hide)
        self._peeks.came.connect(self._on_values_came)
        lab.changed.connect(self._on_lab_changed)
        lab.stage_changed.connect(self._on_stage_changed)
        lab.selection.changed.connect(self._on_selection_changed)

    def pull(self) -> None:
        """What is read live: free memory, say."""
        lab, units = self._lab, self._lab.machine.settings.choices.units
        blocks = self._there
        devices = [each for each in lab.devices() if each.name != "meta" or "meta" in blocks]
        self._actions.devices = devices
        shown = devices
        if len(devices) > _MOST_COLUMNS:
            # Only those that hold something, be it their context; the others are listed.
            shown = [e for e in devices if e.is_host or e.context_bytes or blocks.get(e.name)]
        rest = [each for each in devices if each not in shown]
        anew = [key_of(each) for each in shown] != [key_of(e.device) for e in self._columns]
        if anew:
            self._take(shown)
        rows = max((len(foot_of(each)) for each in devices), default=0)
        notes, nothing = foot_notes(devices), not any(blocks.values())
        for column, device in zip(self._columns, shown, strict=True):
            first = device is devices[0]
            empty = where_nothing_lies(device, lab, first=first, nothing=nothing)
            column.show_device(device, units, rows, empty, notes if device.is_host else ())
            column.show_blocks(blocks.get(device.name, ()), self._direction(device.name))
        words = more_devices(len(rest))
        self._rest.setAccessibleName(words)
        self._rest.show_devices(rest, units, words)
        if anew or self._rest.isVisibleTo(self._field) is not bool(rest):
            self._rest.setVisible(bool(rest))
            self._arrange()

    def _direction(self, device: str) -> int:
        """From which side the newest cell brought something there; 0: made on the spot."""
        cell = next((e for e in reversed(self._lab.ledger.cells) if e.finished), None)
        order = {each.name: at for at, each in enumerate(self._actions.devices)}
        for each in () if cell is None else cell.transfers:
            if each.target == device and each.source in order and not each.already_there:
                return -1 if order[each.source] < order[device] else 1
        return 0

    def _take(self, shown: Sequence[BenchDevice]) -> None:
        for column in self._columns:
            column.hide()
        for device in shown:
            if key_of(device) not in self._made:
                self._made[key_of(device)] = self._make(device)
        self._columns = [self._made[key_of(each)] for each in shown]
        focused = (each for each in self._columns if each.blocks.hasFocus())
        for column in self._columns:
            column.show()
            column.raise_()  # screen readers go by the order of children
        for column in self._columns[:1]:
            self._offer_to_tab_key(next(focused, column))
        # The Tab key has an order of its own.
        for one, other in pairwise((*(each.blocks for each in self._columns), self._rest)):
            QWidget.setTabOrder(one, other)
        self._overlay.raise_()

    def _make(self, device: BenchDevice) -> BenchColumn:
        column = BenchColumn(device, self._actions, self._peeks.values, self._field)
        column.blocks.gone_sideways.connect(partial(self._on_gone_sideways, column))
        column.blocks.seen_changed.connect(self._on_seen_changed)
        column.blocks.walked.connect(partial(self._on_walked, column))
        return column

    def _arrange(self) -> None:
        """Whole columns, as many as have room; the others are come to by scrolling."""
        listed = self._rest.isVisibleTo(self._field)
        self._places = [*self._columns, *([self._rest] if listed else [])]
        room = self.width() + _GAP
        fitting = max(1, min(len(self._places), room // (_LEAST + _GAP)))
        edges = [round(at * room / fitting) for at in range(len(self._places) + 1)]
        for place, (left, right) in zip(self._places, pairwise(edges), strict=True):
            place.setGeometry(left, 0, right - left - _GAP, self._field.height())
        self._field.setMinimumWidth(max(0, edges[-1] - _GAP))
        self._overlay.setGeometry(self._field.rect())
        self._show_reach(cut=len(self._places) > fitting)
        self._on_seen_changed()

    def _show_reach(self, *, cut: bool) -> None:
        """Where not all devices have room: which there are, and a way to each."""
        words = [each.device.chip or title_of(each.device) for each in self._columns]
        if self._rest in self._places:
            words.append(f"+{len(self._actions.devices) - len(words)}")
        if words != self._reached or self._reach is None:
            self._reached = words
            if self._reach is not None:
                self._laid_out.removeWidget(self._reach)
                self._reach.deleteLater()
            self._reach = Segmented(tr("Devices"), list(enumerate(words)), self)
            self._reach.chosen.connect(self._on_device_chosen)
            self._laid_out.insertWidget(0, self._reach)
        self._reach.setVisible(cut)
        self._reach.show_compact(self._reach.full_width() > self.width())
        self._on_scrolled()

    def _show_question(self) -> None:
        question = question_of(self._lab.ledger, self._lab.selection.cell)
        keys = () if question is None else (question.left, question.right)
        ends = [end for key in keys if (end := self._end_of(key)) is not None]
        if len(ends) < 2:
            question, ends = None, []
        self._overlay.show_question(question, sorted(ends, key=lambda end: end[0].x()))
        words = "" if question is None else spoken_question(question)
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _end_of(self, key: Key) -> LineEnd | None:
        """Where a line from a block begins."""
        for column in self._columns:
            place = column.blocks.place_of(key)
            if column.device.name == key.device and place is not None:
                covered = column.blocks.blocks[0].key != key
                return place.translated(QPointF(column.pos())), covered
        return None

    def _bring_into_sight(self, names: frozenset[str]) -> None:
        """The newest of them."""
        found = (
            each for each in reversed(self._columns) if each.blocks.bring_into_sight(names)
        )
        column = next(found, None)
        if column is not None:
            self._area.ensureWidgetVisible(column, 0, 0)

    def _show_names(self) -> None:
        """What is selected."""
        for column in self._columns:
            column.show_names(self._lab.selection.things)
        self._show_question()

    def _show_target(self, device: BenchDevice | None, *, possible: bool = True) -> None:
        """A block is held over it."""
        for column in self._columns:
            column.show_target(
                possible if device is not None and device == column.device else None
            )
        self._rest.show_target(key_of(device) if device is not None and possible else None)

    def _device_at(self, place: QPoint) -> BenchDevice | None:
        there = self._field.mapFrom(self, place)
        found = (each for each in self._places if each.geometry().contains(there))
        column = next(found, None)
        device = column.device if isinstance(column, BenchColumn) else None
        if column is self._rest:
            device = self._rest.device_at(self._rest.mapFrom(self._field, there))
        return device if device is not None and device.name else None

    def _on_lab_changed(self) -> None:
        """Where the newest cell made something, the bench scrolls to it."""
        if not self.isVisible():
            return  # put together when it is seen again
        self._peeks.note()
        self._there = self._blocks.by_device()
        self.pull()
        self._show_names()
        cells = reversed(self._lab.ledger.cells)
        newest = next((each for each in cells if each.placed), None)
        if newest is not None and newest.id != self._newest:
            self._newest = newest.id
            self._bring_into_sight(frozenset(newest.placed))
        self._on_seen_changed()

    def _on_stage_changed(self) -> None:
        if self.isVisible():
            self.pull()

    def _on_selection_changed(self) -> None:
        self._show_names()
        self._bring_into_sight(self._lab.selection.things)

    def _on_values_came(self) -> None:
        for column in self._columns:
            column.blocks.viewport().update()

    def _on_seen_changed(self) -> None:
        self._show_question()
        if self.isVisible():
            for column in self._columns:
                self._peeks.ask(column.blocks.read())

    def _on_device_chosen(self, at: int) -> None:
        self._area.horizontalScrollBar().setValue(self._places[at].x())
        if self._reach is not None:
            self._reach.show_choice(at)  # also where it cannot come to the left edge

    def _on_scrolled(self) -> None:
        """The first that is seen as a whole."""
        left = self._area.horizontalScrollBar().value()
        found = (at for at, each in enumerate(self._places) if each.x() >= left)
        if self._reach is not None and self._reached:
            self._reach.show_choice(next(found, 0))

    def _on_walked(self, column: BenchColumn) -> None:
        if column.blocks.hasFocus():
            self._offer_to_tab_key(column)
            self._area.ensureWidgetVisible(column, 0, 0)

    def _offer_to_tab_key(self, chosen: BenchColumn) -> None:
        """One stop for the Tab key; the arrow keys go from column to column."""
        strong, click = Qt.FocusPolicy.StrongFocus, Qt.FocusPolicy.ClickFocus
        for column in self._columns:
            column.blocks.setFocusPolicy(strong if column is chosen else click)

    def _on_gone_sideways(self, column: BenchColumn, side: int) -> None:
        there = self._columns.index(column) + side
        if 0 <= there < len(self._columns):
            at = column.blocks.at
            place = None if at is None else column.blocks.place_of(at.key)
            y = None if place is None else round(place.center().y())
            self._columns[there].blocks.enter_at(y)

    def _on_refused(self, block: Block, words: str) -> None:
        """Above what it is about, or below where there is no room."""
        end = self._end_of(block.key)
        about = (QRectF(self._field.rect()) if end is None else end[0]).toRect()
        label, room = self._refusal, self._field.rect().adjusted(4, 4, -4, -4)
        label.setText(words)
        width = min(_WIDEST, room.width())
        box = QRect(0, 0, width, label.heightForWidth(width))
        box.moveCenter(about.center())
        box.moveBottom(about.top() - 8)
        if box.top() < room.top():
            box.moveTop(min(about.bottom() + 8, room.bottom() - box.height()))
        box.moveLeft(min(max(room.left(), box.left()), room.right() - width))
        label.setGeometry(box)
        label.show()
        label.raise_()
        self._reading.start()
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(THING):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """At the edge and over the row above, devices that are not seen come into sight."""
        event.acceptProposedAction()
        place, bar = event.position().toPoint(), self._area.horizontalScrollBar()
        if not _EDGE <= place.x() <= self.width() - _EDGE:
            bar.setValue(bar.value() + (_EDGE if place.x() > _EDGE else -_EDGE))
        under = self.childAt(place)
        if isinstance(under, QToolButton):
            under.click()
        device, held, possible = self._device_at(place), self._actions.held, True
        if held is not None and device is not None:
            try:
                self._actions.line_to(held, device)
            except Trouble:
                possible = False
        self._show_target(device, possible=possible)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_target(None)

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self._show_target(None)
        device, held = self._device_at(event.position().toPoint()), self._actions.held
        # It may have gone meanwhile.
        if held is not None and device is not None and self._end_of(held.key) is not None:
            self._actions.carry(held, device)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_lab_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


class _BenchField(QWidget):
    """As wide as it has to be; the bench around it scrolls."""

    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("panel", "clear")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()
