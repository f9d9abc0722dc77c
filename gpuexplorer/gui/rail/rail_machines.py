"""RailMachines: which machine the screens show, and how the others are."""

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QListView, QSizePolicy, QStyle, QStyleOptionViewItem, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index, Run, plain_tip
from gpuexplorer.gui.state.machines import MachineRow, MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import FREE, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel

_SIDE, _NARROW_SIDE, _TEXT_LEFT, _SIGN, _HEIGHT = 20, 14, 52.0, 16.0, 32
# So many in a rail of this height; the others are on the screen of all machines.
_MOST = ((900, 5), (772, 3), (730, 2), (0, 1))
_MACHINE = Qt.ItemDataRole.UserRole


class RailMachines(QWidget):
    """There only where there is more than one machine."""

    def __init__(self, machines: MachinesState, navigation: Navigation) -> None:
        super().__init__()
        self._machines, self._navigation = machines, navigation
        self._narrow, self._most = False, 1
        self.setAccessibleName(tr("Machines of this window"))
        self.setObjectName("rail.machines")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._heading = ElidedLabel(look().letters.caption, Tone.QUIET, tr("Machine"))
        self._head = row(self._heading, FREE)
        self._more = link_button("")
        self._foot = row(self._more, FREE)
        self._model, self._list = QStandardItemModel(self), QListView()
        self._list.setModel(self._model)
        self._list.setItemDelegate(_MachineDrawing(self._list))
        self._list.setProperty("kind", "bare")
        self._list.setAccessibleName(tr("Machine"))
        self._list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._list.setSelectionMode(QListView.SelectionMode.NoSelection)
        self._list.setMouseTracking(True)
        column(self._head, self._list, self._foot, within=self, gap=0)
        self._more.clicked.connect(self._on_more_clicked)
        self._list.clicked.connect(self._on_chosen)
        self._list.activated.connect(self._on_chosen)
        machines.changed.connect(self._on_changed)
        self._on_changed()

    def show_within(self, height: int, *, narrow: bool) -> None:
        """Where there is little room, the machine that is shown stands alone."""
        most = next(most for least, most in _MOST if height >= least)
        if (most, narrow) != (self._most, self._narrow):
            self._most, self._narrow = most, narrow
            self._on_changed()

    def _on_changed(self) -> None:
        rows, at = self._machines.rows(), self._list.currentIndex().row()
        shown = [each for each in rows if each.shown and each not in rows[: self._most]]
        listed = [*rows[: self._most - len(shown)], *shown]
        self._model.clear()
        for each in listed:
            words = tr("{machine}: {state}", machine=each.name, state=tr(each.standing.word))
            item = QStandardItem(words)
            item.setToolTip(plain_tip(words))
            item.setData(each, _MACHINE)
            self._model.appendRow(item)
        self._list.setCurrentIndex(self._model.index(min(at, len(listed) - 1), 0))
        self._list.setFixedHeight(len(listed) * _HEIGHT)
        self.setVisible(len(rows) > 1)
        rest = len(rows) - len(listed)
        words = trn("{count} more…", "{count} more…", rest)
        self._more.setVisible(rest > 0)
        self._more.setText(f"+{rest}" if self._narrow else words)
        self._more.setAccessibleName(words)
        self._heading.setVisible(not self._narrow)
        side = _NARROW_SIDE if self._narrow else _SIDE
        self._head.setContentsMargins(side, 12, side, 4)
        self._foot.setContentsMargins(side - 4, 0, 0, 0)

    def _on_chosen(self, index: QModelIndex) -> None:
        self._navigation.open_machine(index.data(_MACHINE).key)

    def _on_more_clicked(self) -> None:
        self._navigation.open_screen("machines")


class _MachineDrawing(Delegate):
    """Name and state; the state is a shape, and a narrow rail has no room for the name."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, _HEIGHT)

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        machine: MachineRow = index.data(_MACHINE)
        theme, letters, states = drawing.theme, drawing.letters.body, QStyle.StateFlag
        narrow = place.width() < 3 * _TEXT_LEFT
        inset = 4 if narrow else 8
        ground, middle = place.adjusted(inset, 1, -inset, -1), place.center()
        if machine.shown or option.state & states.State_MouseOver:
            drawing.filled(ground, theme.selection, 6)
        if option.state & states.State_HasFocus:
            drawing.focus_ring(ground, 6)
        left = middle.x() - _SIGN / 2 if narrow else _SIDE + 2.0
        icon, tone = machine.standing.sign
        sign = QRectF(left, middle.y() - _SIGN / 2, _SIGN, _SIGN)
        drawing.icon(icon, sign, theme.tone(tone))
        if not narrow:
            ink = theme.text if machine.standing.answers else theme.quiet
            name, baseline = (
                Run(machine.name, letters, ink),
                middle.y() + letters.cap_height / 2,
            )
            drawing.elided(_TEXT_LEFT, baseline, name, place.right() - 16 - _TEXT_LEFT)
