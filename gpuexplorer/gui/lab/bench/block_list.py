"""BlockList: what lies on one device, as a list, and what a person can do with it."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDrag,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QListView,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.bench.blocks import Block, BlockKind, Key, lines_of
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Delegate, Drawing, Index, Run, plain_tip
from gpuexplorer.gui.state.lab.bench_lines import copy_line, delete_line
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.palette import Theme, faded
from gpuexplorer.lab.events import Peeked

THING = "application/x-gpuexplorer-thing"  # is what a drag carries: the device of a block
_GAP, _PAD, _RADIUS, _RING = 6.0, 8.0, 5.0, 4
_LINE, _ONE_LINE = 17.0, 30.0  # of text or of values; a block's first
_BETWEEN = 6.0
_MANY = 24  # blocks, of which each gets one line
_BLOCK = Qt.ItemDataRole.UserRole
_SIDEWAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_State, _IGNORED = QStyle.StateFlag, QSizePolicy.Policy.Ignored
ValuesOf = Callable[[Block], Peeked | None]


class BenchActions(QObject):
    """What can be done with a block, by mouse, keys or menu; all of it through `lab.run`."""

    opened = Signal(str)
    refused = Signal(str)  # empty: a person does something else, by mouse or keyboard

    def __init__(self, lab: Lab, parent: QObject) -> None:
        super().__init__(parent)
        self._lab = lab
        self.devices: Sequence[BenchDevice] = ()  # from left to right

    def line_to(self, block: Block, device: BenchDevice) -> str:
        """Raises Trouble where there is nothing to copy."""
        by_host = (block.key.device, device.name) in self._lab.switches.by_host
        return copy_line(block.placed, device, self._lab.ledger.things, by_host=by_host)

    def why_not(self, block: Block, device: BenchDevice) -> str:
        try:
            self.line_to(block, device)
        except Trouble as trouble:
            return trouble.told
        return ""

    def carry(self, block: Block, device: BenchDevice) -> None:
        """A tensor is copied, a model moves."""
        self._run(lambda: self.line_to(block, device))

    def delete(self, block: Block, names: Sequence[str] = ()) -> None:
        """All its names, where none is picked."""
        self._run(lambda: delete_line(names or block.names))

    def _run(self, line: Callable[[], str]) -> None:
        try:
            self._lab.run(line(), by_form=True)
        except Trouble as trouble:
            self.refused.emit(trouble.told)

    def carry_beside(self, block: Block, side: int) -> None:
        """One device to the left (-1) or right (1)."""
        at = [each.name for each in self.devices].index(block.key.device) + side
        if 0 <= at < len(self.devices):
            self.carry(block, self.devices[at])

    def open(self, block: Block) -> None:
        if block.kind.opens:
            self.opened.emit(block.names[0])

    def choose(self, block: Block | None) -> None:
        """On all parts of the lab: the object, and the cell that made it."""
        if block is None:
            self._lab.selection.choose()
            return
        made = None
        if block.placed is not None and self._lab.ledger.cell(block.placed.id) is not None:
            made = block.placed.id
        self._lab.selection.choose(made, block.names)

    def copy_name(self, block: Block) -> None:
        QApplication.clipboard().setText(block.key.name)

    def open_menu(self, block: Block, place: QPoint, parent: QWidget) -> None:
        self.refused.emit("")
        if not block.names:
            return
        menu = QMenu(parent)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.setFont(parent.window().font())  # the system has another for menus
        if block.kind.opens:
            menu.addAction(f"{tr('Look inside')}\tEnter", partial(self.open, block))
        if block.kind in (BlockKind.TENSOR, BlockKind.MODEL):
            moves = block.kind is BlockKind.MODEL
            targets = menu.addMenu(tr("Move to") if moves else tr("Copy to"))
            targets.setToolTipsVisible(True)
            for device in self.devices:
                words = "   ".join(dict.fromkeys(filter(None, (device.name, device.label))))
                action = targets.addAction(words, partial(self.carry, block, device))
                why = self.why_not(block, device)
                action.setToolTip(why or self.line_to(block, device))
                action.setEnabled(not why)
        menu.addAction(f"{tr('Copy name')}\tCtrl+C", partial(self.copy_name, block))
        menu.addSeparator()
        menu.addAction(f"{tr('Delete')}\tDel", partial(self.delete, block))
        for name in block.names if len(block.names) > 1 else ():
            words = tr("Delete the name {name}", name=name)
            menu.addAction(words, partial(self.delete, block, (name,)))
        menu.popup(place)


class BlockModel(QAbstractListModel):
    """Rows that stay are the same rows, so that Qt keeps the keyboard where it is."""

    def __init__(self, device: BenchDevice, values_of: ValuesOf, parent: QObject) -> None:
        super().__init__(parent)
        self.device, self.units = device, USUAL
        self.blocks: Sequence[Block] = ()
        self._values_of = values_of

    def show(self, blocks: Sequence[Block]) -> None:
        rows = {each.key: at for at, each in enumerate(blocks)}
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [rows.get(self.blocks[each.row()].key, -1) for each in before]
        self.blocks = blocks
        self.changePersistentIndexList(before, [self.index(at) for at in kept])
        self.layoutChanged.emit()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self.blocks)

    def flags(self, index: Index) -> Qt.ItemFlag:
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        named = index.isValid() and self.blocks[index.row()].names
        return usual | Qt.ItemFlag.ItemIsDragEnabled if named else usual

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        block = self.blocks[index.row()]
        match role:
            case Qt.ItemDataRole.UserRole:
                return block
            case Qt.ItemDataRole.AccessibleTextRole:
                return block.spoken(self.device, self.units)
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                values = self._values_of(block)
                return "" if values is None else "; ".join(lines_of(values))
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(block.hint(self.units, self._values_of(block)))
        return None


class BlockDelegate(Delegate):
    """Its attributes are how the blocks of one device look just now."""

    def __init__(self, model: BlockModel, values_of: ValuesOf) -> None:
        super().__init__(model)
        self._model, self._values_of = model, values_of
        self.width = 0.0
        self.cramped = False  # not all fit in whole: each gets one line
        self.opened: Key | None = None  # but for this one

    def in_whole(self, block: Block) -> bool:
        """With what stands below its name."""
        return not self.cramped or block.key == self.opened

    def height_of(self, block: Block) -> float:
        if not self.in_whole(block):
            return _ONE_LINE + _GAP
        high = block.grid[0] * _LINE + 2 if block.grid else 0
        return _ONE_LINE + len(self._runs(block)[1]) * _LINE + high + _GAP

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, round(self.height_of(index.data(_BLOCK))))

    def _runs(self, block: Block) -> tuple[list[Run], list[Run], list[Run], bool]:
        """Its name, with the shape where there is room for it; what stands below; its bytes;
        and whether these have room beside the name.
        """
        letters, theme, model = self.look.letters, self.look.theme, self._model
        tensor, taken = block.kind is BlockKind.TENSOR, block.amount(model.device, model.units)
        mono, small = letters.mono, letters.caption
        title = (mono, theme.text) if block.names else (small, theme.quiet)
        shape = Run(block.shape, mono if tensor else small, theme.quiet)
        remark = Run(block.remark(model.units), small, theme.quiet)
        first, right = [Run(block.title, *title)], []
        below = [run for run in (shape, remark) if run.text]
        if block.placed is not None and block.placed.requires_grad:
            right.append(Run("∇\N{EN SPACE}", small, theme.quiet))
        if taken is not None:
            right.append(Run(taken.number, letters.strong, theme.text))
            right.append(Run(f"{THIN_SPACE}{taken.unit}", small, theme.quiet))
        wide = sum(run.width for run in right)
        room = self.width - 2 * _PAD - first[0].width - _BETWEEN
        beside = wide <= room
        if tensor and shape.width + _BETWEEN <= room - (wide if beside else 0):
            first.append(below.pop(0))
        return first, below or ([] if beside else [Run("", small, theme.quiet)]), right, beside

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        block: Block = index.data(_BLOCK)
        theme = drawing.theme
        place = place.adjusted(_RING, _GAP / 2, -_RING, -_GAP / 2)
        colour = hue(theme, self._model.device)
        strength = 0.07 if block.kind is BlockKind.UNNAMED else 0.2
        pointed = 0.06 if option.state & _State.State_MouseOver else 0.0
        drawing.filled(place, faded(colour, strength + pointed), _RADIUS)
        drawing.outlined(place, QPen(faded(colour, 0.5), 1), _RADIUS)
        if option.state & _State.State_Selected:
            drawing.filled(place, theme.selection, _RADIUS)
            drawing.outlined(place, QPen(theme.text, 1.5), _RADIUS)
        if option.state & _State.State_HasFocus:
            drawing.focus_ring(place.adjusted(-3, -3, 3, 3), _RADIUS + 3)
        first, below, sizes, beside = self._runs(block)
        whole, left, right = self.in_whole(block), place.left() + _PAD, place.right() - _PAD
        baseline = place.top() + _PAD + 11.0
        for at, line in enumerate([first, *([run] for run in below if whole)]):
            end, x = right, left
            if at == (0 if beside else 1):
                end = drawing.runs_right(right, baseline, sizes) - _BETWEEN
            for run in line:
                x = drawing.elided(x, baseline, run, max(0.0, end - x)) + _BETWEEN
            baseline += _LINE
        if whole and block.grid is not None:
            for values in self._lines(block, right - left):
                drawing.text(left, baseline, Run(values, self.look.letters.mono, theme.text))
                baseline += _LINE

    def _lines(self, block: Block, wide: float) -> Sequence[str]:
        """Its values, as many as have room beside each other; none before a look."""
        values = self._values_of(block)
        if values is None:
            return ()
        letters = int(wide // self.look.letters.mono.width("0")) - 2
        widest = max(len(each) for line in lines_of(values) for each in line.split())
        return lines_of(values, max(1, (letters + 1) // (widest + 1)))


class BlockList(QListView):
    """The newest first. Selected is what the lab's selection has, and nothing by hand alone."""

    gone_sideways = Signal(int)
    seen_changed = Signal()  # other blocks are seen than before
    walked = Signal()  # the keyboard is at another block, came here or went away

    def __init__(self, device: BenchDevice, actions: BenchActions, values_of: ValuesOf) -> None:
        super().__init__()
        self._actions = actions
        self._names: frozenset[str] = frozenset()  # that are selected
        self._pressed: Block | None = None
        self._rows = BlockModel(device, values_of, self)
        self._drawn = BlockDelegate(self._rows, values_of)
        self.setProperty("kind", "bare")
        self.setModel(self._rows)
        self.setItemDelegate(self._drawn)
        self.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.verticalScrollBar().setSingleStep(24)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(_IGNORED, _IGNORED)
        self.setDragEnabled(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.viewport().setAcceptDrops(False)
        self.verticalScrollBar().valueChanged.connect(self.seen_changed)
        self.selectionModel().currentChanged.connect(self.walked)

    @property
    def blocks(self) -> Sequence[Block]:
        return self._rows.blocks

    @property
    def at(self) -> Block | None:
        """Where the keyboard is."""
        return self._block(self.currentIndex())

    def show_blocks(self, blocks: Sequence[Block], device: BenchDevice, units: Units) -> None:
        self._rows.device, self._rows.units = device, units
        self.viewport().update()
        if blocks != self.blocks:
            self._rows.show(blocks)
            self._choose()

    def show_names(self, names: frozenset[str]) -> None:
        """What is selected."""
        if names != self._names:
            self._names = names
            self._choose()

    def _choose(self) -> None:
        chosen = self.selectionModel()
        chosen.clearSelection()
        self._drawn.opened = None
        for at, each in enumerate(self.blocks) if self._names else ():
            if not self._names.isdisjoint(each.names):
                chosen.select(self._rows.index(at), chosen.SelectionFlag.Select)
                self._drawn.opened = self._drawn.opened or each.key
        self._fit()

    def _fit(self) -> None:
        """In whole where all fit, else the chosen one alone."""
        drawn = self._drawn
        drawn.width, drawn.cramped = self.viewport().width() - 2.0 * _RING, False
        high = sum(map(drawn.height_of, self.blocks[: _MANY + 1]))
        drawn.cramped = len(self.blocks) > _MANY or high > self.viewport().height() + 1
        self.setUniformItemSizes(drawn.cramped and drawn.opened is None)
        self.scheduleDelayedItemsLayout()
        self.executeDelayedItemsLayout()
        self.seen_changed.emit()

    def bring_into_sight(self, names: frozenset[str]) -> bool:
        """True where one of them lies here."""
        for at, each in enumerate(self.blocks):
            if not names.isdisjoint(each.names):
                self.scrollTo(self._rows.index(at))
                return True
        return False

    def enter_at(self, y: int | None) -> None:
        """The keyboard comes here, from the block beside at that height."""
        if y is not None and self.blocks:
            index = self.indexAt(QPoint(_RING, max(0, y)))
            last = self._rows.index(len(self.blocks) - 1)
            self.setCurrentIndex(index if index.isValid() else last)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def read(self) -> Sequence[Block]:
        """Those that are seen with what stands below their names."""
        x, bottom = self.width() // 2, self.viewport().height() - 1
        first, last = (self.indexAt(QPoint(x, y)).row() for y in (0, bottom))
        seen = self.blocks[max(0, first) : last + 1 or None]
        return [each for each in seen if self._drawn.in_whole(each)]

    def _block(self, index: Index) -> Block | None:
        return self.blocks[index.row()] if index.isValid() else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def startDrag(self, _actions: Qt.DropAction) -> None:
        """Under its name as text, so that it can be let go over code too."""
        if self._pressed is None:
            return
        drag, carried, key = QDrag(self), QMimeData(), self._pressed.key
        carried.setText(key.name)
        carried.setData(THING, key.device.encode())
        drag.setMimeData(carried)
        drag.setPixmap(self.viewport().grab(self.visualRect(self.selectedIndexes()[0])))
        drag.exec(Qt.DropAction.CopyAction)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._actions.refused.emit("")
        block = self._pressed = self._block(self.indexAt(event.position().toPoint()))
        super().mousePressEvent(event)
        if event.button() is Qt.MouseButton.LeftButton:
            self._actions.choose(block)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # The first click may have made room for it, and moved what lies below.
        if self._pressed is not None and event.button() is Qt.MouseButton.LeftButton:
            self._actions.open(self._pressed)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index, place = self.indexAt(event.pos()), event.globalPos()
        if event.reason() is not QContextMenuEvent.Reason.Mouse:
            index = self.currentIndex()
            place = self.viewport().mapToGlobal(self.visualRect(index).center())
        if block := self._block(index):
            self._actions.open_menu(block, place, self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        actions, block = self._actions, self.at
        actions.refused.emit("")
        side = _SIDEWAYS.get(Qt.Key(event.key()))
        if side is not None and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.gone_sideways.emit(side)
        elif block is None:
            event.ignore()
        elif side is not None:
            actions.carry_beside(block, side)
        elif event.matches(QKeySequence.StandardKey.Copy):
            actions.copy_name(block)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            actions.open(block)
        elif event.key() == Qt.Key.Key_Space:
            actions.choose(block)
        elif event.key() == Qt.Key.Key_Delete:
            actions.delete(block)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # The space bar selects a block, before it holds the time, and Ctrl+C copies its name,
        # before the screen copies something else.
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            copies = event.matches(QKeySequence.StandardKey.Copy)
            if self.at is not None and (copies or event.key() == Qt.Key.Key_Space):
                event.accept()
                return True
        done = super().event(event)
        if isinstance(event, QFocusEvent):
            self.walked.emit()
        return done


def hue(theme: Theme, device: BenchDevice) -> QColor:
    """The card's colour; the host and cards that cannot be used have none."""
    return theme.card(device.colour if device.usable else None)
