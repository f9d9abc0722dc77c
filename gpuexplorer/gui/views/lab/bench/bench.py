"""Bench: the devices as shelves drawn to scale, with blocks on them."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRectF, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAction,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.bench.bench_actions import BenchActions
from gpuexplorer.gui.views.lab.bench.bench_field import BenchField
from gpuexplorer.gui.views.lab.bench.block_stack import ONE_LINE, Slab
from gpuexplorer.gui.views.lab.bench.column import BenchColumn
from gpuexplorer.gui.views.lab.bench.column_hands import ColumnHands
from gpuexplorer.gui.views.lab.bench.fills import hue
from gpuexplorer.gui.views.lab.bench.overlay import Asking, BenchOverlay, Ghost, Refusal
from gpuexplorer.gui.views.lab.bench.peeks import Peeks
from gpuexplorer.gui.views.lab.bench.shelves import Shelf, Shelves
from gpuexplorer.gui.widgets.scrolled import scrolled
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, BlockKind, Key
from gpuexplorer.gui.wording.lab.bench.bench_question import question_of
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_EDGE = 24
_READ = 6000  # milliseconds that a refusal stays to be read


class Bench(QWidget):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    open_asked = Signal(str)  # the name of a thing to look into

    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._shelves = Shelves(lab)
        self._shown: Sequence[Shelf] = ()
        self._newest: int | None = None
        self._peeks = Peeks(lab, self)
        self._actions = BenchActions(lab, self)
        self._field = BenchField(look, self._peeks.values)
        self._area = scrolled(self._field, sideways=True)
        self._drag = BlockDrag(self._field.overlay, self._field, self._field.device_at)
        self._reading = QTimer(self, singleShot=True, interval=_READ)
        row = QVBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._area)
        self.setAccessibleName(tr("Bench"))
        self._field.column_made.connect(self._on_column_made)
        self._field.arranged.connect(self._on_arranged)
        self._actions.opened.connect(self.open_asked)
        self._actions.refused.connect(self._on_refused)
        self._drag.aimed.connect(self._on_aimed)
        self._drag.dropped.connect(self._on_dropped)
        self._reading.timeout.connect(self._on_read)
        self._peeks.came.connect(self._on_values_came)
        lab.told.connect(self._shelves.note)
        lab.changed.connect(self._on_lab_changed)
        lab.stage_changed.connect(self._on_stage_changed)
        lab.selection.changed.connect(self._on_selection_changed)

    def pull(self) -> None:
        """What is read live: free memory, say."""
        self._show(anew=False)

    def _show(self, *, anew: bool) -> None:
        units = self._lab.machine.settings.choices.units
        if anew:
            self._peeks.note()
        self._shown = self._shelves.shelves(units, anew=anew)
        nothing = not any(each.blocks for each in self._shown)
        words = [
            self._shelves.words(each, each is self._shown[0], nothing) for each in self._shown
        ]
        self._field.show_shelves(self._shown, words, self._direction)
        if anew:
            self._field.show_names(self._lab.selection.things)
            self._show_newest()
            self._show_question()
            self._ask_values()

    def _direction(self, device: str) -> int:
        """From which side the newest line brought something there; 0: made on the spot."""
        entry = next((e for e in reversed(self._lab.ledger.entries) if e.finished), None)
        order = {each.device.name: at for at, each in enumerate(self._shown)}
        for each in () if entry is None else entry.transfers:
            if each.already_there:
                continue
            if each.target == device and each.source in order and device in order:
                return -1 if order[each.source] < order[device] else 1
        return 0

    def _ask_values(self) -> None:
        if self.isVisible():
            for column in self._field.columns:
                self._peeks.ask(slab.block for slab in column.seen() if slab.cells)

    def _show_question(self) -> None:
        question = question_of(self._lab.ledger, self._lab.selection.line)
        asking, words = None, ""
        if question is not None:
            ends = [self._field.end_of(key) for key in (question.left, question.right)]
            if ends[0] is not None and ends[1] is not None:
                asking = Asking(ends[0], ends[1], question.sign, question.words)
                words = question.spoken
        self._field.overlay.show_asking(asking)
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _show_newest(self) -> None:
        """Where the newest line made something, the bench scrolls to it."""
        entries = reversed(self._lab.ledger.entries)
        newest = next((each for each in entries if each.placed), None)
        if newest is not None and newest.id != self._newest:
            self._newest = newest.id
            names = frozenset(newest.placed)
            self._show_column(self._field.bring_into_sight(names))

    def _show_column(self, column: BenchColumn | None) -> None:
        if column is not None:
            self._area.ensureWidgetVisible(column, 4, 0)

    def _device(self, name: str) -> BenchDevice | None:
        return next((s.device for s in self._shown if s.device.name == name), None)

    def _block(self, hands: ColumnHands, key: Key) -> Block | None:
        self._on_read()
        return hands.column.block(key)

    def _refuse(self, about: QRectF, words: str) -> None:
        self._field.overlay.show_refusal(Refusal(about, words))
        self._reading.start()
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _on_lab_changed(self) -> None:
        # Unseen, it is put together when it is seen again.
        if self.isVisible():
            self._show(anew=True)

    def _on_stage_changed(self) -> None:
        if self.isVisible():
            self._show(anew=False)

    def _on_selection_changed(self) -> None:
        names = self._lab.selection.things
        self._field.show_names(names)
        self._show_column(self._field.bring_into_sight(names))
        self._show_question()

    def _on_values_came(self) -> None:
        for column in self._field.columns:
            column.show_values()

    def _on_arranged(self) -> None:
        self._show_question()
        self._ask_values()

    def _on_column_made(self, column: BenchColumn) -> None:
        hands = ColumnHands(column)
        hands.chosen.connect(partial(self._on_chosen, hands))
        hands.left_alone.connect(self._on_left_alone)
        hands.opened.connect(partial(self._on_opened, hands))
        hands.deleted.connect(partial(self._on_deleted, hands))
        hands.menu_asked.connect(partial(self._on_menu_asked, hands))
        hands.carried.connect(partial(self._on_carried, hands))
        hands.gone_sideways.connect(partial(self._on_gone_sideways, hands))
        hands.dragged.connect(partial(self._drag.move, column))
        hands.dragged.connect(self._on_dragged)
        hands.let_go.connect(self._drag.let_go)
        hands.given_up.connect(self._drag.give_up)
        column.seen_changed.connect(self._on_arranged)
        column.walked.connect(partial(self._on_walked, column))

    def _on_walked(self, column: BenchColumn) -> None:
        self._field.offer_to_tab_key(column)
        self._show_column(column)

    def _on_chosen(self, hands: ColumnHands, key: Key) -> None:
        block = self._block(hands, key)
        if block is not None:
            self._actions.choose(block)

    def _on_left_alone(self) -> None:
        self._on_read()
        self._lab.selection.choose()

    def _on_opened(self, hands: ColumnHands, key: Key) -> None:
        block = self._block(hands, key)
        if block is not None:
            self._actions.open(block)

    def _on_deleted(self, hands: ColumnHands, key: Key) -> None:
        block = self._block(hands, key)
        if block is not None:
            self._actions.delete(block, block.names)

    def _on_menu_asked(self, hands: ColumnHands, key: Key, place: QPoint) -> None:
        block = self._block(hands, key)
        if block is not None and block.names:
            devices = [each.device for each in self._shown]
            block_menu(block, devices, self._actions, self).popup(place)

    def _on_carried(self, hands: ColumnHands, key: Key, side: int) -> None:
        block = self._block(hands, key)
        names = [each.device.name for each in self._shown]
        at = names.index(hands.column.device) + side
        if block is not None and 0 <= at < len(names):
            self._actions.carry(block, self._shown[at].device)

    def _on_gone_sideways(self, hands: ColumnHands, side: int) -> None:
        self._on_read()
        self._field.go_beside(hands.column, side)

    def _on_dragged(self, _key: Key, there: QPoint) -> None:
        """At the edge, what lies beyond it comes into sight."""
        x, width = self._area.mapFromGlobal(there).x(), self._area.width()
        if not _EDGE <= x <= width - _EDGE:
            bar = self._area.horizontalScrollBar()
            bar.setValue(bar.value() + (_EDGE if x > _EDGE else -_EDGE))

    def _on_aimed(self, block: Block | None, name: str | None) -> None:
        device = None if name is None else self._device(name)
        possible = True
        if block is not None and device is not None:
            try:
                self._actions.line_to(block, device)
            except Trouble:
                possible = False
        self._field.show_target(name if block is not None else None, possible)

    def _on_dropped(self, block: Block, name: str) -> None:
        device = self._device(name)
        if device is not None:
            self._actions.carry(block, device)

    def _on_refused(self, block: Block, words: str) -> None:
        place = self._field.place_of(block.key)
        self._refuse(place or QRectF(self._field.rect()), words)

    def _on_read(self) -> None:
        self._reading.stop()
        self._field.overlay.show_refusal(None)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show(anew=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._field.show_room(event.size().width())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        column = next((each for each in self._field.columns if each.hasFocus()), None)
        block = None if column is None else column.block(column.view.at)
        if block is not None and event.matches(QKeySequence.StandardKey.Copy):
            self._actions.copy_name(block)
        else:
            super().keyPressEvent(event)


class BlockDrag(QObject):
    """Tells over which device it is, for that one to light up."""

    aimed = Signal(object, object)  # the Block and a device's name, or None twice
    dropped = Signal(Block, str)

    def __init__(
        self,
        overlay: BenchOverlay,
        field: QWidget,
        device_at: Callable[[QPoint], str | None],
    ) -> None:
        super().__init__(field)
        self._overlay, self._field = overlay, field
        self._device_at = device_at
        self._block: Block | None = None
        self._width = 0.0

    def move(self, column: BenchColumn, key: Key, there: QPoint) -> None:
        """`there` is a place of the screen."""
        block = column.block(key)
        if block is None or not block.names:
            return
        if self._block is None:
            self._block = block
            self._width = column.view.place.width()
        at = self._field.mapFromGlobal(there)
        place = QRectF(at.x() - 14, at.y() - 14, self._width, ONE_LINE)
        place.moveRight(min(place.right(), self._field.width() - 4))
        slab = Slab(self._block, 0.0, ONE_LINE, (), cells=False, beside=True)
        self._overlay.show_ghost(Ghost(place, slab, hue(column.look.theme, column.face)))
        self.aimed.emit(self._block, self._device_at(at))

    def let_go(self, there: QPoint) -> None:
        block = self._block
        device = self._device_at(self._field.mapFromGlobal(there))
        self.give_up()
        if block is not None and device is not None:
            self.dropped.emit(block, device)

    def give_up(self) -> None:
        """Everything stays where it was."""
        self._block = None
        self._overlay.show_ghost(None)
        self.aimed.emit(None, None)


def block_menu(
    block: Block, devices: Sequence[BenchDevice], actions: BenchActions, parent: QWidget
) -> QMenu:
    """Shown with `popup`; goes away by itself."""
    menu = QMenu(parent)
    menu.setFont(parent.window().font())  # the system has another for menus
    menu.setToolTipsVisible(True)
    if block.kind in (BlockKind.TENSOR, BlockKind.MODEL):
        menu.addAction(f"{tr('Look inside')}\tEnter", partial(actions.open, block))
        _add_targets(menu, block, devices, actions)
    menu.addAction(f"{tr('Copy name')}\tCtrl+C", partial(actions.copy_name, block))
    menu.addSeparator()
    menu.addAction(f"{tr('Delete')}\tDel", partial(actions.delete, block, block.names))
    if len(block.names) > 1:
        for name in block.names:
            words = tr("Delete the name {name}", name=name)
            menu.addAction(words, partial(actions.delete, block, (name,)))
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def _add_targets(
    menu: QMenu, block: Block, devices: Sequence[BenchDevice], actions: BenchActions
) -> None:
    word = tr("Move to") if block.kind is BlockKind.MODEL else tr("Copy to")
    targets = menu.addMenu(word)
    targets.setToolTipsVisible(True)
    for device in devices:
        name = device.name or device.label
        label = name if name == device.label else f"{name}   {device.label}"
        action = QAction(label.strip(), targets)
        try:
            action.setToolTip(actions.line_to(block, device))
        except Trouble as trouble:
            action.setToolTip(trouble.told)
            action.setEnabled(False)
        action.triggered.connect(partial(actions.carry, block, device))
        targets.addAction(action)
