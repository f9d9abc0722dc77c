"""RailMachines: which machine the screens show, and how the others are."""

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QListView, QSizePolicy, QStyle, QStyleOptionViewItem, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index, Run, plain_tip
from gpuexplorer.gui.state.machines import MachineRow, MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel

_SIDE, _TEXT_LEFT, _SIGN, _HEIGHT = 20, 52.0, 16.0, 32
# So many are seen in a rail of this height.
_MOST = ((900, 5), (772, 3), (730, 2), (0, 1))
_MACHINE = Qt.ItemDataRole.UserRole


class RailMachines(QWidget):
    """There only where there is more than one machine."""

    def __init__(self, machines: MachinesState, navigation: Navigation) -> None:
        super().__init__()
        self._machines, self._navigation = machines, navigation
        self._most = 1
        self.setAccessibleName(tr("Machines of this window"))
        self.setObjectName("rail.machines")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._heading = ElidedLabel(look().letters.caption, Tone.QUIET, tr("Machine"))
        self._model, self.list = QStandardItemModel(self), QListView()
        self.list.setModel(self._model)
        self.list.setItemDelegate(_MachineDrawing(self.list))
        self.list.setProperty("kind", "bare")
        self.list.setAccessibleName(tr("Machine"))
        self.list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.list.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setMouseTracking(True)
        head = row(self._heading, FREE, margins=(_SIDE, 12, _SIDE, 4))
        column(head, self.list, within=self, gap=0)
        self.list.clicked.connect(self._on_chosen)
        self.list.activated.connect(self._on_chosen)
        machines.changed.connect(self._on_changed)
        self._on_changed()

    def show_within(self, height: int, *, narrow: bool) -> None:
        self._most = next(most for least, most in _MOST if height >= least)
        self._heading.setVisible(not narrow)
        policy = Qt.ScrollBarPolicy
        bar = policy.ScrollBarAlwaysOff if narrow else policy.ScrollBarAsNeeded
        self.list.setVerticalScrollBarPolicy(bar)
        self._show_height()

    def _show_height(self) -> None:
        """Where there is little room, the machine that is shown stands alone."""
        rows = self._machines.rows()
        self.list.setFixedHeight(min(len(rows), self._most) * _HEIGHT)
        shown = next((at for at, each in enumerate(rows) if each.shown), 0)
        self.list.scrollTo(self._model.index(shown, 0))

    def _on_changed(self) -> None:
        rows = self._machines.rows()
        self._model.setRowCount(len(rows))
        for number, each in enumerate(rows):
            words = tr("{machine}: {state}", machine=each.name, state=tr(each.standing.word))
            item = QStandardItem(words)
            item.setToolTip(plain_tip(words))
            item.setData(each, _MACHINE)
            self._model.setItem(number, item)
        self.setVisible(len(rows) > 1)
        self._show_height()

    def _on_chosen(self, index: QModelIndex) -> None:
        self._navigation.open_machine(index.data(_MACHINE).key)


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
            name = Run(machine.name, letters, ink)
            baseline = middle.y() + letters.cap_height / 2
            drawing.elided(_TEXT_LEFT, baseline, name, place.right() - 16 - _TEXT_LEFT)
