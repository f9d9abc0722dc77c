"""BlockList: what lies on one device, as a list, and what a person can do with it."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QEasingCurve,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QDrag,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPixmap,
)
from PySide6.QtWidgets import QListView, QWidget

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.lab.bench.bench_actions import BenchActions
from gpuexplorer.gui.lab.bench.block_delegate import (
    GAP,
    ONE_LINE,
    RADIUS,
    RING,
    BlockDelegate,
    State,
    ValuesOf,
)
from gpuexplorer.gui.lab.bench.blocks import Block, Key
from gpuexplorer.gui.lab.bench.words import hint_of, rows_of, spoken_block
from gpuexplorer.gui.paint.drawing import Drawing, Index
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.theme.palette import faded

THING = "application/x-gpuexplorer-thing"  # is what a drag carries
_ARRIVAL = 160  # milliseconds
_FROM = 28.0  # pixels away from where a block will stand
_MOST_ARRIVING = 6
_BAR = 10.0  # of their width, where not all fit
_SIDEWAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class BlockModel(QAbstractListModel):
    """Rows that stay are the same rows, so that Qt keeps the keyboard where it is."""

    def __init__(self, device: BenchDevice, values_of: ValuesOf, parent: QObject) -> None:
        super().__init__(parent)
        self.device, self.units = device, USUAL
        self.blocks: Sequence[Block] = ()
        self._values_of = values_of

    def show(self, blocks: Sequence[Block]) -> None:
        rows = {each.key: row for row, each in enumerate(blocks)}
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [rows.get(self.blocks[each.row()].key, -1) for each in before]
        self.blocks = blocks
        self.changePersistentIndexList(before, [self.index(row) for row in kept])
        self.layoutChanged.emit()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self.blocks)

    def flags(self, index: Index) -> Qt.ItemFlag:
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else usual

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        block = self.blocks[index.row()]
        match role:
            case Qt.ItemDataRole.UserRole:
                return block
            case Qt.ItemDataRole.AccessibleTextRole:
                return spoken_block(block, self.device, self.units)
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                values = self._values_of(block)
                return "" if values is None else "; ".join(rows_of(values))
            case Qt.ItemDataRole.ToolTipRole:
                return hint_of(block, self.units, self._values_of(block))
        return None


class BlockList(QListView):
    """Laid out by its column, between the head and the foot of the device."""

    gone_sideways = Signal(int)
    seen_changed = Signal()  # other blocks are seen than before
    walked = Signal()  # the keyboard is at another block, came here or went away

    def __init__(
        self, device: BenchDevice, actions: BenchActions, values_of: ValuesOf, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._actions = actions
        self._names: frozenset[str] = frozenset()  # that are selected
        self._pressed: Block | None = None
        self._model = BlockModel(device, values_of, self)
        self._drawn = BlockDelegate(device, values_of, self)
        self.overflows = False
        self.setProperty("kind", "bare")
        self.setModel(self._model)
        self.setItemDelegate(self._drawn)
        # Selected is what the lab's selection has, and nothing by hand alone.
        self.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.verticalScrollBar().setSingleStep(24)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setDragEnabled(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.viewport().setAcceptDrops(False)
        self._arrival = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._arrival.setDuration(_ARRIVAL)
        self._arrival.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._arrival.valueChanged.connect(self._on_moved)
        self.verticalScrollBar().valueChanged.connect(self.seen_changed)
        self.selectionModel().currentChanged.connect(self.walked)

    @property
    def blocks(self) -> Sequence[Block]:
        """The newest first."""
        return self._model.blocks

    @property
    def at(self) -> Block | None:
        """Where the keyboard is."""
        return self._block(self.currentIndex())

    @property
    def chosen(self) -> int | None:
        """The row of the first that is selected, which is seen in whole."""
        return None if self._drawn.opened is None else self._row(self._drawn.opened)

    def show_device(self, device: BenchDevice, units: Units) -> None:
        self._model.device, self._model.units = device, units
        self._drawn.device, self._drawn.units = device, units
        self.viewport().update()

    def show_blocks(self, blocks: Sequence[Block], come_from: int | None) -> None:
        """`come_from`: from the column at the left (-1), at the right (1), or from none (0);
        None: they were there already.
        """
        at = self.at
        before = {each.key for each in self.blocks}
        self._model.show(blocks)
        row = None if at is None else self._row(at.key)
        if row is not None and row != self.currentIndex().row():
            self.setCurrentIndex(self._model.index(row))
        fresh = {each.key for each in blocks if each.key not in before and each.names}
        if come_from is not None and 0 < len(fresh) <= _MOST_ARRIVING:
            self._drawn.arriving = fresh
            self._drawn.come_from = QPointF(come_from * _FROM, 0.0 if come_from else -_FROM / 2)
            self._arrival.start()
        self._choose()

    def show_names(self, names: frozenset[str]) -> bool:
        """What is selected. True where that was something else."""
        if names == self._names:
            return False
        self._names = names
        self._choose()
        return True

    def _choose(self) -> None:
        chosen = self.selectionModel()
        chosen.clearSelection()
        self._drawn.opened = None
        for row, each in enumerate(self.blocks) if self._names else ():
            if not self._names.isdisjoint(each.names):
                chosen.select(self._model.index(row), chosen.SelectionFlag.Select)
                self._drawn.opened = self._drawn.opened or each.key

    def lay_out(self, view: QRectF) -> None:
        """On the ground of `view` where all fit, else all over it."""
        drawn, room = self._drawn, view.height()
        drawn.width, drawn.cramped = view.width(), False
        lines = len(self.blocks) * (ONE_LINE + GAP) - GAP
        drawn.cramped = lines > room or self._high() > room + 0.5
        self.overflows = drawn.cramped and self._high() > room + 0.5
        bar = 0
        if self.overflows:
            drawn.width -= _BAR
            bar = self.verticalScrollBar().sizeHint().width()
        on, off = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(on if self.overflows else off)
        high = room if self.overflows or not self.blocks else self._high()
        whole = QRectF(view.left(), view.bottom() - high, drawn.width + bar, high)
        whole.adjust(-RING, -GAP / 2, RING, GAP / 2)
        self.setGeometry(whole.toAlignedRect())
        self.setUniformItemSizes(drawn.cramped and drawn.opened is None)
        self.doItemsLayout()
        hand = Qt.CursorShape.OpenHandCursor if self.blocks else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(hand)
        self.seen_changed.emit()

    def _high(self) -> float:
        """All of them together."""
        return sum(map(self._drawn.height_of, self.blocks)) + GAP * (len(self.blocks) - 1)

    def bring_into_sight(self, names: frozenset[str]) -> bool:
        """True where one of them lies here."""
        found = (row for row, each in enumerate(self.blocks) if names & {*each.names})
        row = next(found, None)
        if row is not None:
            self.scrollTo(self._model.index(row))
        return row is not None

    def enter_at(self, y: int | None) -> None:
        """The keyboard comes here, from the block beside at that height."""
        if y is not None and self.blocks:
            there = QPoint(RING, min(max(0, y - self.y()), self.viewport().height() - 1))
            self.setCurrentIndex(self.indexAt(there))
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def read(self) -> Sequence[Block]:
        """Those that are seen with what stands below their names."""
        x, bottom = self.width() // 2, self.viewport().height() - 1
        first, last = self.indexAt(QPoint(x, 0)), self.indexAt(QPoint(x, bottom))
        seen = slice(first.row(), last.row() + 1 if last.isValid() else None)
        there = self.blocks[seen] if first.isValid() else ()
        return [each for each in there if self._drawn.in_whole(each)]

    def place_of(self, key: Key) -> QRectF | None:
        """In its column, as far as it is seen; None where it does not lie here."""
        row = self._row(key)
        if row is None:
            return None
        inner = QRectF(self.viewport().rect()).adjusted(RING, GAP / 2, -RING, -GAP / 2)
        place = QRectF(self.visualRect(self._model.index(row)))
        place.adjust(0, GAP / 2, 0, -GAP / 2)
        top = min(max(place.top(), inner.top()), inner.bottom())
        bottom = max(min(place.bottom(), inner.bottom()), inner.top())
        seen = QRectF(inner.left(), top, place.width() - 2 * RING, bottom - top)
        return seen.translated(QPointF(self.pos()))

    def _row(self, key: Key) -> int | None:
        return next((row for row, each in enumerate(self.blocks) if each.key == key), None)

    def _block(self, index: Index) -> Block | None:
        return self.blocks[index.row()] if index.isValid() else None

    def _on_moved(self, share: float) -> None:
        self._drawn.arrived = share
        self.viewport().update()

    def startDrag(self, _actions: Qt.DropAction) -> None:
        block = self._pressed
        if block is None or not block.names:
            return
        drag, carried = QDrag(self), QMimeData()
        carried.setText(block.names[0])
        carried.setData(THING, b"")
        drag.setMimeData(carried)
        drag.setPixmap(self._picture(block))
        drag.setHotSpot(QPoint(14, 14))
        self._actions.held = block
        drag.exec(Qt.DropAction.CopyAction)

    def _picture(self, block: Block) -> QPixmap:
        ratio = self.devicePixelRatioF()
        place = QRectF(0, 0, self._drawn.width, ONE_LINE)
        picture = QPixmap((place.size() * ratio).toSize())
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:
            drawing = Drawing(painter)
            drawing.filled(place, faded(drawing.theme.raised, 0.9), RADIUS)
            self._drawn.draw_block(drawing, place, block, State.State_Selected, whole=False)
        return picture

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._actions.touched.emit()
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
        actions.touched.emit()
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

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.walked.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.walked.emit()

    def event(self, event: QEvent) -> bool:
        # The space bar selects a block, before it holds the time, and Ctrl+C copies its name,
        # before the screen copies something else.
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            copies = event.matches(QKeySequence.StandardKey.Copy)
            if self.at is not None and (copies or event.key() == Qt.Key.Key_Space):
                event.accept()
                return True
        return super().event(event)
